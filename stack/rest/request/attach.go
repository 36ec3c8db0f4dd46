package request

import (
	"slices"
	"strings"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// attacher hangs filters, orders and ranges on the nodes they belong to.
type attacher struct {
	root    *Node
	missing *string
}

// find is the node at path, or nil. An embed answers to its name and to its alias. A name that no embed answers to is
// remembered; the first one stays.
func (a *attacher) find(path []string) *Node {
	node := a.root
	for _, name := range path {
		i := slices.IndexFunc(node.Select, func(it SelectItem) bool {
			return it.Embed != nil && (it.Embed.Name == name || it.Embed.Alias == name)
		})
		if i < 0 {
			if a.missing == nil {
				a.missing = &name
			}
			return nil
		}
		node = node.Select[i].Embed
	}
	return node
}

// attach builds the tree that is read. Of several names without an embed the server reports filters before orders before
// limits before and/or, and among equals the last parameter; hence the order and the walks from behind.
func attach(req *Request, q query) *apierror.Error {
	a := &attacher{root: &Node{Name: req.Target.Name, Select: q.sel}}
	isWrite := req.Action.writes()
	var filters, trees []placed[Logic]
	for _, f := range q.filters {
		filters = append(filters, placed[Logic]{f.path, Logic{Filter: &f.item}})
	}
	trees = q.logic
	if isWrite {
		filters, req.Where = splitRoot(filters, req.Where)
		trees, req.Where = splitRoot(trees, req.Where)
	}
	a.addWhere(filters)
	a.addOrders(q.orders)
	if !isWrite {
		if err := a.addRanges(q.ranges); err != nil {
			return err
		}
	}
	a.addWhere(trees)
	req.Read, req.MissingEmbed = a.root, a.missing
	return nil
}

// writes says whether the root filters belong to a statement that changes rows.
func (a Action) writes() bool {
	return a == ActionInsert || a == ActionUpdate || a == ActionUpsertOne || a == ActionDelete
}

// splitRoot moves the conditions on the root to the end of root.
func splitRoot(all []placed[Logic], root []Logic) (rest []placed[Logic], _ []Logic) {
	for _, p := range all {
		if len(p.path) == 0 {
			root = append(root, p.item)
		} else {
			rest = append(rest, p)
		}
	}
	return rest, root
}

// addWhere finds all nodes from behind, for the report, and then adds the conditions in the order of the parameters.
func (a *attacher) addWhere(all []placed[Logic]) {
	nodes := make([]*Node, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		nodes[i] = a.find(all[i].path)
	}
	for i, n := range nodes {
		if n != nil {
			n.Where = append(n.Where, all[i].item)
		}
	}
}

// addOrders sets the order of nodes; of several orders of a node the first one counts.
func (a *attacher) addOrders(all []placed[[]OrderTerm]) {
	for i := len(all) - 1; i >= 0; i-- {
		if n := a.find(all[i].path); n != nil {
			n.Order = all[i].item
		}
	}
}

// addRanges sets the windows of nodes. The root's own is already judged, those of embeds are taken as they are.
func (a *attacher) addRanges(ranges map[string]window) *apierror.Error {
	keys := make([]string, 0, len(ranges))
	for k := range ranges {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int { return strings.Compare(y, x) })
	for _, k := range keys {
		at, err := read(k, "tree path ("+k+")", treePath)
		if err != nil {
			return err
		}
		if n := a.find(at.path); n != nil {
			n.Range = ranges[k].asRange()
		}
	}
	return nil
}
