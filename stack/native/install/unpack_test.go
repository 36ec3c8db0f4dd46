package install

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native/install/installtest"
)

// small are limits that a test can reach.
func small() limits {
	return limits{archive: 1 << 20, unpacked: 64 << 10, entries: 20, pause: time.Millisecond}
}

// unpacked runs extract on an archive and returns what came of it.
func unpacked(t *testing.T, suffix string, packed []byte) (string, error) {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "out", "auth")
	require.NoError(t, os.Mkdir(filepath.Dir(to), 0o755))
	digest, err := archive{name: Auth, limits: small()}.extract(t.Context(), "auth"+suffix, bytes.NewReader(packed), to)
	written, walkErr := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, walkErr)
	if err != nil {
		return "", err
	}
	require.Equal(t, []string{to}, written, "one file and nothing else")
	content, readErr := os.ReadFile(to)
	require.NoError(t, readErr)
	assert.Equal(t, hexDigest(content), digest)
	return string(content), nil
}

func TestOnlyTheExecutableIsTaken(t *testing.T) {
	t.Parallel()
	script := installtest.Executable(Auth, "1")
	entries := []installtest.Entry{
		{Name: "./", Type: tar.TypeDir},
		{Name: "./migrations/auth", Content: "of the same name, elsewhere"},
		{Name: "gotrue", Type: tar.TypeSymlink, Link: "/etc/passwd"},
		{Name: "hard", Type: tar.TypeLink, Link: "../../outside"},
		{Name: "./auth", Content: script},
		{Name: "zzz", Content: "after it"},
	}
	for suffix, pack := range map[string]func([]byte) []byte{".tar.gz": installtest.Gzip, ".tar.xz": installtest.Xz} {
		got, err := unpacked(t, suffix, pack(installtest.Tar(entries...)))
		require.NoError(t, err, suffix)
		assert.Equal(t, script, got)
	}
}

func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	good := installtest.Entry{Name: Auth, Content: installtest.Executable(Auth, "1")}
	many := []installtest.Entry{good}
	for range small().entries {
		many = append(many, installtest.Entry{Name: "m", Content: "x"})
	}
	tests := map[string]struct {
		entries []installtest.Entry
		want    string
	}{
		"out of the folder":        {[]installtest.Entry{{Name: "../auth", Content: "x"}, good}, `"../auth": the path leads out of the archive`},
		"out, on a detour":         {[]installtest.Entry{{Name: "a/../../auth", Content: "x"}, good}, `"a/../../auth": the path leads out of the archive`},
		"an absolute path":         {[]installtest.Entry{{Name: "/etc/cron.d/auth", Content: "x"}, good}, `"/etc/cron.d/auth": the path leads out of the archive`},
		"a backslash":              {[]installtest.Entry{{Name: `..\auth`, Content: "x"}, good}, `the path leads out of the archive`},
		"the executable is a link": {[]installtest.Entry{{Name: Auth, Type: tar.TypeSymlink, Link: "/bin/sh"}}, `"auth": the executable is no plain file`},
		"a hard link":              {[]installtest.Entry{{Name: "./auth", Type: tar.TypeLink, Link: "/bin/sh"}}, `"./auth": the executable is no plain file`},
		"a folder":                 {[]installtest.Entry{{Name: "auth/", Type: tar.TypeDir}}, `"auth/": the executable is no plain file`},
		"a device":                 {[]installtest.Entry{{Name: "null", Type: tar.TypeChar}, good}, `"null": unexpected kind of file '3'`},
		"a pipe":                   {[]installtest.Entry{{Name: "auth", Type: tar.TypeFifo}}, `"auth": unexpected kind of file '6'`},
		"two of them":              {[]installtest.Entry{good, {Name: "./auth", Content: "other"}}, `two files "auth"`},
		"none":                     {[]installtest.Entry{{Name: "gotrue", Content: "x"}, {Name: "README", Content: "x"}}, `no file "auth" in the archive; it has ["gotrue" "README"]`},
		"nothing":                  {nil, `no file "auth" in the archive; it has no files`},
		"an empty one":             {[]installtest.Entry{{Name: Auth}}, `the file "auth" is empty`},
		"too many":                 {many, "more than 20 files"},
		"a huge executable":        {[]installtest.Entry{{Name: Auth, Content: strings.Repeat("x", 65<<10)}}, "far more than a server has"},
		"a bomb beside it":         {[]installtest.Entry{good, {Name: "bomb", Content: strings.Repeat("\x00", 600<<10)}}, "far more than a server has"},
		"a size that is not true":  {[]installtest.Entry{{Name: Auth, Content: "x", Size: 1 << 40}}, "unexpected EOF"},
	}
	for name, tt := range tests {
		for suffix, pack := range map[string]func([]byte) []byte{".tar.gz": installtest.Gzip, ".tar.xz": installtest.Xz} {
			_, err := unpacked(t, suffix, pack(installtest.Tar(tt.entries...)))
			assert.ErrorContains(t, err, tt.want, "%s%s", name, suffix)
		}
	}
}

// A sparse file says in its header that it is large, and takes nothing in the archive.
func TestASparseExecutableDoesNotFillTheDisk(t *testing.T) {
	t.Parallel()
	// archive/tar writes no sparse files.
	sparse := pax(t, map[string]string{
		"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.name": Auth,
		"GNU.sparse.size": "1099511627776", "GNU.sparse.numblocks": "1", "GNU.sparse.map": "1099511627776,0",
	})
	_, err := unpacked(t, ".tar.gz", installtest.Gzip(sparse))
	require.EqualError(t, err, "the executable is larger than 64KiB")
}

