package stack_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
)

func TestMain(m *testing.M) {
	nativetest.Main()
	os.Exit(m.Run())
}

// forum is a workspace with a table and a hook that puts a claim into tokens.
func forum(t *testing.T) string {
	t.Helper()
	return folder(t, map[string]string{
		"config.toml": minimal + `
[auth.email]
enable_confirmations = true
[auth.hook.custom_access_token]
enabled = true
uri = "pg-functions://postgres/public/hook"
`,
		"migrations/1_t.sql": `
			create table notes (id int primary key, text text);
			insert into notes values (1, 'read me');
			grant select on notes to anon;
			create function hook(event jsonb) returns jsonb language plpgsql as $$ begin
				if event->'claims'->>'email' like 'bad%' then raise exception 'no token for you'; end if;
				return jsonb_set(event, '{claims,level}', '7');
			end $$;
			grant execute on function hook to supabase_auth_admin;`,
	})
}

// onFakes is a configuration with executables that behave as they are told.
func onFakes(t *testing.T, workspace string, auth, rest []nativetest.Behaviour) stack.Config {
	t.Helper()
	return stack.Config{
		Workspace: workspace, Engine: stack.EngineNative,
		AuthServer: nativetest.Auth(t, auth...), PostgREST: nativetest.PostgREST(t, rest...),
	}
}

// confirm follows the newest mail to an address, and returns the answer of /verify.
func confirm(t *testing.T, s *stack.Stack, email string) string {
	t.Helper()
	e := s.Endpoints()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.APIURL+"/mail/v1/?to="+email, nil)
	require.NoError(t, err)
	req.Header.Set("apikey", e.Keys.Secret)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	var list []mailbox.Message
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&list))
	require.NotEmpty(t, list)
	_, body := call(t, s, http.MethodPost, "/auth/v1/verify",
		`{"type":"signup","email":"`+email+`","token":"`+list[len(list)-1].Code+`"}`)
	return body
}

// claims is the payload of a token.
func claims(t *testing.T, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	require.Len(t, parts, 3)
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	return string(text)
}

func TestAWholeStackRunsOnExecutables(t *testing.T) {
	t.Parallel()
	s := start(t, onFakes(t, forum(t), nil, nil))
	e := s.Endpoints()
	assert.Equal(t, stack.EngineNative, e.Engine)
	assert.Equal(t, "14.17", e.Versions["rest"])
	assert.Equal(t, "2.196.0", e.Versions["auth"])
	assert.Equal(t, 10, s.Settings().BcryptCost)
	assert.Empty(t, s.Settings().EngineReason, "it was asked for")
	status, body := call(t, s, http.MethodGet, "/rest/v1/notes", "")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `[{"id":1,"text":"read me"}]`, body)
	status, body = call(t, s, http.MethodPost, "/auth/v1/signup", `{"email":"ann@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusOK, status, body)
	assert.NotContains(t, body, "access_token")
	var session struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(confirm(t, s, "ann@example.com")), &session))
	assert.Contains(t, claims(t, session.AccessToken), `"level":7`, "hooks reach the executables")
}

func TestWhyAHookFailedIsInTheLogOfAStackOnExecutables(t *testing.T) {
	t.Parallel()
	s := start(t, onFakes(t, forum(t), nil, nil))
	status, body := call(t, s, http.MethodPost, "/auth/v1/signup", `{"email":"bad@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusOK, status, body)
	confirm(t, s, "bad@example.com")
	var found []stack.LogEntry
	for _, e := range s.Log().Entries() {
		if e.Service == "auth" && e.Message == "Hook errored out" {
			found = append(found, e)
		}
	}
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Attrs["error"], "no token for you")
	assert.Equal(t, "P0001", found[0].Attrs["sqlstate"])
	assert.Equal(t, "pg-functions://postgres/public/hook", found[0].Attrs["hook"])
}

func TestAnExecutableThatDiesEndsItsStackWithItsLog(t *testing.T) {
	t.Parallel()
	for part, behaviour := range map[string][2][]nativetest.Behaviour{
		"auth": {{nativetest.CrashOnRequest}, nil}, "rest": {nil, {nativetest.CrashOnRequest}},
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			s := start(t, onFakes(t, forum(t), behaviour[0], behaviour[1]))
			status, body := call(t, s, http.MethodGet, "/"+part+"/v1/crash", "")
			assert.Equal(t, http.StatusBadGateway, status)
			assert.Contains(t, body, part)
			select {
			case <-s.Done():
			case <-time.After(30 * time.Second):
				require.Fail(t, "the stack goes on without "+part)
			}
			assert.ErrorContains(t, s.Err(), part+" ended: ")
			assert.ErrorContains(t, s.Err(), "exit status 4")
			assert.ErrorContains(t, s.Err(), "out of luck")
		})
	}
}

