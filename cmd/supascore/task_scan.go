package main

import (
	"strings"

	"github.com/docker/go-units"
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/tasks"
)

// scanRun is one `task scan`.
type scanRun struct {
	*app
	canaries []string
	json     string
}

// scanReport is the file that `task scan --json` writes.
type scanReport struct {
	Findings []tasks.Finding `json:"findings"`
	Files    int             `json:"files"`
	Bytes    int64           `json:"bytes"`
	Skipped  []string        `json:"skipped"`
}

func (a *app) taskScanCommand() *cobra.Command {
	r := &scanRun{app: a}
	c := &cobra.Command{
		Use:   "scan PATH…",
		Short: "Find benchmark canaries in texts, such as training corpora",
		Long: `Look for canaries, the strings that mark benchmark data, in files and below folders of
any size; gzip is unpacked, and - is stdin. Everything that has a canary's form is found:
a name in capitals, "-CANARY-" and 16 hex digits. Exit code 1 when one is found, 3 when
none is but some file could not be read.`,
		Example: `  supascore task scan ./corpus
  zstdcat shard.jsonl.zst | supascore task scan -`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(c, "name files or folders, or - for stdin", "%s takes a path", c.CommandPath())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	flags := c.Flags()
	flags.StringSliceVar(&r.canaries, "canary", nil, "look for this string, too")
	flags.StringVar(&r.json, "json", "", "write what was found to this file; - is stdout instead of lines")
	return c
}

func (r *scanRun) run(c *cobra.Command, paths []string) error {
	report := scanReport{Findings: []tasks.Finding{}, Skipped: []string{}}
	scanner := tasks.Scanner{Canaries: r.canaries, Found: func(f tasks.Finding) error {
		report.Findings = append(report.Findings, f)
		if r.json != "-" {
			r.out.printf("%s:%d: %s\n", f.File, f.Line, f.Canary)
		}
		return nil
	}}
	for _, path := range paths {
		scanned, err := r.scan(c, scanner, path)
		if err != nil {
			return wrongScan(c, err)
		}
		report.Files += scanned.Files
		report.Bytes += scanned.Bytes
		if scanned.Skipped != nil {
			report.Skipped = append(report.Skipped, strings.Split(scanned.Skipped.Error(), "\n")...)
		}
	}
	for _, reason := range report.Skipped {
		r.out.note("not read: %s", reason)
	}
	r.out.note("%s in %s, %s", plural(len(report.Findings), "canary finding"), plural(report.Files, "file"), units.HumanSize(float64(report.Bytes)))
	if err := r.saveJSON(r.json, report); err != nil {
		return err
	}
	switch {
	case len(report.Findings) > 0:
		return verdict(exitFailed)
	case len(report.Skipped) > 0:
		return verdict(exitBroken)
	}
	return nil
}

func (r *scanRun) scan(c *cobra.Command, scanner tasks.Scanner, path string) (tasks.Scanned, error) {
	if path == "-" {
		return scanner.Reader(c.Context(), "stdin", c.InOrStdin())
	}
	return scanner.Path(c.Context(), path)
}

// wrongScan makes a path or canary that cannot be what it is: a wrong command line.
func wrongScan(c *cobra.Command, err error) error {
	if c.Context().Err() != nil {
		return err
	}
	return wrongInput(c, err)
}
