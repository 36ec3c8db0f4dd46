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

	"github.com/supascore/supascore/tasks"
)

// taskSource says where tasks come from and which of them are meant.
type taskSource struct {
	dataset string
	dir     string
	tiers   []int
	splits  []string
	tags    []string
}

// register adds the flags that say where ids are looked up.
func (s *taskSource) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&s.dataset, "dataset", "", "look tasks up in this dataset, JSON lines; - is stdin")
	flags.StringVar(&s.dir, "tasks", "", "look tasks up in this folder of task folders")
}

// registerFilters adds the flags that choose among them.
func (s *taskSource) registerFilters(c *cobra.Command) {
	flags := c.Flags()
	flags.IntSliceVar(&s.tiers, "tier", nil, "only tasks of these tiers")
	flags.StringSliceVar(&s.splits, "split", nil, "only tasks of these splits: train, dev, test")
	flags.StringSliceVar(&s.tags, "tag", nil, "only tasks with one of these tags")
}

// list loads all tasks of the source that the filters let through.
func (s *taskSource) list(c *cobra.Command) ([]*tasks.Task, error) {
	all, err := s.all(c)
	if err != nil {
		return nil, err
	}
	if err := s.checkSplits(c); err != nil {
		return nil, err
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(t *tasks.Task) bool { return !s.wants(t) })
	if len(chosen) == 0 {
		return nil, usagef(c, "", "no task is left: there are %d, and none fits --tier, --split and --tag", len(all))
	}
	return chosen, nil
}

func (s *taskSource) checkSplits(c *cobra.Command) error {
	known := []string{tasks.SplitTrain, tasks.SplitDev, tasks.SplitTest}
	for _, split := range s.splits {
		if !slices.Contains(known, split) {
			return usagef(c, "the splits are: "+strings.Join(known, ", "), "unknown split %q", split)
		}
	}
	return nil
}

func (s *taskSource) wants(t *tasks.Task) bool {
	tagged := func(tag string) bool { return slices.Contains(t.Tags, tag) }
	return (len(s.tiers) == 0 || slices.Contains(s.tiers, t.Tier)) &&
		(len(s.splits) == 0 || slices.Contains(s.splits, t.Split)) &&
		(len(s.tags) == 0 || slices.ContainsFunc(s.tags, tagged))
}

// all loads every task of the source. What is wrong with a named source is a wrong
// command line.
func (s *taskSource) all(c *cobra.Command) ([]*tasks.Task, error) {
	switch {
	case s.dataset != "" && s.dir != "":
		return nil, usagef(c, "", "--dataset and --tasks cannot be given together")
	case s.dataset != "":
		list, err := readDataset(c, s.dataset)
		if err != nil {
			return nil, wrongInput(c, err)
		}
		return list, nil
	case s.dir != "":
		list, err := tasks.ListDir(s.dir)
		if err != nil {
			return nil, wrongInput(c, err)
		}
		if len(list) == 0 {
			return nil, usagef(c, "a task is a folder with a task.yaml", "there are no tasks in %s", s.dir)
		}
		return list, nil
	}
	return tasks.List(tasks.Builtin())
}

// readDataset reads a dataset from a file, or from stdin.
func readDataset(c *cobra.Command, name string) ([]*tasks.Task, error) {
	in, name, err := openInput(c, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	list, err := tasks.ReadDataset(name, in)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("there are no rows in %s", name)
	}
	return list, err
}

// openInput opens a file, or stdin when the name is "-", and returns the name to use in
// messages.
func openInput(c *cobra.Command, name string) (io.ReadCloser, string, error) {
	if name == "-" {
		return io.NopCloser(c.InOrStdin()), "stdin", nil
	}
	file, err := os.Open(name)
	return file, name, err
}

// wrongInput makes what is wrong with a file that the user named a wrong command line,
// with the file's own hint.
func wrongInput(c *cobra.Command, err error) error {
	var hinted interface{ Hint() string }
	hint := ""
	if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	return &usageError{err: err, hint: hint, command: c.CommandPath()}
}

// find loads the tasks that are named, each by its id or its folder, in that order.
func (s *taskSource) find(c *cobra.Command, names []string) ([]*tasks.Task, error) {
	var list, found []*tasks.Task
	for _, name := range names {
		if isTaskDir(name) {
			task, err := tasks.LoadDir(name)
			if err != nil {
				return nil, wrongInput(c, err)
			}
			found = append(found, task)
			continue
		}
		if list == nil {
			var err error
			if list, err = s.all(c); err != nil {
				return nil, err
			}
		}
		task, err := tasks.Find(list, name)
		if err != nil {
			return nil, wrongInput(c, err)
		}
		found = append(found, task)
	}
	return found, nil
}

// chosen loads the named tasks, or, when none is named, all that the filters let
// through.
func (s *taskSource) chosen(c *cobra.Command, names []string) ([]*tasks.Task, error) {
	if len(names) == 0 {
		return s.list(c)
	}
	return s.find(c, names)
}

// isTaskDir says whether an argument means a task's folder: a path, or the name of a
// folder that is there.
func isTaskDir(name string) bool {
	if strings.ContainsRune(name, filepath.Separator) {
		return true
	}
	_, err := os.Stat(filepath.Join(name, "task.yaml"))
	return err == nil
}

// atLeastOneTask is cobra's argument check for verbs that need a task named.
func atLeastOneTask(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef(c, "`supascore task list` lists them", "%s takes a task", c.CommandPath())
	}
	return nil
}
