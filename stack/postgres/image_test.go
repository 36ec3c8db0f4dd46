package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
)

// journal is a log handler that keeps messages and may act on one.
type journal struct {
	mu       sync.Mutex
	messages []string
	on       string
	act      func()
}

func (j *journal) Enabled(context.Context, slog.Level) bool { return true }
func (j *journal) WithAttrs([]slog.Attr) slog.Handler       { return j }
func (j *journal) WithGroup(string) slog.Handler            { return j }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.messages = append(j.messages, r.Message)
	if j.act != nil && r.Message == j.on {
		j.act()
	}
	return nil
}

func (j *journal) count(message string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, m := range j.messages {
		if m == message {
			n++
		}
	}
	return n
}

const (
	built   = "cluster image built"
	rebuilt = "cluster image is rebuilt"
)

// startAndStop fails the test when there is no working server.
func startAndStop(t *testing.T, cfg postgres.Config) {
	t.Helper()
	s, err := postgres.Start(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, "1", query(t, s.URL("postgres", "postgres"), "select '1'"))
	require.NoError(t, s.Stop(t.Context()))
}

// theImage is the folder of the only image of a cache.
func theImage(t *testing.T, d dirs) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(d.cache, "images", "*", "manifest.json"))
	require.NoError(t, err)
	require.Len(t, found, 1)
	return filepath.Dir(found[0])
}

func TestTwoFirstStartsBuildOneImage(t *testing.T) {
	t.Parallel()
	d := newDirs(t)
	log := &journal{}
	cfg := d.config()
	cfg.Log, cfg.Scripts = slog.New(log), fewScripts(t)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { startAndStop(t, cfg) })
	}
	wg.Wait()
	assert.Equal(t, 1, log.count(built))
	assertSmall(t, theImage(t, d))
	assertNothingLeft(t, d)
}

// TestADamagedImageIsBuiltAgain damages one image twice: so that the copy finds
// out, and so that only the server does. (More ways: TestDamageIsFound.)
func TestADamagedImageIsBuiltAgain(t *testing.T) {
	t.Parallel()
	d := newDirs(t)
	log := &journal{}
	cfg := d.config()
	cfg.Log, cfg.Scripts = slog.New(log), fewScripts(t)
	startAndStop(t, cfg)
	startAndStop(t, cfg)
	require.Equal(t, 1, log.count(built), "a sound image is used again")

	for i, damage := range []struct {
		name string
		do   func(image string) error
	}{
		{"one byte is wrong", func(image string) error { return flipByte(filepath.Join(image, "pack")) }},
		{"no server starts from it", func(image string) error {
			return editManifest(image, func(m *testManifest) {
				m.Dirs = slices.DeleteFunc(m.Dirs, func(dir string) bool { return dir == "pg_twophase" })
			})
		}},
	} {
		require.NoError(t, damage.do(theImage(t, d)), damage.name)
		startAndStop(t, cfg)
		assert.Equal(t, i+1, log.count(rebuilt), damage.name)
		assert.Equal(t, i+2, log.count(built), damage.name)
	}
	assertNothingLeft(t, d)
}

func TestAnInterruptedBuildIsNotTakenForAnImage(t *testing.T) {
	t.Parallel()
	d := newDirs(t)
	cfg := d.config()
	cfg.Scripts = fewScripts(t)
	for _, phase := range []struct{ name, sign string }{
		{"initdb", "data/PG_VERSION"},
		{"scripts", "s/.s.PGSQL.5432"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			for ctx.Err() == nil {
				if found, _ := filepath.Glob(filepath.Join(d.cache, "images", "*.tmp", phase.sign)); len(found) > 0 {
					cancel(errors.New("interrupted in " + phase.name))
				}
				time.Sleep(time.Millisecond) // poll
			}
		}()
		_, err := postgres.Start(ctx, cfg)
		cancel(nil)
		<-gone
		require.ErrorContains(t, err, "interrupted in "+phase.name)
		left, err := filepath.Glob(filepath.Join(d.cache, "images", "*"))
		require.NoError(t, err)
		for _, path := range left {
			assert.Equal(t, ".lock", filepath.Ext(path), "only the lock stays")
		}
		assertNothingLeft(t, d)
	}
}

func TestACancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	d := sharedImage(t)
	for _, phase := range []string{"postgres: find postgresql", "postgres: sweep", "postgres: copy cluster image"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cfg := d.config()
		cfg.Log = slog.New(&journal{on: phase, act: func() { cancel(errors.New("enough")) }})
		_, err := postgres.Start(ctx, cfg)
		require.ErrorContains(t, err, "enough", phase)
		assertNothingLeft(t, d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := postgres.Start(ctx, d.config())
	require.ErrorIs(t, err, context.Canceled)
	assertNothingLeft(t, d)
}

func TestAScriptThatFailsIsNamedWithItsPlace(t *testing.T) {
	t.Parallel()
	d := newDirs(t)
	cfg := d.config()
	cfg.Scripts = append(fewScripts(t), bootstrap.Script{Name: "99_mine.sql", SQL: "select 1;\nselect 2,\n  nothing;\n"})
	_, err := postgres.Start(t.Context(), cfg)
	require.ErrorContains(t, err, `build cluster image: bootstrap 99_mine.sql:3:3: ERROR: column "nothing" does not exist`)
	assertNothingLeft(t, d)
}

// testManifest is the form of an image's manifest.
type testManifest struct {
	Dirs  []string `json:"dirs"`
	Files []struct {
		Path string `json:"path"`
		Size int64  `json:"size"`
		Sum  uint32 `json:"sum"`
	} `json:"files"`
}

func readTestManifest(image string) (testManifest, error) {
	var m testManifest
	text, err := os.ReadFile(filepath.Join(image, "manifest.json"))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

func editManifest(image string, edit func(*testManifest)) error {
	m, err := readTestManifest(image)
	if err != nil {
		return err
	}
	edit(&m)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(image, "manifest.json"), text, 0o600)
}

// flipByte changes one byte in the middle of a file.
func flipByte(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(path, content, 0o600)
}

// assertSmall checks that an image carries nothing that servers do without.
func assertSmall(t *testing.T, image string) {
	t.Helper()
	m, err := readTestManifest(image)
	require.NoError(t, err)
	var bytes int64
	for _, f := range m.Files {
		bytes += f.Size
		assert.False(t, strings.HasSuffix(f.Path, "_fsm") || strings.HasSuffix(f.Path, "_vm"), f.Path)
		assert.NotEqual(t, "postmaster.pid", f.Path)
	}
	assert.Greater(t, len(m.Files), 300)
	assert.Less(t, bytes, int64(24<<20), "each start copies this")
	assert.NoDirExists(t, filepath.Join(image, "data"))
}

func TestFoldersThatCannotBeUsedAreRefusedWithAHint(t *testing.T) {
	t.Parallel()
	base, err := os.MkdirTemp("", "pgtest-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	file := filepath.Join(base, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	shared := filepath.Join(base, "shared")
	require.NoError(t, os.Mkdir(shared, 0o700))
	require.NoError(t, os.Chmod(shared, 0o777))

	cases := map[string]struct {
		cfg  postgres.Config
		want string
	}{
		"a cache below a file":            {postgres.Config{CacheDir: filepath.Join(file, "cache")}, "not a directory"},
		"a run folder that others write":  {postgres.Config{CacheDir: newDirs(t).cache, RunDir: shared}, "others may write to it"},
		"a run folder that is a file":     {postgres.Config{CacheDir: newDirs(t).cache, RunDir: file}, "not a directory"},
		"a folder without any PostgreSQL": {postgres.Config{CacheDir: newDirs(t).cache, BinDir: base}, "no such file"},
	}
	if os.Getuid() == 0 {
		// base is 0700 and root's: the server's user cannot pass.
		cases["a cache that the server's user cannot enter"] = struct {
			cfg  postgres.Config
			want string
		}{postgres.Config{CacheDir: filepath.Join(base, "cache")}, "is closed to user"}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := postgres.Start(t.Context(), c.cfg)
			require.ErrorContains(t, err, c.want)
			var hinted interface{ Hint() string }
			require.ErrorAs(t, err, &hinted)
			assert.NotEmpty(t, hinted.Hint())
		})
	}
}
