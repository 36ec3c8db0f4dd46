package tasks

// The splits of a dataset. A task whose split is not known has none of them.
const (
	SplitTrain = "train"
	SplitDev   = "dev"
	SplitTest  = "test"
)

// Task is one task, the same value whether it came from a folder or a dataset row.
type Task struct {
	// ID is "T" and at least three digits: "T001".
	ID string
	// Slug is what follows the id in the folder's name: "own-notes" of
	// "T001-own-notes". Default: Slugify(Title).
	Slug string
	// Title says in a line what the task is about.
	Title string
	// Tier is the difficulty, 1 to 3.
	Tier int
	// Split is SplitTrain, SplitDev, SplitTest, or empty when not known.
	Split string
	// Tags are free words to select tasks by.
	Tags []string
	// Traps names the trap patterns that the task plants.
	Traps []string
	// Reports are the public reports that the traps are taken from; may be empty.
	Reports []Report
	// Requirement is requirement.md as it stands: the numbered rules, the canary in
	// its last line.
	Requirement string
	// Rules are the numbered rules of Requirement, in order.
	Rules []Rule
	// Schema, Seed and Solution are the files schema.sql, seed.sql and solution.sql
	// as they stand.
	Schema, Seed, Solution string
	// TestsYAML is tests.yaml as it stands; Users and Tests are what it says.
	TestsYAML string
	// Users are the declared aliases, by name.
	Users map[string]User
	// Tests are the tests in the file's order.
	Tests []Test
	// TrapFiles are the planted wrong answers, sorted as their files are.
	TrapFiles []NamedSQL
	// ExtraTables and FixtureNotes are carried as they were found and not read: nil,
	// text, or any JSON value.
	ExtraTables, FixtureNotes any
	// Created is the day the task was written, as the author spelled it.
	Created string
	// Canary is the string that marks the requirement as benchmark data.
	Canary string
	// Readings says how the format's open questions are answered for this task.
	// Fields left empty are the defaults; use Readings.WithDefaults.
	Readings Readings
	// Forms says, in words, how tests.yaml spells what the format leaves open, such as
	// "users are a list"; sorted, empty for the natural form.
	Forms []string
	// Hash is the hex SHA-256 of everything that a grading or the prompt depends on.
	// A folder and the row made of it have the same.
	Hash string
	// Origin says where the task was read from, for messages: a folder, or
	// "file.jsonl:12".
	Origin string
}

// Report is a public report of the mistake that a trap plants.
type Report struct {
	// Trap is the name of the trap file, without ".sql"; empty when the report
	// stands behind the whole task.
	Trap string `yaml:"trap,omitempty" json:"trap,omitempty"`
	// URL is the report's address, or owner/name#number of an issue on GitHub.
	URL string `yaml:"url" json:"url"`
	// Note says in a line what happened there.
	Note string `yaml:"note,omitempty" json:"note,omitempty"`
}

// Rule is one numbered rule of a requirement.
type Rule struct {
	// ID is "R" and a number: "R1".
	ID string
	// Text is the rule without its number, line breaks folded into spaces.
	Text string
	// Line is where it starts in the requirement, from 1.
	Line int
}

// NamedSQL is a candidate that has a name, such as a trap or a mutant.
type NamedSQL struct {
	// Name is the file's name without its ending ".sql".
	Name string `json:"name"`
	// SQL is the file as it stands.
	SQL string `json:"sql"`
}

// User is who runs a test's query.
type User struct {
	// Alias is the name under which tests.yaml declares the user, or the word that
	// stood for it ("anon", a uuid); empty when described in place.
	Alias string
	// Role is the database role: "anon", "authenticated", "service_role", or one
	// that the task's schema makes.
	Role string
	// Sub is the user's id, a lower-case uuid; empty for a token without one.
	Sub string
	// Claims are the further claims as given, without role and sub. Values are what
	// JSON knows: nil, bool, int64, float64, string, []any, map[string]any.
	Claims map[string]any
}

// Test is one query as one user with the result it must have.
type Test struct {
	// ID is unique in the task. A test without one gets "t01", "t02", … by position.
	ID string
	// Name says what is true when the test passes.
	Name string
	// As is the user.
	As User
	// Rules are the ids of the rules that the test covers, at least one.
	Rules []string
	// Setup is SQL that the owner runs in the test's transaction before the user's
	// query; may be empty.
	Setup string
	// Query is the user's SQL. With several statements Readings.Statements says
	// whose result counts.
	Query string
	// Expect is the result that Query must have.
	Expect Expect
	// After is what the owner must see afterwards; nil when nothing is asked.
	After *After
	// API is the request that stands for Query on the API path; nil when the request
	// is to be derived from Query.
	API *NativeRequest
	// SkipAPI is the reason why the test has no API path; empty when it has one.
	SkipAPI string
	// Line is where the test starts in tests.yaml, from 1.
	Line int
}

// After is a query that the owner runs in the test's transaction after the user's,
// to prove which rows changed.
type After struct {
	// Query is a read.
	Query string
	// Expect is of kind KindRows or KindCount.
	Expect Expect
}

// Kind is what an expectation looks at.
type Kind string

// The kinds of expectation.
const (
	KindRows     Kind = "rows"
	KindCount    Kind = "count"
	KindAffected Kind = "affected"
	KindDenied   Kind = "denied"
)

// Denial says which refusals satisfy an expectation of kind KindDenied.
type Denial string

const (
	// DeniedAny is an error of SQLSTATE 42501, or, for statements that filter rows
	// (SELECT, UPDATE, DELETE), no row.
	DeniedAny Denial = "any"
	// DeniedError is an error of SQLSTATE 42501 only.
	DeniedError Denial = "error"
	// DeniedFiltered is no error and no row.
	DeniedFiltered Denial = "filtered"
)

// Expect is the result that a query must have. Which fields say something depends
// on Kind.
type Expect struct {
	Kind Kind
	// Columns name the values of each row when the rows were written as maps, in
	// the order of the first; nil when they were written as lists, whose values are
	// in the order of the query's columns.
	Columns []string
	// Rows are the rows of KindRows; empty for "no row". Values are what JSON knows:
	// nil, bool, int64, uint64, float64, string, []any, map[string]any.
	Rows [][]any
	// Ordered asks for the rows in this order whatever Readings.Order says.
	Ordered bool
	// Count is the number of KindCount.
	Count int
	// Affected is the number of rows of KindAffected.
	Affected int
	// Denied is the refusal of KindDenied. It is empty when the file says "denied:
	// true": Readings.Denied decides then.
	Denied Denial
	// SQLState narrows KindDenied to one SQLSTATE, five characters; may be empty.
	SQLState string
}

// NativeRequest is a test's request to the Data API, written by hand.
type NativeRequest struct {
	// Method is in upper case: "GET".
	Method string
	// Path starts below the API's root and may have a query: "/notes?select=id".
	Path string
	// Headers are added to those that carry the user's key and token.
	Headers map[string]string
	// Body is the JSON body; nil when there is none.
	Body []byte
	// Status is the HTTP status that the answer must have; 0 when any will do.
	Status int
	// Expect is the result on the API path; nil when it is the test's own.
	Expect *Expect
}
