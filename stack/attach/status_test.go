package attach_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/keys"
)

// What versions of the CLI print, shortened to what matters.
const (
	oldStatus = `{
  "ANON_KEY": "anon.jwt",
  "API_URL": "http://127.0.0.1:54321",
  "DB_URL": "postgresql://postgres:postgres@127.0.0.1:54322/postgres",
  "GRAPHQL_URL": "http://127.0.0.1:54321/graphql/v1",
  "INBUCKET_URL": "http://127.0.0.1:54324",
  "JWT_SECRET": "secret",
  "SERVICE_ROLE_KEY": "service.jwt",
  "STUDIO_URL": "http://127.0.0.1:54323"
}
`
	newStatus = `{
  "ANON_KEY": "anon.jwt",
  "API_URL": "http://127.0.0.1:54321",
  "DB_URL": "postgresql://postgres:postgres@127.0.0.1:54322/postgres",
  "JWT_SECRET": "secret",
  "MAILPIT_URL": "http://127.0.0.1:54324",
  "PUBLISHABLE_KEY": "sb_publishable_x",
  "REST_URL": "http://127.0.0.1:54321/rest/v1",
  "SECRET_KEY": "sb_secret_x",
  "SERVICE_ROLE_KEY": "service.jwt"
}
`
	// Before 2.106 the warning of stopped services went to the same stream in some
	// wrappers, and news of updates still do.
	noisyStatus = "Stopped services: [supabase_imgproxy_x supabase_pooler_x]\n{not json}\n" + newStatus +
		"A new version of Supabase CLI is available: v2.110.0 (currently installed v2.67.1)\n"
	nextStatus = `{"type":"success","message":"Local Supabase stack is running.","data":{"stack":"default","running":true,
"api_url":"http://127.0.0.1:54321","db_url":"postgresql://postgres:postgres@127.0.0.1:54322/postgres",
"publishable_key":"sb_publishable_x","secret_key":"sb_secret_x","versions":{"auth":"2.180.0"}}}`
)

func TestEverySpellingOfAStatusIsRead(t *testing.T) {
	t.Parallel()
	const db = "postgresql://postgres:postgres@127.0.0.1:54322/postgres"
	all := keys.Set{JWTSecret: "secret", Publishable: "sb_publishable_x", Secret: "sb_secret_x", Anon: "anon.jwt", ServiceRole: "service.jwt"}
	for name, test := range map[string]struct {
		output string
		keys   keys.Set
	}{
		"before the new keys":  {oldStatus, keys.Set{JWTSecret: "secret", Publishable: "anon.jwt", Secret: "service.jwt", Anon: "anon.jwt", ServiceRole: "service.jwt"}},
		"with the new keys":    {newStatus, all},
		"among other lines":    {noisyStatus, all},
		"of the rewritten CLI": {nextStatus, keys.Set{Publishable: "sb_publishable_x", Secret: "sb_secret_x"}},
		"with a slash, by the REST URL only": {
			`{"REST_URL":"http://127.0.0.1:54321/rest/v1","DB_URL":"` + db + `","PUBLISHABLE_KEY":"k"}`, keys.Set{Publishable: "k"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place, err := attach.ParseStatus([]byte(test.output))
			require.NoError(t, err)
			place, err = place.Complete()
			require.NoError(t, err)
			assert.Equal(t, attach.Place{APIURL: "http://127.0.0.1:54321", DBURL: db, Keys: test.keys, From: "supabase status"}, place)
		})
	}
}

func TestAStatusThatNamesNoAPIIsAStackThatDoesNotRun(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		// `supabase db start` starts the database alone.
		`{"DB_URL": "postgresql://x"}`: "supabase status names no API_URL, no PUBLISHABLE_KEY or ANON_KEY",
		// Auth was excluded.
		`{"DB_URL": "postgresql://x", "API_URL": "http://127.0.0.1:54321"}`: "names no PUBLISHABLE_KEY or ANON_KEY",
	} {
		_, err := attach.ParseStatus([]byte(output))
		require.ErrorIs(t, err, attach.ErrNotRunning, output)
		assert.ErrorContains(t, err, want)
	}
}

func TestGarbageIsNoStatus(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"", "null", "[]", "{}", `{"a": {"b": `, "API URL: http://x", "\x00\xff", strings.Repeat("{\n", 1000), `{"API_URL": 7}`} {
		_, err := attach.ParseStatus([]byte(output))
		require.Error(t, err, "%q", output)
		assert.NotErrorIs(t, err, attach.ErrNotRunning, "%q", output)
		assert.Less(t, len(err.Error()), 300)
	}
}

func FuzzParseStatus(f *testing.F) {
	for _, seed := range []string{oldStatus, newStatus, noisyStatus, nextStatus, `{"DB_URL":"x"}`, "{\n{\n{"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		place, err := attach.ParseStatus(output)
		if err != nil {
			return
		}
		assert.NotEmpty(t, place.APIURL)
		assert.NotEmpty(t, place.DBURL)
		assert.NotEmpty(t, place.Keys.Publishable+place.Keys.Anon)
	})
}
