package auth

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/hooks"
	"github.com/supascore/supascore/stack/auth/store"
)

// The providers of identities.
const (
	providerEmail = "email"
	providerPhone = "phone"
)

// errUserExists ends the transaction of a sign-up for an address that has a confirmed user.
var errUserExists = errors.New("user already exists")

// signup answers POST /signup.
func (s *Server) signup(ctx context.Context, c *call) error {
	params := &api.SignupParams{}
	if err := c.decode(params); err != nil {
		return err
	}
	if params.Email == "" && params.Phone == "" {
		return s.signupAnonymously(ctx, c, params)
	}
	if err := s.checkSignupOpen(); err != nil {
		return err
	}
	req, existing, err := s.checkSignup(ctx, c, params)
	if err != nil {
		return err
	}
	if existing == nil {
		if req.user, err = s.newSignupUser(ctx, c, req); err != nil {
			return err
		}
	}
	user, err := s.storeSignup(ctx, c, req, existing)
	if errors.Is(err, errUserExists) {
		return s.answerExisting(ctx, c, req, existing)
	}
	if err != nil {
		return err
	}
	return s.answerSignup(ctx, c, req, user)
}

func (s *Server) checkSignupOpen() error {
	if s.cfg.DisableSignup {
		return apierr.Unprocessable(apierr.SignupDisabled, "Signups not allowed for this instance")
	}
	return nil
}

// signupRequest is a checked sign-up with an address or a phone number.
type signupRequest struct {
	*api.SignupParams
	provider string
	aud      string
	// user is the new user, nil when the address has one.
	user *store.User
}

// confirmed tells whether the sign-up's address or number is confirmed for a user.
func (q *signupRequest) confirmed(u *store.User) bool {
	if q.provider == providerPhone {
		return u.IsPhoneConfirmed()
	}
	return u.IsConfirmed()
}

// checkSignup checks the parameters in the real server's order, and finds the user that already has
// the address, nil for nobody.
func (s *Server) checkSignup(
	ctx context.Context, c *call, params *api.SignupParams,
) (*signupRequest, *store.User, error) {
	q := &signupRequest{SignupParams: params, provider: providerEmail, aud: s.aud(c)}
	if q.Email == "" {
		q.provider = providerPhone
	}
	if q.Data == nil {
		q.Data = map[string]any{}
	}
	if err := s.checkSignupParams(q); err != nil {
		return nil, nil, err
	}
	existing, err := s.findSignupUser(ctx, q)
	var refused *apierr.Error
	switch {
	case err == nil, errors.As(err, &refused):
		return q, existing, err
	case errors.Is(err, store.ErrNotFound):
		return q, nil, nil
	}
	return nil, nil, apierr.Internal("Database error finding user").Because(err)
}

func (s *Server) checkSignupParams(q *signupRequest) error {
	if q.Password == "" {
		return apierr.BadRequest(apierr.ValidationFailed, "Signup requires a valid password")
	}
	if err := s.checkPassword(q.Password); err != nil {
		return err
	}
	if q.Email != "" && q.Phone != "" {
		return apierr.BadRequest(apierr.ValidationFailed, "Only an email address or phone number should be provided on signup.")
	}
	if q.provider == providerPhone {
		if err := checkChannel(&q.Channel); err != nil {
			return err
		}
		if q.CodeChallenge != "" {
			return apierr.BadRequest(apierr.ValidationFailed, "PKCE not supported for phone signups")
		}
	}
	return checkPKCE(q.CodeChallengeMethod, q.CodeChallenge)
}

func (s *Server) findSignupUser(ctx context.Context, q *signupRequest) (*store.User, error) {
	var err error
	if q.provider == providerPhone {
		if !s.cfg.External.Phone {
			return nil, apierr.BadRequest(apierr.PhoneProviderDisabled, "Phone signups are disabled")
		}
		if q.Phone, err = checkPhone(q.Phone); err != nil {
			return nil, err
		}
		return s.store.UserByPhone(ctx, q.Phone, q.aud)
	}
	if !s.cfg.External.Email {
		return nil, apierr.BadRequest(apierr.EmailProviderDisabled, "Email signups are disabled")
	}
	if q.Email, err = checkEmail(q.Email); err != nil {
		return nil, err
	}
	return s.store.UserWithEmail(ctx, q.Email, q.aud, uuid.Nil)
}

