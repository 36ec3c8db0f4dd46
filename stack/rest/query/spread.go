package query

import (
	"strconv"

	"github.com/supascore/supascore/stack/rest/request"
)

// addOutputs lists what each embed gives to its parent, from the leaves up, since a spread passes on the fields of the
// spreads inside of it.
func (n *node) addOutputs() {
	for _, c := range n.children {
		c.addOutputs()
		o := output{child: c}
		if c.spread == notSpread {
			o.empty = c.selectsNothing()
		} else {
			o.fields = c.spreadFields()
		}
		n.outputs = append(n.outputs, o)
	}
}

// spreadFields are the fields of a spread, by the names that its subquery gives them.
func (n *node) spreadFields() []spreadField {
	var out []spreadField
	for _, f := range n.fields {
		name := f.alias
		if name == "" {
			name = f.column.name
		}
		out = append(out, spreadField{name: name})
	}
	for _, o := range n.outputs {
		if o.child.spread == notSpread {
			out = append(out, spreadField{name: o.child.key})
		} else {
			out = append(out, o.fields...)
		}
	}
	return out
}

// hoisted is an aggregate that moves from a to-one spread to the relation that it is spread into.
type hoisted struct {
	embed string // alias of the spread that now gives the bare value
	name  string
	field spreadField
}

// hoistAggregates moves the aggregates of to-one spreads up: films?select=...director(age.avg()) is an average over
// films, not over the one director of each. It returns those that move on to the parent of n.
func (n *node) hoistAggregates() []hoisted {
	var below []hoisted
	for _, c := range n.children {
		below = append(below, c.hoistAggregates()...)
	}
	if n.spread != spreadToOne {
		n.takeAggregates(below)
		return nil
	}
	// The bare value stays in the subquery under the name that the aggregate had.
	var up []hoisted
	for i := range n.fields {
		f := &n.fields[i]
		if f.aggregate == "" {
			continue
		}
		name := f.alias
		if name == "" {
			name = f.column.name
		}
		moved := spreadField{alias: f.alias, aggregate: f.aggregate, aggregateCast: f.aggregateCast}
		up = append(up, hoisted{embed: n.embed, name: name, field: moved})
		f.aggregate, f.aggregateCast = request.AggregateNone, ""
	}
	// What comes from further down is now a field of this spread.
	for _, h := range below {
		h.embed = n.embed
		up = append(up, h)
	}
	return up
}

// takeAggregates applies aggregates of the spreads below to their values.
func (n *node) takeAggregates(from []hoisted) {
	for i := range n.outputs {
		o := &n.outputs[i]
		for j := range o.fields {
			f := &o.fields[j]
			for _, h := range from {
				if h.embed == o.child.embed && h.name == f.name {
					f.aggregate, f.aggregateCast, f.alias = h.field.aggregate, h.field.aggregateCast, h.field.alias
					break
				}
			}
		}
	}
}

// sortSpreads moves the order of to-many spreads into their lists: every field becomes a list of its own, and all of
// them are sorted by the same keys, which the subquery has to pass on.
func (n *node) sortSpreads() error {
	if n.spread == spreadToMany {
		if n.aggregates() || n.outputsAggregate() {
			return aggregatesInToManySpread()
		}
		for i, o := range n.order {
			// The number keeps keys apart that sort by the same column twice.
			name := n.embed + "_" + o.column.name + "_" + strconv.Itoa(i+1)
			n.extra = append(n.extra, extraField{embed: o.embed, field: field{column: o.column, alias: name}})
			n.order[i] = orderTerm{column: column{name: name}, dir: o.dir, nulls: o.nulls}
		}
	}
	for _, c := range n.children {
		if err := c.sortSpreads(); err != nil {
			return err
		}
	}
	return nil
}

// outputsAggregate reports whether a spread below has handed an aggregate up.
func (n *node) outputsAggregate() bool {
	for _, o := range n.outputs {
		for _, f := range o.fields {
			if f.aggregate != "" {
				return true
			}
		}
	}
	return false
}
