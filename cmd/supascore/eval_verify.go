package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/scorers"
)

func (a *app) evalVerifyCommand() *cobra.Command {
	var (
		flags    stackFlags
		only     []string
		parallel int
		jsonPath string
	)
	c := &cobra.Command{
		Use:   "verify [EVAL…]",
		Short: "Run an eval's fixtures, workspaces whose verdicts are known, and compare",
		Long: `Run the fixtures of evals (default: all evals) and compare every verdict with what
the fixture's expect.yaml says. Fails when a verdict differs, and when some check
was never red or never green in any fixture.`,
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := flags.config(c, a)
			if err != nil {
				return err
			}
			chosen, err := evalsToVerify(c, args)
			if err != nil {
				return err
			}
			if len(only) > 0 && len(chosen) != 1 {
				return usagef(c, "name the eval as well", "--fixture needs one eval")
			}
			var reports []*supascore.VerifyReport
			for _, eval := range chosen {
				report, err := a.verify(c, supascore.VerifyConfig{Eval: eval, Only: only, Parallel: parallel, Stack: cfg})
				if err != nil {
					return err
				}
				reports = append(reports, report)
			}
			if jsonPath != "" {
				err := writeFile(jsonPath, func(w io.Writer) error { return json.NewEncoder(w).Encode(reports) })
				if err != nil {
					return fmt.Errorf("save the report: %w", err)
				}
			}
			return verdict(codeOfReports(reports))
		},
	}
	c.Flags().StringSliceVar(&only, "fixture", nil, "only these fixtures")
	c.Flags().IntVar(&parallel, "parallel", 0, "fixtures at once (default: one for each processor, at least two)")
	c.Flags().StringVar(&jsonPath, "json", "", "write the reports to this file")
	flags.register(c)
	return c
}

func evalsToVerify(c *cobra.Command, ids []string) ([]*evals.Eval, error) {
	if len(ids) == 0 {
		return evals.List(evals.Builtin(), scorers.Library{})
	}
	var list []*evals.Eval
	for _, id := range ids {
		eval, err := findEval(c, id)
		if err != nil {
			return nil, err
		}
		list = append(list, eval)
	}
	return list, nil
}

func codeOfReports(reports []*supascore.VerifyReport) exitCode {
	code := exitOK
	for _, r := range reports {
		switch {
		case r.Broken():
			return exitBroken
		case !r.Holds():
			code = exitFailed
		}
	}
	return code
}

func (a *app) verify(c *cobra.Command, cfg supascore.VerifyConfig) (*supascore.VerifyReport, error) {
	began := time.Now()
	a.out.printf("%s\n", cfg.Eval.ID)
	cfg.OnFixture = a.out.fixture
	report, err := supascore.Verify(c.Context(), cfg)
	if err != nil {
		return nil, err
	}
	a.out.verified(report, time.Since(began))
	return report, nil
}
