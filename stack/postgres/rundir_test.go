package postgres

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
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

// TestAFullDiskIsSaidInPlainWordsAndCleanedUp copies an image to a file system
// that is too small for it.
func TestAFullDiskIsSaidInPlainWordsAndCleanedUp(t *testing.T) {
	t.Parallel()
	small := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=1m,mode=0711", "none", small).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system: %s", out)
	}
	t.Cleanup(func() { assert.NoError(t, exec.Command("umount", small).Run()) })

	src := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(src, "big"), make([]byte, 2<<20), 0o600))
	m, err := takeManifest(src)
	require.NoError(t, err)
	err = copyTree(t.Context(), src, filepath.Join(small, "data"), m, self())
	require.ErrorIs(t, err, syscall.ENOSPC)
	assert.ErrorContains(t, err, "disk is full, ")
	assert.ErrorContains(t, err, " left at "+small)
	var hinted interface{ Hint() string }
	require.ErrorAs(t, err, &hinted)
	assert.Contains(t, hinted.Hint(), "SUPASCORE_RUN_DIR")
}

func TestACopyIsTheSame(t *testing.T) {
	t.Parallel()
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.MkdirAll(filepath.Join(src, "a", "b"), 0o700))
	want := map[string][]byte{"empty": nil, "a/page": make([]byte, 8192), "a/b/big": make([]byte, 3<<20)}
	for name, data := range want {
		for i := range data {
			data[i] = byte(i * 31)
		}
		require.NoError(t, os.WriteFile(filepath.Join(src, name), data, 0o600))
	}
	m, err := takeManifest(src)
	require.NoError(t, err)
	require.NoError(t, copyTree(t.Context(), src, dst, m, self()))
	require.NoError(t, m.verify(dst))
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join(dst, name))
		require.NoError(t, err)
		assert.True(t, string(got) == string(data), name)
	}
	require.NoError(t, os.Truncate(filepath.Join(src, "a", "page"), 8000))
	assert.ErrorIs(t, copyTree(t.Context(), src, dst+"2", m, self()), errImageDamaged)
	assert.ErrorIs(t, m.verify(src), errImageDamaged)
}

func TestOldImagesArePrunedUnlessInUse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}
	for i, name := range names {
		image := filepath.Join(dir, name)
		require.NoError(t, os.Mkdir(image, 0o700))
		manifest := filepath.Join(image, "manifest.json")
		require.NoError(t, os.WriteFile(manifest, nil, 0o600))
		at := usedAt(image+".lock").AddDate(0, 0, -i)
		require.NoError(t, os.Chtimes(manifest, at, at))
		require.NoError(t, os.WriteFile(image+".lock", nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "8.tmp"), 0o700))
	inUse, err := lockFile(t.Context(), filepath.Join(dir, "7.lock"), true)
	require.NoError(t, err)
	defer inUse.Close()

	require.NoError(t, prune(dir))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	assert.Equal(t, []string{"0", "0.lock", "1", "1.lock", "2", "2.lock", "3", "3.lock", "4", "4.lock", "5", "5.lock", "7", "7.lock"}, left)
}
