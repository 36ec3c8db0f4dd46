package auth

import (
	"context"
	"net/http"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// logout answers POST /logout. The query's scope ends this session (local), all but this one
// (others) or all of the user's (global, the default). A token without a session ends all.
func (s *Server) logout(ctx context.Context, c *call) error {
	scope := c.r.URL.Query().Get("scope")
	switch scope {
	case "", "global", "local", "others":
	default:
		return apierr.BadRequest(apierr.ValidationFailed, "Unsupported logout scope %q", scope)
	}
	// Access tokens of the ended sessions stay good for PostgREST until they expire; it asks nobody.
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.Audit(ctx, c.user, store.Event{Action: store.LoggedOut}); err != nil {
			return err
		}
		switch {
		case c.session != nil && scope == "local":
			return tx.DeleteSession(ctx, c.session.ID)
		case c.session != nil && scope == "others":
			return tx.DeleteOtherSessions(ctx, c.user.ID, c.session.ID)
		}
		return tx.DeleteSessions(ctx, c.user.ID)
	})
	if err != nil {
		return apierr.Internal("Error logging out user").Because(err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
