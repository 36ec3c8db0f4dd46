package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// minMajor is the oldest PostgreSQL that Supabase's own schema works on.
const minMajor = 15

// install is a PostgreSQL found on this machine.
type install struct {
	binDir string
	// version is "15.18", or "18beta1" before a release.
	version string
	major   int
}

func (i install) postgres() string { return filepath.Join(i.binDir, "postgres") }
func (i install) initdb() string   { return filepath.Join(i.binDir, "initdb") }

// discover finds the first usable PostgreSQL; Config.BinDir documents the
// order. A folder that was named is used or is an error; nothing else is tried
// in its place.
func discover(ctx context.Context, cfg Config, c cache, id identity) (install, error) {
	if dir := firstOf(cfg.BinDir, os.Getenv("SUPASCORE_POSTGRES_BIN")); dir != "" {
		found, err := inspect(ctx, dir, c, id)
		if err != nil {
			return install{}, withHint(err, "the folder must hold the executables postgres and initdb of PostgreSQL %d or newer", minMajor)
		}
		return found, nil
	}
	return discoverIn(ctx, installedDirs(), cfg, c, id)
}

// discoverIn takes the first usable folder, or downloads.
func discoverIn(ctx context.Context, dirs []string, cfg Config, c cache, id identity) (install, error) {
	var tried []error
	for _, dir := range dirs {
		found, err := inspect(ctx, dir, c, id)
		if err == nil {
			return found, nil
		}
		if ctx.Err() != nil {
			return install{}, context.Cause(ctx)
		}
		tried = append(tried, err)
	}
	dir, err := download(ctx, cfg, c)
	if err == nil {
		return inspect(ctx, dir, c, id)
	}
	return install{}, &NotFoundError{Tried: append(tried, err)}
}

// NotFoundError says that this machine has no usable PostgreSQL and that none
// could be downloaded.
type NotFoundError struct {
	// Tried has a reason for every installation that was found and cannot be
	// used, and last why the download failed.
	Tried []error
}

// Error names everything that was tried.
func (e *NotFoundError) Error() string {
	reasons := make([]string, len(e.Tried))
	for i, err := range e.Tried {
		reasons[i] = err.Error()
	}
	return fmt.Sprintf("no usable PostgreSQL (%d or newer) in PATH and the usual folders; tried: %s",
		minMajor, strings.Join(reasons, "; "))
}

// Unwrap is the reasons.
func (e *NotFoundError) Unwrap() []error { return e.Tried }

// Hint is what to install on this platform.
func (e *NotFoundError) Hint() string {
	return "install PostgreSQL: " + installAdvice() + "; or set SUPASCORE_POSTGRES_BIN to the folder with its executables"
}

// installAdvice is the command that installs PostgreSQL with its contrib
// modules on this platform.
func installAdvice() string {
	if runtime.GOOS == "darwin" {
		return "brew install postgresql@17"
	}
	for _, manager := range []struct{ marker, command string }{
		{"/usr/bin/apt-get", "apt-get install postgresql postgresql-contrib"},
		{"/usr/bin/dnf", "dnf install postgresql-server postgresql-contrib"},
		{"/sbin/apk", "apk add postgresql postgresql-contrib"},
		{"/usr/bin/pacman", "pacman -S postgresql"},
	} {
		if _, err := os.Stat(manager.marker); err == nil {
			return manager.command
		}
	}
	return "the packages postgresql and postgresql-contrib"
}

// installedDirs are the folders that hold a postgres executable, best first:
// PATH, then the install folders of Debian, Red Hat, Homebrew and Postgres.app,
// the newest version of each first.
func installedDirs() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/opt/homebrew/opt/postgresql/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern) // only a malformed pattern is an error
		slices.SortFunc(found, func(a, b string) int { return majorOf(b) - majorOf(a) })
		dirs = append(dirs, found...)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "postgres"))
		return err != nil || !filepath.IsAbs(dir)
	})
}

// majorOf is the last number of a folder's name, 0 when there is none.
func majorOf(dir string) int {
	digits := regexp.MustCompile(`\d+`).FindAllString(dir, -1)
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[len(digits)-1]) // a number too long is no version
	return n
}

// inspect says what lies in a folder, or why it cannot be used.
func inspect(ctx context.Context, dir string, c cache, id identity) (install, error) {
	// Folders in PATH often hold links; initdb and the libraries lie where they
	// lead, and that has to be reachable.
	executable, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"))
	if err == nil {
		executable, err = filepath.Abs(executable)
	}
	if err != nil {
		return install{}, err
	}
	dir = filepath.Dir(executable)
	if err := id.canReach(dir); err != nil {
		return install{}, err
	}
	text, err := versionText(ctx, executable, c)
	if err != nil {
		return install{}, err
	}
	found, err := parseVersion(text)
	if err != nil {
		return install{}, fmt.Errorf("%s: %w", dir, err)
	}
	found.binDir = dir
	if found.major < minMajor {
		return install{}, fmt.Errorf("%s: PostgreSQL %s is too old, %d or newer is needed", dir, found.version, minMajor)
	}
	if _, err := os.Stat(found.initdb()); err != nil {
		return install{}, fmt.Errorf("%s has postgres but no initdb: %w", dir, err)
	}
	return found, nil
}

// versionText is what "postgres --version" prints. Asking takes 50 ms, mostly
// for loading libraries, so the answer is remembered for as long as the file
// stays the same.
func versionText(ctx context.Context, executable string, c cache) (string, error) {
	info, err := os.Stat(executable)
	if err != nil {
		return "", err
	}
	var inode uint64
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	note := filepath.Join(c.versions(), fmt.Sprintf("%x-%x-%x", inode, info.Size(), info.ModTime().UnixNano()))
	if text, err := os.ReadFile(note); err == nil && len(text) > 0 {
		return string(text), nil
	}
	out, err := exec.CommandContext(ctx, executable, "--version").Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("%s --version: %w", executable, err)
	}
	// A note that cannot be written costs time, nothing else.
	_ = writeFileAtomic(note, out)
	return string(out), nil
}

// writeFileAtomic lets readers see all of the file or nothing.
func writeFileAtomic(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// parseVersion reads what postgres --version prints:
// "postgres (PostgreSQL) 15.18 (Debian 15.18-1.pgdg12+1)".
func parseVersion(text string) (install, error) {
	m := regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`).FindStringSubmatch(text)
	if m == nil {
		return install{}, fmt.Errorf("unexpected version %q", strings.TrimSpace(text))
	}
	major, err := strconv.Atoi(m[2])
	if err != nil {
		return install{}, fmt.Errorf("unexpected version %q: %w", strings.TrimSpace(text), err)
	}
	return install{version: m[1], major: major}, nil
}
