package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// The types of links that only administrators can ask for.
const (
	linkEmailChangeCurrent = "email_change_current"
	linkEmailChangeNew     = "email_change_new"
)

// unworded is the failure of a link's token that the database refuses: the real server has no words for
// it, not even those of an exception of a trigger (upstream: internal/api/mail.go, adminGenerateLink).
const unworded = ""

// linkResponse is a user together with what its mail would say.
type linkResponse struct {
	store.User
	ActionLink       string `json:"action_link"`
	EmailOTP         string `json:"email_otp"`
	HashedToken      string `json:"hashed_token"`
	VerificationType string `json:"verification_type"`
	RedirectTo       string `json:"redirect_to"`
}

// linkRequest is a checked request for a link.
type linkRequest struct {
	*api.GenerateLinkParams
	redirectTo string
	// code and hash belong to the user's address.
	code, hash string
	// user is nil when the address has none; fresh is the user to store then.
	user, fresh *store.User
}

// generateLink answers POST /admin/generate_link: the link of a mail that is not sent, for whoever
// sends mails by other means. Neither the limits of mails nor the send_email hook have to do with it.
func (s *Server) generateLink(ctx context.Context, c *call) error {
	params := &api.GenerateLinkParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	q, err := s.checkLink(ctx, c, params)
	if err != nil {
		return err
	}
	var link string
	err = s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		if err := s.storeLink(ctx, c, tx, q); err != nil {
			return err
		}
		link, err = s.linkOf(q)
		return err
	})
	if err != nil {
		return err
	}
	if q.fresh != nil {
		if err := s.afterUserCreated(ctx, c, q.user); err != nil {
			return err
		}
	}
	return c.json(http.StatusOK, linkResponse{
		User: *q.user, ActionLink: link, EmailOTP: q.code, HashedToken: q.hash,
		VerificationType: q.Type, RedirectTo: q.redirectTo,
	})
}

// checkLink checks the parameters, finds the user and makes one for a sign-up or an invitation. A
// magic link for nobody becomes a sign-up with a password that nobody knows.
func (s *Server) checkLink(ctx context.Context, c *call, params *api.GenerateLinkParams) (*linkRequest, error) {
	q := &linkRequest{GenerateLinkParams: params, redirectTo: s.referrer(c.r)}
	var err error
	if q.Email, err = checkEmail(q.Email); err != nil {
		return nil, err
	}
	if s.mayRedirectTo(params.RedirectTo) {
		q.redirectTo = params.RedirectTo
	}
	q.user, err = s.store.UserByEmail(ctx, q.Email, s.aud(c))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, apierr.Internal("Database error finding user").Because(err)
	}
	if q.code, err = s.newCode(s.cfg.Mailer.OTPLength); err != nil {
		return nil, err
	}
	q.hash = hashCode(q.Email, q.code)
	if q.user != nil {
		return q, nil
	}
	return q, s.newLinkUser(ctx, c, q)
}

// newLinkUser makes the user of a link for an unknown address, where the type of link allows that.
func (s *Server) newLinkUser(ctx context.Context, c *call, q *linkRequest) (err error) {
	switch q.Type {
	case mailRecovery, linkEmailChangeCurrent, linkEmailChangeNew:
		return apierr.NotFound(apierr.UserNotFound, "User with this email not found")
	case mailMagicLink:
		q.Type = mailSignup
		if q.Password, err = s.newPassword(); err != nil {
			return err
		}
	case mailInvite:
		q.fresh, err = s.newInvited(ctx, c, q.Email, q.Data)
		return err
	}
	if q.Type != mailSignup {
		return nil // refused later, with the other types that do not exist
	}
	signUp := &signupRequest{
		SignupParams: &api.SignupParams{Email: q.Email, Password: q.Password, Data: q.Data},
		provider:     providerEmail, aud: s.aud(c),
	}
	if err := s.checkSignupParams(signUp); err != nil {
		return err
	}
	q.fresh, err = s.newSignupUser(ctx, c, signUp)
	return err
}

