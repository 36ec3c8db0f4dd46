package stack_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
)

// placeOf is a running stack as somebody else would describe it.
func placeOf(s *stack.Stack) attach.Place {
	e := s.Endpoints()
	return attach.Place{APIURL: e.APIURL + "/", DBURL: e.DBURL, Keys: e.Keys}
}

// attached attaches to a place.
func attached(t *testing.T, workspace string, cfg attach.Config) *stack.Stack {
	t.Helper()
	s, err := stack.Start(t.Context(), stack.Config{Workspace: workspace, Engine: stack.EngineAttach, Attach: cfg})
	require.NoError(t, err)
	return s
}

func TestAttachingFindsOutWhatTheRunningServersSay(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"config.toml":       minimal + "[auth]\nsigning_keys_path = \"./signing_keys.json\"\n",
		"signing_keys.json": signingKeys(t), "migrations/1_t.sql": "create table t ();",
	})
	running := start(t, stack.Config{Workspace: dir})
	s := attached(t, dir, attach.Config{Place: placeOf(running)})
	want, got := running.Endpoints(), s.Endpoints()
	assert.Equal(t, stack.EngineAttach, got.Engine)
	for _, pair := range [][2]string{
		{want.APIURL, got.APIURL},
		{want.RESTURL, got.RESTURL},
		{want.AuthURL, got.AuthURL},
		{want.DBURL, got.DBURL},
		{want.Versions["postgres"], got.Versions["postgres"]},
		{"v2.196.0", got.Versions["auth"]},
	} {
		assert.Equal(t, pair[0], pair[1])
	}
	assert.Equal(t, want.Keys, got.Keys)
	assert.Contains(t, got.JWKS, `"kid":"test-key"`)
	assert.NotContains(t, got.JWKS, `"d":`, "a public key")
	assert.Empty(t, s.Attachment().Notes)
	assert.Equal(t, "flags", s.Attachment().From)
	assert.False(t, s.Attachment().Confirms)
	var names []string
	for _, phase := range s.Phases() {
		names = append(names, phase.Name)
	}
	assert.Equal(t, []string{"config", "workspace", "locate", "attach"}, names)

	require.NoError(t, s.Stop(t.Context()))
	select {
	case <-s.Done():
	default:
		t.Error("a stopped attachment is not done")
	}
	status, _ := call(t, running, http.MethodGet, "/auth/v1/health", "")
	assert.Equal(t, http.StatusOK, status, "the stack goes on")
	require.NoError(t, running.Err())
}

func TestAWrongKeyPasswordOrPortIsNamed(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal})
	running := start(t, stack.Config{Workspace: dir})
	other := start(t, stack.Config{Workspace: dir, RandomKeys: true}).Endpoints()
	for name, test := range map[string]struct {
		change func(*attach.Place)
		want   string
	}{
		"an anon key of another project": {func(p *attach.Place) { p.Keys.Publishable = other.Keys.Anon }, "rest: GET /rest/v1/supascore_looks_for_rest refuses the publishable key: 401"},
		"a secret key of another":        {func(p *attach.Place) { p.Keys.Secret = other.Keys.Secret }, "auth: GET /auth/v1/admin/users refuses the secret key"},
		"the publishable key as secret":  {func(p *attach.Place) { p.Keys.Secret = p.Keys.Publishable }, "refuses the secret key"},
		"a JWT secret of another":        {func(p *attach.Place) { p.Keys.JWTSecret = other.Keys.JWTSecret }, "refuses a token that the JWT secret signs"},
		"a wrong password":               {func(p *attach.Place) { p.DBURL = strings.Replace(p.DBURL, ":postgres@", ":wrong@", 1) }, `the database: `},
		"a dead port":                    {func(p *attach.Place) { p.APIURL = "http://127.0.0.1:9" }, "auth: "},
		"a database of no stack":         {func(p *attach.Place) { p.DBURL = strings.Replace(p.DBURL, "/postgres?", "/template1?", 1) }, "the database: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := placeOf(running)
			test.change(&place)
			s, err := stack.Start(t.Context(), stack.Config{Workspace: dir, Engine: stack.EngineAttach, Attach: attach.Config{Place: place}})
			var failed *stack.StartError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, stack.FaultInfrastructure, failed.Fault)
			assert.Equal(t, "attach", failed.Phase)
			assert.ErrorContains(t, err, test.want)
			assert.NotEmpty(t, failed.Hint())
			assert.Equal(t, stack.Endpoints{Engine: stack.EngineAttach}, s.Endpoints(), "nowhere")
			for _, secret := range []string{place.Keys.Secret, place.Keys.JWTSecret, place.Keys.Publishable, ":wrong@"} {
				assert.NotContains(t, err.Error(), secret)
			}
			_, err = s.AuthStart()
			assert.ErrorContains(t, err, "the stack was not reached")
		})
	}
}

