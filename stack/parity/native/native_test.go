package native_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/fixtures/recordings"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
	replaynative "github.com/supascore/supascore/stack/parity/native"
	"github.com/supascore/supascore/stack/parity/replay"
	"github.com/supascore/supascore/stack/postgres"
)

func TestMain(m *testing.M) {
	nativetest.Main()
	os.Exit(m.Run())
}

// replayed replays groups against executables, and returns how many answers there were.
func replayed(t *testing.T, programs native.Programs, recorded fs.FS, groups ...string) int {
	t.Helper()
	engine, err := replaynative.Start(t.Context(), postgres.Config{}, programs)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Stop(context.Background())) })
	list, err := replay.Run(t.Context(), replay.Config{Recordings: recorded, Groups: groups, Parallel: 2},
		replay.Targets{Auth: engine.Auth(), REST: engine.REST()})
	require.NoError(t, err)
	answers := 0
	for _, group := range list {
		for _, finding := range group.Report.Failed() {
			assert.Fail(t, finding.Step.Scenario+", "+finding.Step.Step, "%s\n%s", finding.Verdict, finding.Step.Diff())
		}
		_, all := group.Report.Count()
		answers += all
	}
	return answers
}

// The executables of these tests answer with the engines of this module, which agree with
// the recordings; so what differs is how they are run and how requests reach them.
func TestRecordingsAreReplayedThroughExecutables(t *testing.T) {
	t.Parallel()
	programs := native.Programs{
		Auth: native.Program{Path: nativetest.Auth(t)}, PostgREST: native.Program{Path: nativetest.PostgREST(t)},
	}
	assert.Positive(t, replayed(t, programs, recordings.Files,
		"rest/singular", "rest/schema-cache", "rest/options-cors", "auth/settings", "auth/hooks", "auth/jwt"))
}

// chosen are single recordings of Auth.
func chosen(t *testing.T, names ...string) fs.FS {
	t.Helper()
	out := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(recordings.Files, "auth/"+name+".json")
		require.NoError(t, err)
		out["auth/"+name+".json"] = &fstest.MapFile{Data: text}
	}
	return out
}

func TestSettingsThatTheExecutableRefusesAreRefusalsOfTheReplay(t *testing.T) {
	t.Parallel()
	programs := native.Programs{Auth: native.Program{Path: nativetest.Auth(t)}}
	// Each start takes a moment: those that are told apart by their settings alone.
	files := edited(t, chosen(t, "cat_hook_config_startup"), func(steps []any) []any { return steps[18:24] })
	assert.Equal(t, 6, replayed(t, programs, files))
}

// edited is a folder with one recording, its steps changed.
func edited(t *testing.T, files fs.FS, change func(steps []any) []any) fs.FS {
	t.Helper()
	names, err := fs.Glob(files, "auth/*.json")
	require.NoError(t, err)
	require.Len(t, names, 1)
	text, err := fs.ReadFile(files, names[0])
	require.NoError(t, err)
	var recording map[string]any
	require.NoError(t, json.Unmarshal(text, &recording))
	steps, ok := recording["steps"].([]any)
	require.True(t, ok)
	recording["steps"] = change(steps)
	text, err = json.Marshal(recording)
	require.NoError(t, err)
	return fstest.MapFS{names[0]: &fstest.MapFile{Data: text}}
}

func TestADifferenceIsFound(t *testing.T) {
	t.Parallel()
	files := edited(t, chosen(t, "settings_and_health"), func(steps []any) []any {
		for _, step := range steps {
			if response, ok := step.(map[string]any)["response"].(map[string]any); ok {
				response["status"] = 418
			}
		}
		return steps
	})
	engine, err := replaynative.Start(t.Context(), postgres.Config{}, native.Programs{Auth: native.Program{Path: nativetest.Auth(t)}})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Stop(context.Background())) })
	assert.Nil(t, engine.REST(), "without its executable it is not replayed")
	list, err := replay.Run(t.Context(), replay.Config{Recordings: files}, replay.Targets{Auth: engine.Auth()})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.NotEmpty(t, list[0].Report.Failed())
}

func TestTheRealServersAgreeWithWhatWasRecordedFromThem(t *testing.T) {
	t.Parallel()
	auth, rest := os.Getenv(native.EnvAuth), os.Getenv(native.EnvPostgREST)
	if auth == "" && rest == "" {
		t.Skipf("neither %s nor %s names a real server", native.EnvAuth, native.EnvPostgREST)
	}
	programs := native.Programs{Auth: native.Program{Path: auth}, PostgREST: native.Program{Path: rest}}
	// Tests have ten minutes; `supascore parity --engine native` replays everything.
	var groups []string
	if auth != "" {
		groups = append(groups, "auth/settings", "auth/hooks", "auth/before", "auth/jwt")
	}
	if rest != "" {
		groups = append(groups, "rest/singular", "rest/schema-cache", "rest/rls-select")
	}
	assert.Positive(t, replayed(t, programs, recordings.Files, groups...))
}
