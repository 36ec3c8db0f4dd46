package postgres

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

const (
	// defaultDownloadURL is the Maven repository that holds the executables
	// which fergusstrange/embedded-postgres runs: the artefacts
	// embedded-postgres-binaries-* of the project zonkyio.
	defaultDownloadURL = "https://repo1.maven.org/maven2"
	// downloadVersion is a version that the repository is known to have.
	downloadVersion = string(embeddedpostgres.V17)
	// downloadTimeout is for some 30 MiB.
	downloadTimeout = 5 * time.Minute
	// The archives are 10 to 30 MiB, and 100 MiB unpacked.
	maxArchive  = 200 << 20
	maxUnpacked = 1 << 30
)

// errDownloadOff means that Config.DownloadURL is "off".
var errDownloadOff = errors.New("downloading is switched off")

// download puts PostgreSQL's executables into the cache, once, and returns
// their folder. embedded-postgres has no way to fetch without also starting a
// server, so only its choice of artefact is used.
func download(ctx context.Context, cfg Config, c cache) (string, error) {
	if cfg.DownloadURL == "off" {
		return "", errDownloadOff
	}
	name, err := artefact(runtime.GOOS, runtime.GOARCH, isAlpine())
	if err != nil {
		return "", err
	}
	dir := filepath.Join(c.downloads(), name+"-"+downloadVersion)
	lock, err := lockFile(ctx, dir+".lock", false)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	bin := filepath.Join(dir, "bin")
	// The folder gets its name when it is complete.
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	cfg.Log.Info("no PostgreSQL found, downloading one", "version", downloadVersion, "from", cfg.DownloadURL)
	ctx, cancel := context.WithTimeoutCause(ctx, downloadTimeout, fmt.Errorf("not done within %s", downloadTimeout))
	defer cancel()
	if err := fetchInto(ctx, artefactURL(cfg.DownloadURL, name), dir); err != nil {
		return "", fmt.Errorf("download PostgreSQL %s: %w", downloadVersion, explainDisk(err, dir))
	}
	return bin, nil
}

// artefact is the name that zonkyio gives a platform.
func artefact(goos, goarch string, alpine bool) (string, error) {
	arch := map[string]string{"amd64": "amd64", "arm64": "arm64v8", "386": "i386", "ppc64le": "ppc64le"}[goarch]
	if arch == "" || (goos != "linux" && goos != "darwin") {
		return "", fmt.Errorf("there is no download for %s/%s", goos, goarch)
	}
	name := "embedded-postgres-binaries-" + goos + "-" + arch
	if alpine {
		name += "-alpine"
	}
	return name, nil
}

func isAlpine() bool {
	_, err := os.Stat("/etc/alpine-release")
	return err == nil
}

func artefactURL(base, name string) string {
	return strings.TrimRight(base, "/") + "/" +
		path.Join("io/zonky/test/postgres", name, downloadVersion, name+"-"+downloadVersion+".jar")
}

// fetchInto downloads the archive, compares it with the checksum beside it,
// and unpacks it so that dir appears complete or not at all.
func fetchInto(ctx context.Context, url, dir string) (err error) {
	jar, err := get(ctx, url, maxArchive)
	if err != nil {
		return err
	}
	sum, err := get(ctx, url+".sha256", 1<<10)
	if err != nil {
		return err
	}
	want, _, _ := strings.Cut(strings.TrimSpace(string(sum)), " ")
	if got := sha256.Sum256(jar); !strings.EqualFold(want, hex.EncodeToString(got[:])) {
		return fmt.Errorf("%s: checksum is %x, not %s", url, got, want)
	}
	tmp := dir + ".tmp"
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	archive, err := innerArchive(jar)
	if err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if err := unpack(ctx, archive, tmp); err != nil {
		return fmt.Errorf("%s: %w", url, err)
	}
	if _, err := os.Stat(filepath.Join(tmp, "bin", "postgres")); err != nil {
		return fmt.Errorf("%s: no bin/postgres in the archive", url)
	}
	return os.Rename(tmp, dir)
}

// get reads one answer of at most limit bytes.
func get(ctx context.Context, url string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes", url, limit)
	}
	return body, nil
}

// innerArchive is the .txz inside the jar, which is a zip archive.
func innerArchive(jar []byte) (io.Reader, error) {
	reader, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return nil, err
	}
	for _, f := range reader.File {
		if path.Ext(f.Name) != ".txz" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return nil, err
		}
		defer in.Close()
		data, err := io.ReadAll(io.LimitReader(in, maxArchive))
		return bytes.NewReader(data), err
	}
	return nil, errors.New("no .txz in the archive")
}
