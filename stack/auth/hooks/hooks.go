package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/xeipuuv/gojsonschema"
)

// Beginner opens transactions as supabase_auth_admin; *pgxpool.Pool is one.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// Hooks calls the hooks of one server. Safe for concurrent use.
type Hooks struct {
	cfg    Config
	db     Beginner
	client *http.Client
	schema *gojsonschema.Schema
}

// New checks the settings and returns the hooks. db serves calls that have no
// transaction of their own; it may be nil when every call brings one. Settings
// are read here and never again: a hook that is switched on later needs a new
// Hooks, as it needs a restart of the real server.
func New(cfg Config, db Beginner) (*Hooks, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	cfg = cfg.withDefaults()
	schema, err := compileClaimsSchema()
	if err != nil {
		return nil, fmt.Errorf("hooks: claims schema: %w", err)
	}
	client := &http.Client{Transport: cfg.Transport}
	return &Hooks{cfg: cfg, db: db, client: client, schema: schema}, nil
}

// Close drops idle connections to HTTP hooks.
func (h *Hooks) Close() { h.client.CloseIdleConnections() }

// Enabled tells whether a hook is switched on. Calling a hook that is not
// enabled returns the zero answer and no error.
func (h *Hooks) Enabled(name Name) bool { return h.cfg.Points[name].Enabled }

// CustomAccessToken asks the hook for the claims of a token. The result
// replaces all claims and conforms to the claims schema; numbers in it are
// float64. Errors: *Error, or ErrUnsupportedURI. When the hook is not enabled
// the result is nil.
func (h *Hooks) CustomAccessToken(ctx context.Context, tx pgx.Tx, in AccessTokenInput) (map[string]any, error) {
	if !h.Enabled(CustomAccessToken) {
		return nil, nil
	}
	var out accessTokenAnswer
	event := accessTokenEvent{
		h.metadata(CustomAccessToken, in.IPAddress), in.UserID, in.Claims, in.AuthenticationMethod,
	}
	if err := h.call(ctx, tx, invocation{name: CustomAccessToken, event: event, answer: &out}); err != nil {
		return nil, err
	}
	if err := validateClaims(h.schema, out.Claims); err != nil {
		h.logFailure(h.cfg.Points[CustomAccessToken].URI, err)
		return nil, err
	}
	return out.Claims, nil
}

// BeforeUserCreated asks whether a user may be created. Everything but an
// error lets it happen. tx is nil in the real server's flows: the hook runs
// before the sign-up's transaction, and without the limit for SQL functions.
func (h *Hooks) BeforeUserCreated(ctx context.Context, tx pgx.Tx, in UserInput) error {
	event := userEvent{h.metadata(BeforeUserCreated, in.IPAddress), in.User}
	return h.call(ctx, tx, invocation{name: BeforeUserCreated, event: event, answer: &struct{}{}, unlimited: tx == nil})
}

// AfterUserCreated tells the hook that a user was created. Without tx there is
// no limit for SQL functions.
func (h *Hooks) AfterUserCreated(ctx context.Context, tx pgx.Tx, in UserInput) error {
	event := userEvent{h.metadata(AfterUserCreated, in.IPAddress), in.User}
	return h.call(ctx, tx, invocation{name: AfterUserCreated, event: event, answer: &struct{}{}, unlimited: tx == nil})
}

// PasswordVerification asks what to do about a checked password.
func (h *Hooks) PasswordVerification(ctx context.Context, tx pgx.Tx, in PasswordInput) (Verdict, error) {
	var out Verdict
	event := passwordEvent{h.metadata(PasswordVerification, in.IPAddress), in.UserID, in.Valid}
	err := h.call(ctx, tx, invocation{name: PasswordVerification, event: event, answer: &out})
	return out, err
}

// MFAVerification asks what to do about a checked second factor.
func (h *Hooks) MFAVerification(ctx context.Context, tx pgx.Tx, in MFAInput) (Verdict, error) {
	var out Verdict
	event := mfaEvent{
		h.metadata(MFAVerification, in.IPAddress), in.UserID, in.FactorID, in.FactorType, in.Valid,
	}
	err := h.call(ctx, tx, invocation{name: MFAVerification, event: event, answer: &out})
	return out, err
}

