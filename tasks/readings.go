package tasks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/internal/strictyaml"
)

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
	for _, question := range r.questions() {
		if field := question.field(&r); *field == "" {
			*field = question.answers[0]
		}
	}
	return r
}

// With returns r with the fields that over sets.
func (r Readings) With(over Readings) Readings {
	for _, question := range r.questions() {
		if answer := *question.field(&over); answer != "" {
			*question.field(&r) = answer
		}
	}
	return r
}

// ReadingError is an unknown reading or an unknown value of one.
type ReadingError struct {
	// Problem says what is wrong, Remedy what is known.
	Problem, Remedy string
}

// Error is the problem.
func (e *ReadingError) Error() string { return e.Problem }

// Hint returns the remedy.
func (e *ReadingError) Hint() string { return e.Remedy }

// Set sets a reading by its name in task.yaml: Set("count", "rows").
func (r *Readings) Set(name, value string) *ReadingError {
	var names []string
	for _, question := range r.questions() {
		names = append(names, question.name)
		if question.name != name {
			continue
		}
		if !slices.Contains(question.answers, value) {
			return &ReadingError{
				Problem: fmt.Sprintf("unknown reading of %s: %q", name, value),
				Remedy:  strictyaml.DidYouMean(value, question.answers),
			}
		}
		*question.field(r) = value
		return nil
	}
	return &ReadingError{Problem: fmt.Sprintf("unknown reading %q", name), Remedy: strictyaml.DidYouMean(name, names)}
}

// ParseReadings reads "name=value" settings, as flags give them, in order.
func ParseReadings(settings []string) (Readings, error) {
	var r Readings
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return Readings{}, &ReadingError{
				Problem: fmt.Sprintf("reading %q has no value", setting), Remedy: `for example "count=rows"`,
			}
		}
		if err := r.Set(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return Readings{}, err
		}
	}
	return r, nil
}

// String lists the readings in force, defaults included, in a fixed order:
// "count=auto denied=any …".
func (r Readings) String() string {
	r = r.WithDefaults()
	var words []string
	for _, question := range r.questions() {
		words = append(words, question.name+"="+*question.field(&r))
	}
	return strings.Join(words, " ")
}

// set lists the readings that are set, by name; nil when none is.
func (r Readings) set() map[string]string {
	var set map[string]string
	for _, question := range r.questions() {
		if answer := *question.field(&r); answer != "" {
			if set == nil {
				set = map[string]string{}
			}
			set[question.name] = answer
		}
	}
	return set
}

// question is one open question of the format.
type question struct {
	name string
	// answers are the readings, the default first.
	answers []string
	field   func(*Readings) *string
}

func (Readings) questions() []question {
	return []question{
		{"count", []string{CountAuto, CountRows, CountValue}, func(r *Readings) *string { return &r.Count }},
		{"denied", []string{string(DeniedAny), string(DeniedError)}, func(r *Readings) *string { return &r.Denied }},
		{"order", []string{OrderQuery, OrderBag, OrderList}, func(r *Readings) *string { return &r.Order }},
		{"seed", []string{SeedBefore, SeedAfter}, func(r *Readings) *string { return &r.Seed }},
		{"statements", []string{StatementsLast, StatementsFirst}, func(r *Readings) *string { return &r.Statements }},
		{"claims", []string{ClaimsToken, ClaimsGiven}, func(r *Readings) *string { return &r.Claims }},
		{"trap_names", []string{TrapStem, TrapFile}, func(r *Readings) *string { return &r.TrapNames }},
	}
}
