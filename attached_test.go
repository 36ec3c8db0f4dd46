package supascore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
)

// boot starts a stack that goes on until the test ends, and says where it is.
func boot(t *testing.T, workspace string) (*stack.Stack, attach.Place) {
	t.Helper()
	running, err := stack.Start(t.Context(), stack.Config{Workspace: workspace, RandomKeys: true})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		assert.NoError(t, running.Stop(ctx))
	})
	start, err := running.AuthStart()
	require.NoError(t, err)
	e := running.Endpoints()
	return running, attach.Place{APIURL: e.APIURL, DBURL: e.DBURL, Keys: e.Keys, Auth: start}
}

// scoreAttached scores a running stack by the eval.
func scoreAttached(t *testing.T, workspace string, cfg attach.Config) *evals.Result {
	t.Helper()
	result, err := supascore.Score(t.Context(), supascore.ScoreConfig{
		Eval: eval(t, rbac), Workspace: workspace, Stack: stack.Config{Engine: stack.EngineAttach, Attach: cfg},
	})
	require.NoError(t, err)
	return result
}

// everything counts the rows that a run could leave behind.
func everything(t *testing.T, dbURL string) map[string]int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	counts := map[string]int{}
	for _, table := range []string{"auth.users", "auth.identities", "auth.sessions", "auth.refresh_tokens", "public.posts", "public.member_roles"} {
		var n int
		name := pgx.Identifier(strings.SplitN(table, ".", 2)).Sanitize()
		require.NoError(t, conn.QueryRow(t.Context(), "select count(*) from "+name).Scan(&n))
		counts[table] = n
	}
	return counts
}

func check(t *testing.T, result *evals.Result, id string) evals.Check {
	t.Helper()
	for _, c := range result.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %s", id)
	return evals.Check{}
}

func observations(t *testing.T, result *evals.Result) probes.Observations {
	t.Helper()
	var seen probes.Observations
	require.NoError(t, json.Unmarshal(result.Observations, &seen))
	return seen
}

func TestARunningStackIsScoredLikeABootedOneAndLeftAsFound(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	running, place := boot(t, workspace)
	before := everything(t, place.DBURL)
	for range 2 { // and the second run meets the same stack
		result := scoreAttached(t, workspace, attach.Config{Place: place})
		assert.Empty(t, result.Error)
		assert.Empty(t, result.Notes)
		assert.Equal(t, map[string]evals.Status{
			"stack-running": "pass", "hook-enabled": "pass", "token-carries-role": "pass", "member-deletes-own-post": "pass",
			"member-cannot-delete-others": "pass", "moderator-deletes-others": "pass", "member-cannot-self-promote": "pass",
			"guide-read": "unmeasured",
		}, statuses(result.Checks))
		assert.Equal(t, "attach", result.Engine.Name)
		assert.Equal(t, "v2.196.0", result.Engine.Versions["auth"], "read from the running server")
		assert.Equal(t, running.Endpoints().Versions["postgres"], result.Engine.Versions["postgres"])
		assert.Equal(t, &probes.LeftObservation{Rows: 2, People: 3}, observations(t, result).Left)
		assert.Equal(t, before, everything(t, place.DBURL))
		assert.Contains(t, check(t, result, "hook-enabled").Note, "so the running Auth was started (the record of its start)")
		text, err := json.Marshal(result)
		require.NoError(t, err)
		for what, secret := range map[string]string{
			"JWT secret": place.Keys.JWTSecret, "secret key": place.Keys.Secret, "database password": "postgres:postgres@",
		} {
			assert.NotContains(t, string(text), secret, what)
		}
	}
	assert.NoError(t, running.Err())
	select {
	case <-running.Done():
		t.Error("scoring stopped a stack that it did not start")
	default:
	}
}

func TestDataOfTheRunStaysWhenItIsToBeKept(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	_, place := boot(t, workspace)
	result, err := supascore.Score(t.Context(), supascore.ScoreConfig{
		Eval: eval(t, rbac), Workspace: workspace, KeepData: true, Run: "0123abcd",
		Stack: stack.Config{Engine: stack.EngineAttach, Attach: attach.Config{Place: place}},
	})
	require.NoError(t, err)
	assert.Equal(t, 3, everything(t, place.DBURL)["auth.users"])
	assert.Equal(t, []string{"the people and rows of this run stay in the stack; the addresses end in -0123abcd@example.com"}, result.Notes)
}

