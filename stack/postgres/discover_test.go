package postgres

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeInstall is a folder with scripts in place of PostgreSQL.
func fakeInstall(t *testing.T, version string, tools ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, tool := range append(tools, "postgres") {
		script := "#!/bin/sh\necho \"postgres (PostgreSQL) " + version + "\"\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, tool), []byte(script), 0o755))
	}
	return dir
}

// self is an identity whose server runs as this process does, so that every
// folder can be reached.
func self() identity { return identity{name: "me", uid: os.Geteuid(), gid: os.Getegid()} }

func testCache(t *testing.T) cache {
	t.Helper()
	c, err := openCache(t.TempDir(), self())
	require.NoError(t, err)
	return c
}

func TestVersionsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]install{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": {version: "15.18", major: 15},
		"postgres (PostgreSQL) 17.5\n":                           {version: "17.5", major: 17},
		"postgres (PostgreSQL) 18beta1\n":                        {version: "18beta1", major: 18},
		"postgres (PostgreSQL) 16.9 (Homebrew)\n":                {version: "16.9", major: 16},
	} {
		got, err := parseVersion(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "mysqld 8.0", "postgres (PostgreSQL) x", "postgres (PostgreSQL) 99999999999999999999"} {
		_, err := parseVersion(text)
		assert.Error(t, err, text)
	}
}

func FuzzParseVersion(f *testing.F) {
	f.Add("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := parseVersion(text); err == nil {
			assert.NotEmpty(t, got.version)
			assert.GreaterOrEqual(t, got.major, 0)
		}
	})
}

func TestTheFirstUsableInstallIsTaken(t *testing.T) {
	t.Parallel()
	old, bare := fakeInstall(t, "14.9", "initdb"), fakeInstall(t, "16.1")
	good, newer := fakeInstall(t, "16.2", "initdb"), fakeInstall(t, "17.1", "initdb")
	dirs := []string{old, bare, "/does/not/exist", good, newer}
	got, err := discoverIn(t.Context(), dirs, Config{DownloadURL: "off"}, testCache(t), self())
	require.NoError(t, err)
	assert.Equal(t, install{binDir: good, version: "16.2", major: 16}, got)
}

func TestALinkInPathLeadsToTheInstall(t *testing.T) {
	t.Parallel()
	good, links := fakeInstall(t, "16.2", "initdb"), t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(good, "postgres"), filepath.Join(links, "postgres")))
	got, err := inspect(t.Context(), links, testCache(t), self())
	require.NoError(t, err)
	assert.Equal(t, good, got.binDir)
}

func TestNothingUsableNamesAllThatWasTriedAndWhatToInstall(t *testing.T) {
	t.Parallel()
	old, bare, broken := fakeInstall(t, "14.9", "initdb"), fakeInstall(t, "16.1"), fakeInstall(t, "17.1", "initdb")
	require.NoError(t, os.WriteFile(filepath.Join(broken, "postgres"), []byte("#!/bin/sh\necho no library >&2\nexit 127\n"), 0o755))
	_, err := discoverIn(t.Context(), []string{old, bare, broken}, Config{DownloadURL: "off"}, testCache(t), self())
	var missing *NotFoundError
	require.ErrorAs(t, err, &missing)
	require.Len(t, missing.Tried, 4)
	assert.ErrorIs(t, err, errDownloadOff)
	for _, part := range []string{
		old + ": PostgreSQL 14.9 is too old, 15 or newer is needed",
		bare + " has postgres but no initdb",
		"exit status 127: no library",
		"downloading is switched off",
	} {
		assert.ErrorContains(t, err, part)
	}
	assert.Contains(t, missing.Hint(), "postgresql")
	assert.Contains(t, missing.Hint(), "SUPASCORE_POSTGRES_BIN")
}

func TestANamedFolderIsUsedOrIsAnError(t *testing.T) {
	t.Parallel()
	_, err := discover(t.Context(), Config{BinDir: fakeInstall(t, "14.9", "initdb")}, testCache(t), self())
	require.ErrorContains(t, err, "14.9 is too old")
	good := fakeInstall(t, "16.2", "initdb")
	got, err := discover(t.Context(), Config{BinDir: good}, testCache(t), self())
	require.NoError(t, err)
	assert.Equal(t, good, got.binDir)
}

func TestTheEnvironmentNamesTheFolder(t *testing.T) {
	good := fakeInstall(t, "16.2", "initdb")
	t.Setenv("SUPASCORE_POSTGRES_BIN", good)
	got, err := discover(t.Context(), Config{}, testCache(t), self())
	require.NoError(t, err)
	assert.Equal(t, good, got.binDir)
}

func TestPathComesBeforeTheUsualFolders(t *testing.T) {
	good := fakeInstall(t, "16.2", "initdb")
	t.Setenv("PATH", "relative:"+t.TempDir()+":"+good)
	assert.Equal(t, good, installedDirs()[0])
}

func TestAVersionIsAskedForOncePerExecutable(t *testing.T) {
	t.Parallel()
	c, dir := testCache(t), t.TempDir()
	executable, asked := filepath.Join(dir, "postgres"), filepath.Join(dir, "asked")
	script := "#!/bin/sh\necho x >>" + asked + "\necho 'postgres (PostgreSQL) 16.1'\n"
	require.NoError(t, os.WriteFile(executable, []byte(script), 0o755))
	for range 3 {
		text, err := versionText(t.Context(), executable, c)
		require.NoError(t, err)
		assert.Equal(t, "postgres (PostgreSQL) 16.1\n", text)
	}
	times, err := os.ReadFile(asked)
	require.NoError(t, err)
	assert.Equal(t, "x\n", string(times))

	require.NoError(t, os.WriteFile(executable, []byte("#!/bin/sh\necho 'postgres (PostgreSQL) 16.22'\n"), 0o755))
	text, err := versionText(t.Context(), executable, c)
	require.NoError(t, err)
	assert.Equal(t, "postgres (PostgreSQL) 16.22\n", text, "another file is asked again")
}

func TestFoldersClosedToTheServersUserAreNamed(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	closed := filepath.Join(base, "closed")
	require.NoError(t, os.MkdirAll(filepath.Join(closed, "bin"), 0o755))
	require.NoError(t, os.Chmod(base, 0o755))
	for d := base; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		require.NoError(t, os.Chmod(d, 0o755))
	}
	require.NoError(t, os.Chmod(closed, 0o700))
	stranger := self()
	stranger.uid, stranger.gid, stranger.name = 54321, 54321, "stranger"
	assert.NoError(t, stranger.canReach(filepath.Join(closed, "bin")), "nobody else runs the server")

	id, err := serverIdentity()
	require.NoError(t, err)
	if id.cred == nil {
		t.Skip("only root's server runs as somebody else")
	}
	stranger.cred = id.cred
	assert.ErrorContains(t, stranger.canReach(filepath.Join(closed, "bin")), "folder "+closed+" is closed to user stranger")
	require.NoError(t, os.Chmod(closed, 0o711))
	assert.NoError(t, stranger.canReach(filepath.Join(closed, "bin")))
}

func TestDiscoverStopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := discoverIn(ctx, []string{fakeInstall(t, "16.2", "initdb")}, Config{DownloadURL: "off"}, testCache(t), self())
	assert.ErrorIs(t, err, context.Canceled)
}
