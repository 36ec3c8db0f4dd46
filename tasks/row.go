package tasks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// MaxRowSize bounds one line of a dataset, in bytes.
const MaxRowSize = 16 << 20

// row is a line of a dataset: the fields of the dataset card in its order, then ours,
// which are there only where a task says more than the card's fields can.
type row struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Tier         int        `json:"tier"`
	Split        *string    `json:"split"`
	Tags         []string   `json:"tags"`
	Traps        []string   `json:"traps"`
	Requirement  string     `json:"requirement"`
	SchemaSQL    string     `json:"schema_sql"`
	SeedSQL      string     `json:"seed_sql"`
	TestsYAML    string     `json:"tests_yaml"`
	NTests       *int       `json:"n_tests"`
	SolutionSQL  string     `json:"solution_sql"`
	TrapFiles    []NamedSQL `json:"trap_files"`
	ExtraTables  any        `json:"extra_tables"`
	FixtureNotes any        `json:"fixture_notes"`
	Created      *string    `json:"created"`
	Canary       *string    `json:"canary"`

	Slug     *string           `json:"slug,omitempty"`
	Reports  []Report          `json:"reports,omitempty"`
	Readings map[string]string `json:"readings,omitempty"`
}

// WriteRow writes the task as one line of JSON. ReadRows reads the same task from it.
func WriteRow(w io.Writer, t *Task) error {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	count := len(t.Tests)
	line := row{
		ID: t.ID, Title: t.Title, Tier: t.Tier, Split: text(t.Split), Tags: orEmpty(t.Tags), Traps: orEmpty(t.Traps),
		Requirement: t.Requirement, SchemaSQL: t.Schema, SeedSQL: t.Seed, TestsYAML: t.TestsYAML, NTests: &count,
		SolutionSQL: t.Solution, TrapFiles: []NamedSQL{}, ExtraTables: t.ExtraTables,
		FixtureNotes: t.FixtureNotes, Created: text(t.Created), Canary: text(t.Canary), Reports: t.Reports,
	}
	for _, trap := range t.TrapFiles {
		if t.Readings.TrapNames == TrapFile {
			trap.Name += ".sql"
		}
		line.TrapFiles = append(line.TrapFiles, trap)
	}
	if t.Slug != Slugify(t.Title) {
		line.Slug = &t.Slug
	}
	// How rows name traps shows in the names.
	readings := t.Readings
	readings.TrapNames = ""
	line.Readings = readings.set()
	out, err := compactJSON(line)
	if err != nil {
		return fmt.Errorf("write row of %s: %w", t.ID, err)
	}
	if _, err := io.WriteString(w, out+"\n"); err != nil {
		return fmt.Errorf("write row of %s: %w", t.ID, err)
	}
	return nil
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// orNil makes no list of an empty one: rows do not tell them apart.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// ReadRows reads a dataset, one JSON object a line; blank lines are skipped. It yields
// each task, or what is wrong with its line, and goes on with the next line unless
// reading itself failed. name is the file's name for messages.
func ReadRows(name string, r io.Reader) iter.Seq2[*Task, error] {
	return func(yield func(*Task, error) bool) {
		lines := bufio.NewReaderSize(r, 64<<10)
		for number := 1; ; number++ {
			line, err := readLine(lines)
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, fmt.Errorf("read %s:%d: %w", name, number, err))
				return
			}
			if len(bytes.TrimSpace(line)) > 0 && !yield(parseRow(name, number, line)) {
				return
			}
			if err != nil {
				return
			}
		}
	}
}

// readLine reads a line of at most MaxRowSize bytes.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxRowSize {
			return nil, fmt.Errorf("the line is longer than %d bytes", MaxRowSize)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// ReadDataset reads all tasks of a dataset, sorted by id. The error joins those of all
