package tasks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

// sqlStatePattern is a SQLSTATE: five digits or upper-case letters (PostgreSQL
// documentation, appendix A).
var sqlStatePattern = regexp.MustCompile(`^[0-9A-Z]{5}$`)

// expectOf reads a test's expectation with the keys that may also stand beside it.
func (r *testsReader) expectOf(test strictyaml.Node, f strictyaml.Fields) Expect {
	n := f["expect"]
	if !n.Exists() {
		test.Fail(`for example "expect: {rows: [[1]]}"`, "the test expects nothing")
		return Expect{}
	}
	expect := r.expect(n)
	if ordered := f["ordered"]; ordered.Exists() {
		expect.Ordered = ordered.Bool() || expect.Ordered
	}
	if state := f["sqlstate"]; state.Exists() {
		expect.SQLState = sqlState(state)
	}
	checkExpect(n, expect)
	return expect
}

// expect reads {rows | count | affected | denied, ordered, sqlstate}, or the word
// "denied" alone.
func (r *testsReader) expect(n strictyaml.Node) Expect {
	if n.IsText() && n.Text() == string(KindDenied) {
		r.met("expect: denied")
		return Expect{Kind: KindDenied}
	}
	f := n.Fields("rows", "count", "affected", "denied", "ordered", "sqlstate")
	if !n.IsMapping() {
		return Expect{}
	}
	return r.outcome(n, f)
}

// outcome reads the one outcome among the fields.
func (r *testsReader) outcome(n strictyaml.Node, f strictyaml.Fields) Expect {
	kinds := []string{string(KindRows), string(KindCount), string(KindAffected), string(KindDenied)}
	found := f.One(kinds...)
	if len(found) != 1 {
		n.Fail(`write exactly one of "rows", "count", "affected", "denied"`, "%d outcomes are expected", len(found))
		return Expect{}
	}
	expect := Expect{Kind: Kind(found[0])}
	value := f[found[0]]
	switch expect.Kind {
	case KindRows:
		r.rows(value, &expect)
	case KindCount:
		expect.Count = natural(value)
	case KindAffected:
		expect.Affected = natural(value)
	case KindDenied:
		expect.Denied = denial(value)
	}
	if ordered := f["ordered"]; ordered.Exists() {
		expect.Ordered = ordered.Bool()
	}
	if state := f["sqlstate"]; state.Exists() {
		expect.SQLState = sqlState(state)
	}
	checkExpect(n, expect)
	return expect
}

// checkExpect refuses what an outcome of that kind cannot have.
func checkExpect(n strictyaml.Node, e Expect) {
	if e.Ordered && e.Kind != KindRows && e.Kind != "" {
		n.Fail("", `"ordered" says something of "rows" only`)
	}
	if e.SQLState != "" && e.Kind != KindDenied && e.Kind != "" {
		n.Fail("", `"sqlstate" says something of "denied" only`)
	}
	if e.SQLState != "" && e.Denied == DeniedFiltered {
		n.Fail("remove one of them", "what is filtered has no SQLSTATE")
	}
}

func natural(n strictyaml.Node) int {
	number := n.Int()
	if number < 0 {
		n.Fail("", "%d is less than nothing", number)
	}
	return number
}

func denial(n strictyaml.Node) Denial {
	if !n.IsText() {
		if !n.Bool() {
			n.Fail(`expect "rows", "count" or "affected" instead`, `"denied: false" says nothing`)
		}
		return ""
	}
	known := []string{string(DeniedAny), string(DeniedError), string(DeniedFiltered)}
	if !slices.Contains(known, n.Text()) {
		n.Fail("known: true, any, error, filtered", "unknown refusal %q", n.Text())
	}
	return Denial(n.Text())
}

func sqlState(n strictyaml.Node) string {
	// 42501 without quotes is a number in YAML; its text is what counts.
	text := n.Text()
	if !sqlStatePattern.MatchString(text) {
		n.Fail(`for example "42501"`, "%q is no SQLSTATE", text)
	}
	return text
}

