package query

import (
	"fmt"
	"strings"

	"github.com/supascore/supascore/stack/rest/apierror"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// The errors of planning. Codes, statuses and words are those of PostgREST 14 (documentation, "Errors"; recordings
// errors/paths, embed/ambiguity_and_hints, rpc/not_found).

// tableNotFound does not look at privileges, so a table that the caller may not use is told from one that is not there.
func tableNotFound(snap *schema.Snapshot, name schema.Name) error {
	err := apierror.New(404, "PGRST205", fmt.Sprintf("Could not find the table '%s' in the schema cache", name))
	if better, ok := snap.SuggestTable(name); ok {
		return err.WithHint(fmt.Sprintf("Perhaps you meant the table '%s.%s'", name.Schema, better))
	}
	return err
}

// columnNotFound is for keys of a body and of columns=. Columns of filters and select= are left to PostgreSQL.
func columnNotFound(table, column string) error {
	return apierror.New(400, "PGRST204", fmt.Sprintf("Could not find the '%s' column of '%s' in the schema cache", column, table))
}

// notEmbedded is for filters, orders and limits of an embed that select= does not have.
func notEmbedded(name string) error {
	return apierror.New(400, "PGRST108", fmt.Sprintf("'%s' is not an embedded resource in this request", name)).
		WithHint(fmt.Sprintf("Verify that '%s' is included in the 'select' query parameter.", name))
}

// orderNotToOne is for rows that should be sorted by a list.
func orderNotToOne(origin, target string) error {
	return apierror.New(400, "PGRST118", fmt.Sprintf("A related order on '%s' is not possible", target)).
		WithDetails(fmt.Sprintf("'%s' and '%s' do not form a many-to-one or one-to-one relationship", origin, target))
}

// aggregatesNotAllowed protects servers from expensive requests; it is the default.
func aggregatesNotAllowed() error {
	return apierror.New(400, "PGRST123", "Use of aggregate functions is not allowed")
}

// aggregatesInToManySpread is what PostgREST has not made either.
func aggregatesInToManySpread() error {
	return apierror.New(400, "PGRST127", "Feature not implemented").
		WithDetails("Aggregates are not implemented for one-to-many or many-to-many spreads.")
}

// badPutFilters is for a PUT whose URL does not name exactly one row.
func badPutFilters() error {
	return apierror.New(405, "PGRST105", "Filters must include all and only primary key columns with 'eq' operators")
}

// maxAffectedOnSingle is for a limit on a function that returns one value, where rows cannot be counted.
func maxAffectedOnSingle() error {
	return apierror.New(400, "PGRST128",
		"Function must return SETOF or TABLE when max-affected preference is used with handling=strict")
}

// NotAcceptable is PGRST107: none of the accepted media types can be made.
func NotAcceptable(accepted []request.MediaType) error {
	names := make([]string, len(accepted))
	for i, m := range accepted {
		names[i] = m.String()
	}
	return apierror.New(406, "PGRST107", "None of these media types are available: "+strings.Join(names, ", "))
}

// noRelationship suggests another name when the one that was used is the mistake.
func noRelationship(snap *schema.Snapshot, origin schema.Name, e *request.Node) error {
	hint := ""
	if e.Hint != "" {
		hint = fmt.Sprintf(" using the hint '%s'", e.Hint)
	}
	err := apierror.New(400, "PGRST200",
		fmt.Sprintf("Could not find a relationship between '%s' and '%s' in the schema cache", origin.Name, e.Name)).
		WithDetails(fmt.Sprintf("Searched for a foreign key relationship between '%s' and '%s'%s in the schema '%s', but no matches were found.",
			origin.Name, e.Name, hint, origin.Schema))
	if better, wrong, ok := snap.SuggestEmbed(origin, e.Name); ok {
		return err.WithHint(fmt.Sprintf("Perhaps you meant '%s' instead of '%s'.", better, wrong))
	}
	return err
}

// choice describes one relationship of an ambiguous embed.
type choice struct {
	Cardinality  string `json:"cardinality"`
	Embedding    string `json:"embedding"`
	Relationship string `json:"relationship"`
}

// ambiguousRelationship lists the choices in the order of the snapshot, which is the same every time.
func ambiguousRelationship(origin, target string, found []schema.Relationship) error {
	choices := make([]choice, len(found))
	hints := make([]string, len(found))
	for i, r := range found {
		choices[i] = choice{
			Cardinality:  r.Cardinality.String(),
			Embedding:    r.Table.Name + " with " + r.Foreign.Name,
			Relationship: describe(&r),
		}
		hint := r.Constraint
		if r.Junction != nil {
			hint = r.Junction.Table.Name
		}
		hints[i] = fmt.Sprintf("'%s!%s'", r.Foreign.Name, hint)
	}
	return apierror.New(300, "PGRST201",
		fmt.Sprintf("Could not embed because more than one relationship was found for '%s' and '%s'", origin, target)).
		WithDetails(choices).
		WithHint(fmt.Sprintf("Try changing '%s' to one of the following: %s. Find the desired relationship in the 'details' key.",
			target, strings.Join(hints, ", ")))
}

// describe tells how a relationship joins: by which key, or through which junction.
func describe(r *schema.Relationship) string {
	if j := r.Junction; j != nil {
		return fmt.Sprintf("%s using %s(%s) and %s(%s)", j.Table.Name, j.FromKey, foreigns(j.FromFields), j.ToKey, foreigns(j.ToFields))
	}
	columns := make([]string, len(r.Columns))
	for i, p := range r.Columns {
		columns[i] = p.Column
	}
	return fmt.Sprintf("%s using %s(%s) and %s(%s)",
		r.Constraint, r.Table.Name, strings.Join(columns, ", "), r.Foreign.Name, foreigns(r.Columns))
}

// foreigns lists the columns of the far side.
func foreigns(pairs []schema.Pair) string {
	names := make([]string, len(pairs))
	for i, p := range pairs {
		names[i] = p.Foreign
	}
	return strings.Join(names, ", ")
}

// ambiguousFunction is for overloads that differ in types alone: the names of the arguments cannot tell them apart.
func ambiguousFunction(found []*schema.Function) error {
	texts := make([]string, len(found))
	for i, f := range found {
		params := make([]string, len(f.Params))
		for j, p := range f.Params {
			params[j] = p.Name + " => " + p.Type
		}
		texts[i] = fmt.Sprintf("%s(%s)", f.Name, strings.Join(params, ", "))
	}
	return apierror.New(300, "PGRST203", "Could not choose the best candidate function between: "+strings.Join(texts, ", ")).
		WithHint("Try renaming the parameters or the function itself in the database so function overloading can be resolved")
}

// functionNotFound tells what was searched for. A body that is one value was searched for as an unnamed parameter.
func functionNotFound(snap *schema.Snapshot, req *request.Request, name schema.Name, given []string) error {
	single := ""
	if req.Method == "POST" {
		switch req.ContentType.Kind {
		case request.MediaText:
			single = "text"
		case request.MediaXML:
			single = "xml"
		case request.MediaBinary:
			single = "bytea"
		}
	}
	if single != "" {
		return apierror.New(404, "PGRST202", fmt.Sprintf("Could not find the function %s in the schema cache", name)).
			WithDetails(fmt.Sprintf("Searched for the function %s with a single unnamed %s parameter, but no matches were found in the schema cache.",
				name, single))
	}
	called, searched := " without parameters", " without parameters"
	if len(given) > 0 {
		called = "(" + strings.Join(given, ", ") + ")"
		searched = " with parameter " + given[0]
		if len(given) > 1 {
			searched = " with parameters " + strings.Join(given, ", ")
		}
	}
	if req.Method == "POST" && req.ContentType.Kind == request.MediaJSON {
		searched += " or with a single unnamed json/jsonb parameter"
	}
	err := apierror.New(404, "PGRST202", fmt.Sprintf("Could not find the function %s%s in the schema cache", name, called)).
		WithDetails(fmt.Sprintf("Searched for the function %s%s, but no matches were found in the schema cache.", name, searched))
	return err.WithHint(functionHint(snap, name, given))
}

// functionHint suggests other parameters of the same function, or another function. It returns nil without a suggestion.
func functionHint(snap *schema.Snapshot, name schema.Name, given []string) any {
	const words = "Perhaps you meant to call the function "
	if overloads := snap.Functions(name); len(overloads) > 0 {
		if params, ok := schema.SuggestParams(overloads, given); ok {
			return words + name.String() + params
		}
		return nil
	}
	if better, ok := snap.SuggestFunction(name); ok {
		return words + name.Schema + "." + better
	}
	return nil
}
