package restreplay

import (
	"cmp"
	"context"
	"fmt"

	"github.com/supascore/supascore/stack/parity"
)

// Run replays a scenario on a fresh database of the target. It returns one outcome per step, also when a step fails: later steps
// are still tried. The error tells why nothing could be replayed.
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
	role := cmp.Or(s.SetupSQLAs, "postgres")
	if err := instance.Exec(ctx, role, s.SetupSQL); err != nil {
		return nil, fmt.Errorf("replay %s: set up: %w", s.Name, err)
	}
	url, err := instance.Start(ctx, s.config())
	if err != nil {
		return nil, fmt.Errorf("replay %s: start: %w", s.Name, err)
	}
	for i, step := range s.Steps {
		differences, err := runStep(ctx, instance, url, step)
		steps = append(steps, parity.Step{
			Scenario: s.Name, Step: step.Name, Index: i, Differences: differences, Err: err,
		})
	}
	return steps, nil
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
	got, err := send(ctx, url, step)
	if err != nil {
		return nil, err
	}
	return compare(step, got), nil
}
