package supascore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/scorers"
	"github.com/supascore/supascore/stack"
)

const rbac = "build-docs-009-custom-claims-rbac"

func eval(t *testing.T, id string) *evals.Eval {
	t.Helper()
	found, err := evals.Find(evals.Builtin(), id, scorers.Library{})
	require.NoError(t, err)
	return found
}

func unpack(t *testing.T, name string) string {
	t.Helper()
	f, err := fixtures.Get(rbac, name)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, f.Unpack(dir))
	return dir
}

func statuses(checks []evals.Check) map[string]evals.Status {
	out := map[string]evals.Status{}
	for _, c := range checks {
		out[c.ID] = c.Status
	}
	return out
}

func TestEveryFixtureOfEveryEvalComesOutAsItSays(t *testing.T) {
	t.Parallel()
	all, err := evals.List(evals.Builtin(), scorers.Library{})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, e := range all {
		assert.Empty(t, e.Violations, "%s: its prompt gives too much away", e.ID)
		report, err := supascore.Verify(t.Context(), supascore.VerifyConfig{Eval: e})
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(report.Fixtures), 20, e.ID)
		for _, f := range report.Fixtures {
			assert.Empty(t, f.Error, "%s/%s", e.ID, f.Name)
			for _, s := range f.Surprises {
				t.Errorf("%s/%s: %s", e.ID, f.Name, s)
			}
		}
		for _, c := range report.Idle {
			t.Errorf("%s: check %s was red %d and green %d times: no fixture shows that it can be both", e.ID, c.Check, c.Red, c.Green)
		}
		assert.True(t, report.Holds())
	}
}

func TestASavedResultIsJudgedAgainToTheSameVerdict(t *testing.T) {
	t.Parallel()
	e := eval(t, rbac)
	for _, name := range []string{"hook-on", "hook-off", "broken-migration"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: e, Workspace: unpack(t, name)})
			require.NoError(t, err)
			var file bytes.Buffer
			require.NoError(t, result.Write(&file))
			saved, err := evals.ReadResult(&file)
			require.NoError(t, err)
			again, err := supascore.Rejudge(e, saved, false)
			require.NoError(t, err)
			assert.Equal(t, result.Checks, again.Checks)
			assert.Equal(t, result.Passed, again.Passed)
			strict, err := supascore.Rejudge(e, saved, true)
			require.NoError(t, err)
			assert.False(t, strict.Passed, "the guide check is unmeasured")
		})
	}
}

func TestAResultWithoutObservationsOrOfAnotherEvalIsNotJudgedAgain(t *testing.T) {
	t.Parallel()
	e := eval(t, rbac)
	_, err := supascore.Rejudge(e, &evals.Result{Version: 1, Eval: rbac}, false)
	assert.ErrorContains(t, err, "holds no observations")
	_, err = supascore.Rejudge(e, &evals.Result{Version: 1, Eval: "other", Observations: []byte("{}")}, false)
	assert.ErrorContains(t, err, `of eval "other"`)
	_, err = supascore.Rejudge(e, &evals.Result{Version: 1, Eval: rbac, Observations: []byte(`{"version": 99}`)}, false)
	assert.ErrorContains(t, err, "later version")
}

func TestAResultHoldsEverythingButSecrets(t *testing.T) {
	t.Parallel()
	var running stack.Endpoints
	result, err := supascore.Score(t.Context(), supascore.ScoreConfig{
		Eval: eval(t, rbac), Workspace: unpack(t, "hook-on"), Run: "0123abcd", Stack: stack.Config{RandomKeys: true},
		OnReady: func(_ context.Context, s *stack.Stack) { running = s.Endpoints() },
	})
	require.NoError(t, err)
	require.NotEmpty(t, running.Keys.JWTSecret)
	text, err := json.Marshal(result)
	require.NoError(t, err)
	for what, secret := range map[string]string{
		"JWT secret": running.Keys.JWTSecret, "publishable key": running.Keys.Publishable, "secret key": running.Keys.Secret,
		"anon key": running.Keys.Anon, "service_role key": running.Keys.ServiceRole, "password": "secret123",
		"database password": "postgres:postgres@", "a token": "eyJ",
	} {
		assert.NotContains(t, string(text), secret, what)
	}
	assert.Equal(t, rbac, result.Eval)
	assert.Equal(t, "embedded", result.Engine.Name)
	assert.Len(t, result.Hashes.Eval, 64)
	assert.Len(t, result.Hashes.Workspace, 64)
	assert.Contains(t, string(result.Observations), "member-0123abcd@example.com")
	names := map[string]bool{}
	for _, p := range result.Phases {
		names[p.Name] = true
		assert.GreaterOrEqual(t, p.MS, 0.0)
	}
	for _, name := range []string{"config", "postgres", "migrations", "auth", "rest", "ready", "probes", "judge", "stop"} {
		assert.True(t, names[name], "phase %s", name)
	}
	assert.True(t, result.Finished.After(result.Started))
}

