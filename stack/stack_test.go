package stack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
)

// minimal is a configuration without anything that a test does not need.
const minimal = "project_id = \"test\"\n"

// folder writes a workspace; paths are below supabase/.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, "supabase", filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

func start(t *testing.T, cfg stack.Config) *stack.Stack {
	t.Helper()
	s, err := stack.Start(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	return s
}

// call is one request to the stack with its publishable key.
func call(t *testing.T, s *stack.Stack, method, path, body string) (int, string) {
	t.Helper()
	e := s.Endpoints()
	req, err := http.NewRequestWithContext(t.Context(), method, e.APIURL+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", e.Keys.Publishable)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

func TestStacksSideBySideShareNothing(t *testing.T) {
	t.Parallel()
	const stacks = 3
	var group sync.WaitGroup
	running := make([]*stack.Stack, stacks)
	for i := range stacks {
		group.Go(func() {
			running[i] = start(t, stack.Config{Workspace: folder(t, map[string]string{
				"config.toml": minimal,
				"migrations/1_t.sql": fmt.Sprintf(
					"create role r%d; create table t (n int); insert into t values (%d); grant select on t to anon;", i, i),
			})})
		})
	}
	group.Wait()
	ports := map[string]bool{}
	for i, s := range running {
		status, body := call(t, s, http.MethodGet, "/rest/v1/t", "")
		assert.Equal(t, http.StatusOK, status)
		assert.JSONEq(t, fmt.Sprintf(`[{"n":%d}]`, i), body)
		ports[s.Endpoints().APIURL], ports[s.Endpoints().DBURL] = true, true
		conn, err := pgx.Connect(t.Context(), s.Endpoints().DBURL)
		require.NoError(t, err)
		var roles []string
		require.NoError(t, conn.QueryRow(t.Context(), `select array_agg(rolname::text) from pg_roles where rolname ~ '^r[0-9]$'`).Scan(&roles))
		assert.Equal(t, []string{fmt.Sprintf("r%d", i)}, roles, "roles belong to one stack")
		require.NoError(t, conn.Close(t.Context()))
	}
	assert.Len(t, ports, 2*stacks)
}

func TestAStackTellsItsPhasesSettingsAndVersions(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	begun := map[string]bool{}
	s := start(t, stack.Config{
		Workspace: folder(t, map[string]string{
			"config.toml": minimal + "[realtime]\nenabled = true\n", "migrations/README.md": "not one",
		}),
		OnPhase: func(name string) { mu.Lock(); begun[name] = true; mu.Unlock() },
	})
	ended := map[string]bool{}
	for _, p := range s.Phases() {
		ended[p.Name] = true
		assert.NoError(t, p.Err)
		assert.Positive(t, p.Elapsed)
	}
	assert.Equal(t, begun, ended)
	for _, name := range []string{"config", "workspace", "postgres", "migrations", "gateway", "auth", "rest", "ready"} {
		assert.True(t, ended[name], name)
	}
	assert.False(t, s.Settings().ExposeNewTables, "the CLI's default of today")
	assert.Equal(t, "default", s.Settings().ExposeNewTablesSource)
	assert.Equal(t, 4, s.Settings().BcryptCost)
	assert.Contains(t, s.Settings().NotProvided, "realtime")
	assert.Regexp(t, `^1[5-9]\.`, s.Endpoints().Versions["postgres"])
	assert.Contains(t, strings.Join(s.Settings().Warnings, "\n"), "supabase/migrations/README.md is not applied")
}

func TestTheCallerMayOverrideTheExposureOfNewTables(t *testing.T) {
	t.Parallel()
	yes := true
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_t.sql": "create table t (n int);"})
	status, _ := call(t, start(t, stack.Config{Workspace: dir, ExposeNewTables: &yes}), http.MethodGet, "/rest/v1/t", "")
	assert.Equal(t, http.StatusOK, status)
	status, body := call(t, start(t, stack.Config{Workspace: dir}), http.MethodGet, "/rest/v1/t", "")
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Contains(t, body, "permission denied for table t")
}

func TestServicesThatAreSwitchedOffStayAway(t *testing.T) {
	t.Parallel()
	s := start(t, stack.Config{Workspace: folder(t, map[string]string{
		"config.toml": minimal + "[auth]\nenabled = false\n",
	})})
	status, body := call(t, s, http.MethodGet, "/auth/v1/health", "")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Contains(t, body, "auth is not running: it is switched off in config.toml")
	status, _ = call(t, s, http.MethodGet, "/rest-admin/v1/ready", "")
	assert.Equal(t, http.StatusOK, status)
}

func TestAWorkspaceThatCannotBeBootedIsNamedAndAtFault(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files       map[string]string
		phase, want string
	}{
		"no config.toml":     {map[string]string{"x": ""}, "config", "supabase/config.toml: the workspace has no such file"},
		"broken config.toml": {map[string]string{"config.toml": "a = \n"}, "config", "supabase/config.toml:1:"},
		"broken migration": {
			map[string]string{"config.toml": minimal, "migrations/7_x.sql": "select 1;\nselect nope;"},
			"migrations", "supabase/migrations/7_x.sql:2:8: column \"nope\" does not exist (SQLSTATE 42703)",
		},
		"hyphen in a hook": {
			map[string]string{"config.toml": minimal + "[auth.hook.custom_access_token]\nenabled = true\nuri = \"pg-functions://postgres/public/a-b\"\n"},
			"auth", "a-b",
		},
		"short secret": {map[string]string{"config.toml": minimal + "[auth]\njwt_secret = \"short\"\n"}, "config", "jwt_secret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := stack.Start(t.Context(), stack.Config{Workspace: folder(t, tc.files)})
			var failed *stack.StartError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, stack.FaultWorkspace, failed.Fault)
			assert.Equal(t, tc.phase, failed.Phase)
			assert.Contains(t, failed.Error(), tc.want)
			require.NotNil(t, s)
			assert.NoError(t, s.Stop(t.Context()), "after a failed start there is nothing to stop")
		})
	}
}

