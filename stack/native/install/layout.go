package install

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/supascore/supascore/internal/cachedir"
)

// The executables that can be installed.
const (
	// PostgREST is the server that plays REST.
	PostgREST = "postgrest"
	// Auth is the server that plays Auth.
	Auth = "auth"
)

// versionPattern is what upstream's versions look like, without the "v" of their
// tags: 14.17, 2.196.0, 2.196.0-rc.3. Nothing else becomes part of a path or a URL.
var versionPattern = regexp.MustCompile(`^[0-9]{1,5}(\.[0-9]{1,5}){1,2}(-[0-9A-Za-z.]{1,30})?$`)

// Dir is the folder that holds all installed executables, below the cache folder:
//
//	bin/<name>-<version>/<name>   an executable, there when it is complete and verified
//	bin/install.lock              digests of what was installed, for people and for us
//	bin/.partial/                 downloads that have not ended
//	bin/.lock                     held by whoever installs
//
// cacheDir may be empty, which means what it means everywhere: $SUPASCORE_CACHE_DIR or
// the user's cache. It returns an error when there is neither.
func Dir(cacheDir string) (string, error) {
	root, err := cachedir.Root(cacheDir)
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "bin"), nil
}

// Path is where an executable of a version lies, or would lie, below Dir's folder.
func Path(dir, name, version string) string {
	return filepath.Join(dir, name+"-"+version, name)
}

// Find looks for the newest installed version of an executable, PostgREST or Auth, in
// the cache folder (see Dir). It never finds one that is not complete, since a version's
// folder gets its name last; ok is false when there is none.
func Find(cacheDir, name string) (path, version string, ok bool) {
	dir, err := Dir(cacheDir)
	if err != nil {
		return "", "", false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", "", false
	}
	for _, entry := range entries {
		found, is := strings.CutPrefix(entry.Name(), name+"-")
		if !is || !versionPattern.MatchString(found) || (ok && !newer(found, version)) {
			continue
		}
		if candidate := Path(dir, name, found); isExecutable(candidate) {
			path, version, ok = candidate, found, true
		}
	}
	return path, version, ok
}

// isExecutable reports whether there is a file that can be run, and no link: nothing
// that we install is one.
func isExecutable(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// newer compares versions by number; a release is newer than its candidates. PostgREST
// counts with two numbers, Auth with three.
func newer(a, b string) bool { return semver.Compare(canonical(a), canonical(b)) > 0 }

// canonical writes a version as semver does: three numbers, whatever follows last.
func canonical(version string) string {
	numbers, rest, candidate := strings.Cut(version, "-")
	for strings.Count(numbers, ".") < 2 {
		numbers += ".0"
	}
	if candidate {
		numbers += "-" + rest
	}
	return "v" + numbers
}
