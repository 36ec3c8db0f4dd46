package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
)

// maxCandidate bounds a candidate, in bytes.
const maxCandidate = 1 << 20

// taskRun is one `task run`.
type taskRun struct {
	*app
	source       taskSource
	grade        gradeFlags
	solution     bool
	trap         string
	baseline     string
	json         string
	junit        string
	observations bool
}

func (a *app) taskRunCommand() *cobra.Command {
	r := &taskRun{app: a}
	c := &cobra.Command{
		Use:   "run TASK… CANDIDATE.sql",
		Short: "Grade a candidate's policies test by test, by SQL and through the Data API",
		Long: `Apply a candidate's SQL to a fresh copy of the task's database and run the task's tests
as their users, each by SQL and as a request to the Data API. A test that does not pass is
a leak (somebody gets access that they should not have), a block (somebody loses access
that they should have) or an error; where the paths differ, the cause is named.

CANDIDATE.sql may be -, which is stdin. --solution, --trap and --baseline stand for it.`,
		Example: `  supascore task run T001 my_policies.sql
  supascore task run T001 --trap null-matches-null
  supascore task run ./my-tasks/T100-own-notes policies.sql --path sql --json grade.json`,
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	r.source.register(c)
	r.grade.register(c)
	flags := c.Flags()
	flags.BoolVar(&r.solution, "solution", false, "grade the task's reference policies")
	flags.StringVar(&r.trap, "trap", "", "grade this planted wrong answer of the task")
	flags.StringVar(&r.baseline, "baseline", "", "grade this baseline: no-policy, allow-all, deny-all")
	flags.StringVar(&r.json, "json", "", "write the grades to this file; - is stdout instead of the table")
	flags.StringVar(&r.junit, "junit", "", "write the tests as JUnit XML to this file; - is stdout instead of the table")
	flags.BoolVar(&r.observations, "observations", false, "put what the tests saw into the JSON file")
	c.MarkFlagsMutuallyExclusive("solution", "trap", "baseline")
	return c
}

func (r *taskRun) run(c *cobra.Command, args []string) error {
	opts, err := r.grade.options(c, r.app)
	if err != nil {
		return err
	}
	opts.KeepRun = true
	list, candidateOf, err := r.arguments(c, args)
	if err != nil {
		return err
	}
	var grades []*supascore.TaskGrade
	err = r.grade.withGrader(c, r.app, 1, func(grader *supascore.Grader) error {
		for _, task := range list {
			grade, err := r.one(c.Context(), grader, task, candidateOf(task), opts)
			if err != nil {
				return ownSQL(c, err)
			}
			grades = append(grades, grade)
		}
		return nil
	})
	if err := errors.Join(r.files(list, grades), err); err != nil {
		return err
	}
	if slices.ContainsFunc(grades, func(g *supascore.TaskGrade) bool { return !g.Passed() }) {
		return verdict(exitFailed)
	}
	return nil
}

// ownSQL makes a task whose own schema or seed does not run what it is: a wrong task.
func ownSQL(c *cobra.Command, err error) error {
	var sql *arena.SQLError
	if errors.As(err, &sql) && c.Context().Err() == nil {
		return wrongInput(c, err)
	}
	return err
}

// one grades one task and shows the grade.
func (r *taskRun) one(ctx context.Context, grader *supascore.Grader, task *tasks.Task, candidate tasks.NamedSQL, opts supascore.GradeOptions) (*supascore.TaskGrade, error) {
	live := r.out.progress("grading " + candidate.Name + " on " + task.ID)
	began := time.Now()
	grade, err := grader.Grade(ctx, task, candidate, opts)
	live.stop()
	if err == nil && r.json != "-" && r.junit != "-" {
		r.out.grade(task, grade, time.Since(began))
	}
	return grade, err
}

// arguments takes the command line apart: the tasks, and what is graded on each.
func (r *taskRun) arguments(c *cobra.Command, args []string) ([]*tasks.Task, func(*tasks.Task) tasks.NamedSQL, error) {
	if err := oneStdout(c, map[string]string{"json": r.json, "junit": r.junit}); err != nil {
		return nil, nil, err
	}
	named := r.solution || r.trap != "" || r.baseline != ""
	if !named && len(args) < 2 {
		return nil, nil, usagef(c, "name a task and a file with the candidate's SQL", "%s takes a task and a candidate, got %s",
			c.CommandPath(), plural(len(args), "argument"))
	}
	if named {
		if err := atLeastOneTask(c, args); err != nil {
			return nil, nil, err
		}
		list, err := r.source.find(c, args)
		if err != nil {
			return nil, nil, err
		}
		return r.ofTasks(c, list)
	}
	last := len(args) - 1
	list, err := r.source.find(c, args[:last])
	if err != nil {
		return nil, nil, err
	}
	candidate, err := readCandidate(c, args[last])
	if err != nil {
		return nil, nil, wrongInput(c, err)
	}
	return list, func(*tasks.Task) tasks.NamedSQL { return candidate }, nil
}

// ofTasks finds the candidate that a flag names in each task.
func (r *taskRun) ofTasks(c *cobra.Command, list []*tasks.Task) ([]*tasks.Task, func(*tasks.Task) tasks.NamedSQL, error) {
	found := map[*tasks.Task]tasks.NamedSQL{}
	for _, task := range list {
		choices, name := supascore.Baselines(), r.baseline
		switch {
		case r.solution:
			found[task] = tasks.NamedSQL{Name: "solution.sql", SQL: task.Solution}
			continue
		case r.trap != "":
			choices, name = task.TrapFiles, strings.TrimSuffix(r.trap, ".sql")
		}
		i := slices.IndexFunc(choices, func(s tasks.NamedSQL) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, choice := range choices {
				names = append(names, choice.Name)
			}
			return nil, nil, usagef(c, "known: "+strings.Join(names, ", "), "task %s has no candidate %q", task.ID, name)
		}
		found[task] = choices[i]
	}
	return list, func(t *tasks.Task) tasks.NamedSQL { return found[t] }, nil
}

// readCandidate reads a file of SQL.
func readCandidate(c *cobra.Command, name string) (tasks.NamedSQL, error) {
	in, name, err := openInput(c, name)
	if err != nil {
		return tasks.NamedSQL{}, fmt.Errorf("read the candidate: %w", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxCandidate+1))
	if err != nil {
		return tasks.NamedSQL{}, fmt.Errorf("read the candidate: %w", err)
	}
	if len(text) > maxCandidate {
		return tasks.NamedSQL{}, fmt.Errorf("the candidate %s is larger than %d bytes", name, maxCandidate)
	}
	return tasks.NamedSQL{Name: filepath.Base(name), SQL: string(text)}, nil
}

// files writes what was graded, also when a later task could not be.
func (r *taskRun) files(list []*tasks.Task, grades []*supascore.TaskGrade) error {
	if len(grades) == 0 {
		return nil
	}
	if err := r.save(r.junit, func(w io.Writer) error { return taskJUnit(w, list, grades) }); err != nil {
		return fmt.Errorf("save the tests: %w", err)
	}
	if !r.observations {
		for _, grade := range grades {
			grade.Run = nil
		}
	}
	if err := r.saveJSON(r.json, grades); err != nil {
		return fmt.Errorf("save the grades: %w", err)
	}
	return nil
}
