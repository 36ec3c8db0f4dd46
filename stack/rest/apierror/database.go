package apierror

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// Raised is an error as the database reported it.
type Raised struct {
	// SQLState is the five letters of the error's code.
	SQLState, Message string
	// Details and Hint are nil where the database sent none, which is not the same as an empty text.
	Details, Hint *string
}

// FromDatabase is the answer to an error of the database. authenticated says that the request's role was not the anonymous one:
// a denial is then 403, otherwise 401 with WWW-Authenticate. An error with SQLSTATE PGRST writes the answer itself.
func FromDatabase(r Raised, authenticated bool) *Error {
	if r.SQLState == "PGRST" {
		return fromRaise(r)
	}
	e := &Error{
		Status: statusOf(r, authenticated), Code: r.SQLState, Message: r.Message,
		Details: optional(r.Details), Hint: optional(r.Hint),
	}
	if strings.HasPrefix(r.SQLState, "PT") {
		e.Reason = r.Message
	}
	if e.Status == http.StatusUnauthorized {
		e = e.WithHeader("WWW-Authenticate", "Bearer")
	}
	return e
}

// optional keeps nil a nil interface.
func optional(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

// statusOf is the HTTP status of a SQLSTATE (PostgREST documentation, "HTTP Status Codes"; recording errors/sqlstate_map).
func statusOf(r Raised, authenticated bool) int {
	switch r.SQLState {
	case "23503", "23505": // foreign_key_violation, unique_violation
		return http.StatusConflict
	case "25006": // read_only_sql_transaction
		return http.StatusMethodNotAllowed
	case "21000": // cardinality_violation, which pg-safeupdate raises too
		if strings.HasSuffix(r.Message, "requires a WHERE clause") {
			return http.StatusBadRequest
		}
		return http.StatusInternalServerError
	case "22023": // invalid_parameter_value: a role that does not exist
		if strings.HasPrefix(r.Message, "role") && strings.HasSuffix(r.Message, "does not exist") {
			return http.StatusUnauthorized
		}
		return http.StatusBadRequest
	case "57P01": // admin_shutdown
		return http.StatusServiceUnavailable
	case "53400": // configuration_limit_exceeded
		return http.StatusInternalServerError
	case "P0001": // raise_exception
		return http.StatusBadRequest
	case "42883": // undefined_function
		if strings.HasPrefix(r.Message, "function xmlagg(") {
			return http.StatusNotAcceptable
		}
		return http.StatusNotFound
	case "42P01": // undefined_table
		return http.StatusNotFound
	case "42P17": // infinite recursion in policies
		return http.StatusInternalServerError
	case "42501": // insufficient_privilege
		if authenticated {
			return http.StatusForbidden
		}
		return http.StatusUnauthorized
	}
	return statusOfClass(r.SQLState)
}

// statusOfClass goes by the first two letters.
func statusOfClass(state string) int {
	if len(state) < 2 {
		return http.StatusBadRequest
	}
	switch state[:2] {
	case "08", "53": // connection exceptions, insufficient resources
		return http.StatusServiceUnavailable
	case "0L", "0P", "28": // invalid grantor, role or authorization
		return http.StatusForbidden
	case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX":
		return http.StatusInternalServerError
	case "PT":
		if n, err := strconv.Atoi(state[2:]); err == nil {
			return n
		}
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}

// raisedMessage and raisedDetail are what RAISE SQLSTATE 'PGRST' carries in MESSAGE and DETAIL (PostgREST documentation, "RAISE
// errors with HTTP status codes").
type raisedMessage struct {
	Code    *string `json:"code"`
	Message *string `json:"message"`
	Details *string `json:"details"`
	Hint    *string `json:"hint"`
}

// raisedDetail is the part in DETAIL. Status and headers have to be there, even when there are no headers.
type raisedDetail struct {
	Status     *int              `json:"status"`
	StatusText *string           `json:"status_text"`
	Headers    map[string]string `json:"headers"`
}

// fromRaise lets the raised JSON say status, body and headers. JSON that is not as it has to be is PGRST121.
func fromRaise(r Raised) *Error {
	var m raisedMessage
	if json.Unmarshal([]byte(r.Message), &m) != nil || m.Code == nil || m.Message == nil {
		return malformedRaise("Invalid JSON value for MESSAGE: '"+r.Message+"'",
			"MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.")
	}
	const detailHint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
	if r.Details == nil {
		return malformedRaise("DETAIL is missing in the RAISE statement", detailHint)
	}
	var d raisedDetail
	if json.Unmarshal([]byte(*r.Details), &d) != nil || d.Status == nil || d.Headers == nil {
		return malformedRaise("Invalid JSON value for DETAIL: '"+*r.Details+"'", detailHint)
	}
	e := &Error{
		Status: *d.Status, Code: *m.Code, Message: *m.Message, Details: optional(m.Details), Hint: optional(m.Hint),
	}
	if d.StatusText != nil {
		e.Reason = *d.StatusText
	}
	for name, value := range d.Headers {
		e = e.WithHeader(name, value)
	}
	return e
}

// malformedRaise is PGRST121: the function that raised is at fault, so it is a server error.
func malformedRaise(details, hint string) *Error {
	return New(http.StatusInternalServerError, "PGRST121", `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`).
		WithDetails(details).WithHint(hint)
}
