// Package runner carries out a probes.Plan on a running stack: it signs people up,
// writes the owner's rows, looks at hooks and catalog, sends each probe's request
// and counts what came of it. What a candidate breaks becomes an observation;
// only a cancelled context or a plan that cannot be carried out is an error. It
// judges nothing and knows nothing of how the stack was started.
package runner

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/supascore/supascore/probes"
)

// Config is one run.
type Config struct {
	// Target is the running stack.
	Target probes.Target
	// Plan is what to do on it.
	Plan probes.Plan
	// Stack is recorded in the observations; the caller knows how the boot went.
	Stack probes.StackState
	// Run is the run's eight hex digits. Default: random.
	Run string
	// RequestTimeout bounds each request and each statement. Default 15 s, which is
	// longer than every timeout that the stack itself has.
	RequestTimeout time.Duration
	// Phase is told each phase's name and time as it ends; may be nil.
	Phase func(name string, took time.Duration)
	// Log receives what the run does, at debug level. Default: discarded.
	Log *slog.Logger
}

// Run carries out the plan and returns what it saw. On cancellation it returns the
// observations so far together with the context's error.
func Run(ctx context.Context, cfg Config) (*probes.Observations, error) {
	return nil, errors.New("runner: not written yet")
}
