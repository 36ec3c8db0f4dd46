package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

const spellingsFolder = "../../fixtures/config-spellings"

// spelling is an entry of the fixtures' spellings.yaml.
type spelling struct {
	File   string
	Env    map[string]string
	Dotenv string
	State  string
	Line   int
	Error  []string
}

func TestEverySpellingOfTheFixturesComesToWhatTheySay(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(spellingsFolder, "spellings.yaml"))
	require.NoError(t, err)
	var index struct{ Spellings []spelling }
	require.NoError(t, yaml.Unmarshal(text, &index))
	require.NotEmpty(t, index.Spellings)
	for _, s := range index.Spellings {
		t.Run(s.File, func(t *testing.T) {
			t.Parallel()
			s.check(t)
		})
	}
}

func (s spelling) check(t *testing.T) {
	file, err := os.ReadFile(filepath.Join(spellingsFolder, s.File))
	require.NoError(t, err)
	p := toml(string(file)).with("supabase/.env", s.Dotenv)
	p.env = s.Env
	c, err := p.load(t)
	if len(s.Error) > 0 {
		require.Error(t, err)
		for _, part := range s.Error {
			assert.ErrorContains(t, err, part)
		}
		return
	}
	require.NoError(t, err)
	state := config.DiagnoseHook(c, "custom_access_token")
	assert.Equal(t, s.condition(), state.Condition, state.Cause)
	if s.Line > 0 {
		assert.Equal(t, s.Line, state.At.Line, state.Cause)
	}
}

// condition translates the word of the fixtures.
func (s spelling) condition() config.Condition {
	return map[string]config.Condition{
		"enabled":         config.HookEnabled,
		"section-missing": config.HookMissing,
		"disabled":        config.HookDisabled,
		"enabled-missing": config.HookNoSwitch,
		"commented-out":   config.HookCommented,
		"in-string":       config.HookInString,
		"auth-disabled":   config.HookAuthDisabled,
		"only-in-remotes": config.HookOtherRemote,
		"name-invalid":    config.HookStopsAuth,
	}[s.State]
}
