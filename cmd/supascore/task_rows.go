package main

import (
	"errors"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/tasks"
)

func (a *app) taskImportCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "import ROWS.jsonl DIR",
		Short: "Write dataset rows as task folders",
		Long: `Write each row of a dataset, JSON lines, as a task folder below DIR. A folder and the
row that it came from are the same task: export gives the row back. Folders that are
there already are not touched. ROWS.jsonl may be -, which is stdin.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef(c, "", "%s takes a dataset and a folder, got %d arguments", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			list, err := readDataset(c, args[0])
			if err != nil {
				return wrongInput(c, err)
			}
			for _, task := range list {
				dir, err := task.WriteDir(args[1])
				if errors.Is(err, fs.ErrExist) {
					return &usageError{err: err, hint: "remove it, or name another folder", command: c.CommandPath()}
				}
				if err != nil {
					return err
				}
				a.out.printf("%s\n", dir)
			}
			return nil
		},
	}
}

func (a *app) taskExportCommand() *cobra.Command {
	var source taskSource
	var out string
	c := &cobra.Command{
		Use:   "export [TASK…]",
		Short: "Write tasks as dataset rows",
		Long: `Write tasks, all when none is named, as rows of a dataset: JSON lines with the fields
of the dataset card.`,
		Example: `  supascore task export T001 T002
  supascore task export --tasks ./tasks --split test --output test.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			list, err := source.chosen(c, args)
			if err != nil {
				return err
			}
			return a.save(out, func(w io.Writer) error {
				for _, task := range list {
					if err := tasks.WriteRow(w, task); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	source.register(c)
	source.registerFilters(c)
	c.Flags().StringVarP(&out, "output", "o", "-", "write to this file; - is stdout")
	return c
}
