package tasks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// testsReader reads one tests.yaml.
type testsReader struct {
	users map[string]User
	// forms are the spellings met where the format is open.
	forms map[string]bool
}

// parsedTests is what one tests.yaml says.
type parsedTests struct {
	users map[string]User
	tests []Test
	// forms says how the file spells what the format leaves open, sorted.
	forms []string
}

// parseTests reads the text of a tests.yaml. Everything wrong with it is reported at
// once: the error joins *FileErrors. The natural form is
//
//	users: {alice: {role: authenticated, sub: "<uuid>", claims: {…}}}
//	tests: [{id, name, as, rules, setup, query, expect, after, api, skip_api}]
//
// and a bare list of tests is accepted too.
func parseTests(file, text string) (*parsedTests, error) {
	doc, err := strictyaml.Parse(file, []byte(text))
	if err != nil {
		return nil, err
	}
	r := &testsReader{users: map[string]User{}, forms: map[string]bool{}}
	list := doc.Root()
	if list.IsSequence() {
		r.met("tests.yaml is a bare list")
	} else {
		fields := list.Fields("version", "users", "tests")
		if v := fields["version"]; v.Exists() && v.Int() != 1 {
			v.Fail("remove the key or write 1", "this version of tests.yaml is not known")
		}
		r.declare(fields["users"])
		if list = fields["tests"]; !list.Exists() {
			doc.Root().Fail(`list the tests under "tests"`, "there are no tests")
		}
	}
	parsed := &parsedTests{users: r.users}
	if list.Exists() {
		parsed.tests = r.tests(list)
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	for form := range r.forms {
		parsed.forms = append(parsed.forms, form)
	}
	slices.Sort(parsed.forms)
	return parsed, nil
}

func (r *testsReader) met(form string) { r.forms[form] = true }

func (r *testsReader) tests(list strictyaml.Node) []Test {
	items := list.Items()
	tests := make([]Test, 0, len(items))
	ids := map[string]bool{}
	for i, item := range items {
		test := r.test(item, fmt.Sprintf("t%02d", i+1))
		if ids[test.ID] {
			item.Fail("ids are unique in a file", "test %q is there twice", test.ID)
		}
		ids[test.ID] = true
		tests = append(tests, test)
	}
	if len(items) == 0 && list.IsSequence() {
		list.Fail("write at least one test", "there are no tests")
	}
	return tests
}

// test reads one test; position is the id of a test that has none.
func (r *testsReader) test(n strictyaml.Node, position string) Test {
	f := n.Fields("id", "name|title", "as|user|role", "sub|uid|user_id", "claims", "rules|covers",
		"setup", "query|sql", "expect", "after", "api", "skip_api", "ordered", "sqlstate")
	test := Test{ID: position, Line: n.Line()}
	if !n.IsMapping() {
		return test
	}
	if id := f["id"]; id.Exists() {
		test.ID = required(id, "id")
	} else {
		r.met("tests without an id are numbered")
	}
	optional(f["name"], &test.Name)
	optional(f["setup"], &test.Setup)
	optional(f["skip_api"], &test.SkipAPI)
	test.As = r.actor(n, f)
	test.Rules = ruleIDs(n, f["rules"])
	test.Query = r.query(n, f["query"])
	test.Expect = r.expectOf(n, f)
	if after := f["after"]; after.Exists() {
		test.After = r.after(after)
	}
	if api := f["api"]; api.Exists() {
		test.API = r.native(api)
		if test.SkipAPI != "" {
			f["skip_api"].Fail("remove one of them", `"api" and "skip_api" exclude each other`)
		}
	}
	return test
}

// required returns a text that may not be blank.
func required(n strictyaml.Node, what string) string {
	text := n.Text()
	if strings.TrimSpace(text) == "" && n.IsText() {
		n.Fail("", "%s is blank", what)
	}
	return text
}

// optional sets a text when its key is there and not null.
func optional(n strictyaml.Node, to *string) {
	if n.Exists() && !n.IsNull() {
		*to = n.Text()
	}
}

// ruleIDs reads the rules that a test cites. A dataset row may have "R1, R2" for a
// list.
func ruleIDs(test, n strictyaml.Node) []string {
	if !n.Exists() {
		test.Fail(`cite the rules it covers: "rules: [R1]"`, "the test cites no rule")
		return nil
	}
	items := []strictyaml.Node{n}
	if !n.IsText() {
		items = n.Items()
	}
	var ids []string
	for _, item := range items {
		for id := range strings.FieldsFuncSeq(item.Text(), func(c rune) bool { return c == ',' || c == ' ' }) {
			switch {
			case !ruleIDPattern.MatchString(id):
				item.Fail(`rules are named "R1", "R2", …`, "%q is no rule id", id)
			case slices.Contains(ids, id):
				item.Fail("", "rule %s is cited twice", id)
			}
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		n.Fail("", "the test cites no rule")
	}
	return ids
}

// query reads a query: one text, or a list of statements to be run in order.
func (r *testsReader) query(parent, n strictyaml.Node) string {
	if !n.Exists() {
		parent.Fail("", "there is no query")
		return ""
	}
	if !n.IsSequence() {
		return required(n, "the query")
	}
	r.met("queries are lists of statements")
	statements := n.Texts()
	for i, statement := range statements {
		statements[i] = strings.TrimRight(strings.TrimSpace(statement), ";")
	}
	if len(statements) == 0 {
		n.Fail("", "there is no query")
		return ""
	}
	return strings.Join(statements, ";\n") + ";"
}

// after reads the owner's check: {query, rows | count, ordered}, or with the
// expectation under "expect".
func (r *testsReader) after(n strictyaml.Node) *After {
	if !n.IsMapping() {
		n.Fail(`for example "after: {query: …, rows: […]}"`, "the owner's check needs a query and what it returns")
		return nil
	}
	after := &After{}
	f := n.Fields("query|sql", "expect", "rows", "count", "ordered")
	after.Query = r.query(n, f["query"])
	if len(f.One("expect", "rows", "count")) != 1 {
		n.Fail("", `the owner's check has exactly one of "expect", "rows", "count"`)
		return after
	}
	if expect := f["expect"]; expect.Exists() {
		after.Expect = r.expect(expect)
		if f["ordered"].Exists() {
			f["ordered"].Fail(`write it under "expect"`, `"ordered" does not belong here`)
		}
	} else {
		after.Expect = r.outcome(n, f)
	}
	if kind := after.Expect.Kind; kind == KindAffected || kind == KindDenied {
		n.Fail(`use "rows" or "count"`, "the owner only looks: %q does not fit", kind)
	}
	return after
}
