package install

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native/install/installtest"
)

// said is an error with its hint, as the command line would print them, with SERVER and
// CACHE for what differs from run to run.
func said(t *testing.T, cfg Config, err error) string {
	t.Helper()
	text := "error: " + err.Error()
	for line := range strings.SplitSeq(hintOf(t, err), "\n") {
		text += "\nhint: " + line
	}
	if cfg.BaseURL != "" {
		text = strings.ReplaceAll(text, cfg.BaseURL, "SERVER")
	}
	return strings.ReplaceAll(text, cfg.CacheDir, "CACHE")
}

const byHand = `
hint: by hand: get SERVER/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-x86.tar.gz, and put the file "auth" in it at CACHE/bin/auth-2.196.0/auth, executable
hint: or set SUPASCORE_AUTH_BIN to an executable that is elsewhere`

func TestErrorsSayWhatWasAskedForAndHowToGoOn(t *testing.T) {
	t.Parallel()
	const url = "SERVER/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-x86.tar.gz"
	tests := map[string]struct {
		serve func(*installtest.Server, Config)
		want  string
	}{
		"no such release": {
			func(*installtest.Server, Config) {},
			"error: install auth 2.196.0: GET " + url + ": 404 Not Found; there may be no such release" + byHand,
		},
		"no such file in the release": {
			func(s *installtest.Server, _ Config) {
				s.Put("/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-riscv.tar.gz", installtest.File{})
				s.Put("/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-arm64.tar.gz", installtest.File{})
			},
			"error: install auth 2.196.0: release v2.196.0 of supabase/auth has no auth-v2.196.0-x86.tar.gz; it has: auth-v2.196.0-arm64.tar.gz, auth-v2.196.0-riscv.tar.gz" + byHand,
		},
		"refused": {
			func(s *installtest.Server, c Config) { publishStatus(t, s, c, http.StatusForbidden, nil) },
			"error: install auth 2.196.0: GET " + url + ": 403 Forbidden\n" +
				"hint: the server or a proxy refuses it; HTTPS_PROXY is respected, and --from names a mirror" + byHand,
		},
		"too many requests": {
			func(s *installtest.Server, c Config) {
				publishStatus(t, s, c, http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}})
			},
			"error: install auth 2.196.0: GET " + url + ": 429 Too Many Requests\n" +
				"hint: the server asks to be left alone for a while: Retry-After 60" + byHand,
		},
		"out of order": {
			func(s *installtest.Server, c Config) { publishStatus(t, s, c, http.StatusBadGateway, nil) },
			"error: install auth 2.196.0: GET " + url + ": 502 Bad Gateway\nhint: try again: what has arrived is kept" + byHand,
		},
		"another digest": {
			func(s *installtest.Server, c Config) {
				publish(t, s, c, Auth, "", installtest.File{Content: []byte("x"), Digest: "wrong"})
			},
			"error: install auth 2.196.0: " + url + ": SHA-256 is " + hexDigest([]byte("x")) + ", but " +
				hexDigest([]byte("auth-v2.196.0-x86.tar.gz")) + " is in the listing of the release; the download was thrown away" + byHand,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, cfg := upstream(t)
			tt.serve(server, cfg)
			_, err := Install(t.Context(), cfg, Auth, "2.196.0")
			require.Error(t, err)
			assert.Equal(t, tt.want, said(t, cfg, err))
			nothingIsThere(t, cfg, Auth)
		})
	}
}

func publishStatus(t *testing.T, s *installtest.Server, cfg Config, status int, header http.Header) {
	t.Helper()
	publish(t, s, cfg, Auth, "2.196.0", installtest.File{Status: status, Header: header})
}

func TestAFileThatIsMissingBehindAPinIsLookedForInTheListing(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	cfg.pinned = func(string) (string, bool) { return strings.Repeat("0", 64), true }
	server.Put("/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-arm64.tar.gz", installtest.File{})
	_, err := Install(t.Context(), cfg, Auth, "2.196.0")
	require.ErrorContains(t, err, "404 Not Found; release v2.196.0 of supabase/auth has: auth-v2.196.0-arm64.tar.gz")
}

