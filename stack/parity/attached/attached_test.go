package attached_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/fixtures/recordings"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/attached"
	"github.com/supascore/supascore/stack/parity/replay"
)

// running is the place of a stack that runs until the test ends, with an empty database
// and a configuration.
func running(t *testing.T, config string) attach.Place {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "supabase"), 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "config.toml"), []byte("project_id = \"replayed\"\n"+config), 0o600))
	s, err := stack.Start(t.Context(), stack.Config{Workspace: dir, Engine: stack.EngineEmbedded})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	e := s.Endpoints()
	auth, err := s.AuthStart()
	require.NoError(t, err)
	place, err := attach.Place{APIURL: e.APIURL, DBURL: e.DBURL, Keys: e.Keys, Auth: auth}.Complete()
	require.NoError(t, err)
	return place
}

// outcome is what a replay against a running stack came to.
type outcome struct {
	agree, asked int
	// left maps scenarios to why they were left out, each reason with the number of steps.
	left   map[string]map[string]int
	failed []parity.Finding
}

// replayed replays groups against a running stack.
func replayed(t *testing.T, place attach.Place, groups ...string) outcome {
	t.Helper()
	engine, err := attached.Start(t.Context(), ground.Config{Place: place})
	require.NoError(t, err)
	got, err := replay.Run(t.Context(), replay.Config{Recordings: recordings.Files, Groups: groups, Parallel: 1},
		replay.Targets{REST: engine.REST(), Auth: engine.Auth()})
	require.NoError(t, err)
	require.NoError(t, engine.Stop(t.Context()))
	out := outcome{left: map[string]map[string]int{}}
	for _, g := range got {
		agree, asked := g.Report.Count()
		out.agree, out.asked = out.agree+agree, out.asked+asked
		out.failed = append(out.failed, g.Report.Failed()...)
		for _, f := range g.Report.Findings {
			if f.Verdict != parity.NotAsked {
				continue
			}
			if out.left[f.Step.Scenario] == nil {
				out.left[f.Step.Scenario] = map[string]int{}
			}
			out.left[f.Step.Scenario][f.Reason]++
		}
	}
	return out
}

// state is what there is in a database, for comparison.
func state(t *testing.T, place attach.Place) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), place.DBURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), `
		select 'object ' || oid || coalesce(' ' || relacl::text, '') || relrowsecurity from pg_class where oid >= 16384
		union all select 'function ' || oid || coalesce(' ' || proacl::text, '') from pg_proc where oid >= 16384
		union all select 'schema ' || nspname || coalesce(' ' || nspacl::text, '') from pg_namespace where nspname !~ '_temp_'
		union all select 'policy ' || polname from pg_policy
		union all select 'trigger ' || tgname from pg_trigger
		union all select 'default ' || d::text from (select defaclrole, defaclnamespace, defaclobjtype, defaclacl from pg_default_acl) d
		union all select 'role ' || r::text from (select rolname, rolcanlogin, rolinherit, rolbypassrls, rolconfig from pg_roles) r
		union all select 'member ' || m::text from (select roleid, member, admin_option from pg_auth_members) m
		union all select 'setting ' || s::text from pg_db_role_setting s
		union all select 'user ' || u::text from auth.users u
		order by 1`)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(lines), 100)
	return lines
}

func TestARunningStackAnswersAsRecordedWhateverItCanBeAsked(t *testing.T) {
	t.Parallel()
	place := running(t, "")
	before := state(t, place)
	got := replayed(t, place, "auth-jwt", "grants", "rls-insert", "upsert", "schema-cache", "options-cors")
	assert.Empty(t, got.failed)
	assert.Equal(t, got.asked, got.agree)
	assert.GreaterOrEqual(t, got.asked, 440)
	const heard = "the server hears of changes of the schema, which the recorded one did not"
	assert.Equal(t, map[string]map[string]int{
		"auth-jwt/accepted_tokens":         {"the gateway turns the key in apikey into a token": 2},
		"auth-jwt/malformed_headers":       {"the gateway turns the key in Authorization into a token": 1},
		"auth-jwt/no_anon_role":            {"needs no db-anon-role": 9},
		"auth-jwt/secret_as_key_set":       {"needs another jwt-secret": 8},
		"options-cors/cors":                {"the gateway answers requests of other origins by rules of its own": 13},
		"schema-cache/dropped_and_changed": {heard: 10},
		"schema-cache/keys_and_views":      {heard: 5},
		"schema-cache/new_objects":         {heard: 10},
	}, got.left)
	assert.Equal(t, before, state(t, place), "the stack is given back as it was")
}

