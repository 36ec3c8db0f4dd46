package schema

import (
	"cmp"
	"slices"
)

// Volatility is what a function promises about side effects; only a volatile one may write (pg_proc.provolatile).
type Volatility byte

// The volatilities, by their letters in pg_proc.provolatile.
const (
	Volatile  Volatility = 'v'
	Stable    Volatility = 's'
	Immutable Volatility = 'i'
)

// Function is a callable function of an exposed schema. Overloads are separate functions of the same name.
type Function struct {
	Name        Name
	Description string
	Params      []Param // input parameters in order
	Returns     Return
	Volatility  Volatility
	Variadic    bool
	Isolation   string    // default_transaction_isolation stored on the function, empty without one
	Settings    []Setting // settings stored on the function that apply to the whole transaction
}

// Param is an input parameter of a function.
type Param struct {
	Name     string // empty when it has none
	Type     string // as PostgreSQL prints it: "integer", "text[]"
	CastType string // the type to cast an argument to: like Type, but "character" and "bit" do not cut the value
	Required bool   // has no default
	Variadic bool
}

// Return is what a function gives back.
type Return struct {
	Type           Name // of composite types the relation's name
	Set            bool // SETOF or TABLE
	Composite      bool // rows with columns, which can be filtered and embedded
	CompositeAlias bool // a domain over a composite type
}

// Setting is the name and the value of a run-time setting.
type Setting struct {
	Name  string
	Value string
}

// Void reports whether the function returns nothing.
func (f *Function) Void() bool {
	return !f.Returns.Set && f.Returns.Type == Name{Schema: "pg_catalog", Name: "void"}
}

// Scalar reports whether the function returns exactly one plain value.
func (f *Function) Scalar() bool { return !f.Returns.Set && !f.Returns.Composite }

// ScalarSet reports whether the function returns plain values, any number of them.
func (f *Function) ScalarSet() bool { return f.Returns.Set && !f.Returns.Composite }

// Single reports whether the function returns exactly one row or value.
func (f *Function) Single() bool { return !f.Returns.Set }

// Row reports whether the function returns exactly one row with columns.
func (f *Function) Row() bool { return !f.Returns.Set && f.Returns.Composite }

// sortOverloads puts functions with fewer parameters first, then orders them in a fixed way.
func sortOverloads(fs []*Function) {
	slices.SortFunc(fs, func(a, b *Function) int {
		return cmp.Or(
			cmp.Compare(len(a.Params), len(b.Params)),
			cmp.Compare(a.Description, b.Description),
			slices.CompareFunc(a.Params, b.Params, compareParams),
			compareNames(a.Returns.Type, b.Returns.Type),
			cmp.Compare(a.Volatility, b.Volatility),
		)
	})
}

// compareParams orders parameters by what clients see of them.
func compareParams(a, b Param) int {
	return cmp.Or(
		cmp.Compare(a.Name, b.Name),
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(btoi(a.Required), btoi(b.Required)),
	)
}
