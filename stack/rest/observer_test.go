package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
)

// observe sends a request in process, so that its context reaches the server.
func observe(t *testing.T, a *api, o rest.Observer, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(rest.WithObserver(t.Context(), o), method, path, strings.NewReader(body))
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims(as("service_role"))).SignedString([]byte(secret))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return w
}

// text is the first value that a query returns.
func text(ctx context.Context, t *testing.T, conn *pgconn.PgConn, sql string) string {
	t.Helper()
	res := conn.ExecParams(ctx, sql, nil, nil, nil, nil).Read()
	require.NoError(t, res.Err)
	return string(res.Rows[0][0])
}

func TestAnObserverSeesTheTransactionAtItsBeginningAndItsEnd(t *testing.T) {
	t.Parallel()
	a := serve(t, "create table public.t (id int); grant select, insert on public.t to authenticator;",
		func(c *rest.Config) { c.TxEnd = rest.TxEnd{Rollback: true} })
	var seen []string
	const look = "select current_user || ' ' || count(*) || $1::text from public.t"
	o := rest.Observer{
		Before: func(ctx context.Context, conn *pgconn.PgConn) error {
			_, err := conn.Exec(ctx, "insert into public.t values (1)").ReadAll()
			seen = append(seen, text(ctx, t, conn, strings.Replace(look, "$1::text", "'!'", 1)))
			return err
		},
		After: []rest.Statement{{SQL: look, Args: []string{"?"}}},
		Seen: func(answers [][][][]byte, err error) {
			require.NoError(t, err)
			seen = append(seen, string(answers[0][0][0]))
		},
	}
	w := observe(t, a, o, http.MethodPost, "/t", `{"id":2}`)
	assert.Equal(t, http.StatusCreated, w.Code, w.Body)
	assert.Equal(t, []string{"authenticator 1!", "authenticator 2?"}, seen)

	seen = nil
	w = observe(t, a, o, http.MethodGet, "/t", "")
	assert.JSONEq(t, `[{"id":1}]`, w.Body.String(), "what Before writes is there for a read, and what was written is undone")
	assert.Equal(t, []string{"authenticator 1!", "authenticator 1?"}, seen)
	a.get(as("service_role"), "/t").answers(http.StatusOK, "[]")
}

func TestAnObserverIsNotAskedAfterAFailureAndItsErrorEndsTheRequest(t *testing.T) {
	t.Parallel()
	a := serve(t, "create table public.t (id int primary key); insert into public.t values (1);")
	asked := false
	after := rest.Observer{After: []rest.Statement{{SQL: "select 1"}}, Seen: func([][][][]byte, error) { asked = true }}
	w := observe(t, a, after, http.MethodPost, "/t", `{"id":1}`)
	assert.Equal(t, http.StatusConflict, w.Code, w.Body)
	assert.False(t, asked)

	var seen [][][][]byte
	var failed error
	failing := rest.Observer{
		After: []rest.Statement{{SQL: "select 'seen'"}, {SQL: "select 1/0"}, {SQL: "select 2"}},
		Seen:  func(answers [][][][]byte, err error) { seen, failed = answers, err },
	}
	w = observe(t, a, failing, http.MethodPost, "/t", `{"id":2}`)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), "22012")
	assert.Equal(t, [][][][]byte{{{[]byte("seen")}}}, seen)
	require.ErrorContains(t, failed, "division by zero")
	a.get(as("service_role"), "/t").answers(http.StatusOK, `[{"id":1}]`)
}

func TestAnObserverThatIsRefusedChangesNoAnswerOfATransactionThatIsUndone(t *testing.T) {
	t.Parallel()
	a := serve(t, "create table public.t (id int primary key);", func(c *rest.Config) { c.TxEnd = rest.TxEnd{Rollback: true} })
	var failed error
	o := rest.Observer{After: []rest.Statement{{SQL: "select 1/0"}}, Seen: func(_ [][][][]byte, err error) { failed = err }}
	for range 2 {
		w := observe(t, a, o, http.MethodPost, "/t", `{"id":1}`)
		assert.Equal(t, http.StatusCreated, w.Code, w.Body)
		require.ErrorContains(t, failed, "division by zero")
	}
	a.get(as("service_role"), "/t").answers(http.StatusOK, "[]")
}