func TestACancelledStartLeavesNothingWhateverPhaseItIsIn(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_t.sql": "create table t (n int);"})
	for _, phase := range []string{"config", "workspace", "postgres", "exposure", "migrations", "gateway", "auth", "rest", "ready"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			pressed := errors.New("Ctrl-C")
			s, err := stack.Start(ctx, stack.Config{Workspace: dir, OnPhase: func(name string) {
				if name == phase {
					cancel(pressed)
				}
			}})
			require.ErrorIs(t, err, pressed)
			require.NotNil(t, s)
			select {
			case <-s.Done():
			default:
				t.Error("the stack has not ended")
			}
			assert.Empty(t, s.Endpoints().APIURL)
		})
	}
}

func TestAStackWhosePostgresIsKilledEndsWithItsCause(t *testing.T) {
	t.Parallel()
	s, err := stack.Start(t.Context(), stack.Config{Workspace: folder(t, map[string]string{"config.toml": minimal})})
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), s.Endpoints().DBURL)
	require.NoError(t, err)
	var backend int
	require.NoError(t, conn.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&backend))
	require.NoError(t, syscall.Kill(parentOf(t, backend), syscall.SIGKILL))
	select {
	case <-s.Done():
	case <-time.After(20 * time.Second):
		t.Fatal("the stack goes on without Postgres")
	}
	assert.ErrorContains(t, s.Err(), "postgres ended")
	assert.NoError(t, s.Stop(t.Context()))
	_, err = http.Get(s.Endpoints().APIURL + "/auth/v1/health") //nolint:noctx // the address of a server that is gone
	assert.ErrorContains(t, err, "refused")
}

// parentOf is the process that started a backend: the server itself.
func parentOf(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skipf("needs /proc: %s", err)
	}
	var state string
	var parent int
	_, err = fmt.Sscanf(string(text)[strings.LastIndex(string(text), ")")+1:], " %s %d", &state, &parent)
	require.NoError(t, err)
	return parent
}

func TestTokensOfSigningKeysAreTakenByRESTAndAuth(t *testing.T) {
	t.Parallel()
	s := start(t, stack.Config{Workspace: folder(t, map[string]string{
		"config.toml":       minimal + "[auth]\nsigning_keys_path = \"./signing_keys.json\"\n",
		"signing_keys.json": signingKeys(t),
		"migrations/1_t.sql": "create table t (owner uuid default auth.uid(), n int); grant select, insert on t to authenticated;" +
			"alter table t enable row level security; create policy own on t to authenticated using (owner = auth.uid());",
	})})
	_, body := call(t, s, http.MethodPost, "/auth/v1/signup", `{"email":"a@example.com","password":"secret123"}`)
	var session struct {
		AccessToken string `json:"access_token"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &session), body)
	e := s.Endpoints()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.RESTURL+"/t", strings.NewReader(`{"n":1}`))
	require.NoError(t, err)
	req.Header.Set("apikey", e.Keys.Publishable)
	req.Header.Set("Authorization", "Bearer "+session.AccessToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	assert.Equal(t, http.StatusCreated, resp.StatusCode)
	_, body = call(t, s, http.MethodGet, "/auth/v1/.well-known/jwks.json", "")
	assert.Contains(t, body, `"alg":"ES256"`)
	assert.NotContains(t, body, `"d":`)
}
