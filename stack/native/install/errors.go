package install

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// hintError is an error with a remedy, which the command line prints on a line of its own.
type hintError struct {
	err  error
	hint string
}

func withHint(err error, format string, args ...any) error {
	return &hintError{err: err, hint: fmt.Sprintf(format, args...)}
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// Hint is what to do about it.
func (e *hintError) Hint() string { return e.hint }

// Error says what could not be installed, and how to go on without the installation.
type Error struct {
	// Name and Version are those of the executable.
	Name, Version string
	// URL is where its archive is, without a password; empty when there is none for this
	// platform.
	URL string
	// Path is where the executable belongs.
	Path string
	// Err is what went wrong.
	Err error
}

// Error names the executable and what went wrong.
func (e *Error) Error() string { return fmt.Sprintf("install %s %s: %v", e.Name, e.Version, e.Err) }

// Unwrap is what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// Hint is first the remedy of what went wrong, where there is one, and then how to do
// by hand what could not be done here.
func (e *Error) Hint() string {
	var lines []string
	if own := remedy(e.Err); own != "" {
		lines = append(lines, own)
	}
	if e.URL != "" {
		lines = append(lines, fmt.Sprintf("by hand: get %s, and put the file %q in it at %s, executable", e.URL, e.Name, e.Path))
	} else {
		lines = append(lines, fmt.Sprintf("put an executable at %s", e.Path))
	}
	return strings.Join(append(lines, fmt.Sprintf("or set %s to an executable that is elsewhere", variable(e.Name))), "\n")
}

// remedy is what to do about an error, empty when all has been said.
func remedy(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "free some space, or choose another folder with --cache-dir or SUPASCORE_CACHE_DIR"
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EROFS):
		return "choose a folder that can be written with --cache-dir or SUPASCORE_CACHE_DIR"
	case errors.As(err, new(net.Error)):
		return "is this machine online? HTTPS_PROXY is respected, and --from names a mirror"
	default:
		return ""
	}
}

// statusError is an answer that brings nothing.
type statusError struct {
	url        string
	code       int
	retryAfter string
	// note is what else is known, such as what the release has.
	note string
}

func newStatusError(url string, resp *http.Response) *statusError {
	return &statusError{url: url, code: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After")}
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("GET %s: %d %s", e.url, e.code, http.StatusText(e.code))
	if e.note != "" {
		text += "; " + e.note
	}
	return text
}

// Hint is what to do about it.
func (e *statusError) Hint() string {
	switch {
	case e.retryAfter != "":
		return fmt.Sprintf("the server asks to be left alone for a while: Retry-After %s", e.retryAfter)
	case e.code == http.StatusTooManyRequests:
		return "try again later, or take a mirror with --from"
	case e.code == http.StatusForbidden, e.code == http.StatusUnauthorized, e.code == http.StatusProxyAuthRequired:
		return "the server or a proxy refuses it; HTTPS_PROXY is respected, and --from names a mirror"
	case e.code >= http.StatusInternalServerError:
		return "try again: what has arrived is kept"
	default:
		return ""
	}
}

// temporary reports whether the same request may be answered soon.
func (e *statusError) temporary() bool {
	switch e.code {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}
