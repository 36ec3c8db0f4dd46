package ground

import (
	"fmt"
	"strings"
)

// resetHint is what gives a stack a new database, whoever started it.
const resetHint = "`supabase db reset` in the stack's workspace gives it a new database"

// RemoteError is a stack on another machine. Candidates change schemas, so no flag lets
// them go there.
type RemoteError struct {
	// Hosts are those that are not this machine's loopback.
	Hosts []string
}

// Error names the hosts.
func (e *RemoteError) Error() string {
	return fmt.Sprintf("the stack is not on this machine (%s): candidates change the schema of their database, so tasks never run on another one", strings.Join(e.Hosts, ", "))
}

// Hint says what to do instead.
func (e *RemoteError) Hint() string {
	return "start one here with `supabase start` in a folder of its own; --allow-remote does not help"
}

// NotEmptyError is a stack whose database is in use.
type NotEmptyError struct {
	// Found is what is there, such as "table public.notes".
	Found []string
}

// Error names the first few.
func (e *NotEmptyError) Error() string {
	return "the stack's database is not empty, and candidates need it for themselves: it has " + some(e.Found)
}

// Hint says what to do.
func (e *NotEmptyError) Hint() string {
	return "use a fresh project: `supabase init` in an empty folder, then `supabase start`; nothing was changed in this one"
}

// LeftError is a stack in which an earlier grading did not come to its end.
type LeftError struct {
	// Found is what it left.
	Found []string
}

// Error names the first few.
func (e *LeftError) Error() string {
	return "a grading that was killed has left its candidate in the stack: it has " + some(e.Found)
}

// Hint says how to mend it.
func (e *LeftError) Hint() string { return resetHint }

// BusyError is a stack in which somebody else grades at the moment.
type BusyError struct{}

// Error says so.
func (*BusyError) Error() string {
	return "candidates are being graded on this stack by another process"
}

// Hint says what to do.
func (*BusyError) Hint() string {
	return "wait until it ends; one candidate at a time has the database"
}

// UndoError is a candidate that left what cannot be taken back.
type UndoError struct {
	// Left is in what the database differs from what it was.
	Left []string
	// Err is why the last attempt failed; may be nil.
	Err error
}

// Error names the first few differences.
func (e *UndoError) Error() string {
	text := "what the candidate did to the stack cannot be taken back: " + some(e.Left)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap is why the last attempt failed.
func (e *UndoError) Unwrap() error { return e.Err }

// Hint says how to mend it.
func (e *UndoError) Hint() string { return resetHint }

// RoleError is a role that cannot lend its database.
type RoleError struct {
	// Role is who the DB URL names, Problem what is wrong.
	Role, Problem string
}

// Error says what is wrong.
func (e *RoleError) Error() string { return fmt.Sprintf("role %s of the DB URL %s", e.Role, e.Problem) }

// Hint says which one it should be.
func (e *RoleError) Hint() string {
	return "give the DB URL that `supabase status` shows; its role postgres owns the database and is no superuser"
}

// TokenError is a Data API that does not let the tests' users in.
type TokenError struct {
	// Problem says why.
	Problem string
	hint    string
}

// Error says why.
func (e *TokenError) Error() string { return "the tests' tokens cannot be made: " + e.Problem }

// Hint says what to do.
func (e *TokenError) Hint() string { return e.hint }

// APIError is a Data API that does not answer for the database as it is now.
type APIError struct {
	// Answer is its last one.
	Answer string
	code   string
}

// Error quotes the answer.
func (e *APIError) Error() string {
	return "the Data API does not take over what the database has become; its last answer: " + e.Answer
}

// Hint says where to look.
func (e *APIError) Hint() string {
	return "does the stack's PostgREST still run, and is schema public exposed ([api] schemas of config.toml)?"
}

// some are the first few of a list.
func some(list []string) string {
	const limit = 6
	if len(list) > limit {
		return strings.Join(list[:limit], ", ") + fmt.Sprintf(" and %d more", len(list)-limit)
	}
	return strings.Join(list, ", ")
}
