package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/scorers"
)

func (a *app) evalCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Run, list and verify evals of documentation pages",
		RunE:  needsVerb,
		Args:  cobra.ArbitraryArgs,
	}
	c.AddCommand(a.evalListCommand(), a.evalRunCommand(), a.evalVerifyCommand())
	return c
}

// findEval loads a built-in eval; an unknown id is a usage error with suggestions.
func findEval(c *cobra.Command, id string) (*evals.Eval, error) {
	eval, err := evals.Find(evals.Builtin(), id, scorers.Library{})
	var unknown *evals.UnknownEvalError
	if errors.As(err, &unknown) {
		return nil, &usageError{err: err, hint: unknown.Hint(), command: c.CommandPath()}
	}
	return eval, err
}

// oneEval is cobra's argument check for verbs that take one eval id.
func oneEval(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	ids, err := evals.IDs(evals.Builtin())
	if err != nil {
		return err
	}
	return usagef(c, "known evals: "+strings.Join(ids, ", "), "%s takes one eval id, got %d arguments", c.CommandPath(), len(args))
}

func (a *app) evalListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the evals, their checks, and prompts that give too much away",
		Long: `List the evals and their checks. A prompt that holds a word which the eval's
README.md keeps out of it is reported with its place, and the exit code is 1.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			all, err := evals.List(evals.Builtin(), scorers.Library{})
			if err != nil {
				return err
			}
			code := exitOK
			for _, eval := range all {
				a.out.printf("%s\n  %s\n", eval.ID, eval.Title)
				for _, spec := range eval.Checks {
					a.out.printf("    %-30s %s\n", spec.ID, spec.Name)
				}
				for _, v := range eval.Violations {
					code = exitFailed
					fmt.Fprintf(a.stderr, "supascore: error: %s: %s\n", eval.ID, v)
				}
			}
			return verdict(code)
		},
	}
}