// pax is an archive with one empty file whose extended header has the given records.
func pax(t *testing.T, records map[string]string) []byte {
	t.Helper()
	var extended strings.Builder
	for name, value := range records {
		record := " " + name + "=" + value + "\n"
		size := len(record) + 2 // all of them are shorter than 100
		extended.WriteString(strconv.Itoa(size) + record)
	}
	header := installtest.Tar(installtest.Entry{Name: "PaxHeaders/auth", Content: extended.String()})
	header = header[:512+(extended.Len()+511)/512*512] // without the end of the archive
	header[156] = tar.TypeXHeader
	checksum(header[:512])
	return append(header, installtest.Tar(installtest.Entry{Name: Auth})...)
}

// checksum mends the sum of a tar header that was changed.
func checksum(block []byte) {
	copy(block[148:156], "        ")
	sum := 0
	for _, b := range block {
		sum += int(b)
	}
	for i := 153; i >= 148; i-- {
		block[i] = byte('0' + sum%8)
		sum /= 8
	}
	block[154], block[155] = 0, ' '
}

func TestDamagedArchivesAreErrors(t *testing.T) {
	t.Parallel()
	for name, suffix := range map[string]string{PostgREST: ".tar.xz", Auth: ".tar.gz"} {
		whole := installtest.Release(name, "1")
		for _, cut := range []int{0, 1, 5, len(whole) / 2} {
			_, err := archive{name: name, limits: small()}.extract(t.Context(), "x"+suffix, bytes.NewReader(whole[:cut]), filepath.Join(t.TempDir(), name))
			assert.Error(t, err, "%s, %d bytes", suffix, cut)
		}
		html := []byte("<!DOCTYPE html><title>Sign in to the proxy</title>")
		_, err := archive{name: name, limits: small()}.extract(t.Context(), "x"+suffix, bytes.NewReader(html), filepath.Join(t.TempDir(), name))
		assert.Error(t, err, suffix)
	}
	_, err := decompress("auth.zip", nil)
	assert.EqualError(t, err, "auth.zip is neither .tar.xz nor .tar.gz")
}

func TestUnpackingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := archive{name: Auth, limits: small()}.extract(ctx, "x.tar.gz", bytes.NewReader(installtest.Release(Auth, "1")), filepath.Join(t.TempDir(), Auth))
	assert.EqualError(t, err, "enough")
}

func TestWhatCannotBeUnpackedIsNotKept(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{ETag: `"a"`, Digest: "right", Content: []byte("<html>not what you want</html>")})
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, "unpack auth-v"+DefaultVersion(Auth)+"-x86.tar.gz: gzip: invalid header")
	nothingIsThere(t, cfg, Auth)

	publish(t, server, cfg, Auth, "", installtest.File{ETag: `"b"`, Digest: "right"})
	_, err = Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
}

// FuzzExtract holds that no archive writes anything but the one file, more than the
// limits allow, or crashes.
func FuzzExtract(f *testing.F) {
	f.Add(true, installtest.Release(PostgREST, "1"))
	f.Add(false, installtest.Release(Auth, "1"))
	f.Add(false, installtest.Gzip(installtest.Tar(installtest.Entry{Name: "../auth", Content: "x"})))
	f.Add(true, installtest.Xz(installtest.Tar(installtest.Entry{Name: Auth, Content: strings.Repeat("x", 65<<10)})))
	f.Fuzz(func(t *testing.T, isXz bool, packed []byte) {
		name, suffix := Auth, ".tar.gz"
		if isXz {
			name, suffix = PostgREST, ".tar.xz"
		}
		dir := t.TempDir()
		to := filepath.Join(dir, "out", name)
		require.NoError(t, os.Mkdir(filepath.Dir(to), 0o755))
		_, err := archive{name: name, limits: small()}.extract(t.Context(), "x"+suffix, bytes.NewReader(packed), to)
		info, statErr := os.Lstat(to)
		if err == nil {
			require.NoError(t, statErr)
		}
		if statErr == nil {
			assert.True(t, info.Mode().IsRegular())
			assert.LessOrEqual(t, info.Size(), small().unpacked+1)
		}
		for _, folder := range []string{dir, filepath.Dir(to)} {
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(entries), 1)
		}
	})
}

// FuzzTar does the same below the compression, which a fuzzer rarely gets through.
func FuzzTar(f *testing.F) {
	f.Add(installtest.Tar(installtest.Entry{Name: Auth, Content: "x"}, installtest.Entry{Name: "b", Type: tar.TypeSymlink, Link: "c"}))
	f.Add(installtest.Tar(installtest.Entry{Name: "../auth", Content: "x"}))
	f.Fuzz(func(t *testing.T, packed []byte) {
		dir := t.TempDir()
		to := filepath.Join(dir, Auth)
		digest, err := archive{name: Auth, limits: small()}.extract(t.Context(), "x.tar.gz", bytes.NewReader(installtest.Gzip(packed)), to)
		entries, readErr := os.ReadDir(dir)
		require.NoError(t, readErr)
		assert.LessOrEqual(t, len(entries), 1)
		if err == nil {
			content, err := os.ReadFile(to)
			require.NoError(t, err)
			assert.Equal(t, hexDigest(content), digest)
			assert.NotEmpty(t, content)
		}
	})
}
