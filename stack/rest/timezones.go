package rest

import (
	"context"
	"sync"
	"time"

	"github.com/supascore/supascore/stack/rest/schema"
)

// lazyTimezones are the time zones that the database knows. Reading them is slow and few requests need them, so they are
// read when the first one does.
type lazyTimezones struct {
	load func() (map[string]bool, error)

	mu    sync.Mutex
	names map[string]bool
}

// known reports whether name is a time zone. A name is not known either while the database cannot be asked.
func (z *lazyTimezones) known(name string) bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.names == nil {
		names, err := z.load()
		if err != nil {
			return false
		}
		z.names = names
	}
	return z.names[name]
}

// loadTimezones reads the time zones from the database.
func (s *Server) loadTimezones() (map[string]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, giveBack, err := s.conns.lend(ctx)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	return schema.LoadTimezones(ctx, conn)
}
