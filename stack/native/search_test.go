package native_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/install"
)

// program writes a file that can be run.
func program(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755)) //nolint:gosec // to be run
	return path
}

func TestExecutablesAreFoundByFlagVariablePathAndCacheInThisOrder(t *testing.T) {
	t.Parallel()
	dir, cache := t.TempDir(), t.TempDir()
	bin, err := install.Dir(cache)
	require.NoError(t, err)
	flag, variable := program(t, filepath.Join(dir, "flag")), program(t, filepath.Join(dir, "variable"))
	inPath := program(t, filepath.Join(dir, "path", "postgrest"))
	cached := program(t, install.Path(bin, install.PostgREST, "14.17"))
	auth := program(t, install.Path(bin, install.Auth, "2.196.0"))
	search := native.Search{PostgREST: flag, CacheDir: cache, Env: map[string]string{
		native.EnvPostgREST: variable, "PATH": "relative:" + filepath.Join(dir, "none") + ":" + filepath.Dir(inPath),
	}}
	for _, want := range []native.Program{
		{Path: flag, Source: "--postgrest-bin"},
		{Path: variable, Source: native.EnvPostgREST},
		{Path: inPath, Source: "PATH"},
		{Path: cached, Source: "cache"},
	} {
		found, err := search.Find()
		require.NoError(t, err)
		assert.Equal(t, want, found.PostgREST)
		assert.Equal(t, native.Program{Path: auth, Source: "cache"}, found.Auth)
		switch want.Source {
		case "--postgrest-bin":
			search.PostgREST = ""
		case native.EnvPostgREST:
			delete(search.Env, native.EnvPostgREST)
		case "PATH":
			delete(search.Env, "PATH")
		}
	}
	require.NoError(t, os.Remove(cached))
	found, err := search.Find()
	var missing *native.MissingError
	require.ErrorAs(t, err, &missing)
	assert.Equal(t, auth, found.Auth.Path, "what there is is told all the same")
	assert.Equal(t, "no executable of PostgREST found: SUPASCORE_POSTGREST_BIN is not set, postgrest is not in PATH, not installed in "+bin, err.Error())
	assert.Equal(t, "no executable of PostgREST was found", missing.Short())
	assert.Equal(t, "install them with `supascore stack install`, or name the files with SUPASCORE_POSTGREST_BIN", missing.Hint())
}

func TestAuthIsFoundInPathByBothOfItsNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rest := program(t, filepath.Join(dir, "postgrest"))
	for _, name := range []string{"auth", "gotrue"} {
		path := program(t, filepath.Join(dir, name))
		found, err := native.Search{Env: map[string]string{"PATH": dir}, CacheDir: t.TempDir()}.Find()
		require.NoError(t, err)
		assert.Equal(t, path, found.Auth.Path)
		assert.Equal(t, rest, found.PostgREST.Path)
	}
}

func TestAnExecutableThatIsNamedHasToBeOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	for path, why := range map[string]string{
		filepath.Join(dir, "none"): "no such file or directory", dir: "it is a folder", plain: "it is not executable",
	} {
		_, err := native.Search{Auth: path, CacheDir: dir}.Find()
		var unusable *native.UnusableError
		require.ErrorAs(t, err, &unusable)
		assert.Equal(t, "--auth-bin: the executable of Auth, "+path+", cannot be run: "+why, err.Error())
		_, err = native.Search{CacheDir: dir, Env: map[string]string{native.EnvPostgREST: path}}.Find()
		require.ErrorAs(t, err, &unusable)
		assert.Equal(t, native.EnvPostgREST, unusable.Source)
		assert.NotEmpty(t, unusable.Hint())
	}
}
