package attached

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/bcrypt"

	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
)

// Auth is the stack's Auth as a target for recordings of Auth.
func (e *Engine) Auth() authreplay.Target { return authTarget{e} }

type authTarget struct{ engine *Engine }

// Open lends the database to a scenario, and waits while another one has it.
func (t authTarget) Open(context.Context) (authreplay.Instance, error) {
	return &authInstance{engine: t.engine}, nil
}

// authInstance is a scenario's time in the database, which begins when it first needs it.
type authInstance struct {
	engine *Engine
	lent   *ground.Candidate
}

// Suits says which setting the running server has not.
func (i *authInstance) Suits(start authreplay.Start) error {
	return i.engine.auth.suits(i.engine.config.Place.Auth, start)
}

func (i *authInstance) enter(ctx context.Context) (err error) {
	if i.lent == nil {
		i.lent, err = i.engine.enter(ctx)
	}
	return err
}

// Connect opens a session as the owner. Other roles' doings might not be taken back.
func (i *authInstance) Connect(ctx context.Context, role string) (*pgx.Conn, error) {
	if err := i.enter(ctx); err != nil {
		return nil, err
	}
	s, err := i.engine.connect(ctx)
	if err != nil {
		return nil, err
	}
	if own := s.Config().User; role != own {
		return nil, errors.Join(s.Close(ctx), &parity.NotAskedError{Reason: fmt.Sprintf("needs SQL as role %s, and the DB URL is that of %s", role, own)})
	}
	return s.Conn, nil
}

// Start returns the root of the running server.
func (i *authInstance) Start(ctx context.Context, _ authreplay.Start) (string, error) {
	return i.engine.authURL(), i.enter(ctx)
}

// Stop does not stop what was started by somebody else.
func (i *authInstance) Stop(context.Context) error {
	return &parity.NotAskedError{Reason: "needs to start the server"}
}

// Passes says what the server would not be asked as the recorded one was.
func (i *authInstance) Passes(step authreplay.Step) error {
	header := http.Header{}
	for name, value := range step.Request.Headers {
		header.Set(name, value)
	}
	// What administrators there are is not compared with the other settings: the CLI's
	// list is shorter.
	for _, m := range step.Mint {
		if bytes.Contains(m.Claims, []byte("supabase_admin")) {
			return &parity.NotAskedError{Reason: "needs role supabase_admin in " + adminRoles}
		}
	}
	return gatewayPasses(header)
}

// Close gives the database back as it was.
func (i *authInstance) Close(ctx context.Context) error {
	if i.lent == nil {
		return nil
	}
	return i.lent.Close(ctx)
}

func (e *Engine) authURL() string { return e.config.Place.APIURL + "/auth/v1" }

// signed is what is known of the running Auth by a person whom it has let in.
type signed struct {
	// cost is that of hashes of passwords, alg the algorithm of tokens; zero and empty when
	// nobody was let in.
	cost int
	alg  string
}

// letIn makes a person and signs them in, so that the server has signed a token, and looks
// at what came of it. Whoever cannot be signed in is no error.
func (e *Engine) letIn(ctx context.Context) (known signed, err error) {
	lent, err := e.enter(ctx)
	if err != nil {
		return known, err
	}
	defer func() { err = errors.Join(err, lent.Close(ctx)) }()
	token, err := ownToken()
	if err != nil {
		return known, err
	}
	const email, password = "warmup@example.invalid", "Warm-Up 2 be let in"
	var made, session map[string]any
	ok, err := e.post(ctx, "/admin/users", token, map[string]any{"email": email, "password": password, "email_confirm": true}, &made)
	if err != nil || !ok {
		return known, err
	}
	s, err := e.connect(ctx)
	if err != nil {
		return known, err
	}
	var hash string
	err = s.QueryRow(ctx, "select encrypted_password from auth.users where email = $1", email).Scan(&hash)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return known, fmt.Errorf("look at a person: %w", err)
	}
	ok, err = e.post(ctx, "/token?grant_type=password", token, map[string]any{"email": email, "password": password}, &session)
	if err != nil || !ok {
		return known, err
	}
	access, _ := session["access_token"].(string)
	parsed, _, err := jwt.NewParser().ParseUnverified(access, jwt.MapClaims{})
	if err != nil {
		return known, fmt.Errorf("read a token of Auth: %w", err)
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil {
		return known, fmt.Errorf("read a hash of Auth: %w", err)
	}
	return signed{cost, parsed.Method.Alg()}, nil
}

// post sends a request to Auth. An answer that is no success is no error.
func (e *Engine) post(ctx context.Context, path, token string, body, into any) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	text, err := json.Marshal(body)
	if err != nil {
		return false, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.authURL()+path, strings.NewReader(string(text)))
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, fmt.Errorf("ask Auth: %w", err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil || response.StatusCode != http.StatusOK {
		return false, err
	}
	return true, json.Unmarshal(answer, into)
}
