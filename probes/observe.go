package probes

import (
	"encoding/json"
	"time"
)

// ObservationsVersion is the version of the shape of Observations.
const ObservationsVersion = 1

// Observations is everything that one run saw. What was not looked at is absent.
type Observations struct {
	// Version is ObservationsVersion of the program that wrote it.
	Version int `json:"version"`
	// Run is the run's eight hex digits, part of every e-mail address.
	Run string `json:"run,omitempty"`
	// Stack says whether the stack came up. When it did not, only Docs may be set
	// beside it.
	Stack StackState `json:"stack"`
	// Before and After say whether the stack answered before the first and after
	// the last probe.
	Before *Liveness `json:"before,omitempty"`
	After  *Liveness `json:"after,omitempty"`
	// People maps a person's id to what became of them.
	People map[string]*PersonObservation `json:"people,omitempty"`
	// Inserts are the owner's arrange rows, in order.
	Inserts []InsertObservation `json:"inserts,omitempty"`
	// Rows maps a probe's id (the check's id) to what happened.
	Rows map[string]*RowObservation `json:"rows,omitempty"`
	// Hooks maps a hook's name to its configuration and its function.
	Hooks map[string]*HookObservation `json:"hooks,omitempty"`
	// Catalog holds the policies, grants and functions that explain outcomes.
	Catalog *CatalogObservation `json:"catalog,omitempty"`
	// Left says what the run left behind in a stack that goes on; nil for a stack of its
	// own.
	Left *LeftObservation `json:"left,omitempty"`
	// Docs holds what a transcript shows; nil when no transcript was supplied.
	Docs *DocsObservation `json:"docs,omitempty"`
}

// Timing is when something started and how long it took.
type Timing struct {
	Started time.Time `json:"started"`
	MS      float64   `json:"ms"`
}

// Liveness is whether the parts of the stack answered at one moment.
type Liveness struct {
	Timing
	// OK is true when all parts answered.
	OK bool `json:"ok"`
	// Postgres, Auth and REST hold why a part did not answer; empty when it did.
	Postgres string `json:"postgres,omitempty"`
	Auth     string `json:"auth,omitempty"`
	REST     string `json:"rest,omitempty"`
}

// Answer is the bare HTTP answer to one request.
type Answer struct {
	Timing
	Method string `json:"method"`
	// Path is the request's path and query, without host.
	Path string `json:"path"`
	// Status is the HTTP status; 0 when no answer came.
	Status int `json:"status"`
	// Code is the service's error code: Auth's error_code, PostgREST's code.
	Code string `json:"code,omitempty"`
	// Message, Details and Hint are the fields of the error body.
	Message string `json:"message,omitempty"`
	Details string `json:"details,omitempty"`
	Hint    string `json:"hint,omitempty"`
	// Rows is how many rows the body held, -1 when it held no array.
	Rows int `json:"rows"`
}

// OK reports whether the answer is a 2xx.
func (a *Answer) OK() bool { return a != nil && a.Status >= 200 && a.Status < 300 }

// PersonObservation is what became of one person.
type PersonObservation struct {
	// ID is the user's id in auth.users; empty when the sign-up failed.
	ID    string `json:"id,omitempty"`
	Email string `json:"email"`
	// Withheld is why they were not signed up although they could have been.
	Withheld string `json:"withheld,omitempty"`
	// SignUp and SignIns are the person's requests to Auth.
	SignUp  *AuthAttempt   `json:"sign_up,omitempty"`
	SignIns []*AuthAttempt `json:"sign_ins,omitempty"`
	// Token is the decoded access token of the latest session; nil when there is
	// none. A failed sign-in leaves no token, whatever the sign-up gave.
	Token *TokenObservation `json:"token,omitempty"`
}

// Last returns the person's latest attempt to get a session; nil before any.
func (p *PersonObservation) Last() *AuthAttempt {
	if p == nil {
		return nil
	}
	if n := len(p.SignIns); n > 0 {
		return p.SignIns[n-1]
	}
	return p.SignUp
}

// AuthAttempt is one sign-up or sign-in.
type AuthAttempt struct {
	Answer Answer `json:"answer"`
	// Session is true when the answer brought an access token.
	Session bool `json:"session"`
	// Trouble is set when no conclusion about the candidate is possible: no answer
	// came, or Postgres was gone.
	Trouble string `json:"trouble,omitempty"`
	// Logs are the error lines that the services logged meanwhile.
	Logs []LogEntry `json:"logs,omitempty"`
}

