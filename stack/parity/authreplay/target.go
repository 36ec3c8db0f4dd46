package authreplay

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Target is an implementation of the Auth API to replay against. What it cannot bring
// into the recorded setting its methods, and those of its instances, say by a
// *[parity.NotAskedError].
type Target interface {
	// Open makes a fresh database in the recorded setting: the migrated schema
	// auth, the roles, postgres with all rights on auth, default privileges of
	// new objects in public for the API roles.
	Open(ctx context.Context) (Instance, error)
}

// Instance is one database with at most one server on it.
type Instance interface {
	// Connect opens a connection to the database as a role. The caller closes it.
	Connect(ctx context.Context, role string) (*pgx.Conn, error)
	// Start starts the server and returns its root's URL. A setting that the
	// server refuses is a *Refusal; other errors mean that nothing was learned.
	Start(ctx context.Context, start Start) (url string, err error)
	// Stop stops the server; without one it does nothing.
	Stop(ctx context.Context) error
	// Close stops the server and drops the database.
	Close(ctx context.Context) error
}

// Gated is implemented by instances whose server was started by somebody else, and
// answers through a gateway. There the database's owner runs all SQL.
type Gated interface {
	// Suits says whether the server was started like that, before anything is made: nil,
	// or a *[parity.NotAskedError].
	Suits(start Start) error
	// Passes says whether the server gets a step's request, and gets it as the recorded
	// one did: nil, or a *[parity.NotAskedError].
	Passes(step Step) error
}

// Start says how to start a server.
type Start struct {
	// Env is the whole environment, without the database's address.
	Env map[string]string
	// FirstTokenIssued asks for a server that has already signed a token: the
	// real one writes the claim aud as an array until then (recording
	// cat_hook_first_token).
	FirstTokenIssued bool
	// BcryptCost is the cost of password hashes that the recording looks at, 0
	// where it looks at none and any cost will do.
	BcryptCost int
}

// Refusal is returned by Start when the server refuses its settings.
type Refusal struct {
	// Reason is the server's own text.
	Reason string
}

// Error returns the reason.
func (r *Refusal) Error() string { return "refused at start: " + r.Reason }
