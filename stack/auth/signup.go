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

// signup answers POST /signup. It runs in up to three transactions, as in the real server: the
// before_user_created hook in one of its own, the user and its identity in the second, the session in
// the third. So a custom access token hook that fails leaves a user who can sign in later (recording
// cat_hook_raises), while a failing trigger on auth.users or a mail that cannot be sent leaves none.
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
		// Hashing and the hook take their time; neither may hold a transaction open.
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

// checkSignupOpen refuses sign-ups of every kind where the project has switched them off. It comes
// after the look at whether the sign-up is anonymous, which has a refusal of its own.
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
	// Nobody with the address is the good case here, and a refusal is already worded.
	var refused *apierr.Error
	switch {
	case err == nil, errors.As(err, &refused):
		return q, existing, err
	case errors.Is(err, store.ErrNotFound):
		return q, nil, nil
	}
	return nil, nil, apierr.Internal("Database error finding user").Because(err)
}

// checkSignupParams checks what needs no database. The order is the real server's: of two mistakes
// it tells the first.
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

// findSignupUser finds the user that has the address or number, or returns store.ErrNotFound. An
// address counts as taken by any identity that has it, a number only by the user itself.
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

// newSignupUser makes the user and asks the before_user_created hook, outside of any transaction. The
// hook sees the user as it is going to be inserted: with an id, but without times and a role.
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

// beforeUserCreated asks the before_user_created hook whether a user may be created.
func (s *Server) beforeUserCreated(ctx context.Context, c *call, u *store.User) error {
	err := s.hooks.BeforeUserCreated(ctx, nil, hooks.UserInput{IPAddress: c.ip(), User: u})
	return hookError(err)
}

// afterUserCreated tells the after_user_created hook about a stored user.
func (s *Server) afterUserCreated(ctx context.Context, c *call, u *store.User) error {
	err := s.hooks.AfterUserCreated(ctx, nil, hooks.UserInput{IPAddress: c.ip(), User: u})
	return hookError(err)
}

// answerExisting answers a sign-up for an address that has a confirmed user. Where addresses have to
// be confirmed, the answer looks like that of a new user, to tell nobody who is registered.
func (s *Server) answerExisting(ctx context.Context, c *call, q *signupRequest, u *store.User) error {
	// The sign-up's own transaction is rolled back by now; the log gets its entry all the same.
	err := s.store.Tx(ctx, func(tx *store.Conn) error {
		return tx.Audit(ctx, u, store.Event{
			Action: store.UserRepeatedSignup, Traits: map[string]any{"provider": q.provider},
		})
	})
	if err != nil {
		return err
	}
	// Either setting is enough, whichever of the two the sign-up is about.
	if s.cfg.Mailer.Autoconfirm || s.cfg.SMS.Autoconfirm {
		return apierr.Unprocessable(apierr.UserAlreadyExists, "User already registered")
	}
	return c.json(http.StatusOK, s.obscured(q, u))
}

// obscured is a user that looks new and has nothing of the one it hides but what the request said. Its
// lack of a role and identities tells it from a real one; the real server's does too.
func (s *Server) obscured(q *signupRequest, u *store.User) *store.User {
	now := s.cfg.Now().UTC().Truncate(time.Microsecond)
	fake := *u // times of mails and the like are kept; no client knows the former ones
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

// answerSignup answers with a session for a confirmed user, else with the user alone. Only the latter
// is told to the after_user_created hook, as in the real server.
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
