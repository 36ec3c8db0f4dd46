package arena_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/arena"
)

// share takes the copy that candidates share and applies a candidate there; the clone is
// closed when the test ends.
func share(t *testing.T, a *arena.Arena, setup arena.Setup, sql string) *arena.Clone {
	t.Helper()
	c, err := a.Share(t.Context(), setup)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close(context.Background())) })
	require.NoError(t, c.Apply(t.Context(), "candidate.sql", sql))
	return c
}

// ask is the value that a query returns as text.
func ask(t *testing.T, conn *pgx.Conn, query string) string {
	t.Helper()
	var value *string
	require.NoError(t, conn.QueryRow(t.Context(), query).Scan(&value), query)
	if value == nil {
		return "null"
	}
	return *value
}

// ownerOf is the session as the owner.
func ownerOf(t *testing.T, c *arena.Clone) *pgx.Conn {
	t.Helper()
	conn, err := c.Owner(t.Context())
	require.NoError(t, err)
	return conn
}

func TestNothingOfACandidateIsLeftInTheCopyThatTheNextOneGets(t *testing.T) {
	t.Parallel()
	a, setup := newArena(t), notes()
	setup.Schema += "create table numbered (id int generated always as identity, n serial); create sequence steps increment 5 start 20;"
	setup.Seed += "insert into numbered default values; select nextval('steps');"
	const state = `select concat_ws(' ', current_database(), (select last_value from steps), (select last_value from numbered_id_seq), (select is_called from numbered_n_seq),
		(select count(*) from pg_policies where schemaname = 'public'), (select count(*) from pg_proc where proname = 'added'), (select relrowsecurity from pg_class where relname = 'notes'),
		(select count(*) from pg_prepared_statements where name = 'mine'), (select count(*) from pg_locks where locktype = 'advisory'), current_setting('work_mem'),
		(select count(*) from pg_class where relname = 'temporary'), (select count(*) from pg_cursors where name = 'held'), to_regclass('numbered_n_seq'))`
	first := share(t, a, setup, "")
	before := ask(t, ownerOf(t, first), state)
	require.NoError(t, first.Close(t.Context()))

	second := share(t, a, setup, policies+"create function added() returns int language sql as 'select 1';")
	owner := ownerOf(t, second)
	for _, sql := range []string{
		"select nextval('steps')", "insert into numbered default values", "prepare mine as select 1", "select pg_advisory_lock(4711)",
		"set work_mem = '1MB'", "create temp table temporary (id int)", "declare held cursor with hold for select 1",
	} {
		_, err := owner.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err, sql)
	}
	require.NotEqual(t, before, ask(t, owner, state))
	_, err := owner.Exec(t.Context(), "drop sequence numbered_n_seq cascade; drop table notes")
	require.NoError(t, err)
	require.NoError(t, second.Close(t.Context()))

	third := share(t, a, setup, "")
	assert.Equal(t, before, ask(t, ownerOf(t, third), state))
	changes, err := third.Changes(t.Context())
	require.NoError(t, err)
	assert.Empty(t, changes)
}

func TestSettingsThatACandidateMadeAreUnknownToTheNextOne(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	const function = "create function made() returns text language sql as $$ select set_config('app.mine', 'x', true) $$;"
	for range 20 { // the session before may not have ended yet
		c := share(t, a, notes(), function)
		assert.Equal(t, "null", ask(t, ownerOf(t, c), "select current_setting('app.mine', true)"))
		assert.Equal(t, "x", ask(t, ownerOf(t, c), "select made()"))
		require.NoError(t, c.Close(t.Context()))
	}
}

func TestASharedSessionCanBecomeOneRoleOnlyThoughItsTransactionGoesOn(t *testing.T) {
	t.Parallel()
	c := share(t, newArena(t), notes(), policies)
	for _, role := range []string{"authenticated", "service_role", "anon", "authenticated"} {
		session, err := c.Session(t.Context(), role)
		require.NoError(t, err)
		for _, other := range []string{"anon", "authenticated", "service_role", "postgres"} {
			_, err := session.Exec(t.Context(), "set local role "+other+"; rollback to savepoint "+c.Savepoint(), pgx.QueryExecModeSimpleProtocol)
			if other == role {
				assert.NoError(t, err, "%s as %s", other, role)
				continue
			}
			assert.ErrorContains(t, err, "permission denied to set role", "%s as %s", other, role)
			_, err = session.Exec(t.Context(), "rollback to savepoint "+c.Savepoint(), pgx.QueryExecModeSimpleProtocol)
			require.NoError(t, err)
		}
	}
}

