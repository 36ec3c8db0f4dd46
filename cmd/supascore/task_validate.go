package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// taskValidate is one `task validate`.
type taskValidate struct {
	*app
	source   taskSource
	grade    gradeFlags
	all      bool
	mutants  bool
	minKills float64
	json     string
}

func (a *app) taskValidateCommand() *cobra.Command {
	r := &taskValidate{app: a}
	c := &cobra.Command{
		Use:   "validate TASK… | --all",
		Short: "Check that tasks are sound: the reference passes and wrong answers are caught",
		Long: `Check tasks against RLS-Bench's acceptance gate: the structure is in order and every rule
is cited, the reference passes, twice and with the tests in another order alike; no
policy, everything allowed and everything denied fail; every planted trap is caught. Then
wrong answers are made from the reference, such as a dropped policy or a negated
predicate, and the share that the tests catch is shown.`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	r.source.register(c)
	r.source.registerFilters(c)
	r.grade.register(c)
	r.grade.registerParallel(c)
	flags := c.Flags()
	flags.BoolVar(&r.all, "all", false, "all tasks of the source that the filters let through")
	flags.BoolVar(&r.mutants, "mutants", true, "grade wrong answers made from the reference, too")
	flags.Float64Var(&r.minKills, "min-kill-rate", 0, "share of them, 0 to 1, that the tests must catch")
	flags.StringVar(&r.json, "json", "", "write the validations to this file; - is stdout instead of lines")
	return c
}

func (r *taskValidate) run(c *cobra.Command, args []string) error {
	opts, err := r.grade.options(c, r.app)
	if err != nil {
		return err
	}
	switch {
	case r.all == (len(args) > 0):
		return usagef(c, "name tasks, or all with --all", "%s takes tasks or --all, and not both", c.CommandPath())
	case r.minKills < 0 || r.minKills > 1:
		return usagef(c, "", "--min-kill-rate takes a number from 0 to 1, got %g", r.minKills)
	}
	list, err := r.source.chosen(c, args)
	if err != nil {
		return err
	}
	validate := supascore.ValidateOptions{Grade: opts, MinKillRate: r.minKills, NoMutants: !r.mutants}
	began := time.Now()
	var done []*supascore.Validation
	err = r.grade.withGrader(c, r.app, r.grade.parallel, func(grader *supascore.Grader) error {
		done, err = r.each(c.Context(), grader, list, validate)
		return err
	})
	if err != nil {
		return err
	}
	if r.json != "-" {
		r.out.validated(done, time.Since(began))
	}
	if err := r.saveJSON(r.json, done); err != nil {
		return fmt.Errorf("save the validations: %w", err)
	}
	if slices.ContainsFunc(done, func(v *supascore.Validation) bool { return !v.Accepted }) {
		return verdict(exitFailed)
	}
	return nil
}

// each validates the tasks, several at once, and shows each when it and those before it
// are done. The validations are in the order of the tasks.
func (r *taskValidate) each(ctx context.Context, grader *supascore.Grader, list []*tasks.Task, opts supascore.ValidateOptions) ([]*supascore.Validation, error) {
	live := r.out.progress("validating")
	defer live.stop()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.grade.parallel)
	done := make([]*supascore.Validation, len(list))
	var mu sync.Mutex
	shown := 0
	for i, task := range list {
		group.Go(func() error {
			opts := opts
			opts.OnCandidate = func(name string) { live.phase(task.ID + ", " + name) }
			v, err := grader.Validate(ctx, task, opts)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			done[i] = v
			for ; r.json != "-" && shown < len(done) && done[shown] != nil; shown++ {
				live.interrupt(func() { r.out.validation(list[shown], done[shown]) })
			}
			return nil
		})
	}
	return done, group.Wait()
}

// validation shows whether a task can be accepted, and what is against it.
func (p *printer) validation(task *tasks.Task, v *supascore.Validation) {
	sign, colour := mark(evals.StatusPass)
	if !v.Accepted {
		sign, colour = mark(evals.StatusFail)
	}
	traps, _ := countCaught(v.Traps)
	line := fmt.Sprintf("traps caught %d of %d", traps, len(v.Traps))
	if killed, wrong := countCaught(v.Mutants); wrong > 0 {
		line += fmt.Sprintf(", mutants %d of %d (%.0f%%)", killed, wrong, 100*v.KillRate)
	}
	p.printf("  %s %-34s %s\n", p.render.NewStyle().Foreground(colour).Render(sign), task.DirName(), p.faint(line))
	for _, demand := range v.Demands {
		if !demand.Met {
			p.printf("%s\n", wrap(demand.ID+": "+demand.Note, "      "))
		}
	}
	var missed []string
	for _, mutant := range v.Mutants {
		if mutant.Missed() {
			missed = append(missed, mutant.Name)
		}
	}
	if len(missed) > 0 {
		p.printf("%s\n", p.faint(wrap("no test catches: "+strings.Join(missed, ", "), "      ")))
	}
}

// countCaught counts the answers that are wrong, and those of them that were caught.
func countCaught(list []supascore.Caught) (caught, wrong int) {
	for _, c := range list {
		if c.Same == "" {
			wrong++
		}
		if c.Verdict != score.Pass {
			caught++
		}
	}
	return caught, wrong
}

// validated sums validations up.
func (p *printer) validated(done []*supascore.Validation, took time.Duration) {
	accepted, killed, mutants, same := 0, 0, 0, 0
	var by []string
	for _, v := range done {
		if v.By != "" && !slices.Contains(by, v.By) {
			by = append(by, v.By)
		}
		if v.Accepted {
			accepted++
		}
		caught, wrong := countCaught(v.Mutants)
		killed, mutants, same = killed+caught, mutants+wrong, same+len(v.Mutants)-wrong
	}
	line := fmt.Sprintf("%d of %s accepted", accepted, plural(len(done), "task"))
	if mutants > 0 {
		line += fmt.Sprintf(", %d of %d mutants caught (%.0f%%)", killed, mutants, 100*float64(killed)/float64(mutants))
	}
	if same > 0 {
		line += fmt.Sprintf(", %d more change nothing", same)
	}
	p.printf("%s  %s\n", line, p.faint(strings.Join(append(by, seconds(took)), "; ")))
}
