package supascore_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/supascore/supascore"

// importRule forbids packages to import others. A rule whose package is gone
// fails, so that rules do not rot.
type importRule struct {
	// from is the import path below the module; "/..." takes in what is below it.
	from string
	// not are import paths that from may not import: ours start with "./", others
	// are given in full; "/..." takes in what is below.
	not []string
	// except are paths that not would forbid but that are allowed.
	except []string
	// deep looks at everything that is reached, not only at direct imports.
	deep   bool
	reason string
}

func importRules() []importRule {
	ours := []string{"./", "./..."}
	return []importRule{
		{
			from: "evals", not: ours, except: []string{"./internal/strictyaml"}, deep: true,
			reason: "nouns import nothing of ours but the reading of files, so that everything may import them",
		},
		{
			from: "tasks", not: ours, except: []string{"./internal/strictyaml"}, deep: true,
			reason: "nouns import nothing of ours but the reading of files, so that everything may import them",
		},
		{
			from: "scorers/...", not: ours, except: []string{"./evals", "./probes", "./scorers/...", "./tasks", "./internal/strictyaml"},
			reason: "a scorer sees nouns and observations only, so that a saved result can be judged again",
		},
		{
			from: "scorers/...", not: []string{"github.com/jackc/pgx/v5/...", "net/http", "os/exec"}, deep: true,
			reason: "a scorer is a pure function: it asks no database, no server and no program",
		},
		{
			from: "probes", not: ours, deep: true,
			reason: "observations are plain data that every side can hold",
		},
		{
			from: "probes/...", not: []string{"./", "./cmd/...", "./scorers/...", "./stack/..."},
			except: []string{"./stack/config"},
			reason: "a probe speaks to endpoints, whoever serves them, and never judges; reading config.toml is the one thing it shares with the stack",
		},
		{
			from: "stack/...", not: []string{"./", "./cmd/...", "./evals/...", "./scorers/...", "./probes/..."},
			reason: "a stack is useful without evals and knows nothing of them",
		},
		{
			from: "stack/rest/...", not: []string{"./stack/auth/...", "./stack"},
			reason: "the REST and the Auth engine share a database and keys, not code",
		},
		{
			from: "stack/auth/...", not: []string{"./stack/rest/...", "./stack"},
			reason: "the REST and the Auth engine share a database and keys, not code",
		},
		{
			from: "stack/rest/request", not: append([]string{"os", "os/exec", "github.com/jackc/pgx/v5/..."}, ours...),
			except: []string{"./stack/rest/apierror"},
			reason: "parsing a request is pure, so that it can be fuzzed and golden-tested",
		},
		{
			from: "stack/rest/query", not: []string{"net/http", "github.com/jackc/pgx/v5/pgxpool"},
			reason: "building SQL is deterministic and runs nothing",
		},
		{
			from: "stack/config", not: append([]string{"net/http", "github.com/jackc/pgx/v5/..."}, ours...),
			except: []string{"./stack/config/...", "./stack/keys"}, deep: true,
			reason: "reading a configuration starts nothing, so that probes may do it too",
		},
		{
			from: "stack/proc", not: ours, deep: true,
			reason: "supervising a child knows nothing of what the child is",
		},
		{
			from: "fixtures", not: ours, deep: true,
			reason: "fixtures are data",
		},
	}
}

// listed is what `go list -json` says of a package.
type listed struct {
	ImportPath   string
	Imports      []string
	Deps         []string
	TestImports  []string
	XTestImports []string
}

func TestImportsGoInOneDirection(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for _, rule := range importRules() {
		t.Run(rule.from, func(t *testing.T) {
			t.Parallel()
			found := false
			for _, p := range packages {
				if !matches(p.ImportPath, module+"/"+rule.from) {
					continue
				}
				found = true
				imports := p.Imports
				if rule.deep {
					imports = p.Deps
				}
				for _, imported := range imports {
					assert.False(t, rule.forbids(p.ImportPath, imported), "%s imports %s: %s", p.ImportPath, imported, rule.reason)
				}
			}
			assert.True(t, found, "no package matches %s: the rule is stale", rule.from)
		})
	}
}

func TestProductionCodeImportsNoTestHelpers(t *testing.T) {
	t.Parallel()
	helpers := []string{"github.com/stretchr/testify", "testing", "net/http/httptest", "github.com/rogpeppe/go-internal"}
	for _, p := range list(t) {
		if strings.HasSuffix(p.ImportPath, "test") || strings.HasSuffix(p.ImportPath, "replay") {
			continue // a package for tests is named after what it helps
		}
		for _, imported := range p.Imports {
			for _, helper := range helpers {
				assert.False(t, matches(imported, helper+"/..."), "%s imports %s outside its tests", p.ImportPath, imported)
			}
		}
	}
}

func TestARuleSeesDirectDeepAndExceptedImports(t *testing.T) {
	t.Parallel()
	rule := importRule{from: "a/...", not: []string{"./", "./...", "net/http"}, except: []string{"./evals"}}
	for imported, want := range map[string]bool{
		module:              true,
		module + "/stack":   true,
		module + "/evals":   false,
		module + "/evals/x": true,
		module + "/a/b":     false, // a package may import its own subtree's siblings only when it matches itself
		"net/http":          true,
		"net/http/httptest": false,
		"strings":           false,
	} {
		assert.Equal(t, want, rule.forbids(module+"/a/b", imported), imported)
	}
}

func (r importRule) forbids(from, imported string) bool {
	if imported == from {
		return false
	}
	full := func(p string) string {
		if rest, ok := strings.CutPrefix(p, "./"); ok {
			return strings.TrimSuffix(module+"/"+rest, "/")
		}
		return p
	}
	hit := func(p string) bool { return matches(imported, full(p)) }
	return slices.ContainsFunc(r.not, hit) && !slices.ContainsFunc(r.except, hit)
}

// matches reports whether path is pattern, or below it when pattern ends in "/...".
func matches(path, pattern string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

func list(t *testing.T) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "./...").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.NoError(t, err, string(exit.Stderr))
	}
	require.NoError(t, err)
	var packages []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}