func TestWhatTheRunningStackLacksOfItsWorkspaceIsNoted(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal, "migrations/1_t.sql": "create table t ();"})
	running := start(t, stack.Config{Workspace: dir})
	record, err := running.AuthStart()
	require.NoError(t, err)
	place := placeOf(running)
	place.Auth = record
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", filepath.FromSlash(name)), []byte(text), 0o600))
	}
	write("migrations/2_u.sql", "create table u ();")
	write("config.toml", minimal+"[api]\nmax_rows = 5\n")
	notes := attached(t, dir, attach.Config{Place: place}).Attachment().Notes
	assert.Equal(t, []string{"the database does not record 1 of 2 migrations as applied (supabase/migrations/2_u.sql); it is scored as it is"}, notes)
	status, _ := call(t, running, http.MethodGet, "/rest/v1/u", "")
	assert.Equal(t, http.StatusNotFound, status, "attaching applies nothing")

	write("config.toml", minimal+"[auth]\njwt_expiry = 60\n")
	notes = attached(t, dir, attach.Config{Place: place}).Attachment().Notes
	require.Len(t, notes, 2)
	assert.Contains(t, notes[0], "supabase/config.toml says something else of Auth than what the running Auth was started with")
}

func TestAWorkspaceThatCannotBeReadIsNotAttachedTo(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": "project_id = "})
	_, err := stack.Start(t.Context(), stack.Config{Workspace: dir, Engine: stack.EngineAttach, Attach: attach.Config{Finder: &finder{}}})
	var failed *stack.StartError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, stack.FaultWorkspace, failed.Fault)
	assert.Equal(t, "config", failed.Phase)
}

// finder counts how often it is closed.
type finder struct {
	place  attach.Place
	err    error
	closed atomic.Int64
}

func (f *finder) Find(context.Context, string) (attach.Place, error) { return f.place, f.err }
func (f *finder) Close(context.Context) error                        { f.closed.Add(1); return nil }

func TestAFinderIsClosedWhateverBecomesOfTheStack(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal})
	running := start(t, stack.Config{Workspace: dir})
	good := &finder{place: placeOf(running)}
	s := attached(t, dir, attach.Config{Finder: good})
	assert.Zero(t, good.closed.Load())
	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Stop(t.Context()))
	assert.EqualValues(t, 1, good.closed.Load())

	for name, test := range map[string]struct {
		finder *finder
		fault  stack.Fault
	}{
		"it does not run":          {&finder{err: attach.ErrNotRunning}, stack.FaultWorkspace},
		"its workspace is refused": {&finder{err: &attach.CLIError{Err: errors.New("SQLSTATE"), Workspace: true}}, stack.FaultWorkspace},
		"it cannot be found":       {&finder{err: errors.New("no docker")}, stack.FaultInfrastructure},
		"it is no place":           {&finder{place: attach.Place{APIURL: "x"}}, stack.FaultInfrastructure},
		"it is far away": {
			&finder{place: attach.Place{APIURL: "http://203.0.113.7", DBURL: "postgres://203.0.113.7/x", Keys: placeOf(running).Keys}},
			stack.FaultInfrastructure,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := stack.Start(t.Context(), stack.Config{Workspace: dir, Engine: stack.EngineAttach, Attach: attach.Config{Finder: test.finder}})
			var failed *stack.StartError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, test.fault, failed.Fault)
			assert.Equal(t, "locate", failed.Phase)
			assert.EqualValues(t, 1, test.finder.closed.Load())
		})
	}
}