func TestAServerThatIsOutOfOrderForAMomentIsAskedAgain(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	good := installtest.File{Content: installtest.Release(Auth, "2.196.0")}
	publishStatus(t, server, cfg, http.StatusServiceUnavailable, nil)
	cfg.Client = &http.Client{Transport: after(func(status int) {
		if status == http.StatusServiceUnavailable {
			publish(t, server, cfg, Auth, "2.196.0", good)
		}
	})}
	_, err := Install(t.Context(), cfg, Auth, "2.196.0")
	require.NoError(t, err)
	assert.Equal(t, []string{"503", "200"}, ranges(server))
}

// after is a transport that tells of every answer.
type after func(status int)

func (a after) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		a(resp.StatusCode)
	}
	return resp, err
}

func TestBeingOfflineIsSaid(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	server.Close()
	_, err := Install(t.Context(), cfg, Auth, "2.196.0")
	require.ErrorContains(t, err, "connection refused")
	assert.Contains(t, said(t, cfg, err), "\nhint: is this machine online? HTTPS_PROXY is respected, and --from names a mirror"+byHand)

	cfg.BaseURL, cfg.ListingURL = "http://nowhere.invalid", ""
	_, err = Install(t.Context(), cfg, Auth, "2.196.0")
	require.ErrorContains(t, err, `Get "http://nowhere.invalid/supabase/auth/releases/download/v2.196.0/auth-v2.196.0-x86.tar.gz"`)
	assert.Contains(t, said(t, cfg, err), "is this machine online?")
}

func TestPlatformsWithoutAReleaseSayHowToBuildOne(t *testing.T) {
	t.Parallel()
	_, cfg := upstream(t)
	cfg.Platform = "darwin/amd64"
	_, err := Install(t.Context(), cfg, Auth, "2.196.0")
	require.Error(t, err)
	assert.Equal(t, `error: install auth 2.196.0: upstream has no release of auth 2.196.0 for darwin/amd64
hint: build it with Go: git clone --branch v2.196.0 https://github.com/supabase/auth && cd auth && go build -o auth .
hint: put an executable at CACHE/bin/auth-2.196.0/auth
hint: or set SUPASCORE_AUTH_BIN to an executable that is elsewhere`, said(t, cfg, err))

	put(t, filepath.Join(cfg.CacheDir, "bin", "auth-2.196.0", "auth"), 0o755)
	got, err := Install(t.Context(), cfg, Auth, "2.196.0")
	require.NoError(t, err, "once it is there, all is well")
	assert.Equal(t, TrustByHand, got.Trust)
}

func TestVersionsThatCannotBeAreToldApart(t *testing.T) {
	t.Parallel()
	_, cfg := upstream(t)
	for version, want := range map[string]string{
		"latest":          `postgrest "latest" cannot be installed: a version is written like 14.17`,
		"../../etc":       `postgrest "../../etc" cannot be installed: a version is written like 14.17`,
		"14.17/..":        `postgrest "14.17/.." cannot be installed: a version is written like 14.17`,
		"14":              `postgrest "14" cannot be installed: a version is written like 14.17`,
		"12.2.3":          `postgrest "12.2.3" cannot be installed: 13 is the oldest that can be installed`,
		"99999999999.1":   `postgrest "99999999999.1" cannot be installed: a version is written like 14.17`,
		"14.17-a b":       `postgrest "14.17-a b" cannot be installed: a version is written like 14.17`,
		"14.17\nX: y":     `postgrest "14.17\nX: y" cannot be installed: a version is written like 14.17`,
		"14.17?x=/../../": `postgrest "14.17?x=/../../" cannot be installed: a version is written like 14.17`,
	} {
		_, err := Install(t.Context(), cfg, PostgREST, version)
		var wrong *VersionError
		require.ErrorAs(t, err, &wrong, version)
		assert.EqualError(t, err, want)
	}
	_, err := Install(t.Context(), cfg, "kong", "1.0")
	assert.EqualError(t, err, `there is no server "kong": there are postgrest and auth`)
}

