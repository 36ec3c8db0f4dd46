package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Where upstream publishes its releases, and where GitHub describes them.
const (
	defaultBaseURL    = "https://github.com"
	defaultListingURL = "https://api.github.com"
)

// defaultStall is long for a line that works, and short for somebody who waits.
const defaultStall = 30 * time.Second

// Config says where executables come from and where they go. The zero value takes
// upstream's releases for this machine into the user's cache.
type Config struct {
	// CacheDir is the cache folder; see Dir for what an empty one means.
	CacheDir string
	// BaseURL is what stands before the paths of releases, without a slash at its end.
	// The default is https://github.com; a mirror keeps GitHub's paths below its own URL.
	BaseURL string
	// ListingURL is what stands before /repos/<owner>/<name>/releases/tags/<tag>, where
	// digests are asked for. The default is https://api.github.com, or BaseURL when one
	// is given: a mirror that has no listings is as good as one whose listings have no
	// digests.
	ListingURL string
	// Platform is the system and processor to install for, as Go writes them; default is
	// this machine's, such as linux/amd64.
	Platform string
	// StallTimeout is how long nothing may come; default 30 s. There is no limit on the
	// whole.
	StallTimeout time.Duration
	// Client sends the requests; the default one respects HTTPS_PROXY and NO_PROXY.
	Client *http.Client
	// Progress is told of downloads; default nobody.
	Progress Progress
	// Log gets what a person who waits wants to know; default nobody.
	Log *slog.Logger

	limits limits
	// pinned is a function of the package, unless a test has pins of its own.
	pinned func(asset string) (string, bool)
}

// limits are sizes that nothing of upstream's comes near, and a pause.
type limits struct {
	// archive is in bytes; upstream's have 5 to 25 MiB.
	archive int64
	// unpacked is in bytes, for everything in an archive; upstream's have 30 to 60 MiB.
	unpacked int64
	// entries is a number of files; Auth's archive has some 70.
	entries int
	// pause is the first wait before a download is taken up again; each one is longer.
	pause time.Duration
}

// Progress is told how a download goes, by one goroutine.
type Progress interface {
	// Begin says that the file at url, which has no password, is being received. It has total bytes, -1 when that
	// is unknown; have of them are there from an earlier attempt.
	Begin(url string, have, total int64)
	// Received says that n more bytes are there.
	Received(n int)
	// End says that nothing more comes, because all is there or because it broke off;
	// then Begin may follow again.
	End(whole bool)
}

// silent is a Progress for nobody.
type silent struct{}

func (silent) Begin(string, int64, int64) {}
func (silent) Received(int)               {}
func (silent) End(bool)                   {}