// SendEmail hands a mail to the hook. Without tx there is no limit for SQL
// functions.
func (h *Hooks) SendEmail(ctx context.Context, tx pgx.Tx, in EmailInput) error {
	event := emailEvent{h.metadata(SendEmail, in.IPAddress), in.User, in.Email}
	return h.call(ctx, tx, invocation{name: SendEmail, event: event, answer: &struct{}{}, unlimited: tx == nil})
}

// SendSMS hands a text message to the hook. Without tx there is no limit for
// SQL functions.
func (h *Hooks) SendSMS(ctx context.Context, tx pgx.Tx, in SMSInput) error {
	event := smsEvent{h.metadata(SendSMS, in.IPAddress), in.User, in.SMS}
	return h.call(ctx, tx, invocation{name: SendSMS, event: event, answer: &struct{}{}, unlimited: tx == nil})
}

// metadata makes the first member of an event. Each event has a UUID of its own.
func (h *Hooks) metadata(name Name, ip string) metadata {
	return metadata{UUID: h.cfg.NewID().String(), Time: h.cfg.Now(), Name: name, IPAddress: ip}
}

// invocation is one call: which hook, what it is told, where its answer goes.
type invocation struct {
	name   Name
	event  any
	answer any
	// unlimited lets an SQL function take its time. The real server means to
	// limit it, but does so outside of a transaction, where it has no effect
	// (recording before_user_created_errors). The request's own limit holds.
	unlimited bool
}

// call runs a hook and reads its answer. Failures are logged here, once, with
// what PostgreSQL said: the answer to the user often hides it.
func (h *Hooks) call(ctx context.Context, tx pgx.Tx, inv invocation) error {
	point := h.cfg.Points[inv.name]
	if !point.Enabled {
		return nil
	}
	answer, err := h.send(ctx, tx, point, inv)
	if err == nil && answer != nil {
		err = readAnswer(answer, inv.answer)
	}
	if err == nil {
		return nil
	}
	h.logFailure(point.URI, err)
	var known *Error
	if errors.As(err, &known) || errors.Is(err, ErrUnsupportedURI) {
		return err
	}
	return internalError("Error running hook URI: "+point.URI, err)
}

// send picks the transport by the URI's scheme, letter case included. A nil
// answer is SQL NULL or HTTP 204.
func (h *Hooks) send(ctx context.Context, tx pgx.Tx, point Point, inv invocation) ([]byte, error) {
	payload, err := json.Marshal(inv.event)
	if err != nil {
		return nil, internalError("Error marshaling JSON input.", err)
	}
	switch scheme, _, _ := strings.Cut(point.URI, ":"); scheme {
	case "http", "https":
		return h.post(ctx, point, payload)
	case "pg-functions":
		u, err := url.Parse(point.URI)
		if err != nil {
			return nil, fmt.Errorf("parse hook URI: %w", err)
		}
		schema, function, err := functionName(u)
		if err != nil {
			return nil, err
		}
		return h.selectFunction(ctx, tx, sqlCall{pgx.Identifier{schema, function}, payload, !inv.unlimited})
	}
	return nil, fmt.Errorf("unsupported protocol: %q %w", point.URI, ErrUnsupportedURI)
}

// readAnswer takes an error object out of an answer first and then reads its
// real shape.
func readAnswer(answer []byte, into any) error {
	if err := answerError(answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		var known *Error
		if errors.As(err, &known) {
			return known
		}
		return internalError("Error unmarshaling JSON output.", err)
	}
	return nil
}

// logFailure writes one warning with what PostgreSQL said, if it was it that
// failed. The context of an error in PL/pgSQL names function and line.
func (h *Hooks) logFailure(uri string, err error) {
	attrs := []any{"action", "run_hook", "hook", uri, "error", err.Error()}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		attrs = append(attrs, "sqlstate", pg.Code, "message", pg.Message)
		for _, extra := range [][2]string{{"detail", pg.Detail}, {"hint", pg.Hint}, {"context", pg.Where}} {
			if extra[1] != "" {
				attrs = append(attrs, extra[0], extra[1])
			}
		}
	}
	h.cfg.Log.Warn("Hook errored out", attrs...)
}
