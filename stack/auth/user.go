package auth

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// The refusals of an address or number that somebody else has.
const (
	duplicateEmail = "A user with this email address has already been registered"
	duplicatePhone = "A user with this phone number has already been registered"
)

// userGet answers GET /user with the user as it is in the database, not as the token has it.
func (s *Server) userGet(_ context.Context, c *call) error {
	if len(c.claims.Audience) == 0 || s.aud(c) != c.claims.Audience[0] {
		return apierr.BadRequest(apierr.ValidationFailed, "Token audience doesn't match request audience")
	}
	return c.json(http.StatusOK, c.user)
}

// userUpdate answers PUT /user. Checks that need no database come first, then those that need the
// user, then those that need other users; hashing comes before the transaction, which only writes.
func (s *Server) userUpdate(ctx context.Context, c *call) error {
	params := &api.UserUpdateParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if err := s.checkUserUpdate(params); err != nil {
		return err
	}
	if err := s.mayUpdate(c, params); err != nil {
		return err
	}
	if err := s.checkUnused(ctx, c, params); err != nil {
		return err
	}
	change := userChange{params, isFirstPassword(c.user, params.Password)}
	if params.Password != nil {
		if err := s.prepareNewPassword(ctx, c, params); err != nil {
			return err
		}
	}
	err := s.store.Tx(ctx, func(tx *store.Conn) error { return s.storeUserUpdate(ctx, c, tx, change) })
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, c.user)
}

// userChange is a checked change of a user by itself.
type userChange struct {
	*api.UserUpdateParams
	// firstPassword tells that the user had no password before.
	firstPassword bool
}

// checkUserUpdate checks and normalises the parameters alone.
func (s *Server) checkUserUpdate(params *api.UserUpdateParams) (err error) {
	if params.Email != "" {
		if params.Email, err = checkEmail(params.Email); err != nil {
			return err
		}
	}
	if params.Phone != "" {
		if params.Phone, err = checkPhone(params.Phone); err != nil {
			return err
		}
		if err := checkChannel(&params.Channel); err != nil {
			return err
		}
	}
	if params.Password != nil {
		return s.checkPassword(*params.Password)
	}
	return nil
}

// mayUpdate tells whether this user may make this change at all. Sending what is already there changes
// nothing and needs no right, except for a password: nobody can tell whether it is the same.
func (s *Server) mayUpdate(c *call, params *api.UserUpdateParams) error {
	u := c.user
	newPassword := params.Password != nil && *params.Password != ""
	newEmail := params.Email != "" && params.Email != string(u.Email)
	newPhone := params.Phone != "" && params.Phone != string(u.Phone)
	switch {
	case params.AppData != nil && (u.Aud != s.cfg.JWT.Aud || u.Role != s.cfg.JWT.AdminGroupName):
		return apierr.Forbidden(apierr.NotAdmin, "Updating app_metadata requires admin privileges")
	case u.HasVerifiedFactor() && (c.session == nil || c.session.Level() != store.AAL2) && (newPassword || newEmail || newPhone):
		return apierr.Unauthorized(apierr.InsufficientAAL, "AAL2 session is required to update email or password when MFA is enabled.")
	case u.IsAnonymous && newPassword && params.Email == "" && params.Phone == "":
		return apierr.Unprocessable(apierr.ValidationFailed,
			"Updating password of an anonymous user without an email or phone is not allowed")
	case u.IsSSOUser && (newPassword || newEmail || newPhone || params.Nonce != ""):
		return apierr.Unprocessable(apierr.UserSSOManaged, "Updating email, phone, password of a SSO account only possible via SSO")
	}
	return nil
}

// checkUnused refuses an address or number that another user has. Unlike a sign-up this tells a
// signed-in user that an address is registered, as the real server does.
func (s *Server) checkUnused(ctx context.Context, c *call, params *api.UserUpdateParams) error {
	if params.Email != "" && params.Email != string(c.user.Email) {
		if err := s.emailUnused(ctx, params.Email, s.aud(c), c.user.ID); err != nil {
			return err
		}
	}
	if params.Phone != "" && params.Phone != string(c.user.Phone) {
		return s.phoneUnused(ctx, params.Phone, s.aud(c), duplicatePhone)
	}
	return nil
}

// emailUnused refuses an address that a user other than except has.
func (s *Server) emailUnused(ctx context.Context, email, aud string, except uuid.UUID) error {
	_, err := s.store.UserWithEmail(ctx, email, aud, except)
	switch {
	case isNotFound(err):
		return nil
	case err != nil:
		return apierr.Internal("Database error checking email").Because(err)
	}
	return apierr.Unprocessable(apierr.EmailExists, duplicateEmail)
}

// phoneUnused refuses a number that a user has, in the words of message.
func (s *Server) phoneUnused(ctx context.Context, phone, aud, message string) error {
	_, err := s.store.UserByPhone(ctx, phone, aud)
	switch {
	case isNotFound(err):
		return nil
	case err != nil:
		return apierr.Internal("Database error checking phone").Because(err)
	}
	return apierr.Unprocessable(apierr.PhoneExists, "%s", message)
}

