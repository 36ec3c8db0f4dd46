package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native/install/installtest"
)

// upstream starts a server and a configuration that installs from it into a cache of the
// test's own, with limits that tests can reach.
func upstream(t *testing.T) (*installtest.Server, Config) {
	t.Helper()
	server := installtest.NewServer()
	t.Cleanup(server.Close)
	return server, Config{
		CacheDir: t.TempDir(), BaseURL: server.URL, Platform: "linux/amd64", StallTimeout: 10 * time.Second,
		limits: limits{archive: 1 << 20, unpacked: 1 << 20, entries: 100, pause: time.Millisecond},
		pinned: func(string) (string, bool) { return "", false },
	}
}

// publish puts a release's archive where the configuration looks for it.
func publish(t *testing.T, server *installtest.Server, cfg Config, name, version string, f installtest.File) {
	t.Helper()
	url, err := cfg.URL(name, version)
	require.NoError(t, err)
	if version == "" {
		version = DefaultVersion(name)
	}
	if f.Content == nil {
		f.Content = installtest.Release(name, strings.TrimPrefix(version, "v"))
	}
	server.Put(url, f)
}

func hexDigest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// notes is a logger that remembers what it was told.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) logger() *slog.Logger { return slog.New(slog.NewTextHandler(n, nil)) }

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

func TestBothServersAreInstalledAsUpstreamPacksThem(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	for name, asset := range map[string]string{
		PostgREST: "postgrest-v14.17-linux-static-x86-64.tar.xz",
		Auth:      "auth-v2.196.0-x86.tar.gz",
	} {
		publish(t, server, cfg, name, "", installtest.File{Digest: "right"})
		got, err := Install(t.Context(), cfg, name, "")
		require.NoError(t, err)
		version := DefaultVersion(name)
		assert.Equal(t, Installed{
			Name: name, Version: version, Path: filepath.Join(cfg.CacheDir, "bin", name+"-"+version, name),
			Asset: asset, SHA256: hexDigest(installtest.Release(name, version)), Trust: TrustListed,
		}, got)

		path, found, ok := Find(cfg.CacheDir, name)
		assert.True(t, ok)
		assert.Equal(t, []string{got.Path, version}, []string{path, found})
		said, err := exec.CommandContext(t.Context(), path, "--version").Output()
		require.NoError(t, err)
		assert.Equal(t, name+" "+version+"\n", string(said))

		beside, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Len(t, beside, 1, "nothing else of the archive is unpacked")
		for path, mode := range map[string]os.FileMode{path: 0o755, filepath.Dir(path): 0o755 | os.ModeDir} {
			info, err := os.Stat(path)
			require.NoError(t, err)
			assert.Equal(t, mode, info.Mode(), path)
		}
	}
	left, err := os.ReadDir(filepath.Join(cfg.CacheDir, "bin", ".partial"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestWhatIsInstalledIsNotDownloadedAgain(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{Digest: "right"})
	first, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	require.False(t, first.Already)
	server.Close() // nobody has to be online for it

	again, err := Install(t.Context(), cfg, Auth, "v"+DefaultVersion(Auth))
	require.NoError(t, err)
	first.Already = true
	assert.Equal(t, first, again)
}

func TestAnExecutableThatHasChangedSinceIsNoticed(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{})
	installed, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(installed.Path, []byte("#!/bin/sh\n"), 0o755))

	_, err = Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, installed.Path+" is not what was installed: SHA-256 is "+hexDigest([]byte("#!/bin/sh\n")))
	assert.Contains(t, hintOf(t, err), "remove "+filepath.Dir(installed.Path)+" and install again")

	require.NoError(t, os.RemoveAll(filepath.Dir(installed.Path)))
	repaired, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Equal(t, TrustRecorded, repaired.Trust)
}

func TestAnExecutablePutThereByHandIsTaken(t *testing.T) {
	t.Parallel()
	_, cfg := upstream(t)
	_, err := Install(t.Context(), cfg, PostgREST, "14.3")
	var failed *Error
	require.ErrorAs(t, err, &failed)
	put(t, failed.Path, 0o755)

	got, err := Install(t.Context(), cfg, PostgREST, "14.3")
	require.NoError(t, err)
	assert.Equal(t, Installed{Name: PostgREST, Version: "14.3", Path: failed.Path, Trust: TrustByHand, Already: true}, got)
}