func TestOneProcessScoresManyWorkspacesAtOnce(t *testing.T) {
	t.Parallel()
	e := eval(t, rbac)
	want := map[string]evals.Status{}
	for _, id := range []string{"hook-enabled", "token-carries-role", "moderator-deletes-others"} {
		want[id] = evals.StatusFail
	}
	var group sync.WaitGroup
	for range 3 {
		for _, name := range []string{"hook-on", "hook-off"} {
			dir := unpack(t, name)
			group.Go(func() {
				result, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: e, Workspace: dir})
				if !assert.NoError(t, err) {
					return
				}
				for id, status := range statuses(result.Checks) {
					expected := evals.StatusPass
					if name == "hook-off" && want[id] != "" {
						expected = want[id]
					}
					if id == "guide-read" {
						expected = evals.StatusUnmeasured
					}
					assert.Equal(t, expected, status, "%s of %s", id, name)
				}
			})
		}
	}
	group.Wait()
}

func TestACancelledRunHasAResultThatHoldsNothingAgainstTheCandidate(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"config", "postgres", "migrations", "auth", "ready", "arrange", "probes"} {
		t.Run(phase, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result, err := supascore.Score(ctx, supascore.ScoreConfig{
				Eval: eval(t, rbac), Workspace: unpack(t, "hook-off"), OnPhase: func(name string) {
					if name == phase {
						cancel()
					}
				},
			})
			require.ErrorIs(t, err, context.Canceled)
			require.NotNil(t, result)
			assert.Contains(t, result.Error, "cancelled")
			assert.Equal(t, evals.ExitBroken, result.Verdict().ExitCode())
			assert.Len(t, result.Checks, 8)
			for _, c := range result.Checks {
				assert.False(t, c.Status.Red(), "%s is %s: %s", c.ID, c.Status, c.Note)
			}
		})
	}
}

func TestAFolderThatIsNotThereIsTheCallersMistake(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for path, want := range map[string]string{
		"": "no folder is given", "/no/such/folder": "there is no such folder", file: "it is a file",
	} {
		_, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: eval(t, rbac), Workspace: path})
		var folder *supascore.FolderError
		require.ErrorAs(t, err, &folder, path)
		assert.ErrorContains(t, err, want)
		assert.NotEmpty(t, folder.Hint())
	}
}

func TestTroublesomeWorkspacesAreFindingsWithTheirPlace(t *testing.T) {
	t.Parallel()
	good := "project_id = \"x\"\n"
	for name, tc := range map[string]struct {
		files map[string]string
		link  string
		want  string
	}{
		"empty folder":      {want: "supabase/config.toml"},
		"no config.toml":    {files: map[string]string{"supabase/x": ""}, want: "supabase/config.toml"},
		"huge migration":    {files: map[string]string{"supabase/config.toml": good, "supabase/migrations/1_x.sql": strings.Repeat("-", 100<<20)}, want: "supabase/migrations/1_x.sql: "},
		"migration in 8859": {files: map[string]string{"supabase/config.toml": good, "supabase/migrations/1_x.sql": "select 1;\n-- \xe9\n"}, want: "supabase/migrations/1_x.sql:2:4: "},
		"config in 8859":    {files: map[string]string{"supabase/config.toml": good + "# \xe9\n"}, want: "supabase/config.toml:2:3: "},
		"migrations link":   {files: map[string]string{"supabase/config.toml": good}, link: "supabase/migrations", want: "supabase/migrations"},
		"psql commands":     {files: map[string]string{"supabase/config.toml": good, "supabase/migrations/1_x.sql": "\\copy t from 'x'\n"}, want: "supabase/migrations/1_x.sql:1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for path, text := range tc.files {
				path = filepath.Join(dir, path)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			if tc.link != "" {
				require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, tc.link)))
			}
			result, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: eval(t, rbac), Workspace: dir})
			require.NoError(t, err)
			assert.Empty(t, result.Error)
			assert.Equal(t, evals.ExitFailed, result.Verdict().ExitCode())
			require.Equal(t, evals.StatusFail, result.Checks[0].Status, result.Checks[0].Note)
			assert.Contains(t, result.Checks[0].Note, tc.want)
			for _, c := range result.Checks[2:7] {
				assert.Equal(t, evals.StatusBlocked, c.Status, c.ID)
			}
		})
	}
}