func TestAnEmbeddedStackRecordsWhatItsAuthWasStartedWith(t *testing.T) {
	t.Parallel()
	hook := "[auth.hook.custom_access_token]\nenabled = true\nuri = \"pg-functions://postgres/public/f\"\n"
	s := start(t, stack.Config{Workspace: folder(t, map[string]string{"config.toml": minimal + hook})})
	record, err := s.AuthStart()
	require.NoError(t, err)
	assert.Equal(t, map[string]attach.Hook{"custom_access_token": {URI: "pg-functions://postgres/public/f"}}, record.Hooks)
	assert.Len(t, record.Hash, 64)
	assert.Nil(t, s.Attachment())
	other := start(t, stack.Config{Workspace: folder(t, map[string]string{"config.toml": minimal + hook}), RandomKeys: true})
	same, err := other.AuthStart()
	require.NoError(t, err)
	assert.Equal(t, record.Hash, same.Hash, "ports and keys do not count")
	off := start(t, stack.Config{Workspace: folder(t, map[string]string{"config.toml": minimal + "[auth]\nenabled = false\n"})})
	nothing, err := off.AuthStart()
	require.NoError(t, err)
	assert.Empty(t, nothing.Hooks)
}

func TestTheLogOfAuthInAContainerIsRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"config.toml": minimal})
	running := start(t, stack.Config{Workspace: dir})
	_, port, _ := strings.Cut(strings.TrimPrefix(running.Endpoints().APIURL, "http://"), ":")
	docker := filepath.Join(t.TempDir(), "docker")
	// Another process writes it: one of ours that forks meanwhile would keep it open.
	write := exec.CommandContext(t.Context(), "sh", "-c", `cat >"$0" && chmod +x "$0"`, docker)
	write.Stdin = strings.NewReader(`#!/bin/sh
case "$1" in
ps) echo a1 ;;
inspect) cat <<'END'
[{"Name": "/supabase_kong_x", "Config": {"Labels": {"com.supabase.cli.project": "x"}}, "NetworkSettings": {"Ports": {"8000/tcp": [{"HostPort": "` + port + `"}]}}},
 {"Name": "/supabase_auth_x", "Config": {"Env": ["GOTRUE_JWT_SECRET=x"], "Labels": {"com.supabase.cli.project": "x"}}}]
END
;;
logs) test "$4" = supabase_auth_x && cat >&2 <<'END'
{"component":"api","error":"ERROR: permission denied for table roles (SQLSTATE 42501)","hook":"pg-functions://postgres/public/f","level":"error","msg":"Hook errored out","time":"2026-01-01T00:00:00Z"}
END
;;
esac
`)
	require.NoError(t, write.Run())
	s, err := stack.Start(t.Context(), stack.Config{
		Workspace: dir, Engine: stack.EngineAttach, AttachLog: func() []stack.LogEntry { return nil }, // of a stack of ours, which this is not
		Attach: attach.Config{Place: placeOf(running), Docker: &attach.Docker{Path: docker}},
	})
	require.NoError(t, err)
	record, err := s.AuthStart()
	require.NoError(t, err)
	assert.Equal(t, "docker inspect supabase_auth_x", record.From)
	entries := s.Log().Entries()
	require.Len(t, entries, 1)
	assert.Equal(t, "auth", entries[0].Service)
	assert.Equal(t, "Hook errored out", entries[0].Message)
	assert.Equal(t, "error", entries[0].Level)
	assert.Equal(t, "42501", entries[0].Attrs["sqlstate"])
	assert.Equal(t, "pg-functions://postgres/public/f", entries[0].Attrs["hook"])
	require.NoError(t, os.Remove(docker))
	assert.Empty(t, s.Log().Entries(), "no log is no trouble")
}
