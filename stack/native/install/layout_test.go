package install

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// put writes a file as installations leave it.
func put(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), mode))
}

func TestTheNewestInstalledVersionIsFound(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	dir, err := Dir(cache)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(cache, "bin"), dir)
	for _, version := range []string{"14.9", "14.17", "13.0.5", "14.2"} {
		put(t, Path(dir, PostgREST, version), 0o755)
	}
	for _, version := range []string{"2.99.0", "2.196.0-rc.3", "2.196.0", "2.196.0-rc.12"} {
		put(t, Path(dir, Auth, version), 0o755)
	}
	path, version, ok := Find(cache, PostgREST)
	assert.True(t, ok)
	assert.Equal(t, "14.17", version)
	assert.Equal(t, filepath.Join(cache, "bin", "postgrest-14.17", "postgrest"), path)
	path, version, ok = Find(cache, Auth)
	assert.True(t, ok)
	assert.Equal(t, "2.196.0", version, "a release is newer than its candidates")
	assert.Equal(t, filepath.Join(cache, "bin", "auth-2.196.0", "auth"), path)
}

func TestWhatIsNoInstalledExecutableIsNotFound(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	_, _, ok := Find(cache, Auth)
	assert.False(t, ok, "no folder at all")
	dir, err := Dir(cache)
	require.NoError(t, err)
	put(t, Path(dir, Auth, "2.1.0"), 0o644)                               // cannot be run
	put(t, filepath.Join(dir, "auth-2.2.0"), 0o755)                       // no folder
	put(t, filepath.Join(dir, "auth-2.3.0", "gotrue"), 0o755)             // another file
	put(t, filepath.Join(dir, "auth-2.4.0.tmp", "auth"), 0o755)           // not a version
	put(t, filepath.Join(dir, ".partial", "auth-2.5.0.tar"), 0o755)       // not complete
	require.NoError(t, os.MkdirAll(Path(dir, Auth, "2.6.0"), 0o755))      // a folder
	require.NoError(t, os.Mkdir(filepath.Join(dir, "auth-2.7.0"), 0o755)) // empty
	put(t, filepath.Join(cache, "elsewhere"), 0o755)
	require.NoError(t, os.Symlink(filepath.Join(cache, "elsewhere"), filepath.Join(dir, "auth-2.7.0", "auth")))
	path, version, ok := Find(cache, Auth)
	assert.False(t, ok, "%s %s", path, version)
}