func TestAnExecutableThatDoesNotStartIsNobodysFaultButItsOwn(t *testing.T) {
	t.Parallel()
	s, err := stack.Start(t.Context(), onFakes(t, forum(t), nil, []nativetest.Behaviour{nativetest.CrashAtStart}))
	var start *stack.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, "rest", start.Phase)
	assert.Equal(t, stack.FaultInfrastructure, start.Fault)
	assert.ErrorContains(t, err, "nothing works")
	assert.ErrorContains(t, err, "[hidden]")
	assert.Empty(t, s.Endpoints().APIURL)
}

func TestSettingsThatAnExecutableRefusesAreTheWorkspacesFault(t *testing.T) {
	t.Parallel()
	_, err := stack.Start(t.Context(), onFakes(t, forum(t), []nativetest.Behaviour{nativetest.RefuseSettings}, nil))
	var start *stack.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, "auth", start.Phase)
	assert.Equal(t, stack.FaultWorkspace, start.Fault)
	assert.ErrorContains(t, err, "refuses its settings: invalid table name: 1f")
}

func TestOldExecutablesAreWarnedOf(t *testing.T) {
	t.Parallel()
	s := start(t, onFakes(t, forum(t), []nativetest.Behaviour{nativetest.OldVersion}, []nativetest.Behaviour{nativetest.NoVersion}))
	assert.Contains(t, s.Settings().Warnings, "Auth 2.60.1 is too old: results can differ from those of 2.180 or later")
	assert.Contains(t, s.Settings().Warnings, "PostgREST does not tell its version; 14 or later is needed")
	assert.Equal(t, "2.60.1", s.Endpoints().Versions["auth"])
	assert.Equal(t, "unknown", s.Endpoints().Versions["rest"])
}

func TestAServiceThatIsSwitchedOffIsNotRun(t *testing.T) {
	t.Parallel()
	workspace := folder(t, map[string]string{"config.toml": minimal + "[auth]\nenabled = false\n"})
	cfg := onFakes(t, workspace, []nativetest.Behaviour{nativetest.CrashAtStart}, nil)
	s := start(t, cfg)
	assert.NotContains(t, s.Endpoints().Versions, "auth")
	assert.NoFileExists(t, filepath.Join(filepath.Dir(cfg.AuthServer), "starts"))
}

func TestAResetStartsExecutablesAgain(t *testing.T) {
	t.Parallel()
	cfg := onFakes(t, forum(t), nil, nil)
	s := start(t, cfg)
	status, _ := call(t, s, http.MethodPost, "/auth/v1/signup", `{"email":"ann@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, s.Reset(t.Context(), stack.ResetOptions{}))
	starts, _ := nativetest.Traces(t, cfg.AuthServer)
	assert.Equal(t, []string{"migrate", "serve", "migrate", "serve"}, starts)
	status, body := call(t, s, http.MethodGet, "/rest/v1/notes", "")
	assert.Equal(t, http.StatusOK, status, body)
}

func TestAutoTakesTheExecutablesWhenBothAreThere(t *testing.T) {
	t.Parallel()
	cfg := stack.Config{
		Workspace: folder(t, map[string]string{"config.toml": minimal}), Engine: stack.EngineAuto,
		Env: map[string]string{native.EnvAuth: nativetest.Auth(t), native.EnvPostgREST: nativetest.PostgREST(t)},
	}
	s := start(t, cfg)
	assert.Equal(t, stack.EngineNative, s.Endpoints().Engine)
	assert.Equal(t, "the executables of PostgREST and Auth were found", s.Settings().EngineReason)

	delete(cfg.Env, native.EnvAuth)
	cfg.Postgres.CacheDir = t.TempDir()
	choice, err := stack.ChooseEngine(cfg)
	require.NoError(t, err)
	assert.Equal(t, stack.EngineEmbedded, choice.Engine)
	assert.Equal(t, "no executable of Auth was found", choice.Reason)
}

func TestNativeWithoutExecutablesSaysWhichAndWhatToDo(t *testing.T) {
	t.Parallel()
	cfg := stack.Config{Workspace: folder(t, map[string]string{"config.toml": minimal}), Engine: stack.EngineNative}
	cfg.Postgres.CacheDir = t.TempDir()
	_, err := stack.Start(t.Context(), cfg)
	var start *stack.StartError
	require.ErrorAs(t, err, &start)
	assert.Equal(t, "engine", start.Phase)
	assert.Equal(t, stack.FaultInfrastructure, start.Fault)
	assert.ErrorContains(t, err, "no executable of PostgREST found: SUPASCORE_POSTGREST_BIN is not set")
	assert.ErrorContains(t, err, "no executable of Auth found: SUPASCORE_AUTH_BIN is not set")
	assert.Contains(t, start.Hint(), "supascore stack install")

	for _, engine := range []stack.Engine{stack.EngineNative, stack.EngineAuto} {
		cfg.Engine, cfg.AuthServer = engine, filepath.Join(t.TempDir(), "none")
		_, err = stack.ChooseEngine(cfg)
		var unusable *native.UnusableError
		assert.ErrorAs(t, err, &unusable, "what was named is not passed over, by %s", engine)
	}
}
