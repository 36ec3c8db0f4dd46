package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/tasks"
)

// taskLine is a task in the file that `task list --json` writes.
type taskLine struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tier  int      `json:"tier"`
	Split string   `json:"split,omitempty"`
	Tags  []string `json:"tags"`
	Tests int      `json:"tests"`
	Rules int      `json:"rules"`
	Traps []string `json:"traps"`
	// Readings are those in force, Forms what tests.yaml spells in its own way.
	Readings string   `json:"readings"`
	Forms    []string `json:"forms,omitempty"`
	Hash     string   `json:"hash"`
	Canary   string   `json:"canary"`
}

func (a *app) taskListCommand() *cobra.Command {
	var source taskSource
	var jsonPath string
	c := &cobra.Command{
		Use:   "list",
		Short: "List tasks, with the readings of the format that they need",
		Long: `List tasks. The format leaves some questions open, such as whether a count is of rows
or of count(*); a task that answers one otherwise than usual is listed with its reading.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := source.list(c)
			if err != nil {
				return err
			}
			if jsonPath != "-" {
				a.out.tasks(list)
			}
			return a.saveJSON(jsonPath, taskLines(list))
		},
	}
	source.register(c)
	source.registerFilters(c)
	c.Flags().StringVar(&jsonPath, "json", "", "write the list to this file; - is stdout instead of the table")
	return c
}

func taskLines(list []*tasks.Task) []taskLine {
	lines := []taskLine{}
	for _, t := range list {
		lines = append(lines, taskLine{
			ID: t.ID, Title: t.Title, Tier: t.Tier, Split: t.Split, Tags: t.Tags, Tests: len(t.Tests), Rules: len(t.Rules),
			Traps: t.Traps, Readings: t.Readings.String(), Forms: t.Forms, Hash: t.Hash, Canary: t.Canary,
		})
	}
	return lines
}

// tasks shows tasks, one a line, and below it what is not as usual.
func (p *printer) tasks(list []*tasks.Task) {
	width := len("id")
	for _, t := range list {
		width = max(width, len(t.ID))
	}
	p.printf("%-*s  tier  split  rules  tests  traps  title\n", width, "id")
	usual := tasks.Readings{}.String()
	tests := 0
	for _, t := range list {
		split := t.Split
		if split == "" {
			split = "-"
		}
		tests += len(t.Tests)
		p.printf("%-*s  %4d  %-5s  %5d  %5d  %5d  %s\n", width, t.ID, t.Tier, split, len(t.Rules), len(t.Tests), len(t.TrapFiles), t.Title)
		if readings := t.Readings.String(); readings != usual {
			p.printf("%s\n", p.faint(wrap("readings: "+readings, "      ")))
		}
		if len(t.Forms) > 0 {
			p.printf("%s\n", p.faint(wrap("read as: "+strings.Join(t.Forms, "; "), "      ")))
		}
	}
	p.printf("%s\n", p.faint(plural(len(list), "task")+", "+plural(tests, "test")))
}
