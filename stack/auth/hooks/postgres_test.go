package hooks_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/hooks"
)

func TestAnSQLHookSeesTheEventAndReplacesAllClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`return jsonb_build_object('claims', event->'claims' || jsonb_build_object(
		'seen', event - 'claims' #- '{metadata,uuid}' #- '{metadata,time}', 'big', 12345678901234567890));`)
	h := newHooks(t, hooks.CustomAccessToken, w.point(), nil)

	got, err := h.CustomAccessToken(t.Context(), w.begin(), tokenInput())
	require.NoError(t, err)
	assert.Equal(t, "a@example.com", got["email"])
	assert.InDelta(t, 12345678901234567890.0, got["big"], 0, "numbers pass through float64")
	assert.Equal(t, map[string]any{
		"metadata":              map[string]any{"name": "customize-access-token", "ip_address": "127.0.0.1"},
		"user_id":               "11111111-1111-4111-8111-111111111111",
		"authentication_method": "password",
	}, got["seen"])
}

func TestAFailingSQLHookIsAnErrorThatKeepsItsCause(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	shared.sql(`create table public.secret (x int); revoke all on public.secret from public`)
	const failed = "Error running hook URI: %s"
	tests := map[string]struct {
		body     string
		status   int
		code     string
		message  string
		sqlstate string
	}{
		"it raises":             {`raise exception 'no token for you';`, 500, hooks.CodeUnexpectedFailure, failed, "P0001"},
		"it raises a status":    {`raise sqlstate 'PT403' using message = 'no';`, 500, hooks.CodeUnexpectedFailure, failed, "PT403"},
		"it may not read":       {`perform * from public.secret; return event;`, 500, hooks.CodeUnexpectedFailure, failed, "42501"},
		"it returns an error":   {`return '{"error":{"http_code":403,"message":"no"}}';`, 403, "", "no", ""},
		"no code in its error":  {`return '{"error":{"message":"no"}}';`, 500, "", "no", ""},
		"its code is zero":      {`return '{"error":{"http_code":0,"message":"no"}}';`, 500, "", "no", ""},
		"its error lacks text":  {`return '{"error":{"http_code":403}}';`, 500, "", "output claims field is missing", ""},
		"it returns no claims":  {`return event->'claims';`, 500, "", "output claims field is missing", ""},
		"claims are a list":     {`return '{"claims":[]}';`, 500, hooks.CodeUnexpectedFailure, "Error unmarshaling JSON output.", ""},
		"it returns a list":     {`return '[]';`, 500, hooks.CodeUnexpectedFailure, "Error unmarshaling JSON output.", ""},
		"it returns NULL":       {`return null;`, 500, "", schemaMessage + "- (root): Invalid type. Expected: object, given: null\n", ""},
		"a claim of wrong type": {`return jsonb_set(event, '{claims,role}', '1');`, 500, "", schemaMessage + "- role: Invalid type. Expected: string, given: integer\n", ""},
		"claims are missing": {
			`return jsonb_set(event, '{claims}', (event->'claims') - '{aud,role}'::text[]);`, 500, "",
			schemaMessage + "- (root): aud is required\n- (root): role is required\n", "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared.sub(t)
			w.hook(test.body)
			h := newHooks(t, hooks.CustomAccessToken, w.point(), nil)

			_, err := h.CustomAccessToken(t.Context(), w.begin(), tokenInput())
			var failure *hooks.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, test.status, failure.Status)
			assert.Equal(t, test.code, failure.Code)
			assert.Equal(t, strings.ReplaceAll(test.message, "%s", w.point().URI), failure.Message)
			var pg *pgconn.PgError
			if test.sqlstate != "" && assert.ErrorAs(t, err, &pg) {
				assert.Equal(t, test.sqlstate, pg.Code)
			}
		})
	}
}

const schemaMessage = "output claims do not conform to the expected schema: \n"

