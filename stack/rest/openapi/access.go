package openapi

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/stack/rest/schema"
)

//go:embed access.sql
var accessSQL string

// AccessSQL is the query that finds what the current role may use. Its one argument is the schema; its one value is for
// ReadAccess. Run it in the request's transaction, after the switch of the role.
func AccessSQL() string { return accessSQL }

// Access is what the document lists.
type Access struct {
	// All lists everything (openapi-mode = ignore-privileges); Tables and Functions are not looked at then.
	All bool `json:"-"`
	// Description is the comment of the schema: the first line is the document's title.
	Description string `json:"description"`
	// Tables are names of relations.
	Tables []string `json:"tables"`
	// Functions are overloads.
	Functions []Signature `json:"functions"`
}

// Signature tells overloads apart.
type Signature struct {
	Name  string   `json:"name"`
	Types []string `json:"types"`
}

// key is a text that two overloads never share.
func (s Signature) key() string { return s.Name + "(" + strings.Join(s.Types, ",") + ")" }

// ReadAccess reads the value of AccessSQL.
func ReadAccess(value []byte) (Access, error) {
	var a Access
	if err := json.Unmarshal(value, &a); err != nil {
		return Access{}, fmt.Errorf("rights of the role: %w", err)
	}
	return a, nil
}

// tables are the relations of the schema that may be used, sorted by name.
func (a Access) tables(snap *schema.Snapshot, schemaName string) []*schema.Table {
	all := snap.Tables(schemaName)
	if a.All {
		return all
	}
	allowed := make(map[string]bool, len(a.Tables))
	for _, name := range a.Tables {
		allowed[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(t *schema.Table) bool { return !allowed[t.Name.Name] })
}

// functions are the overloads that may be called, one for each name: a path has one description, which is that of the
// overload with most parameters, and of several such the last one by comment and parameters, as in PostgREST.
func (a Access) functions(snap *schema.Snapshot, schemaName string) []*schema.Function {
	allowed := make(map[string]bool, len(a.Functions))
	for _, s := range a.Functions {
		allowed[s.key()] = true
	}
	var out []*schema.Function
	for _, name := range snap.FunctionNames(schemaName) {
		callable := slices.DeleteFunc(slices.Clone(snap.Functions(name)), func(f *schema.Function) bool {
			return !a.All && !allowed[signature(f).key()]
		})
		if len(callable) > 0 {
			out = append(out, slices.MaxFunc(callable, compareOverloads))
		}
	}
	return out
}

// compareOverloads orders overloads of one function.
func compareOverloads(a, b *schema.Function) int {
	return cmp.Or(
		cmp.Compare(len(a.Params), len(b.Params)), cmp.Compare(a.Description, b.Description),
		slices.CompareFunc(a.Params, b.Params, func(a, b schema.Param) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Type, b.Type))
		}))
}

// signature is how the query of the rights names an overload.
func signature(f *schema.Function) Signature {
	s := Signature{Name: f.Name.Name}
	for _, p := range f.Params {
		s.Types = append(s.Types, p.Type)
	}
	return s
}