// storeLink stores the token of the link, and the user when it is new.
func (s *Server) storeLink(ctx context.Context, c *call, tx *store.Conn, q *linkRequest) error {
	now := s.now()
	switch q.Type {
	case mailMagicLink, mailRecovery:
		if err := tx.Audit(ctx, q.user, store.Event{Action: store.UserRecoveryRequested}); err != nil {
			return err
		}
		p := recoveryOf(q.user, q.Type, unworded)
		*p.token, *p.sentAt = q.hash, &now
		return letter{c, tx, q.user}.keep(ctx, p, string(q.user.Email))
	case mailSignup, mailInvite:
		return s.storeConfirmationLink(ctx, c, tx, q)
	case linkEmailChangeCurrent, linkEmailChangeNew:
		return s.storeChangeLink(ctx, c, tx, q)
	}
	return apierr.BadRequest(apierr.ValidationFailed, "Invalid email action link type requested: %v", q.Type)
}

// storeConfirmationLink stores the token of a sign-up or an invitation. A user that waits for its
// confirmation gets a new token in place of its old one.
func (s *Server) storeConfirmationLink(ctx context.Context, c *call, tx *store.Conn, q *linkRequest) error {
	switch {
	case q.user == nil:
		q.user = q.fresh
		if err := s.createWithEmail(ctx, tx, q.user); err != nil {
			return err
		}
	case q.user.IsConfirmed():
		return apierr.Unprocessable(apierr.EmailExists, duplicateEmail)
	case q.Type == mailSignup:
		if err := tx.UpdateUserMetaData(ctx, q.user, q.Data); err != nil {
			return apierr.Internal("Database error updating user").Because(err)
		}
	}
	now := s.now()
	p := confirmationOf(q.user)
	p.failure = unworded
	*p.token, *p.sentAt = q.hash, &now
	if q.Type == mailInvite {
		if err := auditInvitation(ctx, c, tx, q.user); err != nil {
			return err
		}
		q.user.InvitedAt = &now
		p.columns = append(p.columns, store.InvitedAt)
	}
	return letter{c, tx, q.user}.keep(ctx, p, string(q.user.Email))
}

// storeChangeLink begins a change of address with the token of one of the two addresses. The hash in
// the answer is that of the current address in either case, as in the real server.
func (s *Server) storeChangeLink(ctx context.Context, c *call, tx *store.Conn, q *linkRequest) (err error) {
	if q.Type == linkEmailChangeCurrent && !s.cfg.Mailer.SecureEmailChange {
		return apierr.BadRequest(apierr.ValidationFailed, "Enable secure email change to generate link for current email")
	}
	if q.NewEmail, err = checkEmail(q.NewEmail); err != nil {
		return err
	}
	if err := s.emailUnused(ctx, q.NewEmail, s.aud(c), q.user.ID); err != nil {
		return err
	}
	now := s.now()
	q.user.EmailChange, q.user.EmailChangeSentAt, q.user.EmailChangeConfirmStatus = q.NewEmail, &now, 0
	if q.Type == linkEmailChangeCurrent {
		q.user.EmailChangeTokenCurrent = q.hash
	} else {
		q.user.EmailChangeTokenNew = hashCode(q.NewEmail, q.code)
	}
	return storeEmailChange(ctx, tx, q.user, unworded)
}

// linkOf is the link of a stored token. Both links of a change of address have one type: which address
// is meant follows from the token.
func (s *Server) linkOf(q *linkRequest) (string, error) {
	paths := s.cfg.Mailer.Paths
	switch q.Type {
	case mailSignup:
		return s.actionLink(paths.Confirmation, q.hash, q.Type, q.redirectTo)
	case mailInvite:
		return s.actionLink(paths.Invite, q.hash, q.Type, q.redirectTo)
	case linkEmailChangeCurrent:
		return s.actionLink(paths.EmailChange, q.user.EmailChangeTokenCurrent, mailEmailChange, q.redirectTo)
	case linkEmailChangeNew:
		return s.actionLink(paths.EmailChange, q.user.EmailChangeTokenNew, mailEmailChange, q.redirectTo)
	}
	return s.actionLink(paths.Recovery, q.hash, q.Type, q.redirectTo)
}
