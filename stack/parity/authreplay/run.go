package authreplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/parity"
)

// firstTokenScenario is the one recording whose server had not signed a token
// before its first step. Every other one had.
const firstTokenScenario = "cat_hook_first_token"

// sqlRole is the role of SQL that names none.
const sqlRole = "postgres"

// runner replays one scenario.
type runner struct {
	scenario Scenario
	instance Instance
	hooks    *hookServer
	vars     variables
	conns    map[string]*pgx.Conn // by role
	client   *http.Client
	url      string            // of the running server's root
	env      map[string]string // of the running server
}

// Run replays a scenario on a fresh database of the target. It returns one
// outcome per step, also when a step fails: later steps are still tried, unless they
// would begin with what could not be asked (see [parity.NotAskedError]). The error
// tells why nothing could be replayed.
func Run(ctx context.Context, target Target, s Scenario) (steps []parity.Step, err error) {
	vars, err := apiKeys()
	if err != nil {
		return nil, err
	}
	instance, err := target.Open(ctx)
	var left *parity.NotAskedError
	if errors.As(err, &left) {
		return s.leave(nil, left), nil
	}
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", s.Name, err)
	}
	defer func() {
		// The context may have ended; the database has to go all the same.
		if cerr := instance.Close(context.WithoutCancel(ctx)); cerr != nil && err == nil {
			err = fmt.Errorf("replay %s: close: %w", s.Name, cerr)
		}
	}()
	r := &runner{
		scenario: s, instance: instance, vars: vars, client: newClient(), conns: map[string]*pgx.Conn{},
	}
	defer r.closeConns(context.WithoutCancel(ctx))
	defer r.client.CloseIdleConnections()
	r.hooks = newHookServer(s.HookServer)
	defer r.hooks.close()
	if err := r.setUp(ctx); errors.As(err, &left) {
		return s.leave(nil, left), nil
	} else if err != nil {
		return nil, fmt.Errorf("replay %s: set up: %w", s.Name, err)
	}
	for i, step := range s.Steps {
		differences, err := r.step(ctx, step)
		if errors.As(err, &left) {
			// Later steps would begin with other rows and variables than the recorded ones.
			return s.leave(steps, left), nil
		}
		steps = append(steps, parity.Step{
			Scenario: s.Name, Step: step.Name, Index: i, Differences: differences, Err: err,
		})
	}
	return steps, nil
}

// leave leaves out the steps after those that were replayed.
func (s Scenario) leave(steps []parity.Step, why *parity.NotAskedError) []parity.Step {
	for i := len(steps); i < len(s.Steps); i++ {
		steps = append(steps, parity.Step{Scenario: s.Name, Step: s.Steps[i].Name, Index: i}.Outcome(nil, why))
	}
	return steps
}

// newClient does not follow redirects: they are answers to compare.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{},
		Timeout:   30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// setUp runs the recording's SQL and starts the server, unless the first step
// does.
func (r *runner) setUp(ctx context.Context) error {
	port, err := r.hooks.port()
	if err != nil {
		return err
	}
	r.vars["hook_port"] = port
	if gated, ok := r.instance.(Gated); ok && r.scenario.Steps[0].Kind != kindStartup {
		start, err := r.startOf(nil)
		if err == nil {
			err = gated.Suits(start)
		}
		if err != nil {
			return err
		}
	}
	if strings.TrimSpace(r.scenario.SetupSQL) != "" {
		if err := r.exec(ctx, r.scenario.SetupSQLAs, r.scenario.SetupSQL); err != nil {
			return r.refused(err)
		}
	}
	if r.scenario.Steps[0].Kind == kindStartup {
		return nil
	}
	return r.start(ctx, nil)
}

// start starts the server with the scenario's environment changed by a step's.
func (r *runner) start(ctx context.Context, change map[string]string) error {
	start, err := r.startOf(change)
	if err != nil {
		return err
	}
	r.env = start.Env
	r.url, err = r.instance.Start(ctx, start)
	r.hooks.take() // what starting took is not part of the recording
	return err
}

// startOf says how the scenario's server is started.
func (r *runner) startOf(change map[string]string) (Start, error) {
	env, err := r.vars.expandAll(mergeEnv(BaseEnv(), r.scenario.Env, change))
	return Start{
		Env: env, FirstTokenIssued: r.scenario.Name != firstTokenScenario, BcryptCost: r.scenario.bcryptCost(),
	}, err
}

// secrets lists what the running server's HTTP hooks are signed with.
func (r *runner) secrets() []string {
	var secrets []string
	for _, name := range slices.Sorted(maps.Keys(r.env)) {
		if strings.HasPrefix(name, "GOTRUE_HOOK_") && strings.HasSuffix(name, "_SECRETS") {
			secrets = append(secrets, strings.FieldsFunc(r.env[name], func(c rune) bool { return c == '|' })...)
		}
	}
	return secrets
}

// step replays one step. The error tells why it could not be.
func (r *runner) step(ctx context.Context, step Step) ([]parity.Difference, error) {
	if err := pause(ctx, time.Duration(step.WaitMS)*time.Millisecond); err != nil {
		return nil, err
	}
	switch {
	case step.Kind == kindStartup:
		return r.startup(ctx, step)
	case step.Request != nil:
		return r.request(ctx, step)
	}
	return r.sql(ctx, step)
}

// pause waits for the recorded time. The servers read the real clock, and so do
// triggers and defaults in the database, so there is no way around it.
func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// startup restarts the server. Of a refusal only that it is one is compared:
// the recorded text is a guide.
func (r *runner) startup(ctx context.Context, step Step) ([]parity.Difference, error) {
	if err := r.instance.Stop(ctx); err != nil {
		return nil, err
	}
	err := r.start(ctx, step.Env)
	var refusal *Refusal
	if err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	want := *step.Response.Started
	if started := err == nil; started != want {
		got := fmt.Sprint(started)
		if refusal != nil {
			got += ": " + refusal.Reason
		}
		return []parity.Difference{{Path: "started", Want: startupText(want, step.Response.Log), Got: got}}, nil
	}
	return nil, nil
}

func startupText(started bool, log json.RawMessage) string {
	if started {
		return "true"
	}
	return "false: " + string(log)
}