// newSignupUser makes the user and asks the before_user_created hook, outside of any transaction.
func (s *Server) newSignupUser(ctx context.Context, c *call, q *signupRequest) (*store.User, error) {
	hash, err := s.hashPassword(q.Password)
	if err != nil {
		return nil, apierr.Internal("Database error creating user").Because(err)
	}
	u := store.NewUser(s.newID(), q.Email, q.Phone, q.aud, q.Data)
	u.EncryptedPassword = &hash
	u.AppMetaData = store.Object{"provider": q.provider, "providers": []string{q.provider}}
	u.Identities = []store.Identity{}
	return u, s.beforeUserCreated(ctx, c, u)
}

func (s *Server) beforeUserCreated(ctx context.Context, c *call, u *store.User) error {
	err := s.hooks.BeforeUserCreated(ctx, nil, hooks.UserInput{IPAddress: c.ip(), User: u})
	return hookError(err)
}

// afterUserCreated tells the after_user_created hook about a stored user.
func (s *Server) afterUserCreated(ctx context.Context, c *call, u *store.User) error {
	err := s.hooks.AfterUserCreated(ctx, nil, hooks.UserInput{IPAddress: c.ip(), User: u})
	return hookError(err)
}

// createUser inserts a user with the default role and reads back what triggers have made of it.
func (s *Server) createUser(ctx context.Context, tx *store.Conn, u *store.User) error {
	if err := tx.CreateUser(ctx, u); err != nil {
		return apierr.Internal("Database error saving new user").Because(err)
	}
	u.Role = s.cfg.JWT.DefaultGroupName
	if err := tx.SaveUser(ctx, u, store.Role); err != nil {
		return apierr.Internal("Database error updating user").Because(err)
	}
	if err := tx.ReloadUser(ctx, u); err != nil {
		return apierr.Internal("Database error loading user after sign-up").Because(err)
	}
	return nil
}

// storeSignup stores the user with its identity and confirms it or asks for its confirmation. An
// unconfirmed user is not changed by a further sign-up: it may be somebody else's.
func (s *Server) storeSignup(
	ctx context.Context, c *call, q *signupRequest, existing *store.User,
) (*store.User, error) {
	user := existing
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		switch {
		case user == nil:
			user = q.user
			if err := s.createUser(ctx, tx, user); err != nil {
				return err
			}
		case q.confirmed(user):
			return errUserExists
		}
		if err := s.storeSignupIdentity(ctx, tx, q, user); err != nil {
			return err
		}
		if q.confirmed(user) {
			return nil
		}
		return s.confirmSignup(ctx, c, tx, q, user)
	})
	return user, err
}

func (s *Server) storeSignupIdentity(ctx context.Context, tx *store.Conn, q *signupRequest, u *store.User) error {
	identity, err := tx.Identity(ctx, u.ID.String(), q.provider)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if identity == nil {
		data := identityData(u.ID, string(u.Email), "")
		for name, value := range q.Data {
			if _, taken := data[name]; !taken {
				data[name] = value
			}
		}
		if identity, err = tx.CreateIdentity(ctx, u, q.provider, data); err != nil {
			return apierr.Internal("Error creating identity").Because(err)
		}
		if err := s.keepOnly(ctx, tx, u, identity); err != nil {
			return err
		}
	}
	u.Identities = []store.Identity{*identity}
	return nil
}

// identityData is the data of an identity that nobody has verified yet.
func identityData(userID uuid.UUID, email, phone string) store.Object {
	data := store.Object{"sub": userID.String(), "email_verified": false, "phone_verified": false}
	if email != "" {
		data["email"] = email
	}
	if phone != "" {
		data["phone"] = phone
	}
	return data
}

// keepOnly makes an identity the only one of a user that was never confirmed: the others may be an
// attacker's. The user's metadata becomes the identity's data; the two share it from here on, so the
// answer shows a later change of the one in the other (recording signup_autoconfirm_session).
func (s *Server) keepOnly(ctx context.Context, tx *store.Conn, u *store.User, identity *store.Identity) error {
	u.UserMetaData = identity.IdentityData
	if err := tx.UpdateUserMetaData(ctx, u, u.UserMetaData); err != nil {
		return err
	}
	for _, other := range u.Identities {
		if other.ID != identity.ID {
			if err := tx.DeleteIdentity(ctx, other.ID); err != nil {
				return err
			}
		}
	}
	return tx.UpdateProviders(ctx, u)
}

