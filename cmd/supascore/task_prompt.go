package main

import (
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/tasks"
)

func (a *app) taskPromptCommand() *cobra.Command {
	var source taskSource
	c := &cobra.Command{
		Use:   "prompt TASK",
		Short: "Print the fixed prompt that asks a model for a task's policies",
		Long: `Print the prompt that asks a model for a task's policies. It is the same for every
model: the schema, the rules and the form of the answer, and nothing of the tests. It
ends with the task's canary: keep it out of training corpora.`,
		Example: `  supascore task prompt T001 | llm -m gpt-5 > answer.md`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(c, "", "%s takes one task, got %d", c.CommandPath(), len(args))
			}
			return atLeastOneTask(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			list, err := source.find(c, args)
			if err != nil {
				return err
			}
			prompt, err := tasks.Prompt(list[0])
			if err != nil {
				return err
			}
			a.out.printf("%s", prompt)
			return nil
		},
	}
	source.register(c)
	return c
}