func TestWhatNeedsOtherSettingsThanTheStacksIsNotAsked(t *testing.T) {
	t.Parallel()
	place := running(t, "[api]\nmax_rows = 2\n")
	got := replayed(t, place, "pagination", "order")
	assert.Empty(t, got.failed)
	assert.Equal(t, map[string]map[string]int{
		"order/directions_and_nulls":       {"needs db-max-rows=1000": 20},
		"pagination/exact_count":           {"needs db-max-rows=1000": 18},
		"pagination/limit_and_offset":      {"needs db-max-rows=1000": 14},
		"pagination/max_rows":              {"needs db-max-rows=1000": 10},
		"pagination/planned_and_estimated": {"needs db-max-rows=1000": 10},
	}, got.left, "the recording that was made with two rows is asked")
	assert.Equal(t, 14, got.agree)
}

func TestAStackThatExposesOtherSchemasIsNotAsked(t *testing.T) {
	t.Parallel()
	place := running(t, "[api]\nschemas = [\"graphql_public\"]\n")
	before := state(t, place)
	got := replayed(t, place, "singular")
	assert.Zero(t, got.asked)
	for scenario, reasons := range got.left {
		for reason := range reasons {
			assert.Equal(t, "needs db-schemas=public,graphql_public", reason, scenario)
		}
	}
	assert.Equal(t, before, state(t, place))
}

func TestARunningAuthIsAskedWhatItsSettingsAllow(t *testing.T) {
	t.Parallel()
	const recorded = "[api]\nexternal_url = \"http://127.0.0.1:54321\"\n"
	for name, test := range map[string]struct {
		config string
		groups []string
		asked  int
		left   map[string]map[string]int
	}{
		"as the CLI starts it": {
			recorded,
			[]string{"logout", "seed", "mfa", "anonymous"},
			51,
			map[string]map[string]int{
				"mfa_totp":             {"needs GOTRUE_MFA_TOTP_ENROLL_ENABLED=true": 31},
				"anonymous_conversion": {"needs GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED=true": 16},
				"anonymous_sign_in":    {"needs GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED=true": 19},
			},
		},
		"with people who give no name": {
			recorded + "[auth]\nenable_anonymous_sign_ins = true\n",
			[]string{"anonymous"},
			35,
			map[string]map[string]int{"anonymous_disabled": {"needs GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED=false": 6}},
		},
		"at another address": {
			"",
			[]string{"seed"},
			0,
			map[string]map[string]int{"seed_sql_users": {"needs API_EXTERNAL_URL=http://127.0.0.1:54321/auth/v1": 16}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := running(t, test.config)
			before := state(t, place)
			got := replayed(t, place, test.groups...)
			assert.Empty(t, got.failed)
			assert.Equal(t, test.asked, got.asked)
			assert.Equal(t, got.asked, got.agree)
			assert.Equal(t, test.left, got.left)
			assert.Equal(t, before, state(t, place), "nobody who signed up is left")
		})
	}
}

func TestAnAuthOfWhichNobodyKnowsItsStartIsNotAsked(t *testing.T) {
	t.Parallel()
	place := running(t, "")
	place.Auth = nil
	got := replayed(t, place, "auth/seed")
	assert.Equal(t, outcome{left: map[string]map[string]int{
		"seed_sql_users": {"what the running Auth was started with is not known": 16},
	}}, got)
}
