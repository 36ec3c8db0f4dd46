package stack

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/postgres"
)

// services are the parts of a stack that run. A nil part did not start, or is
// switched off.
type services struct {
	mu       sync.Mutex
	postgres *postgres.Server
	auth     authService
	rest     restService
	gateway  *gateway.Server
}

// set changes a part while others may look at them.
func (s *services) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// stop ends the parts in the order in which they depend on each other.
func (s *services) stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.gateway != nil {
		errs = append(errs, s.gateway.Stop(ctx))
	}
	errs = append(errs, s.stopBoth(ctx))
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	return errors.Join(errs...)
}

// stopBoth ends Auth and REST at the same time: children take a moment each.
func (s *services) stopBoth(ctx context.Context) error {
	var auth, rest error
	var both sync.WaitGroup
	if s.auth != nil {
		both.Go(func() { auth = s.auth.Stop(ctx) })
	}
	if s.rest != nil {
		both.Go(func() { rest = s.rest.Stop(ctx) })
	}
	both.Wait()
	return errors.Join(auth, rest)
}

// versions maps each part that runs to its version.
func (s *services) versions() map[string]string {
	versions := map[string]string{}
	if s.postgres != nil {
		versions["postgres"] = s.postgres.Version()
	}
	if s.auth != nil {
		versions["auth"] = s.auth.Version()
	}
	if s.rest != nil {
		versions["rest"] = s.rest.Version()
	}
	return versions
}

// part is a part of a stack that can end by itself.
type part interface {
	Done() <-chan struct{}
	Err() error
}

// parts are the running parts by name, the ones that others depend on first.
func (s *services) parts() []namedPart {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []namedPart
	if s.postgres != nil {
		list = append(list, namedPart{"postgres", s.postgres})
	}
	if s.auth != nil {
		list = append(list, namedPart{"auth", s.auth})
	}
	if s.rest != nil {
		list = append(list, namedPart{"rest", s.rest})
	}
	if s.gateway != nil {
		list = append(list, namedPart{"the gateway", s.gateway})
	}
	return list
}

type namedPart struct {
	name string
	part
}

// ended is why the first part that ended by itself did so; nil while all run.
func (s *services) ended() error {
	for _, p := range s.parts() {
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended: %w", p.name, orUnknown(p.Err()))
		default:
		}
	}
	return nil
}

// await waits until one of the parts ends and says why; nil when stop or halt is
// closed first.
func (s *services) await(parts []namedPart, stop, halt <-chan struct{}) error {
	some := make(chan struct{}, len(parts))
	over := make(chan struct{})
	defer close(over)
	for _, p := range parts {
		if p.Done() == nil {
			continue
		}
		go func() {
			select {
			case <-p.Done():
				some <- struct{}{}
			case <-over:
			}
		}()
	}
	select {
	case <-some:
		return s.ended()
	case <-stop:
		return nil
	case <-halt:
		return nil
	}
}

func orUnknown(err error) error {
	if err == nil {
		return errors.New("for no reason that it gave")
	}
	return err
}
