package bootstrap_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func TestRolesAreThoseOfAProject(t *testing.T) {
	t.Parallel()
	conn := connect(t, "postgres", "postgres")
	for role, want := range map[string]string{
		// login, superuser, createdb, createrole, replication, bypassrls, inherit
		"anon":                    "------i",
		"authenticated":           "------i",
		"service_role":            "-----bi",
		"authenticator":           "l------",
		"postgres":                "l-cxrbi",
		"supabase_admin":          "lscxrbi",
		"supabase_auth_admin":     "l------",
		"supabase_storage_admin":  "l--x---",
		"dashboard_user":          "--cxr-i",
		"supabase_read_only_user": "l----bi",
	} {
		got := value(t, conn, `select case when rolcanlogin then 'l' else '-' end || case when rolsuper then 's' else '-' end
			|| case when rolcreatedb then 'c' else '-' end || case when rolcreaterole then 'x' else '-' end
			|| case when rolreplication then 'r' else '-' end || case when rolbypassrls then 'b' else '-' end
			|| case when rolinherit then 'i' else '-' end from pg_roles where rolname = '`+role+`'`)
		assert.Equal(t, want, got, role)
	}
	assert.Equal(t, "{anon,authenticated,service_role}", value(t, conn,
		`select array_agg(roleid::regrole::text order by 1) from (select roleid from pg_auth_members where member = 'authenticator'::regrole order by roleid::regrole::text) m`))
}

func TestRoleSettingsAreThoseOfAProject(t *testing.T) {
	t.Parallel()
	conn := connect(t, "postgres", "postgres")
	for role, want := range map[string]string{
		"anon":                   "{statement_timeout=3s}",
		"authenticated":          "{statement_timeout=8s}",
		"authenticator":          "{statement_timeout=8s,lock_timeout=8s}",
		"service_role":           "<null>",
		"postgres":               `{"search_path=\"$user\", public, extensions"}`,
		"supabase_auth_admin":    "{search_path=auth,idle_in_transaction_session_timeout=60000}",
		"supabase_storage_admin": "{search_path=storage}",
	} {
		got := value(t, conn, `select rolconfig::text from pg_roles where rolname = '`+role+`'`)
		assert.Equal(t, want, got, role)
	}
}

func TestPartsCanBeLeftOut(t *testing.T) {
	t.Parallel()
	all, err := bootstrap.Scripts(bootstrap.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		opts bootstrap.Options
		word string
	}{
		{bootstrap.Options{NoRoleTimeouts: true}, "statement_timeout"},
		{bootstrap.Options{NoSchemaWatch: true}, "pgrst_ddl_watch"},
	} {
		without, err := bootstrap.Scripts(c.opts)
		require.NoError(t, err)
		require.Len(t, without, len(all)-1)
		for _, s := range without {
			assert.NotContains(t, s.SQL, c.word, s.Name)
		}
	}
}

// TestScriptsComeInTheOrderInWhichTheyDependOnEachOther: the auth tables need
// the schema and its owner, the grants need the tables.
func TestScriptsComeInTheOrderInWhichTheyDependOnEachOther(t *testing.T) {
	t.Parallel()
	scripts, err := bootstrap.Scripts(bootstrap.Options{})
	require.NoError(t, err)
	at := map[string]int{}
	for i, s := range scripts {
		at[s.Name] = i
		assert.NotEmpty(t, s.SQL, s.Name)
	}
	order := []string{"10_roles.sql", "30_schemas.sql", "50_auth_functions.sql", "auth/20_users.sql", "60_auth_grants.sql", "90_managed_schemas.sql"}
	for i := 1; i < len(order); i++ {
		require.Contains(t, at, order[i])
		assert.Less(t, at[order[i-1]], at[order[i]], order[i])
	}
}

