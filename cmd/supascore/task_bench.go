package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/scorers/stats"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// taskBench is one `task bench`.
type taskBench struct {
	*app
	source   taskSource
	grade    gradeFlags
	stats    stats.Config
	models   []string
	journal  string
	json     string
	markdown string
}

func (a *app) taskBenchCommand() *cobra.Command {
	r := &taskBench{app: a}
	c := &cobra.Command{
		Use:   "bench SAMPLES.jsonl | CANDIDATES/",
		Short: "Grade many samples of many models, and compare the models",
		Long: `Grade every sample in a samples file, as task generate writes it, or in a folder of
candidates laid out as MODEL/T001.sql or MODEL/T001/1.sql, and compare the models: pass@1
and pass@5 without bias, and the share of samples that leak, each a mean over tasks with a
95% bootstrap interval, and pass@1 by tier.

Every grading goes into a journal beside the samples. A bench that was ended, or killed,
goes on when it is started again, and grades nothing twice; candidates that are the same
are graded once. SAMPLES.jsonl may be -, which is stdin; then name the journal.

Exit code 0 when every sample was graded, whatever became of it; 3 when some could not be.`,
		Example: `  supascore task bench samples.jsonl --json bench.json --markdown bench.md
  supascore task bench ./candidates --split test --parallel 8`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef(c, "", "%s takes a samples file or a folder of candidates, got %s", c.CommandPath(), plural(len(args), "argument"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args[0]) },
	}
	r.source.register(c)
	r.source.registerFilters(c)
	r.grade.register(c)
	r.grade.registerParallel(c)
	flags := c.Flags()
	flags.StringSliceVar(&r.models, "model", nil, "only samples of these models")
	flags.StringVar(&r.journal, "journal", "", "keep the gradings in this file (default: SAMPLES.gradings.jsonl)")
	flags.StringVar(&r.json, "json", "", "write the report to this file; - is stdout instead of the table")
	flags.StringVar(&r.markdown, "markdown", "", "write the table as Markdown to this file")
	flags.Uint64Var(&r.stats.Seed, "seed", 1, "seed of the bootstrap")
	flags.IntVar(&r.stats.Resamples, "resamples", 10_000, "how often the bootstrap draws tasks")
	return c
}

func (r *taskBench) run(c *cobra.Command, from string) error {
	opts, err := r.grade.options(c, r.app)
	if err != nil {
		return err
	}
	if r.stats.Resamples < 1 || r.stats.Seed < 1 {
		return usagef(c, "", "--seed and --resamples take numbers from 1")
	}
	if r.journal == "" {
		if from == "-" {
			return usagef(c, "add --journal FILE", "samples from stdin need a journal")
		}
		r.journal = strings.TrimSuffix(filepath.Clean(from), ".jsonl") + ".gradings.jsonl"
	}
	list, chosen, err := r.input(c, from)
	if err != nil {
		return err
	}
	var report *supascore.BenchReport
	err = r.grade.withGrader(c, r.app, r.grade.parallel, func(grader *supascore.Grader) error {
		live := r.out.progress("grading")
		defer live.stop()
		count := 0
		report, err = supascore.BenchTasks(c.Context(), supascore.BenchConfig{
			Grader: grader, Tasks: list, Samples: chosen, Journal: r.journal, Options: opts, Engine: r.grade.name(),
			Parallel: r.grade.parallel, Stats: r.stats,
			OnGrading: func(g supascore.Grading) { count++; live.phase(fmt.Sprintf("%d: %s, %s", count, g.Task, g.Verdict)) },
		})
		return err
	})
	if report == nil {
		return wrongBench(c, err)
	}
	return r.finish(report, err)
}

// finish shows and writes the report, also of a bench that was ended early.
func (r *taskBench) finish(report *supascore.BenchReport, trouble error) error {
	if r.json != "-" {
		r.out.bench(report)
	}
	if err := r.saveJSON(r.json, report); err != nil {
		return fmt.Errorf("save the report: %w", err)
	}
	if err := r.save(r.markdown, func(w io.Writer) error { return benchMarkdown(w, report) }); err != nil {
		return fmt.Errorf("save the table: %w", err)
	}
	switch {
	case trouble != nil:
		return trouble
	case report.Ungraded > 0:
		return verdict(exitBroken)
	}
	return nil
}

// wrongBench makes a journal that is none, or another's, a wrong command line.
func wrongBench(c *cobra.Command, err error) error {
	var locked *journal.LockedError
	var line *journal.LineError
	if errors.As(err, &locked) || errors.As(err, &line) {
		return wrongInput(c, err)
	}
	return err
}

// input reads the samples and the tasks that they are for. Samples that the filters
// leave out are dropped; one for a task that there is not is an error.
func (r *taskBench) input(c *cobra.Command, from string) ([]*tasks.Task, []samples.Sample, error) {
	all, err := r.source.all(c)
	if err != nil {
		return nil, nil, err
	}
	list, err := r.source.list(c)
	if err != nil {
		return nil, nil, err
	}
	read, err := readSamples(c, from)
	if err != nil {
		return nil, nil, wrongInput(c, err)
	}
	var chosen []samples.Sample
	for _, s := range read {
		task, err := tasks.Find(all, s.Task)
		if err != nil {
			return nil, nil, wrongInput(c, fmt.Errorf("%s: %w", s.Origin, err))
		}
		if r.source.wants(task) && (len(r.models) == 0 || slices.Contains(r.models, s.Model)) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, nil, usagef(c, "", "no sample is left: %s has %d, and none fits the filters", from, len(read))
	}
	return list, chosen, nil
}

// readSamples reads samples from a file, a folder or stdin.
func readSamples(c *cobra.Command, from string) ([]samples.Sample, error) {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		return samples.ReadDir(from)
	}
	in, name, err := openInput(c, from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return samples.Read(name, in)
}