// hookSwitch turns the hook of a workspace's config.toml on or off.
func hookSwitch(t *testing.T, workspace, from, to string) {
	t.Helper()
	path := filepath.Join(workspace, "supabase", "config.toml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(text, []byte("[auth.hook.custom_access_token]"))
	require.Positive(t, at)
	tail := string(text[at:])
	require.Contains(t, tail, from)
	require.NoError(t, os.WriteFile(path, append(text[:at:at], strings.Replace(tail, from, to, 1)...), 0o600))
}

func TestAHookThatIsSwitchedOnAfterTheStartIsTooLate(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	hookSwitch(t, workspace, "enabled = true", "enabled = false")
	_, place := boot(t, workspace)
	hookSwitch(t, workspace, "enabled = false", "enabled = true")

	result := scoreAttached(t, workspace, attach.Config{Place: place})
	got := statuses(result.Checks)
	assert.Equal(t, map[string]evals.Status{
		"stack-running": "pass", "hook-enabled": "fail", "token-carries-role": "fail", "member-deletes-own-post": "pass",
		"member-cannot-delete-others": "pass", "moderator-deletes-others": "fail", "member-cannot-self-promote": "pass",
		"guide-read": "unmeasured",
	}, got)
	hook := check(t, result, "hook-enabled")
	assert.Regexp(t, `observed that supabase/config\.toml:\d+:\d+ has it on, but the running Auth was started without it`, hook.Note)
	assert.Contains(t, hook.Note, "switched on too late: Auth reads its configuration once, at its start; stop and start the stack")
	assert.Contains(t, check(t, result, "token-carries-role").Note, "switched on too late")
	require.Len(t, result.Notes, 1)
	assert.Contains(t, result.Notes[0], "supabase/config.toml says something else of Auth than what the running Auth was started with")

	// The same workspace, booted again, is right.
	again, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: eval(t, rbac), Workspace: workspace})
	require.NoError(t, err)
	assert.Equal(t, evals.StatusPass, check(t, again, "hook-enabled").Status)
	assert.Equal(t, evals.StatusPass, check(t, again, "moderator-deletes-others").Status)
}

func TestAHookThatIsSwitchedOffAfterTheStartIsStillOn(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	_, place := boot(t, workspace)
	hookSwitch(t, workspace, "enabled = true", "enabled = false")
	result := scoreAttached(t, workspace, attach.Config{Place: place})
	assert.True(t, result.Passed)
	assert.Contains(t, check(t, result, "hook-enabled").Note, "but the next start will be without it")
}

func TestWithoutARecordTheFileIsJudgedAndTheNoteSaysSo(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	hookSwitch(t, workspace, "enabled = true", "enabled = false")
	_, place := boot(t, workspace)
	place.Auth = nil
	result := scoreAttached(t, workspace, attach.Config{Place: place})
	off := check(t, result, "hook-enabled")
	assert.Equal(t, evals.StatusFail, off.Status)
	assert.Contains(t, off.Note, "the running Auth could not be asked what it was started with (nobody recorded its start)")

	hookSwitch(t, workspace, "enabled = false", "enabled = true")
	result = scoreAttached(t, workspace, attach.Config{Place: place})
	on := check(t, result, "hook-enabled")
	assert.Equal(t, evals.StatusPass, on.Status)
	assert.Contains(t, on.Note, "so this is what the file says")
	token := check(t, result, "token-carries-role")
	assert.Equal(t, evals.StatusFail, token.Status, "behaviour is the running stack's")
	assert.Contains(t, token.Note, "or Auth was started before the hook was switched on")
}