func TestWhatAnSQLFunctionMayReturnAndTake(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	tests := map[string]struct {
		function string
		message  string // empty: claims come back
	}{
		"text to jsonb":     {`f(event text) returns jsonb language sql as $$ select event::jsonb $$`, ""},
		"json to json":      {`f(event json) returns json language sql as $$ select event $$`, ""},
		"bytea to bytea":    {`f(event bytea) returns bytea language sql as $$ select event $$`, ""},
		"a set of two":      {`f(event jsonb) returns setof jsonb language sql as $$ select event union all select '{}' $$`, ""},
		"an empty set":      {`f(event jsonb) returns setof jsonb language sql as $$ select event where false $$`, "Error running hook URI: %s"},
		"void":              {`f(event jsonb) returns void language sql as $$ select 1 $$`, schemaMessage + "- (root): Invalid type. Expected: object, given: null\n"},
		"text, not JSON":    {`f(event jsonb) returns text language sql as $$ select 'hello' $$`, "Error unmarshaling JSON output."},
		"two arguments":     {`f(event jsonb, extra jsonb) returns jsonb language sql as $$ select event $$`, "Error running hook URI: %s"},
		"a default":         {`f(event jsonb, extra int default 1) returns jsonb language sql as $$ select event $$`, ""},
		"an upper case one": {`"F"(event jsonb) returns jsonb language sql as $$ select event $$`, "Error running hook URI: %s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared.sub(t)
			w.sql("create function " + test.function)
			h := newHooks(t, hooks.CustomAccessToken, w.point(), nil)

			got, err := h.CustomAccessToken(t.Context(), w.begin(), tokenInput())
			if test.message == "" {
				require.NoError(t, err)
				assert.Equal(t, "authenticated", got["role"])
				return
			}
			var failure *hooks.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, strings.ReplaceAll(test.message, "%s", w.point().URI), failure.Message)
		})
	}
}

func TestASlowSQLHookEndsByItsLimitAndTheLimitEndsWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`perform pg_sleep((event->'claims'->>'seconds')::float); return event;`)
	h := newHooks(t, hooks.CustomAccessToken, w.point(), func(c *hooks.Config) {
		c.PostgresTimeout = 200 * time.Millisecond
	})
	call := func(seconds float64) error {
		tx := w.begin()
		in := tokenInput()
		in.Claims.(map[string]any)["seconds"] = seconds
		if _, err := h.CustomAccessToken(t.Context(), tx, in); err != nil {
			require.NoError(t, tx.Rollback(t.Context()))
			return err
		}
		// Longer than the hook's limit: it must be off again.
		_, err := tx.Exec(t.Context(), `select pg_sleep(0.4)`)
		require.NoError(t, err)
		return tx.Commit(t.Context())
	}

	require.NoError(t, call(0))
	var pg *pgconn.PgError
	require.ErrorAs(t, call(30), &pg)
	assert.Equal(t, "57014", pg.Code)
}

func TestAHookWithoutATransactionGetsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql(`create table public.calls (email text); grant all on public.calls to supabase_auth_admin`)
	w.hook(`insert into public.calls values (event->'user'->>'email');
		if event->'user'->>'email' = 'bad@example.com' then raise exception 'no'; end if; return null;`)
	h, err := hooks.New(hooks.Config{Points: map[hooks.Name]hooks.Point{
		hooks.BeforeUserCreated: {Enabled: true, URI: w.point().URI},
	}}, w.conn)
	require.NoError(t, err)

	call := func(email string) error {
		return h.BeforeUserCreated(t.Context(), nil, hooks.UserInput{User: map[string]string{"email": email}})
	}
	require.NoError(t, call("good@example.com"))
	require.Error(t, call("bad@example.com"))
	var emails []string
	require.NoError(t, w.conn.QueryRow(t.Context(), `select array_agg(email) from public.calls`).Scan(&emails))
	assert.Equal(t, []string{"good@example.com"}, emails, "a failed call leaves nothing behind")
}

