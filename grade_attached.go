package supascore

import (
	"context"

	probe "github.com/supascore/supascore/probes/rls"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/arena"
	lend "github.com/supascore/supascore/stack/attach/ground"
)

// NewAttachedGrader makes a grader that lets candidates into the database of a stack which
// already runs, one at a time. The ground stays the caller's. A candidate that cannot be
// taken away again is a *UndoError of package ground of Grade, and of every Grade after it.
func NewAttachedGrader(g *lend.Ground) *Grader { return &Grader{grounds: lender{g}} }

// lender is a stack that lends its database.
type lender struct{ *lend.Ground }

func (l lender) enter(ctx context.Context, setup arena.Setup) (ground, error) {
	c, err := l.Enter(ctx, setup)
	if err != nil {
		return nil, err
	}
	return lent{c, l.Versions()}, nil
}

// lent is a candidate in the database of a running stack.
type lent struct {
	*lend.Candidate
	versions map[string]string
}

func (l lent) took() arena.Timing { return l.Timing }

func (l lent) played() players {
	return players{engine: string(stack.EngineAttach), postgrest: l.versions["rest"], auth: l.versions["auth"]}
}

func (l lent) serve(ctx context.Context, signIn bool) (*dataAPI, error) {
	api, err := l.Serve(ctx, signIn)
	if err != nil {
		return nil, err
	}
	return &dataAPI{
		url: api.URL, key: api.Key, authURL: api.AuthURL, serviceKey: api.ServiceKey, transport: api, sign: api.Token,
		begin: api.Begin, outside: &probe.Outside{Owner: api.Owner, Look: api.Look, Undo: api.Undo},
		run: probe.RunFunction{Schema: api.Schema, Name: api.Run},
	}, nil
}
