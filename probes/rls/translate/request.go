package translate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// Request is a request to the Data API that means what a statement means.
type Request struct {
	Method string
	// Path is the path below the API's root with its query, escaped.
	Path string
	// Header is what the request needs beside key and token.
	Header http.Header
	// Body is the JSON body; nil when there is none.
	Body []byte
	// Columns are the result's columns in the statement's order; nil when the answer
	// holds no rows, or when the statement asks for all columns.
	Columns []string
	// Total says that the statement asks for the number of rows, which the answer has
	// in Content-Range.
	Total bool
}

// ErrNoRequest is wrapped by the reasons why a statement has no request.
var ErrNoRequest = errors.New("no request says the same")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrNoRequest, fmt.Sprintf(format, args...))
}

// Types says what type a column has, by relation and column as the statement names
// them: "jsonb", "int4"; empty when not known.
type Types func(relation, column string) string

// Translate writes a statement as a request, or says why not. The error wraps
// ErrNoRequest.
func Translate(q Query, types Types) (*Request, error) {
	if q.Node == nil {
		return nil, refuse("the SQL is not understood")
	}
	if q.Before != "" || q.After != "" {
		return nil, refuse("a request is one statement")
	}
	switch {
	case q.Node.GetSelectStmt() != nil:
		return translateSelect(q.Node.GetSelectStmt())
	case q.Node.GetInsertStmt() != nil:
		return translateInsert(q.Node.GetInsertStmt(), types)
	case q.Node.GetUpdateStmt() != nil:
		return translateUpdate(q.Node.GetUpdateStmt(), types)
	case q.Node.GetDeleteStmt() != nil:
		return translateDelete(q.Node.GetDeleteStmt())
	default:
		return nil, refuse("the API reads and writes rows only")
	}
}

// relation is the path of a table of schema public, or of one that the search path
// finds there.
func relation(r *pg.RangeVar) (string, error) {
	if r.GetSchemaname() != "" && r.GetSchemaname() != "public" {
		return "", refuse("schema %s is not exposed by default", r.GetSchemaname())
	}
	if !r.GetInh() {
		return "", refuse("ONLY")
	}
	return "/" + url.PathEscape(r.GetRelname()), nil
}

// builder collects a request.
type builder struct {
	path   string
	params []string
	header http.Header
	prefer []string
}

func newBuilder(r *pg.RangeVar) (*builder, error) {
	path, err := relation(r)
	if err != nil {
		return nil, err
	}
	return &builder{path: path, header: http.Header{}}, nil
}

func (b *builder) param(name, value string) {
	b.params = append(b.params, url.QueryEscape(name)+"="+url.QueryEscape(value))
}

func (b *builder) request(method string) *Request {
	if len(b.params) > 0 {
		b.path += "?" + strings.Join(b.params, "&")
	}
	if len(b.prefer) > 0 {
		b.header.Set("Prefer", strings.Join(b.prefer, ","))
	}
	return &Request{Method: method, Path: b.path, Header: b.header}
}

func translateSelect(sel *pg.SelectStmt) (*Request, error) {
	if err := plainSelect(sel); err != nil {
		return nil, err
	}
	from := sel.GetFromClause()[0].GetRangeVar()
	b, err := newBuilder(from)
	if err != nil {
		return nil, err
	}
	names := aliases(from)
	if isCountStar(sel) {
		if len(sel.GetSortClause()) > 0 || sel.GetLimitCount() != nil || sel.GetLimitOffset() != nil {
			return nil, refuse("a count with an order or a limit")
		}
		if err := b.where(sel.GetWhereClause(), names); err != nil {
			return nil, err
		}
		b.prefer = append(b.prefer, "count=exact")
		request := b.request(http.MethodHead)
		request.Total = true
		return request, nil
	}
	columns, err := b.columns(sel.GetTargetList(), names)
	if err != nil {
		return nil, err
	}
	if err := b.where(sel.GetWhereClause(), names); err != nil {
		return nil, err
	}
	if err := b.order(sel.GetSortClause(), names); err != nil {
		return nil, err
	}
	if err := b.window("limit", sel.GetLimitCount()); err != nil {
		return nil, err
	}
	if err := b.window("offset", sel.GetLimitOffset()); err != nil {
		return nil, err
	}
	request := b.request(http.MethodGet)
	request.Columns = columns
	return request, nil
}

// window adds limit= or offset= when there is one.
func (b *builder) window(name string, node *pg.Node) error {
	if node == nil {
		return nil
	}
	value, ok := constant(node).(json.Number)
	if !ok {
		return refuse("a %s that is no number", name)
	}
	b.param(name, value.String())
	return nil
}

// plainSelect refuses every clause that a GET does not have.
func plainSelect(sel *pg.SelectStmt) error {
	from := sel.GetFromClause()
	switch {
	case sel.GetOp() != pg.SetOperation_SETOP_NONE, len(sel.GetValuesLists()) > 0:
		return refuse("a set of queries")
	case sel.GetWithClause() != nil:
		return refuse("WITH")
	case len(sel.GetDistinctClause()) > 0, len(sel.GetGroupClause()) > 0, sel.GetHavingClause() != nil, len(sel.GetWindowClause()) > 0:
		return refuse("DISTINCT, GROUP BY, HAVING or a window")
	case len(sel.GetLockingClause()) > 0:
		return refuse("row locks")
	case sel.GetIntoClause() != nil:
		return refuse("INTO")
	case len(from) != 1 || from[0].GetRangeVar() == nil:
		return refuse("it does not read one table")
	case sel.GetLimitOption() == pg.LimitOption_LIMIT_OPTION_WITH_TIES:
		return refuse("WITH TIES")
	}
	return nil
}

func isCountStar(sel *pg.SelectStmt) bool {
	if len(sel.GetTargetList()) != 1 {
		return false
	}
	value := sel.GetTargetList()[0].GetResTarget().GetVal()
	if cast := value.GetTypeCast(); cast != nil && isInteger(cast.GetTypeName()) {
		value = cast.GetArg()
	}
	call := value.GetFuncCall()
	return call.GetAggStar() && nameOf(call.GetFuncname()) == "count" && call.GetAggFilter() == nil && call.GetOver() == nil
}

func isInteger(t *pg.TypeName) bool {
	switch nameOf(t.GetNames()) {
	case "pg_catalog.int4", "pg_catalog.int8", "pg_catalog.int2":
		return true
	}
	return false
}
