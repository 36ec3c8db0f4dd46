package hooks

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Error codes that a failed hook sets. They are the server's public codes.
const (
	CodeUnexpectedFailure  = "unexpected_failure"
	CodeTimeout            = "hook_timeout"
	CodeTimeoutAfterRetry  = "hook_timeout_after_retry"
	CodeOverSizeLimit      = "hook_payload_over_size_limit"
	CodeInvalidContentType = "hook_payload_invalid_content_type"
)

// ErrUnsupportedURI is returned, wrapped and not as an *Error, by the call of
// an enabled hook whose URI no transport takes: an empty one, or a scheme in
// capital letters. What the request then answers is the caller's choice; the
// token endpoint says "error generating jwt token".
var ErrUnsupportedURI = errors.New("only postgres hooks and HTTPS functions are supported at the moment")

// Error is how a request fails because of a hook.
type Error struct {
	// Status is the HTTP status. It comes from a hook's error object as it is
	// and may be no valid status.
	Status int
	// Code is the error code. Empty when the server sets none: the body then
	// says unexpected_failure (status 500) or unknown, and there is no
	// x-sb-error-code header.
	Code string
	// Message is the text that the user sees.
	Message string
	cause   error
}

// Error returns the message followed by the cause.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Message + ": " + e.cause.Error()
	}
	return e.Message
}

// Unwrap returns what happened underneath; for a failed SQL function a
// *pgconn.PgError is reachable through it.
func (e *Error) Unwrap() error { return e.cause }

// internalError is a failure that is not the user's.
func internalError(message string, cause error) *Error {
	return &Error{
		Status: http.StatusInternalServerError, Code: CodeUnexpectedFailure,
		Message: message, cause: cause,
	}
}

// answerError reads the error object of an answer. An object without a message
// is no error, whatever its http_code says, and neither is one whose members
// have other types (recording cat_hook_returns_error).
func answerError(answer []byte) error {
	var body struct {
		Error *struct {
			HTTPCode int    `json:"http_code"`
			Message  string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		return nil //nolint:nilerr // What is wrong with the answer shows when it is read for its real shape.
	}
	if body.Error == nil || body.Error.Message == "" {
		return nil
	}
	return &Error{
		Status:  orDefault(body.Error.HTTPCode, http.StatusInternalServerError),
		Message: body.Error.Message,
	}
}
