package postgres

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// discover finds the first usable PostgreSQL.
func discover(ctx context.Context, cfg Config, id identity) (install, error) {
	if dir := cfg.BinDir; dir != "" {
		return inspect(ctx, dir, id)
	}
	if dir := os.Getenv("SUPASCORE_POSTGRES_BIN"); dir != "" {
		return inspect(ctx, dir, id)
	}
	var tried []string
	for _, dir := range candidateDirs() {
		found, err := inspect(ctx, dir, id)
		if err == nil {
			return found, nil
		}
		tried = append(tried, err.Error())
	}
	return install{}, fmt.Errorf("no postgresql found; tried: %s", strings.Join(tried, "; "))
}

// candidateDirs are the folders that hold a postgres executable, best first.
func candidateDirs() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/opt/homebrew/opt/postgresql/bin",
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
	n, _ := strconv.Atoi(digits[len(digits)-1])
	return n
}

// inspect says what lies in a folder, or why it cannot be used.
func inspect(ctx context.Context, dir string, id identity) (install, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return install{}, err
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	if err := id.canReach(dir); err != nil {
		return install{}, err
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return install{}, fmt.Errorf("%s: %w", filepath.Join(dir, "postgres"), err)
	}
	found, err := parseVersion(string(out))
	if err != nil {
		return install{}, fmt.Errorf("%s: %w", dir, err)
	}
	found.binDir = dir
	if found.major < minMajor {
		return install{}, fmt.Errorf("%s: postgresql %s is too old, %d or newer is needed", dir, found.version, minMajor)
	}
	if _, err := os.Stat(found.initdb()); err != nil {
		return install{}, fmt.Errorf("%s has postgres but no initdb: %w", dir, err)
	}
	return found, nil
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
