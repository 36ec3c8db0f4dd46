// Package native lets recordings be replayed against the real executables: it gives every
// scenario a child of its own on a database of its own. It compares nothing. What the
// recordings say was recorded from such servers, so a difference is a fault of the replay
// or another version.
package native

import (
	"context"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/ground"
	"github.com/supascore/supascore/stack/parity/restreplay"
	"github.com/supascore/supascore/stack/postgres"
)

// Engine is a cluster on which scenarios get databases, and the executables that are run
// on them.
type Engine struct {
	cluster  *ground.Cluster
	programs native.Programs
}

// Start starts a cluster in the recorded setting. Of the programs, those without a path
// are not replayed. Scripts of the configuration are overwritten.
func Start(ctx context.Context, cfg postgres.Config, programs native.Programs) (*Engine, error) {
	cluster, err := ground.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Engine{cluster, programs}, nil
}

// Stop ends the cluster. It is idempotent.
func (e *Engine) Stop(ctx context.Context) error { return e.cluster.Stop(ctx) }

// Auth is the real Auth as a target for recordings of Auth; nil without its executable.
func (e *Engine) Auth() authreplay.Target {
	if e.programs.Auth.Path == "" {
		return nil
	}
	return authTarget{e}
}

// REST is the real PostgREST as a target for recordings of PostgREST; nil without its
// executable.
func (e *Engine) REST() restreplay.Target {
	if e.programs.PostgREST.Path == "" {
		return nil
	}
	return restTarget{e}
}
