package evals

import "io/fs"

// Eval is one evaluation as its folder describes it.
type Eval struct {
	// ID is the folder's name, such as "build-docs-009-custom-claims-rbac".
	ID string `json:"id"`
	// Title says in a line what is evaluated.
	Title string `json:"title"`
	// People are the persons that a run signs up, afresh and with unique e-mail
	// addresses each time.
	People []Person `json:"people"`
	// Arrange are the steps before the probes, in order.
	Arrange []Step `json:"arrange"`
	// Checks is the fixed list of checks, in the order they are shown.
	Checks []CheckSpec `json:"checks"`
	// Prompt is the body of PROMPT.md without its front matter; empty when the
	// folder has none.
	Prompt string `json:"-"`
	// ForbiddenWords are the words that README.md keeps out of the prompt.
	ForbiddenWords []string `json:"-"`
	// Violations are the places where the prompt holds one of them.
	Violations []Violation `json:"-"`
	// Files is the eval's folder; LocalDir in it is the workspace that an agent
	// starts from.
	Files fs.FS `json:"-"`
	// Hash is the hex SHA-256 of every file in the folder, names included.
	Hash string `json:"-"`
}

// Person is somebody who signs up.
type Person struct {
	// ID names the person in the eval: "member". The e-mail address is
	// "<id>-<8 hex digits of the run>@example.com".
	ID string `json:"id" yaml:"id"`
	// Password is what they sign up with. Default "secret123".
	Password string `json:"password" yaml:"password"`
}

// DefaultPassword is the password of a person whose eval names none. It is public
// on purpose: the accounts live for one run on a stack that only this machine can
// reach.
const DefaultPassword = "secret123"

// Step is one arrange step. Exactly one of its fields is set.
type Step struct {
	// SignUp lists people who sign up, all at once.
	SignUp []string `json:"sign_up,omitempty" yaml:"sign-up"`
	// SignIn lists people who sign in again with a fresh client; their older
	// tokens are never used afterwards.
	SignIn []string `json:"sign_in,omitempty" yaml:"sign-in"`
	// Insert writes a row as the database's owner, ignoring conflicts, and makes
	// sure that it is there.
	Insert *Insert `json:"insert,omitempty" yaml:"insert"`
}

// Insert is a row that the owner writes.
type Insert struct {
	// Table is "schema.table".
	Table string `json:"table" yaml:"table"`
	// For is the person who depends on the row: when it cannot be written, what
	// needs this person is red. May be empty.
	For string `json:"for,omitempty" yaml:"for"`
	// Row maps columns to values. A text of the form "${person.id}" or
	// "${person.email}" stands for that person's value.
	Row map[string]any `json:"row" yaml:"row"`
}

// CheckSpec is one check as an eval declares it.
type CheckSpec struct {
	// ID, Name, Class, Needs and Control are as in Check.
	ID      string   `json:"id" yaml:"id"`
	Name    string   `json:"name" yaml:"name"`
	Class   Class    `json:"class" yaml:"class"`
	Needs   []string `json:"needs,omitempty" yaml:"needs"`
	Control string   `json:"control,omitempty" yaml:"control"`
	// Uses names the check kind of the scorer library.
	Uses string `json:"uses" yaml:"uses"`
	// With holds the kind's parameters, as the kind documents them.
	With map[string]any `json:"with,omitempty" yaml:"with"`
}

// Check returns the spec of the check with the id.
func (e *Eval) Check(id string) (CheckSpec, bool) {
	for _, spec := range e.Checks {
		if spec.ID == id {
			return spec, true
		}
	}
	return CheckSpec{}, false
}

// Person returns the person with the id.
func (e *Eval) Person(id string) (Person, bool) {
	for _, person := range e.People {
		if person.ID == id {
			return person, true
		}
	}
	return Person{}, false
}

// Kinds is the library of check kinds as the loader sees it: enough to refuse a
// check that no scorer can judge while its line number is still known.
type Kinds interface {
	// Names lists the kinds, sorted.
	Names() []string
	// Validate reports what is wrong with a check's parameters. The error may be a
	// *ParamError, which lets the loader point at the parameter.
	Validate(eval *Eval, spec CheckSpec) error
}

// ParamError is a problem with one parameter of a check.
type ParamError struct {
	// Param is the key under "with"; empty for the block as a whole.
	Param string
	// Problem says what is wrong, lower case, without the parameter's name.
	Problem string
	// Remedy says what to do; may be empty.
	Remedy string
}

// Error names the parameter and the problem.
func (e *ParamError) Error() string {
	if e.Param == "" {
		return e.Problem
	}
	return e.Param + ": " + e.Problem
}

// Hint returns the remedy.
func (e *ParamError) Hint() string { return e.Remedy }
