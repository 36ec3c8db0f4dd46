package apierr

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// VersionHeader asks for a version of the error envelope by a date, and says which one an error has.
const VersionHeader = "X-Supabase-Api-Version"

// codeHeader repeats an error's code.
const codeHeader = "X-Sb-Error-Code"

// unhandled is the message of errors that no handler foresaw.
const unhandled = "Unexpected failure, please check server logs for more information"

// version20240101 is the only version of the envelope after the first.
const version20240101 = "2024-01-01"

// WantsVersion tells whether a request asks for the envelope of 2024-01-01: its header is that day
// or a later one. Anything else, an unreadable date included, means the first version.
func WantsVersion(r *http.Request) bool {
	day, err := time.ParseInLocation(time.DateOnly, r.Header.Get(VersionHeader), time.UTC)
	return err == nil && !day.Before(time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC))
}

// Status is the status that Write sends for an error.
func Status(err error) int {
	var weak *WeakPasswordError
	var known *Error
	var oauth *OAuthError
	switch {
	case errors.As(err, &weak):
		return http.StatusUnprocessableEntity
	case errors.As(err, &known):
		return known.Status
	case errors.As(err, &oauth):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// Write answers a request with an error. id is the request's id, shown as error_id of failures with
// status 500 and above. An error that is none of this package is answered with a 500 that tells
// nothing. Without the version header, an *Error whose cause is a raised exception, a constraint
// violation or an SQLSTATE PTnnn in the database is answered with that error as PostgreSQL words it
// (recording signup_trigger_on_auth_users).
func Write(w http.ResponseWriter, r *http.Request, id string, err error) {
	newEnvelope := WantsVersion(r)
	if newEnvelope {
		w.Header().Set(VersionHeader, version20240101)
	}
	var weak *WeakPasswordError
	var known *Error
	var oauth *OAuthError
	switch {
	case errors.As(err, &weak):
		writeWeak(w, newEnvelope, weak)
	case errors.As(err, &known):
		writeKnown(w, newEnvelope, known, id)
	case errors.As(err, &oauth):
		WriteJSON(w, http.StatusBadRequest, oauth)
	default:
		writeKnown(w, newEnvelope, &Error{Status: http.StatusInternalServerError, Message: unhandled}, "")
	}
}

// body is the first envelope, versioned the one of 2024-01-01. A version's member names are fixed.
type body struct {
	Status  int    `json:"code"`
	Code    Code   `json:"error_code,omitempty"`
	Message string `json:"msg"`
	ID      string `json:"error_id,omitempty"`
}

// versioned is the envelope of 2024-01-01. It has no id: clients that ask for it cannot report one.
type versioned struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// reasons says why a password is weak.
type reasons struct {
	Reasons []string `json:"reasons,omitempty"`
}

// writeWeak answers for a weak password, whose reasons a client can show one by one.
func writeWeak(w http.ResponseWriter, newEnvelope bool, weak *WeakPasswordError) {
	if newEnvelope {
		// The real server sends no code header here, alone of all coded errors.
		WriteJSON(w, http.StatusUnprocessableEntity, struct {
			versioned
			Weak reasons `json:"weak_password"`
		}{versioned{WeakPassword, weak.Message}, reasons{weak.Reasons}})
		return
	}
	w.Header().Set(codeHeader, string(WeakPassword))
	WriteJSON(w, http.StatusUnprocessableEntity, struct {
		body
		Weak reasons `json:"weak_password"`
	}{body{Status: http.StatusUnprocessableEntity, Code: WeakPassword, Message: weak.Message}, reasons{weak.Reasons}})
}

// writeKnown answers with an error that a handler has worded. The header has only codes that were set,
// the body always has one.
func writeKnown(w http.ResponseWriter, newEnvelope bool, e *Error, id string) {
	if e.Code != "" {
		w.Header().Set(codeHeader, string(e.Code))
	}
	code := e.Code
	if code == "" {
		code = Unknown
		if e.Status == http.StatusInternalServerError {
			code = UnexpectedFailure
		}
	}
	if newEnvelope {
		WriteJSON(w, e.Status, versioned{code, e.Message})
		return
	}
	if raw, status := fromDatabase(e.cause); raw != nil {
		WriteJSON(w, status, raw)
		return
	}
	out := body{Status: e.Status, Code: code, Message: e.Message}
	if e.Status >= http.StatusInternalServerError && !e.crash {
		out.ID = id
	}
	WriteJSON(w, e.Status, out)
}

// databaseError is an error of PostgreSQL as a client sees it.
type databaseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// fromDatabase finds the database error below cause that a client may see, and its status. The
// search stops at an inner *Error: what a handler has worded once stays worded, so that a failing
// trigger during an anonymous sign-in is not shown.
func fromDatabase(cause error) (*databaseError, int) {
	for ; cause != nil; cause = errors.Unwrap(cause) {
		var pg *pgconn.PgError
		switch e := cause.(type) { //nolint:errorlint // each link of the chain is looked at
		case *Error:
			return nil, 0
		case *pgconn.PgError:
			pg = e
		default:
			continue
		}
		status := databaseStatus(pg.Code)
		if status == 0 {
			return nil, 0
		}
		return &databaseError{Code: pg.Code, Message: pg.Message, Hint: pg.Hint, Detail: pg.Detail}, status
	}
	return nil, 0
}

// databaseStatus is the status of an SQLSTATE that clients may see, 0 for all others.
func databaseStatus(sqlstate string) int {
	switch sqlstate {
	case "P0001", "23000", "23001", "23502", "23503", "23505", "23514", "23P01":
		return http.StatusInternalServerError
	}
	if digits, ok := strings.CutPrefix(sqlstate, "PT"); ok && len(sqlstate) == 5 {
		if status, err := strconv.Atoi(digits); err == nil {
			return status
		}
	}
	return 0
}

// WriteJSON answers with a JSON body. A value that cannot be marshalled is answered with a bare 500.
func WriteJSON(w http.ResponseWriter, status int, value any) {
	data, err := json.Marshal(value)
	if err != nil || status < 100 || status > 999 {
		// A hook may set a status that is none; net/http would panic.
		status, data = http.StatusInternalServerError, []byte(`{"code":500,"error_code":"unexpected_failure","msg":"Internal Server Error"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client has gone; there is nobody to tell
}
