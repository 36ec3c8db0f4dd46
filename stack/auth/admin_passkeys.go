package auth

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// adminPasskeys answers GET /admin/users/{user_id}/passkeys. Unlike the endpoints of users it is there
// although passkeys are disabled (upstream: internal/api/passkey_admin.go).
func (s *Server) adminPasskeys(ctx context.Context, c *call) error {
	passkeys, err := s.store.Passkeys(ctx, c.user.ID)
	if err != nil {
		return apierr.Internal("Database error loading passkeys").Because(err)
	}
	return c.json(http.StatusOK, passkeys)
}

// adminPasskeyDelete answers DELETE /admin/users/{user_id}/passkeys/{passkey_id}.
func (s *Server) adminPasskeyDelete(ctx context.Context, c *call) error {
	missing := apierr.NotFound(apierr.ValidationFailed, "Passkey not found")
	id, err := uuid.Parse(c.r.PathValue("passkey_id"))
	if err != nil {
		return missing
	}
	err = s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.DeletePasskey(ctx, c.user.ID, id); err != nil {
			return err
		}
		return tx.Audit(ctx, c.admin, store.Event{Action: store.PasskeyDeleted, IP: c.ip(), Traits: map[string]any{
			"user_id": c.user.ID, "passkey_id": id,
		}})
	})
	switch {
	case isNotFound(err):
		return missing
	case err != nil:
		return apierr.Internal("Database error deleting passkey").Because(err)
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
