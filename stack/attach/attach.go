// Package attach finds a stack that already runs, whoever started it, and makes sure
// with real requests that it is one: by addresses and keys that are given, by
// `supabase status`, or by whoever else implements Finder. It promises that nothing
// is ever sent to another machine unless that is allowed, that it only reads, and
// that it stops only what it started. It boots nothing and knows nothing of package
// stack.
package attach

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/supascore/supascore/stack/keys"
)

// Place is where a stack runs, and what its clients and its owner show to be let in.
type Place struct {
	// APIURL is the gateway: http://127.0.0.1:54321. Required.
	APIURL string
	// DBURL is the database as its owner, a postgres:// URL. Required.
	DBURL string
	// Keys are the stack's keys. Publishable is required, and the legacy anon key does
	// as well; each of the others may be empty, and what needs it is not looked at.
	Keys keys.Set
	// Versions maps parts ("auth", "rest") to what is known of their versions beforehand;
	// the running servers are asked for the others.
	Versions map[string]string
	// Auth is what Auth was started with, where that was recorded; nil when it was not.
	Auth *AuthStart
	// From says in a few words who told all this: "supabase status". Default: "flags".
	From string
}

// Finder finds the running stack of a workspace.
type Finder interface {
	// Find says where it runs. An error that wraps ErrNotRunning says that it does not,
	// which is the workspace's doing; every other one is trouble.
	Find(ctx context.Context, workspace string) (Place, error)
	// Close stops what Find started, and nothing else. It is idempotent.
	Close(ctx context.Context) error
}

// ErrNotRunning is wrapped by the errors of a stack that is not running.
var ErrNotRunning = errors.New("no stack is running")

// Config says which stack is meant.
type Config struct {
	// Place is the stack when Finder is nil.
	Place Place
	// Finder finds the stack.
	Finder Finder
	// AllowRemote lets addresses through that are not on this machine's loopback.
	AllowRemote bool
	// Resolver resolves host names; nil means the machine's own.
	Resolver Resolver
	// Docker asks containers what they were started with, where nobody recorded it; nil
	// asks nobody.
	Docker *Docker
}

// PlaceError is a place that cannot be a stack.
type PlaceError struct {
	// Field is what is wrong: "API URL", "DB URL", "publishable key".
	Field string
	// Problem says how, without passwords and keys.
	Problem string
}

// Error names the field and the problem.
func (e *PlaceError) Error() string { return fmt.Sprintf("the %s %s", e.Field, e.Problem) }

// Complete returns the place in its canonical form: no slash at the end of the API's
// address, and the legacy keys where the newer ones are missing. Errors are
// *PlaceError.
func (p Place) Complete() (Place, error) {
	if p.From == "" {
		p.From = "flags"
	}
	if p.Keys.Publishable == "" {
		p.Keys.Publishable = p.Keys.Anon
	}
	if p.Keys.Secret == "" {
		p.Keys.Secret = p.Keys.ServiceRole
	}
	p.APIURL = strings.TrimRight(p.APIURL, "/")
	if p.Keys.Publishable == "" {
		return p, &PlaceError{"publishable key", "is missing"}
	}
	if err := checkAPI(p.APIURL); err != nil {
		return p, err
	}
	return p, checkDB(p.DBURL)
}

func checkAPI(text string) error {
	const field = "API URL"
	if text == "" {
		return &PlaceError{field, "is missing"}
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return &PlaceError{field, "cannot be read"}
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return &PlaceError{field, fmt.Sprintf("%q is not written as http://HOST:PORT", u.Redacted())}
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return &PlaceError{field, fmt.Sprintf("%q has more than a host, a port and a path", u.Redacted())}
	}
	return nil
}

func checkDB(text string) error {
	const field = "DB URL"
	scheme, _, found := strings.Cut(text, "://")
	switch {
	case text == "":
		return &PlaceError{field, "is missing"}
	case !found || (scheme != "postgres" && scheme != "postgresql"):
		return &PlaceError{field, "is not written as postgres://USER:PASSWORD@HOST:PORT/DATABASE"}
	}
	_, err := hostsOfDB(text)
	return err
}
