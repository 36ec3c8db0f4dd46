package translate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
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

// columns adds select= and returns the names of the result's columns.
func (b *builder) columns(targets []*pg.Node, names []string) ([]string, error) {
	var chosen, result []string
	for _, target := range targets {
		res := target.GetResTarget()
		ref := res.GetVal().GetColumnRef()
		if ref == nil {
			return nil, refuse("a column that is computed")
		}
		if isStar(ref) {
			if len(targets) > 1 {
				return nil, refuse("columns beside *")
			}
			return nil, nil
		}
		name, err := column(ref, names)
		if err != nil {
			return nil, err
		}
		item, as := name, name
		if alias := res.GetName(); alias != "" && alias != name {
			if !isPlain(alias) {
				return nil, refuse("the name %q", alias)
			}
			item, as = alias+":"+name, alias
		}
		for _, other := range result {
			if other == as {
				return nil, refuse("two columns %q", as)
			}
		}
		chosen, result = append(chosen, item), append(result, as)
	}
	b.param("select", strings.Join(chosen, ","))
	return result, nil
}

func isStar(ref *pg.ColumnRef) bool {
	fields := ref.GetFields()
	return len(fields) == 1 && fields[0].GetAStar() != nil
}

// aliases are the names by which a statement may call its table.
func aliases(r *pg.RangeVar) []string {
	if r.GetAlias() != nil {
		return []string{r.GetAlias().GetAliasname()}
	}
	return []string{r.GetRelname(), "public." + r.GetRelname()}
}

// column is the name of a column of the statement's table.
func column(ref *pg.ColumnRef, names []string) (string, error) {
	fields := ref.GetFields()
	name := fields[len(fields)-1].GetString_().GetSval()
	if !isPlain(name) {
		return "", refuse("the column %q", name)
	}
	if qualifier := nameOf(fields[:len(fields)-1]); qualifier != "" {
		for _, known := range names {
			if qualifier == known {
				return name, nil
			}
		}
		return "", refuse("a column of %s", qualifier)
	}
	return name, nil
}

// isPlain reports whether a name needs no quotes in the API's grammar.
func isPlain(name string) bool {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func (b *builder) order(sorts []*pg.Node, names []string) error {
	var items []string
	for _, node := range sorts {
		sort := node.GetSortBy()
		ref := sort.GetNode().GetColumnRef()
		if ref == nil || isStar(ref) || len(sort.GetUseOp()) > 0 {
			return refuse("an order that is computed")
		}
		item, err := column(ref, names)
		if err != nil {
			return err
		}
		switch sort.GetSortbyDir() {
		case pg.SortByDir_SORTBY_DESC:
			item += ".desc"
		default:
			item += ".asc"
		}
		switch sort.GetSortbyNulls() {
		case pg.SortByNulls_SORTBY_NULLS_FIRST:
			item += ".nullsfirst"
		case pg.SortByNulls_SORTBY_NULLS_LAST:
			item += ".nullslast"
		}
		items = append(items, item)
	}
	if len(items) > 0 {
		b.param("order", strings.Join(items, ","))
	}
	return nil
}

// constant is the value of a literal: json.Number, string, bool or nil; an
// expression that is none is errNotConstant.
func constant(node *pg.Node) any {
	if cast := node.GetTypeCast(); cast != nil {
		// A cast of a literal to a type of its own kind says nothing that the column's
		// type does not.
		return castConstant(constant(cast.GetArg()), cast.GetTypeName())
	}
	if minus := node.GetAExpr(); minus != nil && minus.GetLexpr() == nil && nameOf(minus.GetName()) == "-" {
		if n, ok := constant(minus.GetRexpr()).(json.Number); ok && !strings.HasPrefix(n.String(), "-") {
			return json.Number("-" + n.String())
		}
		return notConstant{}
	}
	c := node.GetAConst()
	switch {
	case c == nil:
		return notConstant{}
	case c.GetIsnull():
		return nil
	case c.GetSval() != nil:
		return c.GetSval().GetSval()
	case c.GetFval() != nil:
		return json.Number(c.GetFval().GetFval())
	case c.GetBoolval() != nil:
		return c.GetBoolval().GetBoolval()
	case c.GetBsval() != nil:
		return notConstant{}
	default:
		return json.Number(strconv.Itoa(int(c.GetIval().GetIval())))
	}
}

// notConstant stands for an expression that is no literal.
type notConstant struct{}

// castConstant accepts casts that leave the literal's text as it is for the column.
func castConstant(value any, to *pg.TypeName) any {
	if len(to.GetArrayBounds()) > 0 || len(to.GetTypmods()) > 0 {
		return notConstant{}
	}
	name := strings.TrimPrefix(nameOf(to.GetNames()), "pg_catalog.")
	switch value.(type) {
	case string:
		switch name {
		case "uuid", "text", "date", "timestamptz", "timestamp", "json", "jsonb":
			return value
		}
	case json.Number:
		if name == "int4" || name == "int8" || name == "int2" || name == "numeric" {
			return value
		}
	case nil:
		return value
	}
	return notConstant{}
}