// confirmSignup confirms the address at once when the settings say so, else sends a code.
func (s *Server) confirmSignup(ctx context.Context, c *call, tx *store.Conn, q *signupRequest, u *store.User) error {
	traits := map[string]any{"provider": q.provider}
	if q.provider == providerPhone {
		return s.confirmPhoneSignup(ctx, c, tx, q, u)
	}
	if s.cfg.Mailer.Autoconfirm {
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserSignedUp, Traits: traits}); err != nil {
			return err
		}
		if err := tx.ConfirmEmail(ctx, u); err != nil {
			return apierr.Internal("Database error updating user").Because(err)
		}
		return nil
	}
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserConfirmationRequested, Traits: traits}); err != nil {
		return err
	}
	flow, err := s.startFlow(ctx, tx, flowStart{
		provider: q.provider, method: methodEmailSignup, challengeMethod: q.CodeChallengeMethod, challenge: q.CodeChallenge, userID: u.ID,
	})
	if err != nil {
		return err
	}
	return s.sendConfirmation(ctx, letter{c, tx, u}, flow)
}

func (s *Server) confirmPhoneSignup(ctx context.Context, c *call, tx *store.Conn, q *signupRequest, u *store.User) error {
	if s.cfg.SMS.Autoconfirm {
		traits := map[string]any{"provider": q.provider, "channel": q.Channel}
		if err := tx.Audit(ctx, u, store.Event{Action: store.UserSignedUp, Traits: traits}); err != nil {
			return err
		}
		if err := tx.ConfirmPhone(ctx, u); err != nil {
			return apierr.Internal("Database error updating user").Because(err)
		}
		return nil
	}
	traits := map[string]any{"provider": q.provider}
	if err := tx.Audit(ctx, u, store.Event{Action: store.UserConfirmationRequested, Traits: traits}); err != nil {
		return err
	}
	_, err := s.sendPhoneConfirmation(ctx, letter{c, tx, u}, q.Phone)
	return err
}

// answerExisting answers a sign-up for an address that has a confirmed user. Where addresses have to
// be confirmed, the answer looks like that of a new user, to tell nobody who is registered.
func (s *Server) answerExisting(ctx context.Context, c *call, q *signupRequest, u *store.User) error {
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		return tx.Audit(ctx, u, store.Event{
			Action: store.UserRepeatedSignup, Traits: map[string]any{"provider": q.provider},
		})
	})
	if err != nil {
		return err
	}
	if s.cfg.Mailer.Autoconfirm || s.cfg.SMS.Autoconfirm {
		return apierr.Unprocessable(apierr.UserAlreadyExists, "User already registered")
	}
	return c.json(http.StatusOK, s.obscured(q, u))
}

// obscured is a user that looks new and has nothing of the one it hides but what the request said.
func (s *Server) obscured(q *signupRequest, u *store.User) *store.User {
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	fake := *u
	fake.ID, fake.Aud, fake.Role, fake.EmailChange = s.newID(), q.aud, "", ""
	fake.CreatedAt, fake.UpdatedAt, fake.ConfirmationSentAt = now, now, &now
	fake.LastSignInAt, fake.ConfirmedAt, fake.EmailChangeSentAt = nil, nil, nil
	fake.EmailConfirmedAt, fake.PhoneConfirmedAt = nil, nil
	fake.Identities, fake.UserMetaData = []store.Identity{}, q.Data
	fake.AppMetaData = store.Object{"provider": q.provider, "providers": []string{q.provider}}
	if q.provider == providerEmail {
		fake.Phone = ""
	} else {
		fake.Email = ""
	}
	return &fake
}

// answerSignup answers with a session for a confirmed user, else with the user alone.
func (s *Server) answerSignup(ctx context.Context, c *call, q *signupRequest, u *store.User) error {
	if u.IsConfirmed() || u.IsPhoneConfirmed() {
		return s.signIn(ctx, c, u, methodPassword, store.Event{
			Action: store.Login, Traits: map[string]any{"provider": q.provider},
		})
	}
	if u.InvitedAt != nil {
		// Whoever signs up for an invited address has not shown that it is theirs.
		u.UserMetaData, u.Identities = store.Object{}, []store.Identity{}
	}
	if err := s.afterUserCreated(ctx, c, u); err != nil {
		return apierr.Internal("Error invoking hook").Because(err)
	}
	return c.json(http.StatusOK, u)
}

// signIn starts a session in a transaction of its own and answers with it.
func (s *Server) signIn(ctx context.Context, c *call, u *store.User, method string, event store.Event) error {
	var answer *tokenResponse
	err := s.store.Tx(ctx, func(tx *store.Conn) (err error) {
		if err := tx.Audit(ctx, u, event); err != nil {
			return err
		}
		answer, err = s.startSession(ctx, c, tx, u, method)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, answer)
}