func TestArchivesAreCalledWhatUpstreamCallsThem(t *testing.T) {
	t.Parallel()
	const postgrest, auth = "https://github.com/PostgREST/postgrest/releases/download/", "https://github.com/supabase/auth/releases/download/"
	for _, tt := range []struct{ name, version, platform, want string }{
		{PostgREST, "14.17", "linux/amd64", postgrest + "v14.17/postgrest-v14.17-linux-static-x86-64.tar.xz"},
		{PostgREST, "14.17", "linux/arm64", postgrest + "v14.17/postgrest-v14.17-ubuntu-aarch64.tar.xz"},
		{PostgREST, "v16.0", "linux/arm64", postgrest + "v16.0/postgrest-v16.0-linux-static-aarch64.tar.xz"},
		{PostgREST, "13.0.5", "darwin/arm64", postgrest + "v13.0.5/postgrest-v13.0.5-macos-aarch64.tar.xz"},
		{PostgREST, "", "darwin/amd64", postgrest + "v14.17/postgrest-v14.17-macos-x86-64.tar.xz"},
		{Auth, "", "linux/amd64", auth + "v2.196.0/auth-v2.196.0-x86.tar.gz"},
		{Auth, "2.150.0", "linux/arm64", auth + "v2.150.0/auth-v2.150.0-arm64.tar.gz"},
		{Auth, "2.196.0-rc.16", "linux/amd64", auth + "rc2.196.0-rc.16/auth-v2.196.0-rc.16-x86.tar.gz"},
		{Auth, "2.193.1", "darwin/arm64", auth + "v2.193.1/auth-v2.193.1-darwin-arm64.tar.gz"},
	} {
		got, err := Config{Platform: tt.platform}.URL(tt.name, tt.version)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got)
	}
	for _, tt := range []struct{ name, version, platform string }{
		{PostgREST, "14.17", "windows/amd64"},
		{Auth, "2.193.0", "darwin/arm64"},
		{Auth, "2.196.0", "freebsd/amd64"},
	} {
		_, err := Config{Platform: tt.platform}.URL(tt.name, tt.version)
		assert.EqualError(t, err, fmt.Sprintf("upstream has no release of %s %s for %s", tt.name, tt.version, tt.platform))
	}
}

func TestEveryPinIsADigestOfAnArchiveThatCanBeAskedFor(t *testing.T) {
	t.Parallel()
	found := 0
	for _, name := range []string{PostgREST, Auth} {
		for _, version := range []string{"14.1", "14.5", "14.17", "2.192.0", "2.193.0", "2.193.1", "2.194.0"} {
			for _, platform := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64"} {
				r, err := releaseOf(name, version, platform)
				if err != nil {
					continue
				}
				if digest, ok := pinned(r.asset); ok {
					found++
					assert.Regexp(t, digestPattern, digest)
				}
			}
		}
	}
	assert.Equal(t, 15, found)
}

func TestTheCauseOfAnErrorDecidesItsRemedy(t *testing.T) {
	t.Parallel()
	for cause, want := range map[error]string{
		&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}: "free some space, or choose another folder",
		&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES}: "choose a folder that can be written",
		&fs.PathError{Op: "open", Path: "x", Err: syscall.EROFS}:   "choose a folder that can be written",
		fs.ErrInvalid: "",
	} {
		got := remedy(fmt.Errorf("wrapped: %w", cause))
		assert.True(t, strings.HasPrefix(got, want) && (want != "") == (got != ""), "%v: %q", cause, got)
	}
}

func TestAFolderThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{})
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cfg.CacheDir = file // holds for root, too, whom no mode stops
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorIs(t, err, syscall.ENOTDIR)
	assert.Contains(t, err.Error(), file)
	assert.Empty(t, server.Requests())
}
