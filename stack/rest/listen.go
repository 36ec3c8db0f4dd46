package rest

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// maxListenDelay is the longest wait between two tries to listen again.
const maxListenDelay = 32 * time.Second

// listen opens a connection of its own on the channel, and reloads what is announced there: "reload schema" or an empty
// message, and "reload config" (PostgREST documentation, "Schema cache reloading").
func (s *Server) listen(ctx context.Context) error {
	conn, err := s.openListener(ctx)
	if err != nil {
		return err
	}
	reload := make(chan bool, 16) // whether the schema is to be read too
	s.running.Go(func() { s.reloadWhenTold(s.life, reload) })
	s.running.Go(func() { s.keepListening(s.life, conn, reload) })
	return nil
}

// openListener connects outside of the pool, whose connections are replaced at every reload.
func (s *Server) openListener(ctx context.Context) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, s.config.DatabaseURI)
	if err != nil {
		return nil, fmt.Errorf("rest: connect to the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{s.config.Channel}.Sanitize()); err != nil {
		_ = conn.Close(ctx)
		return nil, fmt.Errorf("rest: listen on channel %s: %w", s.config.Channel, err)
	}
	s.listening.Store(true)
	return conn, nil
}

// keepListening passes notifications on until ctx ends, and connects again when the connection breaks. While it is not
// connected the server answers with what it knows, and /ready says 503.
func (s *Server) keepListening(ctx context.Context, conn *pgx.Conn, reload chan<- bool) {
	for ctx.Err() == nil {
		s.passOn(ctx, conn, reload)
		s.listening.Store(false)
		_ = conn.Close(context.WithoutCancel(ctx))
		if conn = s.reconnect(ctx); conn != nil {
			ask(reload, true) // changes may have been announced while nobody listened
		}
	}
}

// passOn returns when the connection breaks or ctx ends.
func (s *Server) passOn(ctx context.Context, conn *pgx.Conn, reload chan<- bool) {
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.log.WarnContext(ctx, "the listening connection broke", "error", err)
			}
			return
		}
		switch n.Payload {
		case "", "reload schema":
			ask(reload, true)
		case "reload config":
			ask(reload, false)
		}
	}
}

// ask queues a reload. When many are waiting, one more would find nothing new.
func ask(reload chan<- bool, withSchema bool) {
	select {
	case reload <- withSchema:
	default:
	}
}

// reconnect tries until it succeeds, waiting longer each time. It returns nil when ctx ended.
func (s *Server) reconnect(ctx context.Context) *pgx.Conn {
	for delay := time.Second; ; delay = min(2*delay, maxListenDelay) {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(delay):
		}
		conn, err := s.openListener(ctx)
		if err == nil {
			return conn
		}
		s.log.WarnContext(ctx, "cannot listen for changes of the schema", "error", err, "again_in", min(2*delay, maxListenDelay))
	}
}

// reloadWhenTold reloads once for all the messages that came while the last reload ran.
func (s *Server) reloadWhenTold(ctx context.Context, reload <-chan bool) {
	for {
		var withSchema bool
		select {
		case <-ctx.Done():
			return
		case withSchema = <-reload:
		}
		for more := true; more; {
			select {
			case w := <-reload:
				withSchema = withSchema || w
			default:
				more = false
			}
		}
		if err := s.reload(ctx, withSchema); err != nil && ctx.Err() == nil {
			s.log.ErrorContext(ctx, "cannot reload the schema", "error", err)
		}
	}
}