// rows reads the rows: each a list of values in the query's column order, or each a
// mapping from column to value. A row that is a bare value has one column.
func (r *testsReader) rows(n strictyaml.Node, expect *Expect) {
	expect.Rows = [][]any{}
	items := n.Items()
	for i, item := range items {
		switch {
		case item.IsMapping():
			r.namedRow(item, i, expect)
		case expect.Columns != nil:
			item.Fail("write all rows in one form", "a row is a list, the ones before are mappings")
			return
		case item.IsSequence():
			row, _ := item.Value().([]any)
			expect.Rows = append(expect.Rows, row)
		default:
			r.met("rows are bare values")
			expect.Rows = append(expect.Rows, []any{item.Value()})
		}
		if len(expect.Rows) > 1 && len(expect.Rows[len(expect.Rows)-1]) != len(expect.Rows[0]) {
			item.Fail("a query returns rows of one shape", "the row has %d values, the first has %d",
				len(expect.Rows[len(expect.Rows)-1]), len(expect.Rows[0]))
		}
	}
}

// namedRow reads the i-th row, a mapping, into the order of the first row's columns.
func (r *testsReader) namedRow(n strictyaml.Node, i int, expect *Expect) {
	pairs := n.Pairs()
	if i == 0 {
		expect.Columns = make([]string, 0, len(pairs))
		for _, pair := range pairs {
			expect.Columns = append(expect.Columns, pair.Key)
		}
	}
	if expect.Columns == nil {
		n.Fail("write all rows in one form", "a row is a mapping, the ones before are lists")
		return
	}
	row := make([]any, len(expect.Columns))
	missing := len(expect.Columns)
	for _, pair := range pairs {
		at := slices.Index(expect.Columns, pair.Key)
		if at < 0 {
			pair.At.Fail(strictyaml.DidYouMean(pair.Key, expect.Columns), "column %q is not in the first row", pair.Key)
			continue
		}
		row[at], missing = pair.Value.Value(), missing-1
	}
	if missing > 0 {
		n.Fail("write null for no value", "the row lacks columns of the first row: %s", strings.Join(expect.Columns, ", "))
	}
	expect.Rows = append(expect.Rows, row)
}

// native reads a request written by hand.
func (r *testsReader) native(n strictyaml.Node) *NativeRequest {
	f := n.Fields("method", "path", "headers", "body", "status", "expect")
	if !n.IsMapping() {
		return nil
	}
	request := &NativeRequest{Method: "GET"}
	optional(f["method"], &request.Method)
	request.Method = strings.ToUpper(request.Method)
	methods := []string{"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"}
	if !slices.Contains(methods, request.Method) {
		f["method"].Fail(strictyaml.DidYouMean(request.Method, methods), "unknown method %q", request.Method)
	}
	if path := f["path"]; path.Exists() {
		request.Path = path.Text()
	}
	if !strings.HasPrefix(request.Path, "/") || strings.ContainsAny(request.Path, " \t\r\n#") {
		n.Fail(`for example "/notes?select=id"`, "the path %q does not begin with a slash, or has spaces or #", request.Path)
	}
	if headers := f["headers"]; headers.Exists() && !headers.IsNull() {
		request.Headers = map[string]string{}
		for _, pair := range headers.Pairs() {
			request.Headers[pair.Key] = pair.Value.Text()
		}
	}
	if body := f["body"]; body.Exists() {
		// Plain data from YAML always has a JSON form.
		request.Body, _ = json.Marshal(body.Value())
	}
	if status := f["status"]; status.Exists() {
		if request.Status = status.Int(); request.Status < 200 || request.Status > 599 {
			status.Fail("", "%d is no status of a final answer", request.Status)
		}
	}
	if expect := f["expect"]; expect.Exists() {
		own := r.expect(expect)
		request.Expect = &own
	}
	return request
}
