package apierr

import (
	"fmt"
	"net/http"
)

// Error is how a request fails. Message is what the client reads; the cause is for the log, and for
// the few database errors that the real server shows as they are (see Write).
type Error struct {
	// Status is the HTTP status, 400 to 599. A hook may set any number (see Write).
	Status int
	// Code is the machine-readable name. Empty: no x-sb-error-code header, and the body says
	// UnexpectedFailure for status 500, Unknown for the others.
	Code Code
	// Message is shown to the client, word by word as the real server says it.
	Message string
	cause   error
	// crash leaves out the error id: the real server has lost the request then.
	crash bool
}

// New makes an error. The message is formatted as by fmt.Sprintf.
func New(status int, code Code, format string, args ...any) *Error {
	return &Error{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// BadRequest is New with status 400.
func BadRequest(code Code, format string, args ...any) *Error {
	return New(http.StatusBadRequest, code, format, args...)
}

// Unauthorized is New with status 401.
func Unauthorized(code Code, format string, args ...any) *Error {
	return New(http.StatusUnauthorized, code, format, args...)
}

// Forbidden is New with status 403.
func Forbidden(code Code, format string, args ...any) *Error {
	return New(http.StatusForbidden, code, format, args...)
}

// NotFound is New with status 404.
func NotFound(code Code, format string, args ...any) *Error {
	return New(http.StatusNotFound, code, format, args...)
}

// Unprocessable is New with status 422.
func Unprocessable(code Code, format string, args ...any) *Error {
	return New(http.StatusUnprocessableEntity, code, format, args...)
}

// TooManyRequests is New with status 429.
func TooManyRequests(code Code, format string, args ...any) *Error {
	return New(http.StatusTooManyRequests, code, format, args...)
}

// Internal is a failure with status 500 and the code UnexpectedFailure.
func Internal(format string, args ...any) *Error {
	return New(http.StatusInternalServerError, UnexpectedFailure, format, args...)
}

// Crashed is what a request is answered whose handler panicked.
func Crashed() *Error {
	return &Error{Status: http.StatusInternalServerError, Message: "Internal Server Error", crash: true}
}

// Because returns a copy of e with the cause set. A nil cause leaves none.
func (e *Error) Because(cause error) *Error {
	out := *e
	out.cause = cause
	return &out
}

// Error returns the message with the status, and the cause when there is one.
func (e *Error) Error() string {
	text := fmt.Sprintf("%d %s", e.Status, e.Message)
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// WeakPasswordError refuses a password that the settings call weak: status 422, code WeakPassword.
// It marshals to the weak_password member of a sign-in's answer, where a weak password is only
// reported (recording signup_password_requirements).
type WeakPasswordError struct {
	// Message has one sentence for each reason.
	Message string `json:"message,omitempty"`
	// Reasons is a subset of "length" and "characters", in this order.
	Reasons []string `json:"reasons,omitempty"`
}

// Error returns the message.
func (e *WeakPasswordError) Error() string { return e.Message }

// OAuthError is the error object of RFC 6749, section 5.2, always with status 400.
type OAuthError struct {
	// Name is the error member, such as invalid_request.
	Name string `json:"error"`
	// Description is for people.
	Description string `json:"error_description,omitempty"`
}

// Error returns name and description.
func (e *OAuthError) Error() string { return e.Name + ": " + e.Description }
