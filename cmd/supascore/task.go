package main

import "github.com/spf13/cobra"

func (a *app) taskCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "task",
		Short: "Grade row level security policies on RLS-Bench tasks",
		Long: `Grade row level security policies on tasks in RLS-Bench's format: a schema, numbered
access rules, and tests that run as the users whom the rules speak of.

A TASK is an id such as T001, or a task's folder. Ids are looked up among the tasks that
come along, in a dataset with --dataset, or in a folder of tasks with --tasks.`,
		RunE: needsVerb,
		Args: cobra.ArbitraryArgs,
	}
	c.AddCommand(a.taskListCommand(), a.taskRunCommand(), a.taskValidateCommand(), a.taskPromptCommand(),
		a.taskGenerateCommand(), a.taskBenchCommand(), a.taskImportCommand(), a.taskExportCommand(), a.taskScanCommand())
	return c
}
