package rls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rls/translate"
	"github.com/supascore/supascore/tasks"
)

// api sends a test as a request.
func (r *runner) api(ctx context.Context, t *planned, o *probes.RLSObservation) {
	request, err := r.request(t, o)
	if err != nil {
		o.Trouble = err.Error()
		return
	}
	token, err := r.token(ctx, t)
	if err != nil {
		o.Trouble = err.Error()
		return
	}
	o.SignedToken = token.Signed
	o.Returning = strings.Contains(strings.Join(request.Header["Prefer"], ","), "return=representation")
	exchange := r.sendInside
	if r.Target.Outside != nil {
		exchange = r.sendOutside
	}
	answer, err := exchange(ctx, sending{t, o, request, token.Text})
	switch {
	case o.SetupFailed != nil, o.LookFailed != nil:
	case err != nil:
		o.Trouble = err.Error()
	default:
		r.keep(t, request, answer, o)
		if o.Form == probes.RLSFormWritten {
			o.OwnersView = r.ownersView(request.Path)
		}
	}
}

// isRead reports whether a request runs in a transaction that cannot write (PostgREST
// documentation, "Access mode").
func isRead(r *translate.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// observe makes a context for a request that is looked into: the owner's set-up at the
// beginning of its transaction, what changed at the end. What goes wrong while looking
// is kept in trouble.
func (r *runner) observe(ctx context.Context, t *planned, o *probes.RLSObservation, trouble *error) context.Context {
	s := seen{t: t, o: o, before: r.Target.Rows}
	watch := Watch{}
	for _, look := range looks(t) {
		watch.After = append(watch.After, Statement{SQL: look.sql, Args: look.args})
	}
	if t.test.Setup != "" {
		watch.Before = func(ctx context.Context, conn *pgconn.PgConn) error {
			made := setup(t)
			for i := range made {
				made[i].refused = func(failed *probes.SQLError) { o.SetupFailed = failed }
			}
			made[1].keep = func(rows [][][]byte) (err error) {
				s.before, err = rowsOf(rows)
				return err
			}
			if err := send(ctx, conn, made); err != nil || o.SetupFailed == nil {
				return err
			}
			return errSetupFailed
		}
	}
	watch.Seen = func(answers [][][][]byte, err error) {
		for i, rows := range answers {
			if *trouble = r.keepLook(s, i, rows); *trouble != nil {
				return
			}
		}
		if failed := refused(err); failed != nil {
			s.failed(len(answers), failed)
		} else if err != nil {
			*trouble = fmt.Errorf("look at the test's transaction: %w", err)
		}
	}
	return r.Target.Observe(ctx, watch)
}

// errSetupFailed ends a request whose set-up was refused.
var errSetupFailed = errors.New("the set-up was refused")

// ownersView is the view that a path names, when whoever reads it has its owner's
// rights.
func (r *runner) ownersView(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "?")
	if r.shape.ownersViews[name] {
		return name
	}
	return ""
}

// request chooses the form of a test's request and makes it.
func (r *runner) request(t *planned, o *probes.RLSObservation) (*translate.Request, error) {
	if written := t.test.API; written != nil {
		o.Form = probes.RLSFormWritten
		request := writtenRequest(written)
		o.Sent = sent(request)
		for _, name := range slices.Sorted(maps.Keys(written.Headers)) {
			o.Sent += fmt.Sprintf(" (%s: %s)", name, written.Headers[name])
		}
		return request, nil
	}
	request, err := translate.Translate(t.query, r.shape.typeOf)
	switch {
	case err == nil:
		o.Form = probes.RLSFormNative
	case errors.Is(err, translate.ErrNoRequest):
		o.Form = probes.RLSFormWrapper
		if request, err = r.wrapperRequest(t.query); err != nil {
			return nil, err
		}
	default:
		return nil, err
	}
	o.Sent = sent(request)
	return request, nil
}

// sent shows a request.
func sent(r *translate.Request) string {
	text := r.Method + " " + r.Path
	if len(r.Body) > 0 {
		text += " " + string(r.Body)
	}
	return text
}

// writtenRequest is the author's request. The number of rows that a write touches is
// asked for, since no row comes back by default.
func writtenRequest(n *tasks.NativeRequest) *translate.Request {
	request := &translate.Request{Method: n.Method, Path: n.Path, Header: http.Header{}, Body: n.Body}
	if len(n.Body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range n.Headers {
		request.Header.Set(name, value)
	}
	if n.Method != http.MethodGet && !strings.Contains(request.Header.Get("Prefer"), "count=") {
		request.Header.Add("Prefer", "count=exact")
	}
	return request
}

// wrapperRequest calls the function that runs SQL as the caller.
func (r *runner) wrapperRequest(q translate.Query) (*translate.Request, error) {
	body, err := json.Marshal(map[string]any{
		"before": q.Before, "query": q.Text, "after": q.After, "returns_rows": q.Statement.ReturnsRows(),
	})
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	run := r.Target.RunFunction.withDefaults()
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Content-Profile", run.Schema)
	return &translate.Request{Method: http.MethodPost, Path: "/rpc/" + run.Name, Header: header, Body: body}, nil
}

// token is the token of a test's user; empty for a visitor, whose key is enough.
func (r *runner) token(ctx context.Context, t *planned) (Token, error) {
	user := t.test.As
	if user.Role == tasks.RoleAnon && user.Sub == "" && len(user.Claims) == 0 {
		return Token{}, nil
	}
	claims := r.claims(t)
	raw, err := json.Marshal(claims)
	if err != nil {
		return Token{}, fmt.Errorf("write the claims: %w", err)
	}
	if token, known := r.tokens[string(raw)]; known {
		return token, nil
	}
	token, err := r.Target.Token(ctx, user, claims)
	if err != nil {
		return Token{}, fmt.Errorf("make the token of %s: %w", user.Role, err)
	}
	r.tokens[string(raw)] = token
	return token, nil
}