func TestTheOwnerCanLookBetweenTestsOfASharedCopy(t *testing.T) {
	t.Parallel()
	c := share(t, newArena(t), notes(), policies)
	_, err := c.Session(t.Context(), "anon")
	require.NoError(t, err)
	assert.Equal(t, "postgres authenticator", ask(t, ownerOf(t, c), "select concat_ws(' ', current_user, session_user)"))
	session, err := c.Session(t.Context(), "anon")
	require.NoError(t, err)
	assert.Equal(t, "authenticator authenticator", ask(t, session, "select concat_ws(' ', current_user, session_user)"))
}

func TestTheDataAPIOfASharedCopySeesTheCandidateAndKeepsNothing(t *testing.T) {
	t.Parallel()
	c := share(t, newArena(t), notes(), policies+"create view mine with (security_invoker = on) as select * from notes;")
	_, err := c.Changes(t.Context())
	require.NoError(t, err)
	api, err := c.Serve(t.Context(), false)
	require.NoError(t, err)
	token, err := api.Token(map[string]any{"role": "authenticated", "sub": alice})
	require.NoError(t, err)
	for range 2 {
		answer := request(t, t.Context(), api, token, http.MethodDelete, "/mine?id=gt.0", "")
		assert.Equal(t, http.StatusNoContent, answer.status, answer.body)
		answer = request(t, t.Context(), api, token, http.MethodPost, "/mine", `{"id": 1, "owner": "`+alice+`"}`)
		assert.Equal(t, http.StatusConflict, answer.status, "an error does not stay either: %s", answer.body)
		answer = request(t, t.Context(), api, token, http.MethodGet, "/mine?select=id", "")
		assert.JSONEq(t, `[{"id":1}]`, answer.body)
		answer = request(t, t.Context(), api, token, http.MethodGet, "/rpc/is_owner?note=1", "")
		assert.JSONEq(t, `true`, answer.body)
	}
}

func TestACandidateThatCannotShareIsToldSo(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	c, err := a.Share(t.Context(), notes())
	require.NoError(t, err)
	require.ErrorIs(t, c.Apply(t.Context(), "candidate.sql", "commit; "+policies), arena.ErrUnshared)
	require.NoError(t, c.Close(t.Context()))

	renames := share(t, a, notes(), "alter table notes rename to letters;")
	_, err = renames.Changes(t.Context())
	require.ErrorIs(t, err, arena.ErrUnshared, "what looks at the rows must be made for the table")
	require.NoError(t, renames.Close(t.Context()))

	for _, change := range []string{"er role postgres set application_name = %L", "er database %I set work_mem = '1MB'", "er database %I connection limit 5"} {
		roles := share(t, a, notes(), "do $do$ begin execute 'alt' || format($$"+change+"$$, current_database()); end $do$")
		_, err = roles.Changes(t.Context())
		require.ErrorIs(t, err, arena.ErrUnshared, change)
		require.NoError(t, roles.Close(t.Context()))
	}

	breaks := share(t, a, notes(), "")
	database := ask(t, ownerOf(t, breaks), "select current_database()")
	require.NoError(t, ownerOf(t, breaks).Close(t.Context()))
	assert.True(t, breaks.Unshared())
	_, err = breaks.Session(t.Context(), "anon")
	require.ErrorIs(t, err, arena.ErrUnshared)
	require.NoError(t, breaks.Close(t.Context()))

	next := share(t, a, notes(), "")
	assert.NotEqual(t, database, ask(t, ownerOf(t, next), "select current_database()"))
}

func TestACopyThatATransactionWasEndedInIsNotSharedAgain(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"commit", "commit; begin", "rollback; begin; savepoint other"} {
		a := newArena(t)
		c := share(t, a, notes(), policies)
		session, err := c.Session(t.Context(), "anon")
		require.NoError(t, err)
		database := ask(t, session, "select current_database()")
		_, err = session.Exec(t.Context(), way, pgx.QueryExecModeSimpleProtocol)
		require.NoError(t, err)
		_, err = c.Session(t.Context(), "authenticated")
		require.ErrorIs(t, err, arena.ErrUnshared, way)
		assert.True(t, c.Unshared(), way)
		require.NoError(t, c.Close(t.Context()))

		next := share(t, a, notes(), "")
		assert.NotEqual(t, database, ask(t, ownerOf(t, next), "select current_database()"), way)
		assert.Equal(t, "0", ask(t, ownerOf(t, next), "select count(*) from pg_policies where schemaname = 'public'"), way)
	}
}

func TestASharedCopyIsReplacedWhenItHasBeenUsedOften(t *testing.T) {
	t.Parallel()
	a := newArena(t)
	databases := map[string]int{}
	for range 210 {
		c, err := a.Share(t.Context(), notes())
		require.NoError(t, err)
		require.NoError(t, c.Apply(t.Context(), "candidate.sql", policies))
		databases[ask(t, ownerOf(t, c), "select current_database()")]++
		require.NoError(t, c.Close(t.Context()))
	}
	assert.Len(t, databases, 2)
}
