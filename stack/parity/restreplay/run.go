package restreplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/supascore/supascore/stack/parity"
)

// Run replays a scenario on a fresh database of the target. It returns one outcome per step, also when a step fails: later steps
// are still tried, unless they would begin with what could not be asked (see [parity.NotAskedError]). The error tells why nothing
// could be replayed.
func Run(ctx context.Context, target Target, s Scenario) (steps []parity.Step, err error) {
	instance, err := target.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", s.Name, err)
	}
	defer func() {
		// The context may have ended; the database has to go all the same.
		if cerr := finish(context.WithoutCancel(ctx), target, instance, s); cerr != nil && err == nil {
			err = fmt.Errorf("replay %s: clean up: %w", s.Name, cerr)
		}
	}()
	url, err := setUp(ctx, instance, s)
	var left *parity.NotAskedError
	if err != nil && !errors.As(err, &left) {
		return nil, fmt.Errorf("replay %s: %w", s.Name, err)
	}
	for i, step := range s.Steps {
		outcome := parity.Step{Scenario: s.Name, Step: step.Name, Index: i}
		if left != nil {
			steps = append(steps, outcome.Outcome(nil, left))
			continue
		}
		differences, err := runStep(ctx, instance, url, step)
		steps = append(steps, outcome.Outcome(differences, err))
		if step.Request == nil {
			errors.As(err, &left) // later requests would meet another database than the recorded one
		}
	}
	return steps, nil
}

// setUp makes the scenario's database and starts the server.
func setUp(ctx context.Context, instance Instance, s Scenario) (url string, err error) {
	if gated, ok := instance.(Gated); ok {
		if err := gated.Suits(s.config()); err != nil {
			return "", err
		}
	}
	role := cmp.Or(s.SetupSQLAs, "postgres")
	if err := instance.Exec(ctx, role, s.SetupSQL); err != nil {
		return "", fmt.Errorf("set up: %w", err)
	}
	if url, err = instance.Start(ctx, s.config()); err != nil {
		return "", fmt.Errorf("start: %w", err)
	}
	return url, nil
}

// finish drops the database before the roles, because roles with rights in a database cannot be dropped.
func finish(ctx context.Context, target Target, instance Instance, s Scenario) error {
	if err := instance.Close(ctx); err != nil {
		return err
	}
	if s.CleanupSQL == "" {
		return nil
	}
	return target.Cleanup(ctx, s.CleanupSQL)
}

// config is BaseConfig with the scenario's changes.
func (s Scenario) config() map[string]string {
	config := BaseConfig()
	for name, value := range s.Config {
		if value == nil {
			delete(config, name)
		} else {
			config[name] = *value
		}
	}
	return config
}

// runStep sends a request and compares, or changes the database.
func runStep(ctx context.Context, instance Instance, url string, step Step) ([]parity.Difference, error) {
	if step.Request == nil {
		if err := instance.Exec(ctx, Superuser, step.SQL); err != nil || !step.Reload {
			return nil, err
		}
		return nil, instance.Reload(ctx)
	}
	gated, ok := instance.(Gated)
	if ok {
		if err := gated.Passes(step); err != nil {
			return nil, err
		}
	}
	got, err := send(ctx, url, step)
	if err != nil {
		return nil, err
	}
	if ok {
		step.Response.Headers, got.header = withoutCrossOrigin(step.Response.Headers), withoutCrossOrigin(got.header)
	}
	return compare(step, got), nil
}

// withoutCrossOrigin leaves out the headers that a gateway writes over.
func withoutCrossOrigin[H ~map[string]V, V any](headers H) H {
	kept := maps.Clone(headers)
	maps.DeleteFunc(kept, func(name string, _ V) bool { return strings.HasPrefix(strings.ToLower(name), "access-control-") })
	return kept
}
