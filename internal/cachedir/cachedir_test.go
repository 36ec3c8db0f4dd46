package cachedir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/cachedir"
)

func TestTheCacheFolderFollowsTheEnvironment(t *testing.T) {
	t.Setenv("SUPASCORE_CACHE_DIR", "/srv/cache")
	root, err := cachedir.Root("")
	require.NoError(t, err)
	assert.Equal(t, "/srv/cache", root)
	root, err = cachedir.Root("/mine")
	require.NoError(t, err)
	assert.Equal(t, "/mine", root, "configuration comes first")
}

func TestAGivenFolderBecomesAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	root, err := cachedir.Root("here")
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "here"), root)
}

func TestWithoutAHomeTheHintNamesTheVariable(t *testing.T) {
	t.Setenv("SUPASCORE_CACHE_DIR", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if os.Geteuid() == 0 {
		t.Skip("root has a cache folder without a home")
	}
	_, err := cachedir.Root("")
	require.ErrorContains(t, err, "no cache folder")
	var hinted interface{ Hint() string }
	require.ErrorAs(t, err, &hinted)
	assert.Contains(t, hinted.Hint(), "SUPASCORE_CACHE_DIR")
}
