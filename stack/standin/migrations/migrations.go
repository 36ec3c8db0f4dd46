// Package migrations says what stands between the migration files of a workspace and the history of a database: which files
// are pending, which are out of order, what the two lists look like side by side, and how a new file is named. It promises the
// answers and the messages of the Supabase CLI (apps/cli-go: pkg/migration/apply.go, internal/migration/list). It runs no SQL:
// package migrate does, and package workspace reads the files.
package migrations

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/workspace"
)

// Pending returns the migrations of a workspace that a database's history lacks, in the order in which they are to be applied.
// Unless all is set, files that come before the last version of the history are refused with a *OrderError; versions that the
// workspace lacks always are, with a *MissingError.
//
// A version counts once: the second file of a version that was applied is pending, and fails when it is applied, as in the CLI.
func Pending(local []workspace.Migration, applied []string, all bool) ([]workspace.Migration, error) {
	history := slices.Clone(applied)
	var early, late []workspace.Migration
	for _, m := range local {
		if i := slices.Index(history, m.Version); i >= 0 {
			history = slices.Delete(history, i, i+1)
			continue
		}
		if len(applied) > 0 && m.Version < slices.Max(applied) {
			early = append(early, m)
		} else {
			late = append(late, m)
		}
	}
	switch {
	case len(history) > 0:
		return nil, &MissingError{Versions: history}
	case len(early) > 0 && !all:
		e := &OrderError{}
		for _, m := range early {
			e.Paths = append(e.Paths, m.Path)
		}
		return nil, e
	}
	return append(early, late...), nil
}

// OrderError is returned for migrations that would come before others which the database has already.
type OrderError struct {
	Paths []string // the files, in the order of their names
}

// Error is the CLI's message.
func (e *OrderError) Error() string {
	return "Found local migration files to be inserted before the last migration on remote database."
}

// Hint says how to apply them nevertheless.
func (e *OrderError) Hint() string {
	return "\nRerun the command with --include-all flag to apply these migrations:\n" + strings.Join(e.Paths, "\n") + "\n"
}

// MissingError is returned for versions in the history of which there are no files.
type MissingError struct {
	Versions []string
}

// Error is the CLI's message.
func (e *MissingError) Error() string {
	return "Remote migration versions not found in local migrations directory."
}

// Hint says how to take them out of the history.
func (e *MissingError) Hint() string {
	return "\nRestore the files of these versions, or take the versions out of the migration history table:\n" +
		"supabase migration repair --local --status reverted " + strings.Join(e.Versions, " ") + "\n"
}

// Row is a line of the list of migrations.
type Row struct {
	Local  string // the version in the workspace, "" where there is no file
	Remote string // the version in the history, "" where it was not applied
	Time   string // the version as a time in UTC; a version that is no time, as it is
}

// Compare puts the versions of a workspace and those of a history side by side in the order of their numbers. Entries of the
// history that are no numbers are left out.
func Compare(local, remote []string) []Row {
	ours, theirs := numbered(local), numbered(remote)
	var rows []Row
	for len(ours) > 0 || len(theirs) > 0 {
		var order int
		switch {
		case len(ours) == 0:
			order = 1
		case len(theirs) == 0:
			order = -1
		default:
			order = compareNumbers(ours[0], theirs[0])
		}
		var row Row
		if order <= 0 {
			row.Local, ours = ours[0], ours[1:]
			row.Time = clock(row.Local)
		}
		if order >= 0 {
			row.Remote, theirs = theirs[0], theirs[1:]
			row.Time = clock(row.Remote)
		}
		rows = append(rows, row)
	}
	return rows
}

// numbered keeps the versions that are numbers, sorted.
func numbered(versions []string) []string {
	var out []string
	for _, v := range versions {
		if IsVersion(v) {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, compareNumbers)
	return out
}

// IsVersion reports whether a text can be the version of a migration: digits alone.
func IsVersion(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// compareNumbers compares decimal numbers of any length.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// versionLayout is the form of a version that is a time.
const versionLayout = "20060102150405"

// clock reads a version as a time.
func clock(version string) string {
	t, err := time.Parse(versionLayout, version)
	if err != nil {
		return version
	}
	return t.Format(time.DateTime)
}

// Table draws rows as the CLI does on a terminal without colours.
func Table(rows []Row) string {
	lines := [][3]string{{"Local", "Remote", "Time (UTC)"}}
	for _, r := range rows {
		lines = append(lines, [3]string{r.Local, r.Remote, r.Time})
	}
	var widths [3]int
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	b.WriteString("\n  \n")
	for i, line := range lines {
		fmt.Fprintf(&b, "   %-*s | %-*s | %-*s \n", widths[0], line[0], widths[1], line[1], widths[2], line[2])
		if i == 0 {
			fmt.Fprintf(&b, "  %s|%s|%s\n", strings.Repeat("-", widths[0]+2), strings.Repeat("-", widths[1]+2), strings.Repeat("-", widths[2]+2))
		}
	}
	b.WriteString("\n")
	return b.String()
}
