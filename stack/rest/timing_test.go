package rest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/rest"
)

func TestAnswersTellWhatTheirPartsTookWhenConfigured(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create table public.t (id int primary key);
		create function public.sleepy() returns int language sql as $$ select 1 from pg_sleep(0.03) $$;`,
		func(c *rest.Config) { c.ServerTiming = true })
	form := regexp.MustCompile(`^jwt;dur=\d+\.\d, parse;dur=\d+\.\d, plan;dur=\d+\.\d, transaction;dur=(\d+\.\d), response;dur=\d+\.\d$`)
	transaction := func(r reply) float64 {
		t.Helper()
		found := form.FindStringSubmatch(r.header.Get("Server-Timing"))
		require.NotNil(t, found, "Server-Timing: %s", r.header.Get("Server-Timing"))
		ms, err := strconv.ParseFloat(found[1], 64)
		require.NoError(t, err)
		return ms
	}
	assert.Positive(t, transaction(a.get(as("service_role"), "/t")))
	assert.Positive(t, transaction(a.send(as("service_role"), http.MethodPost, "/t", `{"id":1}`)))
	assert.Positive(t, transaction(a.get(as("service_role"), "/")), "the root document asks for privileges")
	assert.Zero(t, transaction(a.send(as("service_role"), http.MethodOptions, "/t", "")), "needs no database")
	slept := transaction(a.send(as("service_role"), http.MethodPost, "/rpc/sleepy", `{}`))
	assert.GreaterOrEqual(t, slept, 30.0, "milliseconds")
	assert.Empty(t, a.get(as("service_role"), "/nothing").header.Get("Server-Timing"), "failures tell nothing")

	b := serveDatabase(t, a.postgres, a.database)
	assert.Empty(t, b.get(as("service_role"), "/t").header.Get("Server-Timing"))
}

func TestTheSettingsOfFunctionsThatHoldForTheTransactionCanBeChosen(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Shared(t)
	db := postgrestest.ExposedDatabase(t, srv, true)
	// The result is made outside of the function, where its own settings hold only when they are hoisted.
	postgrestest.Exec(t, srv, "postgres", db, `
		create view public.v as select current_setting('work_mem') as work_mem, current_setting('statement_timeout') as statement_timeout;
		create function public.tuned() returns setof public.v language sql set work_mem = '7MB' set statement_timeout = '3s'
		  as $$ select * from public.v $$;
		create function public.seen(public.v) returns text stable language sql
		  as $$ select current_setting('work_mem') || ' ' || current_setting('statement_timeout') $$;`)
	const path = "/rpc/tuned?select=seen"
	outside := func(a *api) string { return a.get(as("service_role"), path).body }
	assert.Equal(t, `[{"seen":"4MB 3s"}]`, outside(serveDatabase(t, srv, db)))
	assert.Equal(t, `[{"seen":"7MB 8s"}]`, outside(serveDatabase(t, srv, db, func(c *rest.Config) {
		c.HoistedSettings = []string{"work_mem"}
	})))

	postgrestest.Exec(t, srv, "supabase_admin", db, `alter role authenticator in database `+db+` set pgrst.db_hoisted_tx_settings = 'statement_timeout, work_mem'`)
	assert.Equal(t, `[{"seen":"7MB 3s"}]`, outside(serveDatabase(t, srv, db)), "stored on the login role")
}

func TestTheRootDocumentKeepsItsCommentWhenItListsEverything(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		comment on schema public is 'A shop';
		create table public.closed (id int primary key);
		revoke all on public.closed from anon;`, func(c *rest.Config) { c.OpenAPIMode = rest.OpenAPIIgnorePrivileges })
	var doc struct {
		Info  struct{ Title, Description string }
		Paths map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(a.get(nobody(), "/").body), &doc))
	assert.Equal(t, "A shop", doc.Info.Title)
	assert.Empty(t, doc.Info.Description, "the comment has one line")
	assert.Contains(t, doc.Paths, "/closed")
}