// prepareNewPassword checks what a change of the password needs, and puts the new hash into the user.
// It runs outside of the transaction because hashes take their time.
func (s *Server) prepareNewPassword(ctx context.Context, c *call, params *api.UserUpdateParams) error {
	if err := s.checkRecentSignIn(ctx, c, params.Nonce); err != nil {
		return err
	}
	password := *params.Password
	if password == "" {
		// Only reached where the settings do not call it weak: it removes the password.
		c.user.EncryptedPassword = nil
		return nil
	}
	if c.user.HasPassword() {
		if err := s.checkOldPassword(c, params); err != nil {
			return err
		}
	}
	hash, err := s.hashPassword(password)
	if err != nil {
		return err
	}
	c.user.EncryptedPassword = &hash
	return nil
}

// checkRecentSignIn asks for the code of a reauthentication when the settings want one and the user
// has not signed in within a day.
func (s *Server) checkRecentSignIn(ctx context.Context, c *call, nonce string) error {
	if !s.cfg.Security.UpdatePasswordRequireReauthentication {
		return nil
	}
	// A session that began within the last day has just shown who it is; refreshes do not count.
	if c.session != nil && !s.cfg.Now().After(c.session.CreatedAt.Add(24*time.Hour)) {
		return nil
	}
	if nonce == "" {
		return apierr.BadRequest(apierr.ReauthenticationNeeded, "Password update requires reauthentication")
	}
	return s.checkReauthentication(ctx, c.user, nonce)
}

// checkOldPassword asks for the current password when the settings want it, and refuses to replace a
// password by itself.
func (s *Server) checkOldPassword(c *call, params *api.UserUpdateParams) error {
	// Whoever has come by the link of a forgotten password does not have it to tell.
	if s.cfg.Security.UpdatePasswordRequireCurrentPassword && !isRecovery(c.session) {
		const message = "Current password required when setting new password."
		if params.CurrentPassword == nil || *params.CurrentPassword == "" {
			return apierr.BadRequest(apierr.CurrentPasswordRequired, message)
		}
		right, err := matches(*c.user.EncryptedPassword, *params.CurrentPassword)
		if err != nil {
			return err
		}
		if !right {
			return apierr.BadRequest(apierr.CurrentPasswordInvalid, message)
		}
	}
	// A change that changes nothing would still end the user's other sessions.
	same, err := matches(*c.user.EncryptedPassword, *params.Password)
	if err != nil {
		return err
	}
	if same {
		return apierr.Unprocessable(apierr.SamePassword, "New password should be different from the old password.")
	}
	return nil
}

// isRecovery tells whether a session was started by the link of a forgotten password.
func isRecovery(session *store.Session) bool {
	if session == nil {
		return false
	}
	for _, claim := range session.AMR {
		if claim.Method == methodRecovery {
			return true
		}
	}
	return false
}

// storeUserUpdate writes the change in one transaction: a mail that cannot be sent undoes the rest. The
// address is last of what a client can see, so the mail goes to nobody whose other changes fail.
func (s *Server) storeUserUpdate(ctx context.Context, c *call, tx *store.Conn, params userChange) error {
	if params.Password != nil {
		if err := s.storeNewPassword(ctx, c, tx, params.firstPassword); err != nil {
			return err
		}
	}
	if params.Data != nil {
		if err := tx.UpdateUserMetaData(ctx, c.user, params.Data); err != nil {
			return apierr.Internal("Error updating user").Because(err)
		}
	}
	if params.AppData != nil {
		if err := tx.UpdateAppMetaData(ctx, c.user, params.AppData); err != nil {
			return apierr.Internal("Error updating user").Because(err)
		}
	}
	if params.Email != "" && params.Email != string(c.user.Email) {
		if err := s.changeEmail(ctx, c, tx, params.UserUpdateParams); err != nil {
			return err
		}
	}
	if params.Phone != "" && params.Phone != string(c.user.Phone) {
		if err := s.changePhone(ctx, c, tx, params.UserUpdateParams); err != nil {
			return err
		}
	}
	if err := tx.Audit(ctx, c.user, store.Event{Action: store.UserModified}); err != nil {
		return apierr.Internal("Error recording audit log entry").Because(err)
	}
	return nil
}

// storeNewPassword stores the hash and ends the user's other sessions: whoever knew the old password
// is out.
func (s *Server) storeNewPassword(ctx context.Context, c *call, tx *store.Conn, first bool) error {
	var keep *uuid.UUID
	if c.session != nil {
		keep = &c.session.ID
	}
	if err := tx.StorePassword(ctx, c.user, keep); err != nil {
		return apierr.Internal("Error during password storage").Because(err)
	}
	if err := tx.Audit(ctx, c.user, store.Event{Action: store.UserUpdatedPassword}); err != nil {
		return err
	}
	if first {
		if err := s.identityOfPassword(ctx, tx, c.user); err != nil {
			return err
		}
	}
	s.notify(ctx, letter{c, tx, c.user}, notice{kind: noticePasswordChanged})
	return nil
}
