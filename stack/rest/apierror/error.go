// Package apierror is the one error type that the REST engine answers with.
//
// It owns the four-key error body of PostgREST, the headers that come with it and the mapping from SQLSTATE to HTTP
// status. It promises that an answer written by it has all four keys, null where there is nothing to say. It does not
// decide when something is an error.
package apierror

// Error is an answer of the REST engine that is not a success: its HTTP status and the four keys of PostgREST's error
// body (PostgREST documentation, "Errors").
type Error struct {
	// Status is the HTTP status code, such as 404.
	Status int
	// Reason is the reason phrase where it is not the usual one of Status (SQLSTATE PTnnn), otherwise empty.
	Reason string
	// Code is "PGRST…" for errors of the engine and the SQLSTATE for errors of the database.
	Code string
	// Message says what went wrong.
	Message string
	// Details is the value of the key "details"; nil is written as null. It is a string or, for PGRST201, a list.
	Details any
	// Hint is the value of the key "hint"; nil is written as null. It is a string nearly always.
	Hint any
	// Text replaces the JSON body by this plain text when it is not empty.
	Text string
	// Headers are further headers of the answer, such as WWW-Authenticate. A name can occur several times.
	Headers []Header
}

// Header is one header line of an answer.
type Header struct{ Name, Value string }

// New makes an error without details and hint.
func New(status int, code, message string) *Error {
	return &Error{Status: status, Code: code, Message: message}
}

// Plain makes an error whose body is a bare text, as the web server below PostgREST sends it when a handler breaks.
func Plain(status int, text string) *Error { return &Error{Status: status, Message: text, Text: text} }

// WithDetails returns a copy of e with its details replaced.
func (e *Error) WithDetails(details any) *Error {
	c := *e
	c.Details = details
	return &c
}

// WithHint returns a copy of e with its hint replaced.
func (e *Error) WithHint(hint any) *Error {
	c := *e
	c.Hint = hint
	return &c
}

// WithHeader returns a copy of e that also sends the header name: value.
func (e *Error) WithHeader(name, value string) *Error {
	c := *e
	c.Headers = append(append([]Header(nil), e.Headers...), Header{Name: name, Value: value})
	return &c
}

// Error implements error as "CODE: message".
func (e *Error) Error() string { return e.Code + ": " + e.Message }
