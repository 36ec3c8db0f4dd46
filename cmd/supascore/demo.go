package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/fixtures"
)

// The demo scores these fixtures of this eval side by side.
const (
	demoEval = "build-docs-009-custom-claims-rbac"
	demoOn   = "hook-on"
	demoOff  = "hook-off"
)

func (a *app) demoCommand() *cobra.Command {
	var flags stackFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Score one solution twice, with its hook on and off, and show what flips",
		Long: `Score two workspaces whose SQL is the same byte for byte: the worked example of the
Custom Claims & RBAC guide with the access token hook switched on in config.toml, and
without. Each gets a stack of its own. Then show which checks flip, and why.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.demo(c, &flags) },
	}
	flags.register(c)
	return c
}

func (a *app) demo(c *cobra.Command, flags *stackFlags) error {
	cfg, err := flags.config(c, a)
	if err != nil {
		return err
	}
	eval, err := findEval(c, demoEval)
	if err != nil {
		return err
	}
	began := time.Now()
	live := a.out.progress("scoring two workspaces")
	cfg.OnPhase = live.phase
	names := [2]string{demoOn, demoOff}
	var results [2]*evals.Result
	var group errgroup.Group
	for i, name := range names {
		group.Go(func() error {
			fixture, err := fixtures.Get(demoEval, name)
			if err != nil {
				return err
			}
			results[i], err = supascore.ScoreFixture(c.Context(), eval, fixture, cfg)
			if err == nil && results[i].Error != "" {
				err = hintedError{fmt.Errorf("%s: %s", name, results[i].Error), results[i].Hint}
			}
			return err
		})
	}
	err = group.Wait()
	live.stop()
	if err != nil {
		return err
	}
	a.out.sideBySide(eval, names, results, time.Since(began))
	return demoVerdict(eval, names, results)
}

// demoVerdict fails when a fixture does not come out as its expect.yaml says: then
// the demo has shown a fault of supascore, or of its Postgres.
func demoVerdict(eval *evals.Eval, names [2]string, results [2]*evals.Result) error {
	for i, name := range names {
		fixture, err := fixtures.Get(eval.ID, name)
		if err != nil {
			return err
		}
		expected, err := evals.LoadExpectation(fixture.Files, evals.ExpectFile, eval)
		if err != nil {
			return err
		}
		if surprises := expected.Compare(results[i].Checks); len(surprises) > 0 {
			return fmt.Errorf("fixture %s does not come out as its expect.yaml says: %s", name, surprises[0])
		}
	}
	return nil
}
