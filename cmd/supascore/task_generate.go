package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/tasks/generate"
	"github.com/supascore/supascore/tasks/samples"
)

// keyVariable is the environment variable that holds the endpoint's key by default. A
// key on the command line would be seen by every user of the machine.
const keyVariable = "OPENAI_API_KEY"

// generateRun is one `task generate`.
type generateRun struct {
	*app
	source      taskSource
	cfg         generate.Config
	keyVariable string
	temperature float64
	verbose     bool
}

func (a *app) taskGenerateCommand() *cobra.Command {
	r := &generateRun{app: a}
	c := &cobra.Command{
		Use:   "generate [TASK…] --model MODEL",
		Short: "Ask a model for samples, over any endpoint that speaks OpenAI's chat completions",
		Long: `Ask a model for policies, several samples for each task, and write them to a samples file
for bench. Samples that the file has are not asked for again: a run that ended early, by
Ctrl-C, a budget or a broken endpoint, goes on when it is started again.

Busy endpoints are asked again after what their Retry-After says, or after a growing
pause. A request that could exceed the budget is not sent.`,
		Example: `  supascore task generate --model gpt-oss:120b --base-url http://127.0.0.1:11434/v1 --samples 6
  supascore task generate T001 T002 --model gpt-5 --effort medium --as "gpt-5 (medium)" \
      --budget-usd 5 --input-price 1.25 --output-price 10`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	r.source.register(c)
	r.source.registerFilters(c)
	r.register(c)
	return c
}

func (r *generateRun) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&r.cfg.Model, "model", "m", "", "the model's name at the endpoint")
	flags.StringVar(&r.cfg.Label, "as", "", "the model's name in the samples file (default: its name)")
	flags.StringVar(&r.cfg.BaseURL, "base-url", "https://api.openai.com/v1", "the endpoint, up to before /chat/completions")
	flags.StringVar(&r.keyVariable, "key-variable", keyVariable, "environment variable with the API key")
	flags.StringVarP(&r.cfg.File, "output", "o", "samples.jsonl", "the samples file, appended to")
	flags.IntVarP(&r.cfg.Samples, "samples", "n", 1, "samples for each task, those in the file counted")
	flags.IntVar(&r.cfg.Parallel, "parallel", 4, "requests at once")
	flags.IntVar(&r.cfg.Retries, "retries", 6, "tries after the first when the endpoint is busy or broken")
	flags.DurationVar(&r.cfg.Timeout, "timeout", 10*time.Minute, "longest wait for one answer")
	flags.Int64Var(&r.cfg.Settings.MaxTokens, "max-tokens", 16_384, "longest answer, reasoning included")
	flags.BoolVar(&r.cfg.Settings.OldMaxTokens, "old-max-tokens", false, "send that as max_tokens, for endpoints that do not know max_completion_tokens")
	flags.Float64Var(&r.temperature, "temperature", 0, "sampling temperature (default: the endpoint's)")
	flags.StringVar(&r.cfg.Settings.Effort, "effort", "", "reasoning effort, such as medium (default: the endpoint's)")
	flags.Int64Var(&r.cfg.Budget.Tokens, "budget-tokens", 0, "most tokens that this model's samples in the file may have cost")
	flags.Float64Var(&r.cfg.Budget.Dollars, "budget-usd", 0, "most dollars that they may have cost; needs prices")
	flags.Float64Var(&r.cfg.Budget.InputPrice, "input-price", 0, "dollars for a million input tokens")
	flags.Float64Var(&r.cfg.Budget.OutputPrice, "output-price", 0, "dollars for a million output tokens")
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "a line for every sample")
}

func (r *generateRun) run(c *cobra.Command, args []string) error {
	if r.cfg.Model == "" {
		return usagef(c, "add --model, the name that the endpoint knows", "no model is given")
	}
	if r.cfg.File == "-" {
		return usagef(c, "name one with --output", "samples are appended to a file, not to stdout")
	}
	var err error
	if r.cfg.Tasks, err = r.source.chosen(c, args); err != nil {
		return err
	}
	if c.Flags().Changed("temperature") {
		r.cfg.Settings.Temperature = &r.temperature
	}
	if r.cfg.Retries == 0 {
		r.cfg.Retries = -1 // none, where the zero value is the default
	}
	r.cfg.APIKey = r.getenv(r.keyVariable)
	r.out.verbose = r.verbose
	r.cfg.Log = slog.New(&noteHandler{out: r.out})
	live := r.out.progress("asking " + r.cfg.Model)
	came := 0
	r.cfg.OnSample = func(s samples.Sample) {
		came++
		live.phase(fmt.Sprintf("%d: %s, sample %d, %s", came, s.Task, s.Number, plural(int(s.OutputTokens), "token")))
	}
	report, err := generate.Run(c.Context(), r.cfg)
	live.stop()
	if err := wrongGenerate(c, err); errors.As(err, new(*usageError)) {
		return err
	}
	r.out.generated(report, r.cfg)
	var budget *generate.BudgetError
	if errors.As(err, &budget) {
		r.out.error(err)
		return verdict(exitFailed)
	}
	return err
}

// wrongGenerate makes settings and files that cannot be what they are: a wrong command
// line.
func wrongGenerate(c *cobra.Command, err error) error {
	var config *generate.ConfigError
	var stale *generate.StaleError
	var locked *journal.LockedError
	var line *journal.LineError
	switch {
	case errors.As(err, &config), errors.As(err, &stale), errors.As(err, &locked), errors.As(err, &line):
		return wrongInput(c, err)
	}
	return err
}

// generated sums a run up.
func (p *printer) generated(report generate.Report, cfg generate.Config) {
	parts := []string{
		fmt.Sprintf("%d new", report.New), fmt.Sprintf("%d kept", report.Kept),
	}
	if report.Missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing", report.Missing))
	}
	cost := fmt.Sprintf("%d input and %d output tokens in all", report.InputTokens, report.OutputTokens)
	if report.Dollars > 0 {
		cost += fmt.Sprintf(", $%.4f", report.Dollars)
	}
	p.printf("%s: %s  %s\n", cfg.File, strings.Join(parts, ", "), p.faint(cost))
}
