package translate

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

func translateInsert(insert *pg.InsertStmt, types Types) (*Request, error) {
	b, err := newBuilder(insert.GetRelation())
	if err != nil {
		return nil, err
	}
	values := insert.GetSelectStmt().GetSelectStmt().GetValuesLists()
	switch {
	case insert.GetWithClause() != nil:
		return nil, refuse("WITH")
	case len(values) == 0:
		return nil, refuse("rows that are no VALUES")
	case len(insert.GetCols()) == 0:
		return nil, refuse("columns that are not named")
	case insert.GetOverride() == pg.OverridingKind_OVERRIDING_USER_VALUE, insert.GetOverride() == pg.OverridingKind_OVERRIDING_SYSTEM_VALUE:
		return nil, refuse("OVERRIDING")
	}
	var columns []string
	for _, col := range insert.GetCols() {
		if name := col.GetResTarget().GetName(); isPlain(name) && len(col.GetResTarget().GetIndirection()) == 0 {
			columns = append(columns, name)
			continue
		}
		return nil, refuse("the column %q", col.GetResTarget().GetName())
	}
	rows := make([]object, len(values))
	for i, list := range values {
		items := list.GetList().GetItems()
		if len(items) != len(columns) {
			return nil, refuse("rows of another length than the columns")
		}
		for j, item := range items {
			if err := rows[i].add(columns[j], item, types, insert.GetRelation()); err != nil {
				return nil, err
			}
		}
	}
	if err := b.conflict(insert.GetOnConflictClause(), columns); err != nil {
		return nil, err
	}
	b.param("columns", strings.Join(columns, ","))
	result, err := b.returning(insert.GetReturningList(), aliases(insert.GetRelation()))
	if err != nil {
		return nil, err
	}
	return b.write(http.MethodPost, rows, result)
}

// conflict writes ON CONFLICT as the API's upsert, which sets every column sent.
func (b *builder) conflict(clause *pg.OnConflictClause, columns []string) error {
	if clause == nil {
		return nil
	}
	infer := clause.GetInfer()
	if infer.GetConname() != "" || infer.GetWhereClause() != nil || clause.GetWhereClause() != nil {
		return refuse("ON CONFLICT with a constraint's name or a condition")
	}
	var arbiter []string
	for _, elem := range infer.GetIndexElems() {
		name := elem.GetIndexElem().GetName()
		if !isPlain(name) {
			return refuse("ON CONFLICT on an expression")
		}
		arbiter = append(arbiter, name)
	}
	if len(arbiter) == 0 {
		return refuse("ON CONFLICT without columns, where the API names the primary key")
	}
	resolution := "resolution=ignore-duplicates"
	if clause.GetAction() == pg.OnConflictAction_ONCONFLICT_UPDATE {
		resolution = "resolution=merge-duplicates"
		if err := setsAllExcluded(clause.GetTargetList(), columns); err != nil {
			return err
		}
	}
	b.param("on_conflict", strings.Join(arbiter, ","))
	b.prefer = append(b.prefer, resolution)
	return nil
}

// setsAllExcluded refuses an upsert that sets other columns than those that are sent.
func setsAllExcluded(targets []*pg.Node, columns []string) error {
	var set []string
	for _, target := range targets {
		res := target.GetResTarget()
		if nameOf(res.GetVal().GetColumnRef().GetFields()) != "excluded."+res.GetName() {
			return refuse("an upsert that computes")
		}
		set = append(set, res.GetName())
	}
	for _, column := range columns {
		if !slices.Contains(set, column) {
			return refuse("an upsert that leaves %s as it is, where the API sets every column", column)
		}
	}
	return nil
}

func translateUpdate(update *pg.UpdateStmt, types Types) (*Request, error) {
	b, err := newBuilder(update.GetRelation())
	if err != nil {
		return nil, err
	}
	if update.GetWithClause() != nil || len(update.GetFromClause()) > 0 {
		return nil, refuse("WITH or FROM")
	}
	var row object
	for _, target := range update.GetTargetList() {
		res := target.GetResTarget()
		if !isPlain(res.GetName()) || len(res.GetIndirection()) > 0 {
			return nil, refuse("the column %q", res.GetName())
		}
		if err := row.add(res.GetName(), res.GetVal(), types, update.GetRelation()); err != nil {
			return nil, err
		}
	}
	names := aliases(update.GetRelation())
	if err := b.where(update.GetWhereClause(), names); err != nil {
		return nil, err
	}
	columns, err := b.returning(update.GetReturningList(), names)
	if err != nil {
		return nil, err
	}
	return b.write(http.MethodPatch, row, columns)
}

func translateDelete(del *pg.DeleteStmt) (*Request, error) {
	b, err := newBuilder(del.GetRelation())
	if err != nil {
		return nil, err
	}
	if del.GetWithClause() != nil || len(del.GetUsingClause()) > 0 {
		return nil, refuse("WITH or USING")
	}
	names := aliases(del.GetRelation())
	if err := b.where(del.GetWhereClause(), names); err != nil {
		return nil, err
	}
	columns, err := b.returning(del.GetReturningList(), names)
	if err != nil {
		return nil, err
	}
	return b.write(http.MethodDelete, nil, columns)
}

// returning asks for the rows that a write returns, or for their number alone.
func (b *builder) returning(list []*pg.Node, names []string) ([]string, error) {
	b.prefer = append(b.prefer, "count=exact")
	if len(list) == 0 {
		b.prefer = append(b.prefer, "return=minimal")
		return nil, nil
	}
	b.prefer = append(b.prefer, "return=representation")
	return b.columns(list, names)
}

// write finishes a request with a body.
func (b *builder) write(method string, body any, columns []string) (*Request, error) {
	request := b.request(method)
	request.Columns = columns
	if body == nil {
		return request, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return nil, refuse("the values: %s", err)
	}
	request.Body = bytes.TrimRight(out.Bytes(), "\n")
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// object is a JSON object that keeps the order of its members.
type object struct {
	names  []string
	values []any
}

// add adds a column with a literal. A text for a json column is the JSON that it holds.
func (o *object) add(name string, node *pg.Node, types Types, r *pg.RangeVar) error {
	value := constant(node)
	if _, computed := value.(notConstant); computed {
		if node.GetSetToDefault() != nil {
			return refuse("DEFAULT")
		}
		return refuse("the value of %s is computed", name)
	}
	if text, isText := value.(string); isText {
		switch types(rangeName(r), name) {
		case "json", "jsonb":
			if !json.Valid([]byte(text)) {
				return refuse("the value of %s is no JSON", name)
			}
			value = json.RawMessage(text)
		case "":
			return refuse("the type of %s is not known", name)
		}
	}
	o.names, o.values = append(o.names, name), append(o.values, value)
	return nil
}

// MarshalJSON writes the members in the order of the statement.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			out.WriteByte(',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.values[i])
		if err != nil {
			return nil, err
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
