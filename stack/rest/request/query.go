package request

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// pair is one parameter of a query string or form.
type pair struct{ key, value string }

// splitQuery splits and unescapes a query string. Both & and ; separate, + is a blank, an escape that is none stays as it is,
// and a key without "=" has no meaning. Text that is not UTF-8 is answered as the server answers it: with its bare 500
// (recording filters/odd_names_and_values).
func splitQuery(raw string) ([]pair, *apierror.Error) { return splitPairs(raw, false) }

// splitForm is the same for the body of a form, in which a key without "=" has an empty value.
func splitForm(raw string) ([]pair, *apierror.Error) { return splitPairs(raw, true) }

// splitPairs splits both. keepBare decides about keys without "=".
func splitPairs(raw string, keepBare bool) ([]pair, *apierror.Error) {
	var out []pair
	for raw != "" {
		part := raw
		if i := strings.IndexAny(raw, "&;"); i >= 0 {
			part, raw = raw[:i], raw[i+1:]
		} else {
			raw = ""
		}
		key, value, has := strings.Cut(part, "=")
		key, value = unescapeQuery(key), unescapeQuery(value)
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return nil, apierror.Plain(500, "Something went wrong")
		}
		if has || keepBare && part != "" {
			out = append(out, pair{key, value})
		}
	}
	return out, nil
}

// unescapeQuery reads + as a blank, and does so before percent escapes: %2B is a plus.
func unescapeQuery(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	return percentDecode(strings.ReplaceAll(s, "+", " "))
}

// percentDecode replaces well-formed escapes and keeps the others.
func percentDecode(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			high, low := hexDigit(s[i+1]), hexDigit(s[i+2])
			if high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// hexDigit is the value of a digit, -1 for another character.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// query is the meaning of all parameters, before filters and the like find their embeds.
type query struct {
	sel        []SelectItem
	filters    []placed[Filter]
	orders     []placed[[]OrderTerm]
	logic      []placed[Logic]
	ranges     map[string]window // by the full name of the limit parameter
	columns    []string
	onConflict []string
	args       []Arg
}

// placed is a T for the embed at path; an empty path means the root.
type placed[T any] struct {
	path []string
	item T
}

// readQuery parses all parameters. Of several wrong ones the server reports order first, then and/or, columns, select, filters
// and on_conflict. Parameters of a function called by GET that are no filters are its arguments.
func readQuery(pairs []pair, isCall bool) (q query, err *apierror.Error) {
	for _, step := range []func([]pair) *apierror.Error{
		q.readOrders, q.readLogic, q.readColumns, q.readSelect,
		func(p []pair) *apierror.Error { return q.readFilters(p, isCall) },
		q.readOnConflict,
	} {
		if err := step(pairs); err != nil {
			return query{}, err
		}
	}
	q.ranges = readWindows(pairs)
	return q, nil
}

// lastWord is the part of a parameter's name behind its last dot: what kind of parameter it is.
func lastWord(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// readOrders reads all order parameters, of the root and of embeds.
func (q *query) readOrders(pairs []pair) *apierror.Error {
	for _, p := range pairs {
		if lastWord(p.key) != "order" {
			continue
		}
		at, err := read(p.key, "tree path ("+p.key+")", treePath)
		if err != nil {
			return err
		}
		terms, err := read(p.value, "order ("+p.value+")", orderTerms)
		if err != nil {
			return err
		}
		q.orders = append(q.orders, placed[[]OrderTerm]{at.path, terms})
	}
	return nil
}

// readLogic reads and and or. The operator is in the name of the parameter, so it is put before the value: both have one
// grammar.
func (q *query) readLogic(pairs []pair) *apierror.Error {
	for _, p := range pairs {
		if w := lastWord(p.key); w != "and" && w != "or" {
			continue
		}
		at, err := read(p.key, "logic path ("+p.key+")", logicPath)
		if err != nil {
			return err
		}
		tree, err := read(at.operator+p.value, "logic tree ("+p.value+")", logicTree)
		if err != nil {
			return err
		}
		q.logic = append(q.logic, placed[Logic]{at.path, tree})
	}
	return nil
}

// first is the value of the first parameter of a name; the others of that name do not count.
func first(pairs []pair, key string) (string, bool) {
	for _, p := range pairs {
		if p.key == key {
			return p.value, true
		}
	}
	return "", false
}

// readColumns reads columns=, which says what keys of the body count.
func (q *query) readColumns(pairs []pair) *apierror.Error {
	value, ok := first(pairs, "columns")
	if !ok {
		return nil
	}
	names, err := read(value, "columns parameter ("+value+")", columnNames)
	q.columns = unique(names)
	return err
}

// unique drops repeated names and keeps the order.
func unique(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(n string) bool {
		repeated := seen[n]
		seen[n] = true
		return repeated
	})
}

// readOnConflict reads on_conflict=, the columns of a unique key.
func (q *query) readOnConflict(pairs []pair) *apierror.Error {
	value, ok := first(pairs, "on_conflict")
	if !ok {
		return nil
	}
	names, err := read(value, "on_conflict parameter ("+value+")", columnNames)
	q.onConflict = names
	return err
}

// readSelect reads select=. Everything is selected by default, and the most frequent text needs no grammar.
func (q *query) readSelect(pairs []pair) *apierror.Error {
	value, ok := first(pairs, "select")
	if !ok || value == "*" {
		q.sel = []SelectItem{{Field: &SelectField{Field: Field{Name: "*"}}}}
		return nil
	}
	items, err := read(value, "select parameter ("+value+")", selectList)
	q.sel = items
	return err
}

// isFilter says whether a parameter is none of the reserved ones.
func isFilter(key string) bool {
	switch lastWord(key) {
	case "order", "limit", "offset", "and", "or":
		return false
	}
	return key != "select" && key != "columns" && key != "on_conflict"
}

// readFilters reads what is left. Whether a parameter of a call is a filter is told by its value, not by its name: a=eq.1
// filters even when the function has a parameter a.
func (q *query) readFilters(pairs []pair, isCall bool) *apierror.Error {
	for _, p := range pairs {
		if !isFilter(p.key) {
			continue
		}
		at, err := read(p.key, "tree path ("+p.key+")", treePath)
		if err != nil {
			return err
		}
		f, err := read(p.value, "filter ("+p.value+")", func(s *scan) (Filter, bool) {
			f, ok := filterValue(s)
			if !ok && isCall && s.pos == 0 { // nothing consumed: not even the start of a filter
				return Filter{Value: p.value}, true
			}
			return f, ok
		})
		if err != nil {
			return err
		}
		if f.Operator == "" {
			q.args = append(q.args, Arg{at.field.Name, f.Value})
			continue
		}
		f.Field = at.field
		f.Value, _, _ = strings.Cut(f.Value, "\x00") // the operand reaches the database as a C string
		q.filters = append(q.filters, placed[Filter]{at.path, f})
	}
	return nil
}