func (c Config) withDefaults() Config {
	if c.ListingURL == "" && c.BaseURL != "" {
		c.ListingURL = c.BaseURL
	}
	c.BaseURL = strings.TrimRight(firstOf(c.BaseURL, defaultBaseURL), "/")
	c.ListingURL = strings.TrimRight(firstOf(c.ListingURL, defaultListingURL), "/")
	c.Platform = firstOf(c.Platform, runtime.GOOS+"/"+runtime.GOARCH)
	if c.StallTimeout <= 0 {
		c.StallTimeout = defaultStall
	}
	if c.Client == nil {
		c.Client = newClient()
	}
	if c.Progress == nil {
		c.Progress = silent{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.limits == (limits{}) {
		c.limits = limits{archive: 128 << 20, unpacked: 512 << 20, entries: 10_000, pause: time.Second / 2}
	}
	if c.pinned == nil {
		c.pinned = pinned
	}
	return c
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}

// URL is where the archive of a version is; an empty version is the default one. It
// returns a *VersionError for a version that cannot be, and an error when upstream has
// none for the platform.
func (c Config) URL(name, version string) (string, error) {
	c = c.withDefaults()
	r, err := releaseOf(name, version, c.Platform)
	if err != nil {
		return "", err
	}
	return r.url(c.BaseURL), nil
}

// Installed is an executable in the cache.
type Installed struct {
	// Name is PostgREST or Auth; Version is without "v".
	Name, Version string
	// Path is the absolute path of the executable.
	Path string
	// Asset is the file name of the archive that it came in, and SHA256 that archive's
	// digest; both are empty when somebody put the executable there.
	Asset, SHA256 string
	// Trust says where the digest came from with which the archive was compared.
	Trust Trust
	// Already means that it was there, has not changed since, and nothing was done.
	Already bool
}

// installation is one call of Install.
type installation struct {
	cfg     Config
	release release
	dir     string
	// listed is upstream's listing of the release, when it was asked for.
	listed *listing
}

// Install puts an executable, PostgREST or Auth, into the cache, unless it is there. An
// empty version is the default one. The archive is compared with its SHA-256 before it is
// unpacked, and the executable gets its name last; when that fails, what has arrived of
// the archive stays for the next time, and nothing else does. Installations that go on at
// once wait for each other.
//
// It returns a *VersionError for a version that cannot be, and otherwise an *Error whose
// hint says how to go on by hand.
func Install(ctx context.Context, cfg Config, name, version string) (Installed, error) {
	cfg = cfg.withDefaults()
	release, err := releaseOf(name, version, cfg.Platform)
	if err != nil && !noRelease(err) {
		return Installed{}, err
	}
	dir, dirErr := Dir(cfg.CacheDir)
	if dirErr != nil {
		return Installed{}, dirErr
	}
	in := &installation{cfg: cfg, release: release, dir: dir}
	installed, err := in.run(ctx, err)
	if err == nil {
		return installed, nil
	}
	if ctx.Err() != nil {
		return Installed{}, fmt.Errorf("install %s %s: %w", name, release.version, context.Cause(ctx))
	}
	failed := &Error{Name: name, Version: release.version, Path: in.path(), Err: err}
	if release.asset != "" {
		failed.URL = redacted(release.url(cfg.BaseURL))
	}
	return Installed{}, failed
}

// run installs unless it is done already; unavailable is why there is nothing to
// download, nil when there is something.
func (in *installation) run(ctx context.Context, unavailable error) (Installed, error) {
	if isExecutable(in.path()) {
		return in.already()
	}
	if unavailable != nil {
		return Installed{}, unavailable
	}
	if err := in.makeDirs(); err != nil {
		return Installed{}, err
	}
	lock, err := in.lock(ctx)
	if err != nil {
		return Installed{}, err
	}
	defer lock.Close()
	if isExecutable(in.path()) { // by the one that was waited for
		return in.already()
	}
	known, err := readRecord(in.dir)
	if err != nil {
		return Installed{}, err
	}
	want, err := in.expect(ctx, known)
	if err != nil {
		return Installed{}, err
	}
	file := partial{filepath.Join(in.dir, ".partial", in.release.asset)}
	fetcher := newFetcher(in.cfg, in.release.url(in.cfg.BaseURL), file)
	if err := fetcher.fetch(ctx); err != nil {
		return Installed{}, in.whatElseThereIs(ctx, err)
	}
	got, err := digestOf(file.path)
	if err != nil {
		return Installed{}, err
	}
	if want.sha256 != "" && got != want.sha256 {
		return Installed{}, errors.Join(&mismatchError{fetcher.shown, got, want}, file.discard())
	}
	want.sha256 = got
	return in.finish(ctx, file, want, known)
}

func (in *installation) path() string {
	return Path(in.dir, in.release.name, in.release.version)
}

// makeDirs makes the folders, those that are new open to other users whatever the umask
// says: root's servers run as somebody else.
func (in *installation) makeDirs() error {
	cache := filepath.Dir(in.dir)
	_, missing := os.Stat(cache)
	if err := os.MkdirAll(filepath.Join(in.dir, ".partial"), 0o755); err != nil {
		return err
	}
	if missing != nil {
		if err := os.Chmod(cache, 0o755); err != nil { //nolint:gosec // see above
			return err
		}
	}
	return os.Chmod(in.dir, 0o755) //nolint:gosec // see above
}

// lockRetry is how often a lock that another installation holds is tried again.
const lockRetry = 50 * time.Millisecond

func (in *installation) lock(ctx context.Context) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(in.dir, ".lock"), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err == nil && ok {
		return lock, nil
	}
	in.cfg.Log.Info("waiting for another installation")
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another installation: %w", ended(ctx, err))
	}
	return lock, nil
}

// whatElseThereIs adds to "not found" what the release has instead.
func (in *installation) whatElseThereIs(ctx context.Context, err error) error {
	var status *statusError
	if !errors.As(err, &status) || status.code != http.StatusNotFound {
		return err
	}
	if in.listed == nil {
		listed, listErr := in.readListing(ctx)
		if listErr != nil {
			status.note = "there may be no such release"
			return err
		}
		in.listed = &listed
	}
	status.note = fmt.Sprintf("release %s of %s has: %s", in.release.tag, in.release.repo, strings.Join(in.listed.names(), ", "))
	return err
}

// digestOf is the SHA-256 of a file.
func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