func TestAnAPIAndADatabaseOfDifferentStacksAreNoticedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	_, one := boot(t, workspace)
	_, two := boot(t, workspace)
	mixed := one
	mixed.DBURL = two.DBURL
	result := scoreAttached(t, workspace, attach.Config{Place: mixed})
	assert.Contains(t, result.Error, "the API and the database are of different stacks")
	assert.Equal(t, evals.ExitBroken, result.Verdict().ExitCode())
	assert.Equal(t, map[string]int{
		"auth.users": 0, "auth.identities": 0, "auth.sessions": 0, "auth.refresh_tokens": 0, "public.posts": 0, "public.member_roles": 0,
	}, everything(t, two.DBURL))
	require.Len(t, result.Notes, 1)
	assert.Regexp(t, `could not be removed again: the people whose addresses end in -[0-9a-f]{8}@example\.com: 3 of 3 are not in the database`, result.Notes[0])
}

// elsewhere resolves every name to another machine.
type elsewhere struct{}

func (elsewhere) LookupHost(context.Context, string) ([]string, error) {
	return []string{"203.0.113.7"}, nil
}

// remote is a place whose names count as another machine's, although they lead here.
func remote(place attach.Place) attach.Config {
	place.APIURL = strings.Replace(place.APIURL, "127.0.0.1", "localhost", 1)
	return attach.Config{Place: place, AllowRemote: true, Resolver: elsewhere{}}
}

func TestAnotherMachineIsNotTouchedUnlessAllowed(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	_, place := boot(t, workspace)
	cfg := remote(place)
	cfg.AllowRemote = false
	result := scoreAttached(t, workspace, cfg)
	assert.Contains(t, result.Error, "the stack is not on this machine (localhost (203.0.113.7)): people would be signed up and rows written there")
	assert.Contains(t, result.Hint, "--allow-remote")
	assert.Equal(t, evals.ExitBroken, result.Verdict().ExitCode())
	assert.Zero(t, everything(t, place.DBURL)["auth.users"])

	// All rows of this eval are of its own people, so all of it is done.
	allowed := scoreAttached(t, workspace, remote(place))
	assert.True(t, allowed.Passed, "%v", statuses(allowed.Checks))
	assert.Equal(t, "true", allowed.Settings["remote"])
	assert.Zero(t, everything(t, place.DBURL)["auth.users"])
}

func TestOnAnotherMachineRowsThatBelongToNobodyAreLeftAlone(t *testing.T) {
	t.Parallel()
	e := *eval(t, rbac)
	e.Arrange = append([]evals.Step{}, e.Arrange...)
	e.Checks = append([]evals.CheckSpec{}, e.Checks...)
	for i := range e.Checks {
		if e.Checks[i].ID == "member-cannot-delete-others" {
			e.Checks[i].With = map[string]any{
				"as": "member", "table": "public.posts",
				"row": map[string]any{"author_id": "00000000-0000-0000-0000-000000000001"},
			}
		}
	}
	workspace := unpack(t, "hook-on")
	_, place := boot(t, workspace)
	result, err := supascore.Score(t.Context(), supascore.ScoreConfig{
		Eval: &e, Workspace: workspace, Stack: stack.Config{Engine: stack.EngineAttach, Attach: remote(place)},
	})
	require.NoError(t, err)
	withheld := check(t, result, "member-cannot-delete-others")
	assert.Equal(t, evals.StatusUnmeasured, withheld.Status)
	assert.Contains(t, withheld.Note, "only rows of the run's own people are touched")
	assert.Equal(t, evals.StatusPass, check(t, result, "moderator-deletes-others").Status)
	assert.False(t, result.Complete)
}

