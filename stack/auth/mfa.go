package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// The types of second factors. WebAuthn ones cannot be enrolled here.
const (
	factorTOTP     = "totp"
	factorPhone    = "phone"
	factorWebAuthn = "webauthn"
)

// mfaRoutes are the endpoints of second factors. Who asks is found out before the method is looked
// at, so that a wrong method without a token is 401 and not 405.
func (s *Server) mfaRoutes(mux *http.ServeMux) {
	own := func(next handler) handler { return s.signedIn(permanentOnly(next)) }
	s.route(mux, "/factors", own(methods{"POST": s.enroll}.serve))
	s.route(mux, "/factors/{factor_id}", own(s.namedFactor(methods{"DELETE": s.unenroll}.serve)))
	s.route(mux, "/factors/{factor_id}/", own(s.namedFactor(notFound)))
	s.route(mux, "/factors/{factor_id}/challenge", own(s.namedFactor(methods{"POST": s.challenge}.serve)))
	s.route(mux, "/factors/{factor_id}/verify", own(s.namedFactor(methods{"POST": s.verifyFactor}.serve)))
	s.route(mux, "/admin/users/{user_id}/factors", s.asAdmin(s.namedUser(methods{"GET": s.adminFactors}.serve)))
	s.route(mux, "/admin/users/{user_id}/factors/{factor_id}", s.asAdmin(s.namedUser(s.namedFactor(methods{
		"PUT": s.adminFactorUpdate, "DELETE": s.adminFactorDelete,
	}.serve))))
	s.route(mux, "/admin/users/{user_id}/factors/{factor_id}/", s.asAdmin(s.namedUser(s.namedFactor(notFound))))
}

// permanentOnly refuses anonymous users, by what their token says: one that has become permanent
// since has to refresh first, as with the real server.
func permanentOnly(next handler) handler {
	return func(ctx context.Context, c *call) error {
		if c.claims.IsAnonymous {
			return apierr.Forbidden(apierr.NoAuthorization, "Anonymous user not allowed to perform these actions")
		}
		return next(ctx, c)
	}
}

// namedFactor loads the factor that the path names. A factor of somebody else is not found, rather
// than forbidden: its existence is nobody's business.
func (s *Server) namedFactor(next handler) handler {
	return func(ctx context.Context, c *call) error {
		id, err := uuid.Parse(c.r.PathValue("factor_id"))
		if err != nil {
			return apierr.NotFound(apierr.ValidationFailed, "factor_id must be an UUID").Because(err)
		}
		c.factor, err = s.store.Factor(ctx, c.user.ID, id)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return apierr.NotFound(apierr.MFAFactorNotFound, "Factor not found").Because(err)
		case err != nil:
			return apierr.Internal("Database error loading factor").Because(err)
		}
		return next(ctx, c)
	}
}

// unenroll answers DELETE /factors/{factor_id}. A verified factor can only be taken away by a session
// that has proved it: else a stolen password would be enough to switch the second factor off. An
// unverified one protects nothing yet. Sessions that the factor raised fall back to aal1.
func (s *Server) unenroll(ctx context.Context, c *call) error {
	if c.session == nil {
		return apierr.Internal("A valid session and factor are required to unenroll a factor")
	}
	if c.factor.Status == store.FactorVerified && c.session.Level() != store.AAL2 {
		return apierr.Unprocessable(apierr.InsufficientAAL, "AAL2 required to unenroll verified factor")
	}
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		if err := tx.DeleteFactor(ctx, c.factor.ID); err != nil {
			return err
		}
		// The entry says what was taken away; the row that it is about is gone.
		err := tx.Audit(ctx, c.user, store.Event{Action: store.FactorUnenrolled, IP: c.ip(), Traits: map[string]any{
			"factor_id": c.factor.ID, "factor_status": c.factor.Status, "session_id": c.session.ID,
		}})
		if err != nil {
			return err
		}
		return tx.DowngradeSessions(ctx, c.factor, factorMethod(c.factor.FactorType))
	})
	if err != nil {
		return err
	}
	s.notify(ctx, letter{c, s.store.Conn, c.user}, notice{kind: noticeFactorUnenrolled, factorType: c.factor.FactorType})
	return c.json(http.StatusOK, map[string]uuid.UUID{"id": c.factor.ID})
}

// factorMethod is the amr method of a session that a factor of a type has raised. Session.Methods
// takes these, and no others, for aal2.
func factorMethod(factorType string) string {
	switch factorType {
	case factorPhone:
		return methodMFAPhone
	case factorWebAuthn:
		return "mfa/webauthn"
	}
	return methodTOTP
}

// methodMFAPhone is the authentication method of a code by text message as a second factor.
const methodMFAPhone = "mfa/phone"

// adminFactors answers GET /admin/users/{user_id}/factors: a bare list, without secrets.
func (s *Server) adminFactors(_ context.Context, c *call) error {
	return c.json(http.StatusOK, c.user.Factors)
}

// adminFactorUpdate answers PUT /admin/users/{user_id}/factors/{factor_id}: a new name, or the number
// of a phone. Members that are empty change nothing, and there is no way to take a name away.
func (s *Server) adminFactorUpdate(ctx context.Context, c *call) error {
	params := &api.AdminUserUpdateFactorParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.FriendlyName != "" {
		c.factor.FriendlyName = store.Text(params.FriendlyName)
	}
	if params.Phone != "" && c.factor.FactorType == factorPhone {
		phone, err := checkPhone(params.Phone)
		if err != nil {
			return err
		}
		c.factor.Phone = store.Text(phone)
	}
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		if params.FriendlyName != "" || params.Phone != "" {
			if err := tx.SaveFactor(ctx, c.factor); err != nil {
				return err
			}
		}
		return tx.Audit(ctx, c.admin, store.Event{Action: store.FactorUpdated, Traits: map[string]any{
			"user_id": c.user.ID, "factor_id": c.factor.ID, "factor_type": c.factor.FactorType,
		}})
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, c.factor)
}

// adminFactorDelete answers DELETE /admin/users/{user_id}/factors/{factor_id}: the way out for a user
// who has lost the authenticator. Nothing has to be proved.
func (s *Server) adminFactorDelete(ctx context.Context, c *call) error {
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		err := tx.Audit(ctx, c.user, store.Event{Action: store.FactorDeleted, IP: c.ip(), Traits: map[string]any{
			"user_id": c.user.ID, "factor_id": c.factor.ID,
		}})
		if err != nil {
			return err
		}
		if err := tx.DeleteFactor(ctx, c.factor.ID); err != nil {
			return apierr.Internal("Database error deleting factor").Because(err)
		}
		if err := tx.DowngradeSessions(ctx, c.factor, factorMethod(c.factor.FactorType)); err != nil {
			return apierr.Internal("Database error downgrading sessions").Because(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, c.factor)
}
