package ground

import (
	"context"
	"net/http"

	"github.com/supascore/supascore/stack/gateway"
)

// Site serves one engine on an address of its own. The zero value serves nothing.
type Site struct{ server *gateway.Server }

// Open serves a handler and returns its address, without a slash at the end.
func (s *Site) Open(ctx context.Context, engine http.Handler) (string, error) {
	server, err := gateway.Listen(ctx, 0, engine, nil)
	if err != nil {
		return "", err
	}
	s.server = server
	return server.URL(), nil
}

// Close ends it; without an engine it does nothing.
func (s *Site) Close(ctx context.Context) error {
	if s.server == nil {
		return nil
	}
	server := s.server
	s.server = nil
	return server.Stop(ctx)
}