// TestClaimsAreReadFromTheRequest covers what the functions of auth say for
// each way that REST servers pass claims.
func TestClaimsAreReadFromTheRequest(t *testing.T) {
	t.Parallel()
	const id = "3f0a8e52-6d1c-4c7e-9a54-1b2c3d4e5f60"
	conn := connect(t, "authenticator", postgrestest.Database(t, postgrestest.Shared(t)))
	state, message := run(t, conn, "set role anon")
	require.Empty(t, state, message)
	for name, c := range map[string]struct{ set, uid, role, email, jwt string }{
		"nobody":       {"", "<null>", "<null>", "<null>", "<null>"},
		"empty claims": {`set local request.jwt.claims = ''`, "<null>", "<null>", "<null>", "<null>"},
		"all claims": {
			`set local request.jwt.claims = '{"sub":"` + id + `","role":"authenticated","email":"a@example.com"}'`,
			id, "authenticated", "a@example.com", `{"sub": "` + id + `", "role": "authenticated", "email": "a@example.com"}`,
		},
		"claims without a user": {`set local request.jwt.claims = '{"role":"anon"}'`, "<null>", "anon", "<null>", `{"role": "anon"}`},
		"one setting a claim":   {`set local "request.jwt.claim.sub" = '` + id + `'; set local "request.jwt.claim.role" = 'anon'`, id, "anon", "<null>", "<null>"},
		"both, the older first": {`set local "request.jwt.claim.role" = 'older'; set local request.jwt.claims = '{"role":"newer"}'`, "<null>", "older", "<null>", `{"role": "newer"}`},
	} {
		state, message := run(t, conn, "begin; "+c.set)
		require.Empty(t, state, message)
		assert.Equal(t, c.uid, value(t, conn, "select auth.uid()::text"), name)
		assert.Equal(t, c.role, value(t, conn, "select auth.role()"), name)
		assert.Equal(t, c.email, value(t, conn, "select auth.email()"), name)
		assert.Equal(t, c.jwt, value(t, conn, "select auth.jwt()::text"), name)
		state, _ = run(t, conn, "rollback")
		require.Empty(t, state)
	}
}

func TestEverythingInAuthBelongsToTheAuthServer(t *testing.T) {
	t.Parallel()
	conn := connect(t, "postgres", "postgres")
	for what, sql := range map[string]string{
		"relations": `select string_agg(distinct relowner::regrole::text, ',') from pg_class where relnamespace = 'auth'::regnamespace`,
		"functions": `select string_agg(distinct proowner::regrole::text, ',') from pg_proc where pronamespace = 'auth'::regnamespace`,
		"types":     `select string_agg(distinct typowner::regrole::text, ',') from pg_type where typnamespace = 'auth'::regnamespace`,
		"schema":    `select nspowner::regrole::text from pg_namespace where nspname = 'auth'`,
	} {
		assert.Equal(t, "supabase_auth_admin", value(t, conn, sql), what)
	}
	assert.Equal(t, "pg_database_owner", value(t, conn, `select nspowner::regrole::text from pg_namespace where nspname = 'public'`))
	for _, role := range []string{"anon", "authenticated", "service_role"} {
		assert.Empty(t, rights(t, conn, role, "table", "auth.users", "select", "insert", "update", "delete"), role)
		assert.Equal(t, []string{"usage"}, rights(t, conn, role, "schema", "auth", "usage", "create"), role)
	}
}

func TestStoragePathsAreTakenApart(t *testing.T) {
	t.Parallel()
	conn := connect(t, "authenticator", postgrestest.Database(t, postgrestest.Shared(t)))
	state, message := run(t, conn, "set role anon")
	require.Empty(t, state, message)
	for name, want := range map[string][3]string{
		"a/b/c.png": {"{a,b}", "c.png", "png"},
		"c.tar.gz":  {"{}", "c.tar.gz", "gz"},
		"a/noext":   {"{a}", "noext", "noext"},
		"a/":        {"{a}", "", ""},
	} {
		assert.Equal(t, want[0], value(t, conn, `select storage.foldername('`+name+`')::text`), name)
		assert.Equal(t, want[1], value(t, conn, `select storage.filename('`+name+`')`), name)
		assert.Equal(t, want[2], value(t, conn, `select storage.extension('`+name+`')`), name)
	}
}

