package supascore

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/scorers"
	"github.com/supascore/supascore/stack/config"
)

// spelling is one entry of fixtures/config-spellings/spellings.yaml.
type spelling struct {
	File   string
	About  string
	Env    map[string]string
	Dotenv string
	State  string
	Line   int
	Error  []string
}

// check is what check 2 of the eval says of a workspace with that configuration: the
// real chain from file to note, without a database.
func (s spelling) check(t *testing.T) evals.Check {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("fixtures", "config-spellings", s.File))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "supabase"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "config.toml"), text, 0o600))
	if s.Dotenv != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", ".env"), []byte(s.Dotenv), 0o600))
	}
	cfg, err := config.Load(t.Context(), config.Options{Dir: dir, Env: s.Env})
	require.NoError(t, err)
	seen := &probes.Observations{
		Version: probes.ObservationsVersion, Stack: probes.StackState{Ready: true, Engine: "embedded"},
		Hooks: map[string]*probes.HookObservation{},
	}
	for name, hook := range hooksOf(cfg) {
		seen.Hooks[name] = &probes.HookObservation{Config: hook}
	}
	e, err := evals.Find(evals.Builtin(), "build-docs-009-custom-claims-rbac", scorers.Library{})
	require.NoError(t, err)
	checks, err := scorers.Judge(e, seen)
	require.NoError(t, err)
	require.Equal(t, "hook-enabled", checks[1].ID)
	return checks[1]
}

func TestEverySpellingOfTheHookGetsItsVerdictAndAnAccurateNote(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("fixtures", "config-spellings", "spellings.yaml"))
	require.NoError(t, err)
	var index struct{ Spellings []spelling }
	require.NoError(t, yaml.Unmarshal(text, &index))
	green, red := 0, 0
	for _, s := range index.Spellings {
		if s.State == "" {
			continue // refused as a whole: the stack does not boot, which is check 1
		}
		check := s.check(t)
		if s.State == "enabled" {
			green++
			assert.Equal(t, evals.StatusPass, check.Status, "%s (%s): %s", s.File, s.About, check.Note)
			continue
		}
		red++
		assert.Equal(t, evals.StatusFail, check.Status, "%s (%s)", s.File, s.About)
		if s.Line > 0 {
			assert.Contains(t, check.Note, "supabase/config.toml:"+strconv.Itoa(s.Line), s.File)
		}
	}
	assert.GreaterOrEqual(t, green, 7)
	assert.GreaterOrEqual(t, red, 7)
}
