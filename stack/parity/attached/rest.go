package attached

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

type restTarget struct{ engine *Engine }

// Open lends the database to a scenario, and waits while another one has it.
func (t restTarget) Open(context.Context) (restreplay.Instance, error) {
	return &restInstance{engine: t.engine}, nil
}

// Cleanup has nothing to do: whatever a scenario makes is taken away with it.
func (restTarget) Cleanup(context.Context, string) error { return nil }

// restInstance is a scenario's time in the database, which begins when it first needs it.
type restInstance struct {
	engine  *Engine
	lent    *ground.Candidate
	owner   *session
	serving bool
	// stale says that the server has read a schema that the recorded one had not.
	stale bool
}

// Suits says which setting the running server has not.
func (i *restInstance) Suits(config map[string]string) error { return i.engine.rest.suits(config) }

// Exec runs a script as the owner, whoever is asked for.
func (i *restInstance) Exec(ctx context.Context, role, sql string) error {
	if err := i.enter(ctx); err != nil {
		return err
	}
	run := i.owner.run
	if role == restreplay.Superuser {
		run = i.owner.runAsSuperuser
	}
	announced, err := i.owner.announces(ctx, run, sql)
	i.stale = i.stale || announced && i.serving
	return err
}

// enter begins the scenario's time, in a database whose roles have no settings.
func (i *restInstance) enter(ctx context.Context) (err error) {
	if i.lent == nil {
		if i.lent, err = i.engine.enter(ctx); err != nil {
			return err
		}
	}
	if i.owner == nil {
		if i.owner, err = i.engine.connect(ctx); err != nil {
			return err
		}
		return i.owner.putAside(ctx)
	}
	return nil
}

// Start makes the running server read the database and returns its root.
func (i *restInstance) Start(ctx context.Context, _ map[string]string) (string, error) {
	if err := i.Reload(ctx); err != nil {
		return "", err
	}
	i.serving = true
	return i.engine.restURL(), nil
}

// Reload makes the server read its schema and the settings of roles again.
func (i *restInstance) Reload(ctx context.Context) error {
	if err := i.enter(ctx); err != nil {
		return err
	}
	if err := i.lent.Settle(ctx); err != nil {
		return err
	}
	i.stale = false
	return nil
}

// Passes says what the server would not be asked as the recorded one was.
func (i *restInstance) Passes(step restreplay.Step) error {
	if i.stale {
		return &parity.NotAskedError{Reason: "the server hears of changes of the schema, which the recorded one did not"}
	}
	if i.engine.safeUpdate && changesAll(step.Request) {
		return &parity.NotAskedError{Reason: "role authenticator loads safeupdate, which refuses to change all rows of a table"}
	}
	header := http.Header{}
	for name, values := range step.Request.Headers {
		for _, value := range values {
			header.Add(name, value)
		}
	}
	if step.RawAuthorization != nil {
		header.Set("Authorization", *step.RawAuthorization)
	}
	return gatewayPasses(header)
}

// changesAll reports whether a request changes rows without saying which. Of the names in
// a query, those of PostgREST's own (its documentation, "Tables and Views") are no filters.
func changesAll(request *restreplay.Request) bool {
	if request.Method != http.MethodPatch && request.Method != http.MethodDelete {
		return false
	}
	_, query, _ := strings.Cut(request.Path, "?")
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		switch name {
		case "", "select", "order", "limit", "offset", "columns", "on_conflict":
		default:
			return false
		}
	}
	return true
}

// gatewayPasses knows the gateway of the Supabase CLI: it turns keys into tokens, and
// answers what browsers ask about other origins.
func gatewayPasses(header http.Header) error {
	switch {
	case header.Get("Origin") != "":
		return &parity.NotAskedError{Reason: "the gateway answers requests of other origins by rules of its own"}
	case header.Get("Apikey") != "":
		return &parity.NotAskedError{Reason: "the gateway turns the key in apikey into a token"}
	case strings.HasPrefix(header.Get("Authorization"), "Bearer sb_"):
		return &parity.NotAskedError{Reason: "the gateway turns the key in Authorization into a token"}
	}
	return nil
}

// Close gives the database back as it was.
func (i *restInstance) Close(ctx context.Context) error {
	var err error
	if i.owner != nil {
		err = i.owner.Close(ctx)
	}
	if i.lent != nil {
		err = errors.Join(err, i.lent.Close(ctx))
	}
	return err
}

//go:embed sql/role_settings.sql
var roleSettingsSQL string

// putAside takes the settings of the roles of requests away; they come back with all else.
// A setting that cannot be taken away is a *parity.NotAskedError.
func (s *session) putAside(ctx context.Context) error {
	rows, err := s.Query(ctx, roleSettingsSQL)
	if err != nil {
		return fmt.Errorf("look at the roles' settings: %w", err)
	}
	type setting struct{ Words, Reset string }
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[setting])
	if err != nil {
		return fmt.Errorf("look at the roles' settings: %w", err)
	}
	for _, one := range list {
		err := s.run(ctx, one.Reset)
		var left *parity.NotAskedError
		if errors.As(err, &left) {
			return &parity.NotAskedError{Reason: "role " + one.Words + ", which cannot be put aside"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
