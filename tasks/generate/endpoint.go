package generate

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/openai/openai-go/v3"
)

// EndpointError is a request that the endpoint did not answer as it should, after all
// retries.
type EndpointError struct {
	// Model and URL say who was asked.
	Model, URL string
	// Status is the HTTP status; 0 when there was no answer at all.
	Status int
	// Detail is what the endpoint said, cut short; may be empty.
	Detail string
	// Err is the cause.
	Err error
}

// Error says who was asked and what went wrong.
func (e *EndpointError) Error() string {
	return fmt.Sprintf("ask %s at %s: %s", e.Model, e.URL, e.cause())
}

// cause is what went wrong, without who was asked.
func (e *EndpointError) cause() string {
	if e.Status == 0 {
		return e.Err.Error()
	}
	text := fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Unwrap returns the cause.
func (e *EndpointError) Unwrap() error { return e.Err }

// Hint says what is to be looked at.
func (e *EndpointError) Hint() string {
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return "check the API key"
	case e.Status == http.StatusNotFound:
		return "check the model's name and the base URL, which ends before /chat/completions"
	case e.late():
		return "give it more time, or bound the answers"
	case e.ofThisRequest():
		return "check the settings; some endpoints know max_tokens only, or no temperature, or no reasoning effort"
	default:
		return "run again to go on; what was answered is kept"
	}
}

// ofThisRequest reports whether the endpoint refused, or did not manage, what was asked,
// so that another request may be answered.
func (e *EndpointError) ofThisRequest() bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	}
	return e.late()
}

// late reports whether the answer took too long.
func (e *EndpointError) late() bool { return errors.Is(e.Err, context.DeadlineExceeded) }

// errNoChoice is an answer without an answer.
var errNoChoice = errors.New("the endpoint answered without a choice")

// maxDetail bounds what an endpoint's words add to an error, in bytes.
const maxDetail = 300

// failed makes an *EndpointError of an error.
func (a *asker) failed(err error) *EndpointError {
	failure := &EndpointError{Model: a.cfg.Model, URL: a.cfg.BaseURL, Err: err}
	var refused *openai.Error
	if errors.As(err, &refused) {
		failure.Status = refused.StatusCode
		failure.Detail = strings.ToValidUTF8(refused.Message[:min(len(refused.Message), maxDetail)], "")
	}
	var wait *longWaitError
	if errors.As(err, &wait) {
		failure.Detail += fmt.Sprintf(" (asks to wait for %s)", wait.wait.Round(time.Second))
	}
	return failure
}

// longWaitError is a busy endpoint that asks for more patience than there is.
type longWaitError struct {
	error
	wait time.Duration
}

func (e *longWaitError) Unwrap() error { return e.error }

// again decides whether a request that failed is tried again: when the endpoint says so
// or cannot be reached, and not when its answer would be the same. How long to wait is
// what the endpoint says, if that is not more than the longest wait.
func again(err error, longest time.Duration) error {
	var refused *openai.Error
	if !errors.As(err, &refused) {
		var transport *url.Error
		if errors.As(err, &transport) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return backoff.Permanent(err)
	}
	switch status := refused.StatusCode; {
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status >= http.StatusInternalServerError:
	default:
		return backoff.Permanent(err)
	}
	wait, said := retryAfter(refused.Response.Header)
	switch {
	case !said:
		return err
	case wait > longest:
		return backoff.Permanent(&longWaitError{err, wait})
	}
	return errors.Join(err, &backoff.RetryAfterError{Duration: wait})
}

// retryAfter reads how long an answer asks to wait: Retry-After-Ms, in milliseconds,
// which OpenAI sends, or Retry-After, in seconds or as a date (RFC 9110, section 10.2.3).
func retryAfter(header http.Header) (time.Duration, bool) {
	for _, field := range []struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		value := header.Get(field.name)
		// More than a year is as good as never, and would not fit a duration some day.
		const year = 365 * 24 * time.Hour
		if n, err := strconv.ParseFloat(value, 64); err == nil && n >= 0 {
			return time.Duration(min(n, float64(year/field.unit)) * float64(field.unit)), true
		}
		if at, err := http.ParseTime(value); err == nil {
			return max(0, time.Until(at)), true
		}
	}
	return 0, false
}