func TestTriggersThatWaitForTheEndAreObservedAsTheCallers(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.t (id int); create table public.log (who text); grant all on public.t, public.log to service_role;
		grant select on public.log to authenticator;
		create function public.note() returns trigger language plpgsql as $$ begin
			if new.id = 0 then raise exception 'not zero'; end if;
			insert into public.log values (current_user); return null; end $$;
		create constraint trigger note after insert on public.t deferrable initially deferred for each row execute function public.note();`,
		func(c *rest.Config) { c.TxEnd = rest.TxEnd{Rollback: true} })
	var seen string
	o := rest.Observer{
		After: []rest.Statement{{SQL: "select who from public.log"}},
		Seen:  func(answers [][][][]byte, _ error) { seen = string(answers[0][0][0]) },
	}
	w := observe(t, a, o, http.MethodPost, "/t", `{"id":1}`)
	assert.Equal(t, http.StatusCreated, w.Code, w.Body)
	assert.Equal(t, "service_role", seen)
	seen = ""
	w = observe(t, a, o, http.MethodPost, "/t", `{"id":0}`)
	assert.Equal(t, http.StatusBadRequest, w.Code, w.Body)
	assert.Empty(t, seen)
}

func TestAReadThatIsObservedCannotWrite(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.t (id int);
		create function public.put() returns void language sql volatile as 'insert into public.t values (1)';`)
	o := rest.Observer{Before: func(context.Context, *pgconn.PgConn) error { return nil }}
	w := observe(t, a, o, http.MethodGet, "/rpc/put", "")
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), "25006")
}

func TestASnapshotServesADatabaseWithTheSameSchema(t *testing.T) {
	t.Parallel()
	const schema = "create table public.t (id int, label text); grant all on public.t to service_role;"
	first := serve(t, schema)
	second := serve(t, schema+"insert into public.t values (7, 'b');",
		func(c *rest.Config) { c.Snapshot = first.server.Snapshot() })
	second.get(as("service_role"), "/t?select=label").answers(http.StatusOK, `[{"label":"b"}]`)
	assert.Same(t, first.server.Snapshot(), second.server.Snapshot())
	require.NoError(t, second.server.Reload(t.Context()))
	assert.NotSame(t, first.server.Snapshot(), second.server.Snapshot(), "a reload reads")
}

func TestASessionOfSomebodyElseServesEveryRequest(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Shared(t)
	db := postgrestest.Database(t, srv)
	postgrestest.Exec(t, srv, "postgres", db, "create table public.t (id int); grant select, insert on public.t to anon;")
	conn, err := pgx.Connect(t.Context(), srv.URL("authenticator", db))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	asked := 0
	server, err := rest.Start(t.Context(), rest.Config{
		Session:         func(context.Context) (*pgx.Conn, error) { asked++; return conn, nil },
		ChannelDisabled: true, AnonRole: "anon",
	})
	require.NoError(t, err)
	send := func(method, body string) string {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/t", strings.NewReader(body)))
		return w.Body.String()
	}
	before := asked
	assert.Empty(t, send(http.MethodPost, `{"id":1}`))
	assert.JSONEq(t, `[{"id":1}]`, send(http.MethodGet, ""))
	assert.Equal(t, before+2, asked)
	require.NoError(t, server.Stop(t.Context()))
	require.NoError(t, conn.Ping(t.Context()), "it is not the server's to close")

	_, err = rest.Start(t.Context(), rest.Config{Session: func(context.Context) (*pgx.Conn, error) { return conn, nil }})
	require.ErrorContains(t, err, "set ChannelDisabled")
	broken := errors.New("no session")
	_, err = rest.Start(t.Context(), rest.Config{Session: func(context.Context) (*pgx.Conn, error) { return nil, broken }, ChannelDisabled: true})
	require.ErrorIs(t, err, broken)
}
