package stack

import (
	"context"
	"errors"
	"sync"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/rest"
)

// services are the parts of a stack that run. A nil part did not start, or is
// switched off.
type services struct {
	mu       sync.Mutex
	postgres *postgres.Server
	auth     *auth.Server
	rest     *rest.Server
	gateway  *gateway.Server
}

// stop ends the parts in the order in which they depend on each other.
func (s *services) stop(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	if s.gateway != nil {
		errs = append(errs, s.gateway.Stop(ctx))
	}
	if s.auth != nil {
		errs = append(errs, s.auth.Stop(ctx))
	}
	if s.rest != nil {
		errs = append(errs, s.rest.Stop(ctx))
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop(ctx))
	}
	return errors.Join(errs...)
}