// Signature says whether a token's signature was checked.
type Signature string

// The signature states.
const (
	SignatureValid   Signature = "valid"
	SignatureInvalid Signature = "invalid"
	// SignatureUnknown: the stack's keys are not known.
	SignatureUnknown Signature = "unknown"
)

// TokenObservation is a decoded access token. The token itself is not kept.
type TokenObservation struct {
	// Algorithm is the header's alg.
	Algorithm string `json:"algorithm,omitempty"`
	// Claims is the payload, as the token carries it.
	Claims json.RawMessage `json:"claims,omitempty"`
	// Signature says whether the token is the stack's own.
	Signature Signature `json:"signature"`
	// Problem is why the token could not be decoded or verified.
	Problem string `json:"problem,omitempty"`
}

// SQLError is an error of a statement that the owner ran.
type SQLError struct {
	SQLState string `json:"sqlstate,omitempty"`
	Message  string `json:"message"`
	Detail   string `json:"detail,omitempty"`
	Hint     string `json:"hint,omitempty"`
}

// Error is the message with its SQLSTATE.
func (e *SQLError) Error() string {
	if e.SQLState == "" {
		return e.Message
	}
	return e.Message + " (SQLSTATE " + e.SQLState + ")"
}

// InsertObservation is one row that the owner wrote, or could not write.
type InsertObservation struct {
	Timing
	Table string `json:"table"`
	For   string `json:"for,omitempty"`
	// Row is what was written, references resolved.
	Row map[string]any `json:"row,omitempty"`
	// Present is true when the row was there afterwards.
	Present bool `json:"present"`
	// Withheld is why the row was not written although it could have been.
	Withheld string `json:"withheld,omitempty"`
	// Skipped is why nothing was tried: the person it is for could not sign up.
	Skipped string `json:"skipped,omitempty"`
	// Failed is Postgres' refusal.
	Failed *SQLError `json:"failed,omitempty"`
	// Trouble is set when the connection broke.
	Trouble string `json:"trouble,omitempty"`
}

// LeftObservation is what became of the run's own data in a stack that goes on.
type LeftObservation struct {
	// Rows and People are how many rows and users of the run were removed again.
	Rows   int `json:"rows"`
	People int `json:"people"`
	// Kept is true when nothing was to be removed.
	Kept bool `json:"kept,omitempty"`
	// Problems say what could not be removed, and why.
	Problems []string `json:"problems,omitempty"`
}

// RowObservation is one person's request on one row, and the owner's view of the
// row before and after it.
type RowObservation struct {
	Timing
	As    string `json:"as"`
	Verb  Verb   `json:"verb"`
	Table string `json:"table"`
	// Row is the row, references resolved.
	Row map[string]any `json:"row,omitempty"`
	// Withheld is why the request was not sent although it could have been.
	Withheld string `json:"withheld,omitempty"`
	// Unready is why the request was not sent: a person has no session, or the row
	// could not be written. Person and Failed say more.
	Unready string `json:"unready,omitempty"`
	// Person is the one without a session, when that is why.
	Person string `json:"person,omitempty"`
	// Failed is Postgres' refusal to write or count the row for its owner.
	Failed *SQLError `json:"failed,omitempty"`
	// Answer is the answer to the request; nil when none was sent.
	Answer *Answer `json:"answer,omitempty"`
	// Before and After count the row as the owner sees it, before and after the
	// request. For an update, After counts rows that hold the new values.
	Before int `json:"before"`
	After  int `json:"after"`
	// Counted is true when After was counted.
	Counted bool `json:"counted"`
	// Visible says whether the person can read the row; asked after a delete or an
	// update without effect, because those look for the row first. nil otherwise.
	Visible *bool `json:"visible,omitempty"`
	// OwnerRefused is why the database's owner cannot insert such a row either,
	// tried after an insert without effect and rolled back; nil when the owner can,
	// or when it was not tried.
	OwnerRefused *SQLError `json:"owner_refused,omitempty"`
	// Trouble is set when no conclusion is possible: no answer came, or Postgres
	// was gone.
	Trouble string `json:"trouble,omitempty"`
	// Logs are the error lines that the services logged meanwhile.
	Logs []LogEntry `json:"logs,omitempty"`
}