// lines.
func ReadDataset(name string, r io.Reader) ([]*Task, error) {
	var list []*Task
	var errs []error
	seen := map[string]string{}
	for task, err := range ReadRows(name, r) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, twice := seen[task.ID]; twice {
			errs = append(errs, fmt.Errorf("two rows have the id %s: %s and %s", task.ID, other, task.Origin))
		}
		seen[task.ID] = task.Origin
		list = append(list, task)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b *Task) int { return CompareIDs(a.ID, b.ID) })
	return list, nil
}

// parseRow reads one line.
func parseRow(name string, number int, line []byte) (*Task, error) {
	origin := fmt.Sprintf("%s:%d", name, number)
	var r row
	if err := decodeRow(name, number, line, &r); err != nil {
		return nil, err
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	task := &Task{
		ID: r.ID, Slug: Slugify(r.Title), Title: r.Title, Tier: r.Tier, Split: text(r.Split),
		Tags: orNil(r.Tags), Traps: orNil(r.Traps), Reports: orNil(r.Reports), Requirement: r.Requirement, Schema: r.SchemaSQL, Seed: r.SeedSQL,
		TestsYAML: r.TestsYAML, Solution: r.SolutionSQL, TrapFiles: orNil(r.TrapFiles),
		ExtraTables: plain(r.ExtraTables), FixtureNotes: plain(r.FixtureNotes),
		Created: text(r.Created), Canary: text(r.Canary), Origin: origin,
	}
	if r.Slug != nil {
		task.Slug = *r.Slug
	}
	task.stemTraps()
	at := func(field, problem, remedy string) error {
		return &FileError{File: origin, Problem: field + ": " + problem, Remedy: remedy}
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(r.Readings)) {
		if err := task.Readings.Set(name, r.Readings[name]); err != nil {
			errs = append(errs, at("readings", err.Problem, err.Remedy))
		}
	}
	if !idPattern.MatchString(task.ID) {
		errs = append(errs, at("id", fmt.Sprintf("%q is no task id", task.ID), `for example "T001"`))
	}
	if task.Slug != "" && !slugPattern.MatchString(task.Slug) {
		errs = append(errs, at("slug", fmt.Sprintf("%q is no slug", task.Slug), `for example "own-notes"`))
	}
	if known := []string{"", SplitTrain, SplitDev, SplitTest}; !slices.Contains(known, task.Split) {
		errs = append(errs, at("split", fmt.Sprintf("unknown split %q", task.Split), strictyaml.DidYouMean(task.Split, known[1:])))
	}
	errs = append(errs, task.interpret(func(file string) string { return origin + "#" + rowField(file) }))
	if r.NTests != nil && len(task.Tests) > 0 && *r.NTests != len(task.Tests) {
		errs = append(errs, at("n_tests", fmt.Sprintf("says %d but tests_yaml has %d tests", *r.NTests, len(task.Tests)), ""))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return task, nil
}

// rowField is the field of a row that holds a file's text.
func rowField(file string) string {
	if file == trapsDir {
		return "trap_files"
	}
	return strings.NewReplacer(".sql", "_sql", ".yaml", "_yaml", ".md", "").Replace(file)
}

// stemTraps takes ".sql" off the names of trap files when all have it, remembers that,
// and sorts them.
func (t *Task) stemTraps() {
	named := func(trap NamedSQL) bool { return !strings.HasSuffix(trap.Name, ".sql") }
	if len(t.TrapFiles) > 0 && !slices.ContainsFunc(t.TrapFiles, named) {
		t.Readings.TrapNames = TrapFile
		for i := range t.TrapFiles {
			t.TrapFiles[i].Name = strings.TrimSuffix(t.TrapFiles[i].Name, ".sql")
		}
	}
	sortTraps(t.TrapFiles)
}

// sortTraps sorts traps as a listing of their files does.
func sortTraps(traps []NamedSQL) {
	slices.SortFunc(traps, func(a, b NamedSQL) int { return strings.Compare(a.Name+".sql", b.Name+".sql") })
}

// plain brings numbers to the types that YAML's have here.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return value
}