func TestOnAnotherMachineNobodyIsSignedUpWhoWouldGetMail(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	path := filepath.Join(workspace, "supabase", "config.toml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), "enable_confirmations = false")
	require.NoError(t, os.WriteFile(path, bytes.Replace(text, []byte("enable_confirmations = false"), []byte("enable_confirmations = true"), 1), 0o600))
	_, place := boot(t, workspace)
	result := scoreAttached(t, workspace, remote(place))
	assert.Empty(t, result.Error)
	own := check(t, result, "member-deletes-own-post")
	assert.Equal(t, evals.StatusUnmeasured, own.Status)
	assert.Contains(t, own.Note, "member was not signed up, because Auth on another machine (localhost (203.0.113.7)) would send mail")
	assert.Zero(t, everything(t, place.DBURL)["auth.users"])
}

func TestFixturesAreNotRunOnAStackThatRunsAlready(t *testing.T) {
	t.Parallel()
	_, err := supascore.Verify(t.Context(), supascore.VerifyConfig{Eval: eval(t, rbac), Stack: stack.Config{Engine: stack.EngineAttach}})
	assert.ErrorContains(t, err, "every fixture needs a stack of its own")
}

// absent finds no stack.
type absent struct{ err error }

func (a absent) Find(context.Context, string) (attach.Place, error) { return attach.Place{}, a.err }
func (absent) Close(context.Context) error                          { return nil }

func TestAStackThatTheCandidateLeftDownIsTheCandidatesDoing(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	result := scoreAttached(t, workspace, attach.Config{Finder: absent{attach.ErrNotRunning}})
	assert.Empty(t, result.Error)
	assert.Equal(t, map[string]evals.Status{
		"stack-running": "fail", "hook-enabled": "blocked", "token-carries-role": "blocked", "member-deletes-own-post": "blocked",
		"member-cannot-delete-others": "blocked", "moderator-deletes-others": "blocked", "member-cannot-self-promote": "blocked",
		"guide-read": "unmeasured",
	}, statuses(result.Checks))
	assert.Equal(t, evals.ExitFailed, result.Verdict().ExitCode())

	broken := scoreAttached(t, workspace, attach.Config{Finder: absent{errors.New("the cable is out")}})
	assert.Contains(t, broken.Error, "the cable is out")
	assert.Equal(t, evals.ExitBroken, broken.Verdict().ExitCode())
	for id, status := range statuses(broken.Checks) {
		if id != "guide-read" {
			assert.Equal(t, evals.StatusError, status, id)
		}
	}
}

func TestFixturesHaveTheSameVerdictsAndNotesOnARunningStack(t *testing.T) {
	t.Parallel()
	e := eval(t, rbac)
	for _, name := range []string{
		"hook-raises", "hook-off", "auth-admin-grants-missing", "no-delete-policy", "delete-open-to-all",
		"member-roles-insert-open", "enum-widened", "hook-in-own-schema",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := fixtures.Get(rbac, name)
			require.NoError(t, err)
			expected, err := evals.LoadExpectation(f.Files, evals.ExpectFile, e)
			require.NoError(t, err)
			workspace := unpack(t, name)
			running, place := boot(t, workspace)
			result, err := supascore.Score(t.Context(), supascore.ScoreConfig{Eval: e, Workspace: workspace, Stack: stack.Config{
				Engine: stack.EngineAttach, Attach: attach.Config{Place: place}, AttachLog: running.Log().Entries,
			}})
			require.NoError(t, err)
			assert.Empty(t, result.Error)
			for _, surprise := range expected.Compare(result.Checks) {
				t.Error(surprise)
			}
			assert.Empty(t, observations(t, result).Left.Problems)
			assert.Zero(t, everything(t, place.DBURL)["auth.users"])
		})
	}
}

func TestAStackThatEndsInTheMiddleIsNotHeldAgainstTheCandidate(t *testing.T) {
	t.Parallel()
	workspace := unpack(t, "hook-on")
	running, place := boot(t, workspace)
	result, err := supascore.Score(t.Context(), supascore.ScoreConfig{
		Eval: eval(t, rbac), Workspace: workspace, Stack: stack.Config{Engine: stack.EngineAttach, Attach: attach.Config{Place: place}},
		OnPhase: func(name string) {
			if name == "probes" {
				assert.NoError(t, running.Stop(context.WithoutCancel(t.Context())))
			}
		},
	})
	require.NoError(t, err)
	assert.Contains(t, result.Error, "the stack stopped answering")
	assert.Equal(t, evals.ExitBroken, result.Verdict().ExitCode())
	for id, status := range statuses(result.Checks) {
		assert.NotContains(t, []evals.Status{evals.StatusFail, evals.StatusBlocked}, status, id)
	}
	assert.NotEmpty(t, result.Notes, "the people could not be removed")
}
