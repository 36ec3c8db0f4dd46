package query

import (
	"strings"

	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// format is how the rows become a body.
type format struct {
	kind    formatKind
	strip   bool // leave out keys with null
	handler schema.Handler
	media   request.MediaType
	explain bool
	plan    request.MediaType // when explain
}

type formatKind int

const (
	formatNone formatKind = iota // no body
	formatArray
	formatObject
	formatCSV
	formatGeoJSON
	formatCustom
)

// explain writes the EXPLAIN that answers application/vnd.pgrst.plan.
func (w *writer) explain(out format) {
	if !out.explain {
		return
	}
	options := []string{"FORMAT TEXT"}
	if out.plan.Kind == request.MediaPlanJSON {
		options[0] = "FORMAT JSON"
	}
	for _, o := range out.plan.PlanOptions {
		switch o {
		case "analyze", "verbose", "settings", "buffers", "wal":
			options = append(options, strings.ToUpper(o))
		}
	}
	w.sql("EXPLAIN (", strings.Join(options, ", "), ") ")
}

// body writes the column with the finished body. f is the function that was called, or nil.
func (w *writer) body(out format, f *schema.Function) {
	switch out.kind {
	case formatArray:
		w.jsonBody(f, out.strip)
	case formatObject:
		w.objectBody(f, out.strip)
	case formatCSV:
		w.csvBody()
	case formatGeoJSON:
		w.sql("json_build_object('type', 'FeatureCollection', 'features', coalesce(json_agg(ST_AsGeoJSON(",
			rowAlias, ")::json), '[]'))")
	case formatCustom:
		w.customBody(out.handler, f)
	default:
		w.sql("''::text")
	}
	w.sql(" AS body")
}

// jsonBody writes a list of rows, or what a function returns: one value, one row, or a list of values.
func (w *writer) jsonBody(f *schema.Function, strip bool) {
	empty, value, first := "'[]'", "json_agg("+rowAlias+")", false
	if f != nil {
		switch {
		case f.Row():
			empty, first = "'null'", true
		case f.Scalar():
			empty, value, first = "'null'", "json_agg("+rowAlias+"."+scalarAlias+")", true
		case f.ScalarSet():
			value = "json_agg(" + rowAlias + "." + scalarAlias + ")"
		}
	}
	w.jsonValue(value, first, strip, empty)
}

// objectBody writes the first row as an object. The server refuses the answer when there is not exactly one.
func (w *writer) objectBody(f *schema.Function, strip bool) {
	value := "json_agg(" + rowAlias + ")"
	if f != nil && f.Scalar() {
		value = "json_agg(" + rowAlias + "." + scalarAlias + ")"
	}
	w.jsonValue(value, true, strip, "'null'")
}

// jsonValue writes an aggregate, or its first element. Without rows an aggregate is NULL, which empty stands in for.
func (w *writer) jsonValue(value string, first, strip bool, empty string) {
	if first {
		value += "->0"
	}
	if strip {
		value = "json_strip_nulls(" + value + ")"
	}
	w.sql("coalesce(", value, ", ", empty, ")")
}

// csvBody writes a header line from the keys of the first row, then each row in PostgreSQL's own text form without its
// parentheses, which is CSV.
func (w *writer) csvBody() {
	w.sql("(SELECT coalesce(string_agg(h.key, ','), '') FROM (SELECT json_object_keys(f.line)::text AS key",
		" FROM (SELECT row_to_json(r) AS line FROM ", sourceCTE, " AS r LIMIT 1) f) h) || '\n' || ",
		"coalesce(string_agg(substring(", rowAlias, "::text, 2, length(", rowAlias, "::text) - 2), '\n'), '')")
}

// customBody calls the function or aggregate of a media type.
func (w *writer) customBody(h schema.Handler, f *schema.Function) {
	w.name(h.Function)
	switch {
	case f != nil && f.Scalar():
		w.sql("(", rowAlias, ".", scalarAlias, ")")
	case h.Target.Name == "":
		w.sql("(", rowAlias, ")")
	default:
		w.sql("(", rowAlias, "::")
		w.name(h.Target)
		w.sql(")")
	}
}

// settings writes the columns with which SQL can change the response (PostgREST documentation, "Transactions").
func (w *writer) settings() {
	w.sql(", nullif(current_setting('response.headers', true), '') AS response_headers",
		", nullif(current_setting('response.status', true), '') AS response_status")
}
