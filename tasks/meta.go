package tasks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// readMeta reads task.yaml into the task. Its keys are those of Task; id must agree
// with the folder's name.
func readMeta(file, text string, task *Task) error {
	doc, err := strictyaml.Parse(file, []byte(text))
	if err != nil {
		return err
	}
	root := doc.Root()
	f := root.Fields("id", "title", "tier", "split", "tags", "traps", "reports", "readings",
		"extra_tables", "fixture_notes", "created", "canary")
	if id := f["id"]; !id.Exists() {
		root.Fail("", "there is no id")
	} else if id.Text() != task.ID {
		id.Fail("", "id is %q but the folder is of %s", id.Text(), task.ID)
	}
	for _, key := range []string{"title", "tier"} {
		if !f[key].Exists() {
			root.Fail("", "there is no %s", key)
		}
	}
	optional(f["title"], &task.Title)
	if tier := f["tier"]; tier.Exists() {
		task.Tier = tier.Int()
	}
	if split := f["split"]; split.Exists() && !split.IsNull() {
		task.Split = oneOf(split, SplitTrain, SplitDev, SplitTest)
	}
	task.Tags, task.Traps = texts(f["tags"]), texts(f["traps"])
	task.Reports = readReports(f["reports"])
	if readings := f["readings"]; readings.Exists() {
		task.Readings = readReadings(readings)
	}
	task.ExtraTables, task.FixtureNotes = plainValue(f["extra_tables"]), plainValue(f["fixture_notes"])
	optional(f["created"], &task.Created)
	optional(f["canary"], &task.Canary)
	return doc.Err()
}

// texts reads a list of texts that may be missing or null.
func texts(n strictyaml.Node) []string {
	if !n.Exists() || n.IsNull() {
		return nil
	}
	return orNil(n.Texts())
}

func plainValue(n strictyaml.Node) any {
	if !n.Exists() {
		return nil
	}
	return n.Value()
}

// oneOf reads a text that must be one of those known.
func oneOf(n strictyaml.Node, known ...string) string {
	text := n.Text()
	if !slices.Contains(known, text) {
		n.Fail(strictyaml.DidYouMean(text, known), "unknown value %q", text)
	}
	return text
}

func readReports(n strictyaml.Node) []Report {
	if !n.Exists() || n.IsNull() {
		return nil
	}
	items := n.Items()
	reports := make([]Report, 0, len(items))
	for _, item := range items {
		f := item.Fields("trap", "url", "note")
		report := Report{}
		optional(f["trap"], &report.Trap)
		optional(f["url"], &report.URL)
		optional(f["note"], &report.Note)
		if report.URL == "" && item.IsMapping() {
			item.Fail("", "the report has no url")
		}
		reports = append(reports, report)
	}
	return orNil(reports)
}

func readReadings(n strictyaml.Node) Readings {
	var readings Readings
	for _, pair := range n.Pairs() {
		if err := readings.Set(pair.Key, pair.Value.Text()); err != nil {
			pair.At.Fail(err.Remedy, "%s", err.Problem)
		}
	}
	return readings
}

// metaYAML writes a task's task.yaml. Values are written as JSON, which YAML reads
// the same whatever they hold.
func metaYAML(t *Task) ([]byte, error) {
	var out bytes.Buffer
	write := func(key string, value any) error {
		text, err := compactJSON(value)
		if err != nil {
			return fmt.Errorf("write %s of %s: %w", key, t.ID, err)
		}
		fmt.Fprintf(&out, "%s: %s\n", key, text)
		return nil
	}
	fields := []struct {
		key   string
		value any
		show  bool
	}{
		{"id", t.ID, true},
		{"title", t.Title, true},
		{"tier", t.Tier, true},
		{"split", t.Split, t.Split != ""},
		{"tags", t.Tags, len(t.Tags) > 0},
		{"traps", t.Traps, len(t.Traps) > 0},
		{"reports", t.Reports, len(t.Reports) > 0},
		{"readings", t.Readings, t.Readings != Readings{}},
		{"extra_tables", t.ExtraTables, t.ExtraTables != nil},
		{"fixture_notes", t.FixtureNotes, t.FixtureNotes != nil},
		{"created", t.Created, t.Created != ""},
		{"canary", t.Canary, t.Canary != ""},
	}
	for _, field := range fields {
		if !field.show {
			continue
		}
		if err := write(field.key, field.value); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// compactJSON is the JSON of a value in one line, with <, > and & as they are.
func compactJSON(value any) (string, error) {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}
