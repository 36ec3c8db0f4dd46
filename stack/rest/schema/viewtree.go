package schema

import "strconv"

// viewColumn is a column of a view that shows a column of another relation unchanged.
type viewColumn struct {
	name   string
	number int16  // position in the view
	table  uint32 // relation it comes from
	column int16  // position there
}

// PostgreSQL does not say in its catalogue which column of a table a column of a view shows; pg_depend knows that the view
// uses the table's column, not where. Its parser leaves it in the stored tree, for the names of columns in RowDescription
// messages: each entry of the target list has resorigtbl and resorigcol, zero when the column is computed.

// targetColumns reads the top-level target list of a stored view (pg_rewrite.ev_action, a list of one Query node in the
// text form of PostgreSQL's nodeToString) and returns the columns whose origin the parser had recorded. names are the
// view's columns by position. Text that is not such a tree gives no columns.
func targetColumns(tree string, names []string) []viewColumn {
	r := treeReader{text: tree}
	if !r.skipToTargetList() {
		return nil
	}
	var out []viewColumn
	for {
		entry, ok := r.nextTarget()
		if !ok {
			return out
		}
		n := int(entry.number)
		if entry.junk || entry.table == 0 || entry.column <= 0 || n < 1 || n > len(names) {
			continue
		}
		entry.name = names[n-1]
		out = append(out, entry.viewColumn)
	}
}

// target is an entry of a target list.
type target struct {
	viewColumn
	junk bool // not a column of the result
}

// treeReader splits a node tree into tokens and knows how deep it is in brackets.
type treeReader struct {
	text  string
	pos   int
	depth int
}

// next returns the following token: a bracket, or a word up to the next space or bracket. A backslash takes the special
// meaning from the character after it (outfuncs.c, outToken). Words keep their backslashes, as no word that is
// looked at has any. At the end it returns "".
func (r *treeReader) next() string {
	for r.pos < len(r.text) && isSpace(r.text[r.pos]) {
		r.pos++
	}
	if r.pos >= len(r.text) {
		return ""
	}
	start := r.pos
	switch r.text[r.pos] {
	case '(', '{':
		r.depth++
		r.pos++
	case ')', '}':
		r.depth--
		r.pos++
	default:
		r.word()
	}
	return r.text[start:r.pos]
}

// word moves to the end of a word.
func (r *treeReader) word() {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '\\':
			r.pos += 2
		case isSpace(c) || c == '(' || c == ')' || c == '{' || c == '}':
			return
		default:
			r.pos++
		}
	}
	r.pos = min(r.pos, len(r.text))
}

// isSpace reports whether a byte separates tokens.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skipToTargetList stops after the bracket that opens the target list of the outer query.
func (r *treeReader) skipToTargetList() bool {
	const queryDepth = 2 // "(" of the list and "{" of the query
	for tok := r.next(); tok != ""; tok = r.next() {
		if tok == ":targetList" && r.depth == queryDepth {
			return r.next() == "("
		}
	}
	return false
}

// nextTarget reads one entry of the target list; false at its end.
func (r *treeReader) nextTarget() (target, bool) {
	if r.next() != "{" {
		return target{}, false
	}
	inside := r.depth
	var t target
	for tok := r.next(); tok != "" && r.depth >= inside; tok = r.next() {
		if r.depth != inside {
			continue
		}
		switch tok {
		case ":resno":
			t.number = int16(r.number(16))
		case ":resorigtbl":
			t.table = uint32(r.number(32))
		case ":resorigcol":
			t.column = int16(r.number(16))
		case ":resjunk":
			t.junk = r.next() == "true"
		}
	}
	return t, true
}

// number reads an integer that fits into bits, or 0 when there is none.
func (r *treeReader) number(bits int) int64 {
	n, err := strconv.ParseInt(r.next(), 10, bits+1)
	if err != nil || bits == 16 && (n < -1<<15 || n >= 1<<15) || bits == 32 && n < 0 {
		return 0
	}
	return n
}
