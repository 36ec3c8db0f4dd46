package postgres

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheRunFolderIsTheConfiguredOne(t *testing.T) {
	c := testCache(t)
	dir := filepath.Join(t.TempDir(), "mine")
	got, err := runDir(Config{RunDir: dir}, c, self())
	require.NoError(t, err)
	assert.Equal(t, dir, got)
	t.Setenv("SUPASCORE_RUN_DIR", dir+"2")
	got, err = runDir(Config{}, c, self())
	require.NoError(t, err)
	assert.Equal(t, dir+"2", got)
	assert.Equal(t, []string{got, c.run()}, runDirs(c, got), "the cache's is swept as well")
	assert.Equal(t, []string{c.run()}, runDirs(c, c.run()))
}

func TestARunFolderOfSomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make a folder of somebody else's")
	}
	dir := t.TempDir()
	require.NoError(t, os.Chown(dir, 54321, 54321))
	assert.ErrorContains(t, privateDir(dir, self()), "belongs to somebody else")
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(t.TempDir(), link))
	assert.ErrorContains(t, privateDir(link, self()), "not a folder")
}