// TestStoragePoliciesHold walks the usual policy "everybody in their own
// folder" through.
func TestStoragePoliciesHold(t *testing.T) {
	t.Parallel()
	name := postgrestest.Database(t, postgrestest.Shared(t))
	owner := connect(t, "postgres", name)
	state, message := run(t, owner, `
		insert into storage.buckets (id, name) values ('files', 'files');
		create policy own on storage.objects for all to authenticated
		  using (bucket_id = 'files' and (storage.foldername(name))[1] = auth.uid()::text)`)
	require.Empty(t, state, message)
	api := connect(t, "authenticator", name)
	const id = "3f0a8e52-6d1c-4c7e-9a54-1b2c3d4e5f60"
	signedIn := `begin; set local role authenticated; set local request.jwt.claims = '{"sub":"` + id + `"}'; `
	for sql, want := range map[string]string{
		signedIn + `insert into storage.objects (bucket_id, name) values ('files', '` + id + `/a.txt'); commit`:                "",
		signedIn + `insert into storage.objects (bucket_id, name) values ('files', 'somebody/a.txt'); commit`:                  "42501",
		`begin; set local role anon; insert into storage.objects (bucket_id, name) values ('files', '` + id + `/b'); commit`:   "42501",
		signedIn + `insert into storage.buckets (id, name) values ('mine', 'mine'); commit`:                                    "42501",
		signedIn + `set local storage.allow_delete_query = 'true'; delete from storage.objects where name = 'nothing'; commit`: "",
	} {
		state, message := run(t, api, sql)
		assert.Equal(t, want, state, "%s: %s", sql, message)
		_, _ = run(t, api, "rollback")
	}
	assert.Equal(t, "1", value(t, owner, `select count(*)::text from storage.objects`))
}

func TestABroadcastLeavesAMessage(t *testing.T) {
	t.Parallel()
	conn := connect(t, "postgres", postgrestest.Database(t, postgrestest.Shared(t)))
	state, message := run(t, conn, `begin; select realtime.send('{"a":1}', 'changed', 'room:1', true)`)
	require.Empty(t, state, message)
	assert.Equal(t, "room:1", value(t, conn, `select realtime.topic()`))
	state, message = run(t, conn, `commit`)
	require.Empty(t, state, message)
	assert.Equal(t, "changed room:1 broadcast 1 t", value(t, conn,
		`select concat_ws(' ', event, topic, extension, payload ->> 'a', payload ->> 'id' = id::text) from realtime.messages where private`))
	state, _ = run(t, conn, `select realtime.broadcast_changes('room:1', 'e', 'TRUNCATE', 't', 's', null, null)`)
	assert.Equal(t, "P0001", state)
}

func TestTheRESTServerIsToldOfSchemaChanges(t *testing.T) {
	t.Parallel()
	name := postgrestest.Database(t, postgrestest.Shared(t))
	listener := connect(t, "authenticator", name)
	_, err := listener.Exec(t.Context(), "listen pgrst")
	require.NoError(t, err)
	conn := connect(t, "postgres", name)
	notices := func() (n int) {
		// A round trip delivers what was committed before.
		_, err := listener.Exec(t.Context(), "select 1")
		require.NoError(t, err)
		for {
			note, err := listener.WaitForNotification(expired(t))
			if err != nil {
				return n
			}
			assert.Equal(t, "reload schema", note.Payload)
			n++
		}
	}
	for _, step := range []struct {
		sql  string
		want int
	}{
		{`create table public.t (id int)`, 1},
		{`create function public.f() returns int language sql as 'select 1'`, 1},
		{`create temp table x (id int)`, 0},
		{`insert into public.t values (1)`, 0},
		{`create policy a on storage.objects for select using (true)`, 0},
		{`create table public.u (id int); drop table public.u`, 1},
		{`begin; create table public.v (id int); rollback`, 0},
	} {
		state, message := run(t, conn, step.sql)
		require.Empty(t, state, message)
		assert.Equal(t, step.want, notices(), step.sql)
	}
}

func TestAScriptThatChangesRoleOrSettingsDoesNotPassThatOn(t *testing.T) {
	t.Parallel()
	conn := connect(t, bootstrap.Superuser, postgrestest.Database(t, postgrestest.Shared(t)))
	script := bootstrap.Script{Name: "x.sql", SQL: "set role anon; set search_path = auth; set statement_timeout = 1234"}
	require.NoError(t, bootstrap.Run(t.Context(), conn, script))
	assert.Equal(t, "supabase_admin", value(t, conn, "select current_user::text"))
	assert.NotEqual(t, "auth", value(t, conn, "show search_path"))
	assert.Equal(t, "0", value(t, conn, "show statement_timeout"))
}
