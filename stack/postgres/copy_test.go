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
	pack := filepath.Join(t.TempDir(), "pack")
	m, err := packTree(src, pack)
	require.NoError(t, err)
	err = unpackTree(t.Context(), pack, filepath.Join(small, "data"), m, self())
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
	pack := filepath.Join(t.TempDir(), "pack")
	m, err := packTree(src, pack)
	require.NoError(t, err)
	require.NoError(t, m.write(pack+".json"))
	m, err = readManifest(pack+".json", pack)
	require.NoError(t, err)
	require.NoError(t, unpackTree(t.Context(), pack, dst, m, self()))
	for name, data := range want {
		got, err := os.ReadFile(filepath.Join(dst, name))
		require.NoError(t, err)
		assert.True(t, string(got) == string(data), name)
	}
	info, err := os.Stat(filepath.Join(dst, "a", "page"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestSpansCoverAPackWithoutGaps(t *testing.T) {
	t.Parallel()
	var files []packedFile
	for size := range int64(11) {
		files = append(files, packedFile{Size: size})
	}
	for n := 1; n < 20; n++ {
		var covered []packedFile
		var at int64
		all := spans(files, n)
		for _, s := range all {
			assert.Equal(t, at, s.offset)
			at += s.size
			covered = append(covered, s.files...)
		}
		assert.LessOrEqual(t, len(all), n)
		assert.Equal(t, files, covered)
		assert.EqualValues(t, 55, at)
	}
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

// TestDamageIsFound damages a pack and its manifest in every way that a disk
// or an interrupted write may.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(pack, manifest string) error{
		"no manifest":     func(_, manifest string) error { return os.Remove(manifest) },
		"half a manifest": func(_, manifest string) error { return os.Truncate(manifest, 20) },
		"an empty manifest": func(_, manifest string) error {
			return os.WriteFile(manifest, []byte("{}"), 0o600)
		},
		"a path that leads out": func(_, manifest string) error {
			return os.WriteFile(manifest, []byte(`{"files":[{"path":"../a","size":8200}]}`), 0o600)
		},
		"a negative size": func(_, manifest string) error {
			return os.WriteFile(manifest, []byte(`{"files":[{"path":"a","size":-1},{"path":"b","size":8201}]}`), 0o600)
		},
		"no pack":          func(pack, _ string) error { return os.Remove(pack) },
		"a short pack":     func(pack, _ string) error { return os.Truncate(pack, 8199) },
		"a long pack":      func(pack, _ string) error { return os.Truncate(pack, 8201) },
		"other content":    func(pack, _ string) error { return os.WriteFile(pack, make([]byte, 8200), 0o600) },
		"no damage at all": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(src, "a"), []byte("contents"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(src, "b"), make([]byte, 8192), 0o600))
			pack := filepath.Join(t.TempDir(), "pack")
			m, err := packTree(src, pack)
			require.NoError(t, err)
			require.NoError(t, m.write(pack+".json"))
			if damage != nil {
				require.NoError(t, damage(pack, pack+".json"))
			}
			m, err = readManifest(pack+".json", pack)
			if err == nil {
				err = unpackTree(t.Context(), pack, filepath.Join(t.TempDir(), "data"), m, self())
			}
			if damage == nil {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, errImageDamaged)
			}
		})
	}
}
