package install

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// release is one upstream release, as far as one platform is concerned.
type release struct {
	name, version string
	// repo is owner/name on GitHub, tag the release's tag there.
	repo, tag string
	// asset is the file name of the archive.
	asset string
}

// The versions that are installed unless another is asked for: those whose answers
// were recorded, which the embedded engines follow.
const (
	defaultPostgREST = "14.17"
	defaultAuth      = "2.196.0"
)

// oldestPostgREST is the first major version whose archives have today's names.
const oldestPostgREST = 13

// DefaultVersion is the version of an executable that Install takes when none is given;
// empty for a name that is neither PostgREST nor Auth.
func DefaultVersion(name string) string {
	switch name {
	case PostgREST:
		return defaultPostgREST
	case Auth:
		return defaultAuth
	default:
		return ""
	}
}

// releaseOf finds out what upstream calls the release of a version for a platform, which
// is written as Go does: linux/arm64. An empty version is the default one; a leading "v"
// is left out.
func releaseOf(name, version, platform string) (release, error) {
	if version = strings.TrimPrefix(version, "v"); version == "" {
		version = DefaultVersion(name)
	}
	if !versionPattern.MatchString(version) {
		return release{}, &VersionError{Name: name, Version: version, reason: "a version is written like " + DefaultVersion(name)}
	}
	switch name {
	case PostgREST:
		return postgrestRelease(version, platform)
	case Auth:
		return authRelease(version, platform)
	default:
		return release{}, fmt.Errorf("there is no server %q: there are %s and %s", name, PostgREST, Auth)
	}
}

// postgrestRelease follows PostgREST's .github/workflows/release.yaml at the tags v13.0.0,
// v14.17 and v16.2. Version 16 brought a static build for 64-bit ARM.
func postgrestRelease(version, platform string) (release, error) {
	digits, _, _ := strings.Cut(version, ".")
	major, err := strconv.Atoi(digits)
	if err != nil {
		return release{}, err
	}
	if major < oldestPostgREST {
		return release{}, &VersionError{PostgREST, version, fmt.Sprintf("%d is the oldest that can be installed", oldestPostgREST)}
	}
	r := release{name: PostgREST, version: version, repo: "PostgREST/postgrest", tag: "v" + version}
	builds := map[string]string{
		"linux/amd64": "linux-static-x86-64", "linux/arm64": "linux-static-aarch64",
		"darwin/amd64": "macos-x86-64", "darwin/arm64": "macos-aarch64",
	}
	if major < 16 {
		builds["linux/arm64"] = "ubuntu-aarch64"
	}
	build, ok := builds[platform]
	if !ok {
		return r, &platformError{r, platform, "PostgREST's documentation says how to build it: https://docs.postgrest.org/en/stable/explanations/install.html#build-from-source"}
	}
	r.asset = fmt.Sprintf("postgrest-v%s-%s.tar.xz", version, build)
	return r, nil
}

// firstDarwinAuth is the first version whose archive for macOS holds an executable for
// macOS (supabase/auth, CHANGELOG.md 2.193.1).
const firstDarwinAuth = "2.193.1"

// authRelease follows supabase/auth's Makefile and .github/workflows/release.yml at the
// tag v2.196.0. Candidates have tags of their own kind.
func authRelease(version, platform string) (release, error) {
	r := release{name: Auth, version: version, repo: "supabase/auth", tag: "v" + version}
	if strings.Contains(version, "-") {
		r.tag = "rc" + version
	}
	build := map[string]string{"linux/amd64": "x86", "linux/arm64": "arm64", "darwin/arm64": "darwin-arm64"}[platform]
	if build == "" || (platform == "darwin/arm64" && newer(firstDarwinAuth, version)) {
		return r, &platformError{r, platform, fmt.Sprintf(
			"build it with Go: git clone --branch %s https://github.com/supabase/auth && cd auth && go build -o auth .", r.tag)}
	}
	r.asset = fmt.Sprintf("auth-v%s-%s.tar.gz", version, build)
	return r, nil
}

// url is where the archive is below base.
func (r release) url(base string) string {
	return fmt.Sprintf("%s/%s/releases/download/%s/%s", base, r.repo, r.tag, r.asset)
}

// listing is where GitHub's API describes the release, below base.
func (r release) listing(base string) string {
	return fmt.Sprintf("%s/repos/%s/releases/tags/%s", base, r.repo, r.tag)
}

// variable is the environment variable that names an executable that is elsewhere.
func variable(name string) string { return "SUPASCORE_" + strings.ToUpper(name) + "_BIN" }

// VersionError says that a version cannot be installed whatever upstream has: it is not
// written as one, or it is too old.
type VersionError struct {
	// Name is PostgREST or Auth, Version what was asked for.
	Name, Version string
	reason        string
}

// Error names the version and what is wrong with it.
func (e *VersionError) Error() string {
	return fmt.Sprintf("%s %q cannot be installed: %s", e.Name, e.Version, e.reason)
}

// platformError says that upstream releases nothing for a platform.
type platformError struct {
	release
	platform string
	build    string
}

func (e *platformError) Error() string {
	return fmt.Sprintf("upstream has no release of %s %s for %s", e.name, e.version, e.platform)
}

// Hint is how to come to one all the same.
func (e *platformError) Hint() string { return e.build }

// noRelease reports whether err is about there being nothing to download.
func noRelease(err error) bool { return errors.As(err, new(*platformError)) }
