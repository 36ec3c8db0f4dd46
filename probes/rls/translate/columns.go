package translate

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

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