func TestHooksAreLimitedInATransactionAndAtVerifications(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`perform pg_sleep(0.5); return '{}';`)
	points := map[hooks.Name]hooks.Point{}
	for _, name := range hooks.Names() {
		points[name] = hooks.Point{Enabled: true, URI: w.point().URI}
	}
	h, err := hooks.New(hooks.Config{Points: points, PostgresTimeout: 100 * time.Millisecond}, w.conn)
	require.NoError(t, err)

	ctx := t.Context()
	require.NoError(t, h.BeforeUserCreated(ctx, nil, hooks.UserInput{}))
	require.NoError(t, h.AfterUserCreated(ctx, nil, hooks.UserInput{}))
	require.NoError(t, h.SendSMS(ctx, nil, hooks.SMSInput{}))
	require.NoError(t, h.SendEmail(ctx, nil, hooks.EmailInput{}))
	_, err = h.PasswordVerification(ctx, nil, hooks.PasswordInput{})
	require.Error(t, err)
	_, err = h.MFAVerification(ctx, nil, hooks.MFAInput{})
	require.Error(t, err)
	tx := w.begin()
	require.Error(t, h.SendSMS(ctx, tx, hooks.SMSInput{}))
	require.NoError(t, tx.Rollback(ctx))
}

func TestVerificationHooksDecide(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	tests := map[string]struct {
		answer   string
		rejected bool
	}{
		"reject":          {`{"decision":"reject","message":"no","should_logout_user":true}`, true},
		"continue":        {`{"decision":"continue"}`, false},
		"another letter":  {`{"decision":"Reject"}`, false},
		"nothing":         {`{}`, false},
		"a member more":   {`{"decision":"reject","message":"no","should_logout_user":true,"x":1}`, true},
		"JSON null":       {`null`, false},
		"a wrong message": {`{"decision":"reject","message":1}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := shared.sub(t)
			w.hook(`return '` + test.answer + `';`)
			password := newHooks(t, hooks.PasswordVerification, w.point(), nil)
			verdict, err := password.PasswordVerification(t.Context(), w.begin(), hooks.PasswordInput{UserID: "u"})
			assert.Equal(t, name == "a wrong message", err != nil)
			if err == nil {
				assert.Equal(t, test.rejected, verdict.Rejected())
				assert.Equal(t, test.rejected, verdict.ShouldLogoutUser)
			}
		})
	}
}

func TestAFailureIsLoggedWithWhatPostgreSQLSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`raise exception 'no token for you' using hint = 'ask';`)
	var log bytes.Buffer
	h := newHooks(t, hooks.CustomAccessToken, w.point(), func(c *hooks.Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
	})
	_, err := h.CustomAccessToken(t.Context(), w.begin(), tokenInput())
	require.Error(t, err)

	var line map[string]any
	require.NoError(t, json.Unmarshal(log.Bytes(), &line))
	assert.Equal(t, "Hook errored out", line["msg"])
	assert.Equal(t, w.point().URI, line["hook"])
	assert.Equal(t, "P0001", line["sqlstate"])
	assert.Equal(t, "no token for you", line["message"])
	assert.Equal(t, "ask", line["hint"])
	assert.Contains(t, line["context"], "PL/pgSQL function "+w.schema+".f(jsonb) line 1 at RAISE")
}

func TestAnEnabledHookWithoutATransportFailsWhenCalled(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{"", "PG-FUNCTIONS://postgres/public/f"} {
		h := newHooks(t, hooks.CustomAccessToken, hooks.Point{URI: uri}, nil)
		_, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
		require.ErrorIs(t, err, hooks.ErrUnsupportedURI)
		var failure *hooks.Error
		assert.NotErrorAs(t, err, &failure)
	}
}

func TestADisabledHookIsNotCalled(t *testing.T) {
	t.Parallel()
	h, err := hooks.New(hooks.Config{Points: map[hooks.Name]hooks.Point{
		hooks.CustomAccessToken: {URI: "pg-functions://postgres/public/f"},
	}}, nil)
	require.NoError(t, err)
	got, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
	require.NoError(t, err)
	assert.Nil(t, got)
	require.NoError(t, h.SendEmail(t.Context(), nil, hooks.EmailInput{}))
	require.NoError(t, h.SendSMS(t.Context(), nil, hooks.SMSInput{}))
}
