package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/detached"
)

// givenFinder finds what the command line names.
type givenFinder struct{ place attach.Place }

// Find is the place as it was given.
func (f givenFinder) Find(context.Context, string) (attach.Place, error) { return f.place, nil }

// Close has nothing to do.
func (givenFinder) Close(context.Context) error { return nil }

// recordedFinder adds what a stack of ours recorded at its start, when it is the one
// that another finder found: by its address, or through a `supabase` that is ours.
type recordedFinder struct {
	attach.Finder
	log *recordedLog
}

// Find asks the other finder, and looks for a record of what it found.
func (f recordedFinder) Find(ctx context.Context, workspace string) (attach.Place, error) {
	place, err := f.Finder.Find(ctx, workspace)
	if err != nil {
		return place, err
	}
	// No record is no error: the stack may be anybody's.
	state, err := detached.Find(workspace)
	if err == nil && sameLocal(state.Endpoints.APIURL, place.APIURL) {
		place.Auth, place.Versions = state.Auth, state.Endpoints.Versions
		f.log.of(state)
		return place, whole(state)
	}
	return place, nil
}

// whole is the error for a stack that runs without a part that people need: nobody can
// be signed in to it, so for an eval it is not running.
func whole(state detached.State) error {
	for _, part := range []stack.Part{stack.PartAuth, stack.PartREST} {
		if !runs(state, part) {
			return hintedError{
				fmt.Errorf("%w with all that is needed: it was started without %s", attach.ErrNotRunning, part),
				fmt.Sprintf("%s is switched off in supabase/config.toml, or was left out of the start", part),
			}
		}
	}
	return nil
}

// sameLocal reports whether two addresses are of one port of this machine's loopback.
func sameLocal(one, other string) bool {
	a, errA := url.Parse(one)
	b, errB := url.Parse(other)
	if errA != nil || errB != nil {
		return false
	}
	local := []string{"127.0.0.1", "localhost", "::1"}
	return a.Port() == b.Port() && slices.Contains(local, a.Hostname()) && slices.Contains(local, b.Hostname())
}

// detachedFinder finds the stack that `stack start`, or the stand-in for the Supabase
// CLI, left running for a workspace.
type detachedFinder struct{ log *recordedLog }

// Find looks for the stack's record of itself.
func (f detachedFinder) Find(_ context.Context, workspace string) (attach.Place, error) {
	state, err := detached.Find(workspace)
	if errors.Is(err, detached.ErrNotRunning) {
		return attach.Place{}, hintedError{
			fmt.Errorf("%w for %s", attach.ErrNotRunning, workspace),
			"it was not started, or was stopped again (`supascore stack start` starts it; --from-cli asks the Supabase CLI for its own, and --api-url, --db-url and --publishable-key name any other)",
		}
	}
	if err != nil {
		return attach.Place{}, err
	}
	f.log.of(state)
	e := state.Endpoints
	return attach.Place{
		APIURL: e.APIURL, DBURL: e.DBURL, Keys: e.Keys, Versions: e.Versions, Auth: state.Auth, From: "supascore stack status",
	}, whole(state)
}

// Close has nothing to do: the stack was there before.
func (detachedFinder) Close(context.Context) error { return nil }

// recordedLog is the log of a stack of ours that another process serves, as far as it
// was read; of any other stack it is empty.
type recordedLog struct {
	mu      sync.Mutex
	state   *detached.State
	entries []stack.LogEntry
	next    int
}

// of says whose log it is. What was logged before is not of this run.
func (l *recordedLog) of(state detached.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.entries = &state, nil
	l.read()
	l.entries = nil
}

// all is what has been logged since. A log that cannot be read explains nothing, and
// harms nothing.
func (l *recordedLog) all() []stack.LogEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != nil {
		l.read()
	}
	return slices.Clone(l.entries)
}

func (l *recordedLog) read() {
	if more, next, err := detached.Log(context.Background(), *l.state, l.next); err == nil {
		l.entries, l.next = append(l.entries, more...), next
	}
}
