package probes

import "encoding/json"

// RLSPath is the way on which a task's test reaches the database.
type RLSPath string

// The paths.
const (
	// RLSPathSQL is a database session that can become the tested role only.
	RLSPathSQL RLSPath = "sql"
	// RLSPathAPI is a request with a signed token to the Data API.
	RLSPathAPI RLSPath = "api"
)

// RLSForm is how a test was put on its path.
type RLSForm string

// The forms.
const (
	// RLSFormSQL is the test's own SQL in a session.
	RLSFormSQL RLSForm = "sql"
	// RLSFormNative is a request that says the same as the test's SQL.
	RLSFormNative RLSForm = "native"
	// RLSFormWritten is the request that the task's author wrote.
	RLSFormWritten RLSForm = "written"
	// RLSFormWrapper is the test's own SQL, run by a SECURITY INVOKER function that is
	// called over the API.
	RLSFormWrapper RLSForm = "wrapper"
)

// RLSVerb is what a statement does.
type RLSVerb string

// The verbs. VerbUpsert is an INSERT with ON CONFLICT DO UPDATE.
const (
	RLSVerbSelect RLSVerb = "select"
	RLSVerbInsert RLSVerb = "insert"
	RLSVerbUpsert RLSVerb = "upsert"
	RLSVerbUpdate RLSVerb = "update"
	RLSVerbDelete RLSVerb = "delete"
	// RLSVerbCall is a call of a function as a statement of its own.
	RLSVerbCall  RLSVerb = "call"
	RLSVerbOther RLSVerb = "other"
)

// RLSStatement is what the SQL parser says of the statement whose result counts.
type RLSStatement struct {
	Verb RLSVerb `json:"verb"`
	// Relations are the tables, views and functions that it names, as written.
	Relations []string `json:"relations,omitempty"`
	// Ordered is true with an ORDER BY at the top level.
	Ordered bool `json:"ordered,omitempty"`
	// Aggregate is true when the only column is an aggregate over all rows.
	Aggregate bool `json:"aggregate,omitempty"`
	// Filtered is true when an UPDATE or DELETE has a WHERE.
	Filtered bool `json:"filtered,omitempty"`
	// Returning is true for a write with RETURNING.
	Returning bool `json:"returning,omitempty"`
	// Arbiter is true for an INSERT that names what to do about which conflict.
	Arbiter bool `json:"arbiter,omitempty"`
	// Problem is why the parser does not understand the SQL; empty when it does.
	Problem string `json:"problem,omitempty"`
}

// ReturnsRows says whether the statement has a result with columns.
func (s RLSStatement) ReturnsRows() bool {
	return s.Verb == RLSVerbSelect || s.Verb == RLSVerbCall || s.Returning
}

// RLSColumn is a column of a result.
type RLSColumn struct {
	Name string `json:"name"`
	// Type is PostgreSQL's internal name of the type, "int4" or "_text" for text[];
	// empty for types that the server does not bring along, and when not known.
	Type string `json:"type,omitempty"`
}

// RLSTable is rows with their columns. A value is nil, or a string in PostgreSQL's
// text form, or whatever JSON has when the rows came as JSON.
type RLSTable struct {
	Columns []RLSColumn `json:"columns,omitempty"`
	Rows    [][]any     `json:"rows,omitempty"`
	// Truncated is true when there were more rows than anybody can want.
	Truncated bool `json:"truncated,omitempty"`
}

// RLSChange is what the owner sees to be different in a table at the end of a test's
// transaction.
type RLSChange struct {
	// Table is "schema.table".
	Table string `json:"table"`
	// Removed and Added are rows as texts of composite values. A changed row is in
	// both.
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`
}

// RLSObservation is what one test did on one path. Its writes are undone.
type RLSObservation struct {
	Timing
	// Test is the test's id.
	Test string  `json:"test"`
	Path RLSPath `json:"path"`
	Form RLSForm `json:"form,omitempty"`
	// Sent is what was sent: SQL, or method and path of the request and its body.
	Sent string `json:"sent,omitempty"`
	// Skipped is why the test has no such path.
	Skipped string `json:"skipped,omitempty"`
	// Statement is what the parser says of the test's SQL.
	Statement RLSStatement `json:"statement"`
	// Result is the rows that came back; nil when the statement returns none.
	Result *RLSTable `json:"result,omitempty"`
	// Affected is the number of rows that the statement says to have touched or
	// returned, -1 when it does not say.
	Affected int64 `json:"affected"`
	// Failed is PostgreSQL's refusal, on either path.
	Failed *SQLError `json:"failed,omitempty"`
	// Answer is the API's answer; nil on the SQL path.
	Answer *Answer `json:"answer,omitempty"`
	// Changes is what the owner saw to be different before the writes were undone.
	Changes []RLSChange `json:"changes,omitempty"`
	// After is what the owner's own query saw then; nil when there is none or the test's
	// query failed, so that nothing could have changed.
	After *RLSAfter `json:"after,omitempty"`
	// Returning is true for a request that asks for the rows it writes.
	Returning bool `json:"returning,omitempty"`
	// OwnersView is the view that a request written by hand reads, when it runs with the
	// rights of its owner; empty otherwise.
	OwnersView string `json:"owners_view,omitempty"`
	// SignedToken is, where users really sign in, why the request's token was signed with
	// the user's claims instead; empty otherwise.
	SignedToken string `json:"signed_token,omitempty"`
	// SetupFailed is PostgreSQL's refusal of the test's set-up.
	SetupFailed *SQLError `json:"setup_failed,omitempty"`
	// LookFailed is why the owner could not see what changed.
	LookFailed *SQLError `json:"look_failed,omitempty"`
	// Trouble is set when no conclusion about the candidate is possible.
	Trouble string `json:"trouble,omitempty"`
}

// RLSAfter is the result of the owner's query after a test.
type RLSAfter struct {
	Statement RLSStatement `json:"statement"`
	Table     RLSTable     `json:"table"`
	Failed    *SQLError    `json:"failed,omitempty"`
}

// RLSRun is everything that the tests on one candidate saw.
type RLSRun struct {
	Observations []RLSObservation `json:"observations"`
}

// Raw writes the observations as JSON.
func (r *RLSRun) Raw() (json.RawMessage, error) { return json.Marshal(r) }
