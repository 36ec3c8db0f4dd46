package attached

import (
	"context"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
)

// Auth is the stack's Auth as a target for recordings of Auth.
func (e *Engine) Auth() authreplay.Target { return authTarget{e} }

type authTarget struct{ engine *Engine }

// Open asks nothing.
func (t authTarget) Open(context.Context) (authreplay.Instance, error) {
	return nil, &parity.NotAskedError{Reason: "what the running Auth was started with is not known"}
}
