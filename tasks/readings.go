package tasks

// Readings answers the questions that RLS-Bench's card leaves open. A task states
// them in task.yaml under "readings", flags may override them, and whoever grades
// prints them. An empty field stands for its default.
type Readings struct {
	// Count says what "count" compares: CountAuto (default), CountRows, CountValue.
	Count string `yaml:"count,omitempty" json:"count,omitempty"`
	// Denied says what "denied: true" accepts: "any" (default) or "error", the
	// values DeniedAny and DeniedError.
	Denied string `yaml:"denied,omitempty" json:"denied,omitempty"`
	// Order says how rows are compared: OrderQuery (default), OrderBag, OrderList.
	Order string `yaml:"order,omitempty" json:"order,omitempty"`
	// Seed says when seed.sql runs: SeedBefore (default) or SeedAfter the candidate.
	Seed string `yaml:"seed,omitempty" json:"seed,omitempty"`
	// Statements says whose result counts when a query has several statements:
	// StatementsLast (default), StatementsFirst.
	Statements string `yaml:"statements,omitempty" json:"statements,omitempty"`
	// Claims says what a user's token holds: ClaimsToken (default), ClaimsGiven.
	Claims string `yaml:"claims,omitempty" json:"claims,omitempty"`
	// TrapNames says how rows name trap files: TrapStem (default), TrapFile.
	TrapNames string `yaml:"trap_names,omitempty" json:"trap_names,omitempty"`
}

// The values of Readings.
const (
	// CountAuto is the number of rows, but the value itself when the query returns
	// one row with one integer aggregate.
	CountAuto = "auto"
	// CountRows is always the number of rows.
	CountRows = "rows"
	// CountValue is always the value of the only column of the only row.
	CountValue = "value"

	// OrderQuery compares in order when the query has an ORDER BY at its top level
	// and as a bag otherwise.
	OrderQuery = "query"
	// OrderBag ignores the order.
	OrderBag = "bag"
	// OrderList always compares in order.
	OrderList = "list"

	// SeedBefore runs seed.sql before the candidate.
	SeedBefore = "before"
	// SeedAfter runs seed.sql after the candidate.
	SeedAfter = "after"

	// StatementsLast takes the result of the last statement.
	StatementsLast = "last"
	// StatementsFirst takes the result of the first statement.
	StatementsFirst = "first"

	// ClaimsToken fills a signed-in user's claims up to what Auth puts in a token.
	ClaimsToken = "token"
	// ClaimsGiven holds role, sub and the given claims alone.
	ClaimsGiven = "given"

	// TrapStem names a trap file without ".sql".
	TrapStem = "stem"
	// TrapFile names it with ".sql".
	TrapFile = "file"
)

// WithDefaults returns r with every empty field set to its default.
func (r Readings) WithDefaults() Readings {
	return Readings{
		Count: CountAuto, Denied: string(DeniedAny), Order: OrderQuery, Seed: SeedBefore,
		Statements: StatementsLast, Claims: ClaimsToken, TrapNames: TrapStem,
	}.With(r)
}

// With returns r with the fields that over sets.
func (r Readings) With(over Readings) Readings {
	for _, f := range []struct{ to, from *string }{
		{&r.Count, &over.Count},
		{&r.Denied, &over.Denied},
		{&r.Order, &over.Order},
		{&r.Seed, &over.Seed},
		{&r.Statements, &over.Statements},
		{&r.Claims, &over.Claims},
		{&r.TrapNames, &over.TrapNames},
	} {
		if *f.from != "" {
			*f.to = *f.from
		}
	}
	return r
}