func TestADigestThatIsPinnedCounts(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, PostgREST, "14.17", installtest.File{Digest: "wrong"})
	content := installtest.Release(PostgREST, "14.17")
	cfg.pinned = func(asset string) (string, bool) {
		return hexDigest(content), asset == "postgrest-v14.17-linux-static-x86-64.tar.xz"
	}
	got, err := Install(t.Context(), cfg, PostgREST, "14.17")
	require.NoError(t, err)
	assert.Equal(t, TrustPinned, got.Trust)
	assert.Zero(t, server.Listings(), "what is pinned needs no listing")
}

func TestAnArchiveWithAnotherDigestIsThrownAway(t *testing.T) {
	t.Parallel()
	for _, pin := range []bool{true, false} {
		server, cfg := upstream(t)
		publish(t, server, cfg, Auth, "", installtest.File{Digest: "wrong", ETag: `"a"`})
		if pin {
			cfg.pinned = func(string) (string, bool) { return strings.Repeat("0", 64), true }
		}
		_, err := Install(t.Context(), cfg, Auth, "")
		require.ErrorContains(t, err, "SHA-256 is "+hexDigest(installtest.Release(Auth, DefaultVersion(Auth)))+", but ")
		nothingIsThere(t, cfg, Auth)
	}
}

// nothingIsThere checks that a failed installation has left nothing behind.
func nothingIsThere(t *testing.T, cfg Config, name string) {
	t.Helper()
	path, _, ok := Find(cfg.CacheDir, name)
	assert.False(t, ok, path)
	var left []string
	err := filepath.WalkDir(filepath.Join(cfg.CacheDir, "bin"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ".lock" {
			left = append(left, path)
		}
		return err
	})
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestWithoutAnyDigestTheFirstUseIsTrustedAndRemembered(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "2.150.0", installtest.File{})
	first, err := Install(t.Context(), cfg, Auth, "2.150.0")
	require.NoError(t, err)
	assert.Equal(t, TrustFirstUse, first.Trust)
	text, err := os.ReadFile(filepath.Join(cfg.CacheDir, "bin", "install.lock"))
	require.NoError(t, err)
	for _, want := range []string{
		`# What "supascore stack install" has put into this folder.`, `name = 'auth'`, `version = '2.150.0'`,
		`archive_sha256 = '` + first.SHA256 + `'`, `trust = 'first-use'`, server.URL + "/supabase/auth/releases/download/v2.150.0/auth-v2.150.0-x86.tar.gz",
	} {
		assert.Contains(t, string(text), want)
	}

	// The same version again, after the executable was removed: another archive is refused.
	require.NoError(t, os.RemoveAll(filepath.Dir(first.Path)))
	publish(t, server, cfg, Auth, "2.150.0", installtest.File{Content: installtest.ReleaseOf(Auth, "#!/bin/sh\necho evil\n")})
	_, err = Install(t.Context(), cfg, Auth, "2.150.0")
	require.ErrorContains(t, err, "but "+first.SHA256+" is in install.lock from an earlier installation")
	_, _, ok := Find(cfg.CacheDir, Auth)
	assert.False(t, ok)
}

func TestAReleaseThatChangesUnderItsNameIsRefused(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "2.150.0", installtest.File{Digest: "right"})
	first, err := Install(t.Context(), cfg, Auth, "2.150.0")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Dir(first.Path)))
	publish(t, server, cfg, Auth, "2.150.0", installtest.File{Digest: "right", Content: installtest.ReleaseOf(Auth, "#!/bin/sh\n")})

	_, err = Install(t.Context(), cfg, Auth, "2.150.0")
	require.ErrorContains(t, err, "auth-v2.150.0-x86.tar.gz has changed: SHA-256 ")
	assert.Contains(t, hintOf(t, err), "remove the entry from "+filepath.Join(cfg.CacheDir, "bin", "install.lock"))
	assert.Len(t, server.Requests(), 1, "the other archive is not even downloaded")
}

func TestAListingThatCannotBeReadIsSaidAndDoesNotEndIt(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{Digest: "right"})
	server.RefuseListings(http.StatusForbidden)
	var said notes
	cfg.Log = said.logger()
	got, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Equal(t, TrustFirstUse, got.Trust)
	assert.Contains(t, said.String(), "the listing of the release cannot be read")
	assert.Contains(t, said.String(), "403 Forbidden")
}

