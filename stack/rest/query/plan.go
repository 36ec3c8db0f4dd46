package query

import (
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// Options are the settings of the server that a plan depends on.
type Options struct {
	MaxRows     *int64 // db-max-rows; nil means no limit
	Aggregates  bool   // db-aggregates-enabled
	PlanEnabled bool   // db-plan-enabled: answers to application/vnd.pgrst.plan
}

// Argument is the value of a $n parameter.
type Argument struct {
	Value  []byte // nil for NULL
	Binary bool   // in PostgreSQL's binary format; text otherwise
}

// Statement is SQL text with its arguments.
type Statement struct {
	SQL  string
	Args []Argument
}

// Plan is everything needed to run a request and to understand its result.
type Plan struct {
	// Main returns one row with the columns of [Columns], or, when Explain is set, the lines of a query plan.
	Main Statement
	// Estimate is an EXPLAIN (FORMAT JSON) of the counting query, for count=planned and count=estimated.
	Estimate *Statement
	// ReadOnly says that the transaction must be READ ONLY.
	ReadOnly bool
	// Media is the media type of the answer's body.
	Media request.MediaType
	// Explain says that the answer is the query plan of the statement.
	Explain bool
	// Table is the relation that is read or written; nil for calls.
	Table *schema.Table
	// Function is the chosen overload; nil for relations.
	Function *schema.Function
	// ConflictKey says that an insert has columns to find conflicts by: a primary key or on_conflict.
	ConflictKey bool
}

// Columns are the columns that Main returns, in this order, all in text format.
const (
	ColumnTotal    = iota // rows without limit, NULL when they were not counted
	ColumnPage            // rows in this answer
	ColumnBody            // the finished body
	ColumnHeaders         // the setting response.headers, NULL when unset
	ColumnStatus          // the setting response.status, NULL when unset
	ColumnInserted        // rows that were inserted and not updated, NULL unless asked for
	ColumnLocation        // JSON list of "column=eq.value" for the Location header, NULL unless asked for
	ColumnCount           // number of columns
)

// planner plans one request.
type planner struct {
	req  *request.Request
	snap *schema.Snapshot
	opts Options
}

// Build plans a request against a snapshot. Requests for the root document and OPTIONS are not planned here. Errors are
// *apierror.Error: PGRST2xx for names that the snapshot does not know, PGRST1xx for requests that make no sense on them.
func Build(req *request.Request, snap *schema.Snapshot, opts Options) (*Plan, error) {
	p := &planner{req: req, snap: snap, opts: opts}
	switch req.Action {
	case request.ActionCall:
		return p.call()
	case request.ActionRead:
		return p.read()
	default:
		return p.write()
	}
}

// Table finds the relation that the path of a request names. The error is PGRST205.
func Table(req *request.Request, snap *schema.Snapshot) (*schema.Table, error) {
	return (&planner{req: req, snap: snap}).target()
}

// target finds the relation that the path names.
func (p *planner) target() (*schema.Table, error) {
	name := schema.Name{Schema: p.req.Schema, Name: p.req.Target.Name}
	table, ok := p.snap.Table(name)
	if !ok {
		return nil, tableNotFound(p.snap, name)
	}
	return table, nil
}

// read plans a GET or HEAD on a relation. Its statement is of the form
//
//	WITH pgrst_source AS (SELECT … FROM "public"."films" WHERE … ORDER BY … LIMIT $1 OFFSET $2),
//	     pgrst_source_count AS (SELECT 1 FROM "public"."films" WHERE …)
//	SELECT (SELECT count(*) FROM pgrst_source_count) AS total_result_set,
//	       count(*) AS page_total,
//	       coalesce(json_agg(_postgrest_t), '[]') AS body, …
//	FROM (SELECT * FROM pgrst_source) _postgrest_t
func (p *planner) read() (*Plan, error) {
	table, err := p.target()
	if err != nil {
		return nil, err
	}
	root, err := p.tree(table.Name, false)
	if err != nil {
		return nil, err
	}
	out, err := p.negotiate(table.Name, root)
	if err != nil {
		return nil, err
	}
	if err := p.req.Prefer.CheckHandling(); err != nil {
		return nil, err
	}
	plan := &Plan{ReadOnly: true, Media: out.media, Explain: out.explain, Table: table}
	// The rows are made once and then looked at twice: counted, and turned into the body. PostgreSQL returns the finished
	// body, so no value is converted here and numbers keep their spelling.
	w := newWriter()
	w.explain(out)
	w.sql("WITH ", sourceCTE, " AS (")
	w.read(root)
	w.sql(")")
	p.countCTE(w, root)
	w.sql(" SELECT ")
	p.countColumn(w)
	w.sql(" AS total_result_set, ")
	w.pageCount(out)
	w.body(out, nil)
	w.settings()
	w.sql(", NULL AS response_inserted, NULL AS location FROM (SELECT * FROM ", sourceCTE, ") ", rowAlias)
	plan.Main = w.statement()
	if c := p.req.Prefer.Count; c == request.CountPlanned || c == request.CountEstimated {
		plan.Estimate = estimate(root)
	}
	return plan, nil
}

// Names inside of the statements. They show in messages of PostgreSQL, so they are those of PostgREST.
const (
	sourceCTE   = "pgrst_source"
	countCTE    = "pgrst_source_count"
	rowAlias    = "_postgrest_t"
	bodyAlias   = "pgrst_body"
	callAlias   = "pgrst_call"
	scalarAlias = "pgrst_scalar"
)