func TestADamagedRecordIsNotOverwritten(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{})
	path := filepath.Join(cfg.CacheDir, "bin", "install.lock")
	put(t, path, 0o644)
	require.NoError(t, os.WriteFile(path, []byte("[[installed]]\nname = auth\n"), 0o644))
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, path+":2:8: ")
	assert.Contains(t, hintOf(t, err), "mend the file, or remove it")
	assert.Empty(t, server.Requests())
}

func TestTwoInstallationsAtOnceDownloadOnce(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, PostgREST, "", installtest.File{Digest: "right"})
	var wg sync.WaitGroup
	var said notes
	cfg.Log = said.logger()
	results := make([]Installed, 4)
	for i := range results {
		wg.Go(func() {
			got, err := Install(t.Context(), cfg, PostgREST, "")
			assert.NoError(t, err)
			results[i] = got
		})
	}
	wg.Wait()
	assert.Len(t, server.Requests(), 1)
	done := 0
	for _, r := range results {
		assert.Equal(t, TrustListed, r.Trust)
		if !r.Already {
			done++
		}
	}
	assert.Equal(t, 1, done)
}

func TestWaitingForAnotherInstallationEndsWithTheContext(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, PostgREST, "", installtest.File{Cuts: []int{10}, Stalls: true})
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		_, err := Install(ctx, cfg, PostgREST, "")
		assert.ErrorIs(t, err, context.Canceled)
	})
	held := filepath.Join(cfg.CacheDir, "bin", ".partial", "postgrest-v14.17-linux-static-x86-64.tar.xz")
	require.Eventually(t, func() bool { _, err := os.Stat(held); return err == nil }, 10*time.Second, time.Millisecond)

	var said notes
	second := cfg
	second.Log = said.logger()
	impatient, give := context.WithCancelCause(t.Context())
	wg.Go(func() {
		_, err := Install(impatient, second, PostgREST, "")
		assert.ErrorContains(t, err, "no patience")
	})
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "waiting for another installation") }, 10*time.Second, time.Millisecond)
	give(errors.New("no patience"))
	cancel()
	wg.Wait()
}

func TestAFolderInTheWayIsNamed(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{})
	in := filepath.Join(cfg.CacheDir, "bin", "auth-"+DefaultVersion(Auth))
	put(t, filepath.Join(in, "README"), 0o644)
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, in+` is in the way: it has no executable "auth"`)
	text, err := os.ReadFile(filepath.Join(in, "README"))
	require.NoError(t, err)
	assert.Equal(t, "#!/bin/sh\n", string(text), "what somebody put there stays")
}

func hintOf(t *testing.T, err error) string {
	t.Helper()
	var hinted interface{ Hint() string }
	require.ErrorAs(t, err, &hinted)
	return hinted.Hint()
}

func TestAPinThatCameLaterIsHeldAgainstWhatIsInstalled(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{})
	installed, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	pin := strings.Repeat("0", 64)
	cfg.pinned = func(string) (string, bool) { return pin, true }
	_, err = Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, "with SHA-256 "+installed.SHA256+", but "+pin+" is pinned in this program")
	assert.Contains(t, hintOf(t, err), "remove "+filepath.Dir(installed.Path)+", and its entry in ")
}

func TestAListingThatMakesNoSenseIsNoDigest(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no JSON":             "<html>",
		"an endless one":      `{"assets":[` + strings.Repeat(" ", maxListing) + "]}",
		"no digests at all":   `{"message":"API rate limit exceeded"}`,
		"digests of no kind":  `{"assets":[{"name":"auth-v2.1.0-x86.tar.gz","digest":"sha256:abc"}]}`,
		"digests of another":  `{"assets":[{"name":"auth-v2.1.0-x86.tar.gz","digest":"sha512:` + strings.Repeat("0", 64) + `"}]}`,
		"digests of the rest": `{"assets":[{"name":"auth-v2.1.0-x86.tar.gz"},{"name":"x","digest":"sha256:` + strings.Repeat("0", 64) + `"}]}`,
	} {
		server, cfg := upstream(t)
		publish(t, server, cfg, Auth, "2.1.0", installtest.File{})
		api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		t.Cleanup(api.Close)
		cfg.ListingURL = api.URL
		got, err := Install(t.Context(), cfg, Auth, "2.1.0")
		require.NoError(t, err, name)
		assert.Equal(t, TrustFirstUse, got.Trust, name)
	}
}
