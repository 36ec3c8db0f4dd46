package standin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/standin"
)

func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(text)
}

func load(t *testing.T, dir string) *config.Config {
	t.Helper()
	c, err := config.Load(t.Context(), config.Options{Dir: dir})
	require.NoError(t, err)
	return c
}

func TestTheProjectIsTheNearestFolderUpwardsWithAConfiguration(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep := filepath.Join(dir, "app", "src", "pages")
	require.NoError(t, os.MkdirAll(deep, 0o755))
	assert.Equal(t, deep, standin.Root(deep), "without a project, where one is")
	require.NoError(t, standin.Init(dir, false))
	assert.Equal(t, dir, standin.Root(deep))
	require.NoError(t, standin.Init(filepath.Join(dir, "app"), false))
	assert.Equal(t, filepath.Join(dir, "app"), standin.Root(deep))
	assert.Equal(t, dir, standin.Root(dir))
}

func TestANewProjectIsNamedAfterItsFolder(t *testing.T) {
	t.Parallel()
	for folder, id := range map[string]string{"my app!": "my_app_", "shop": "shop", "…": "supabase"} {
		dir := filepath.Join(t.TempDir(), folder)
		require.NoError(t, standin.Init(dir, false))
		assert.Equal(t, id, load(t, dir).ProjectID, folder)
	}
}

// What init writes down are the defaults: a file with nothing but the id means the same.
func TestANewProjectHasTheDefaults(t *testing.T) {
	t.Parallel()
	full, bare := filepath.Join(t.TempDir(), "shop"), filepath.Join(t.TempDir(), "shop")
	require.NoError(t, standin.Init(full, false))
	require.NoError(t, os.MkdirAll(filepath.Join(bare, "supabase"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bare, "supabase", "config.toml"), []byte(`project_id = "shop"`), 0o600))
	got, want := load(t, full), load(t, bare)
	assert.Empty(t, got.Warnings())
	assert.Equal(t, want.API, got.API)
	assert.Equal(t, want.DB, got.DB)
	assert.Equal(t, want.Auth.Email, got.Auth.Email)
	assert.Equal(t, want.Auth.RateLimit, got.Auth.RateLimit)
	assert.Equal(t, want.Auth.MFA, got.Auth.MFA)
	assert.Equal(t, want.Realtime, got.Realtime)
	assert.Equal(t, want.Studio.Port, got.Studio.Port)
	assert.Equal(t, want.Inbucket, got.Inbucket)
	assert.Equal(t, want.AuthEnv(config.RenderInput{}), got.AuthEnv(config.RenderInput{}))
	assert.Equal(t, want.RESTEnv(config.RenderInput{}), got.RESTEnv(config.RenderInput{}))
}

// The commented sections are there to be uncommented, as guides tell people to.
func TestTheHookIsOnAfterItsSectionIsUncommented(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "shop")
	require.NoError(t, standin.Init(dir, false))
	path := filepath.Join(dir, "supabase", "config.toml")
	text := read(t, path)
	section := regexp.MustCompile(`(?m)^# (\[auth\.hook\.custom_access_token\])\n# (enabled = true)\n# (uri = .*)$`)
	require.Len(t, section.FindAllString(text, -1), 1)
	text = section.ReplaceAllString(text, "$1\n$2\n$3")
	text = strings.ReplaceAll(text, "<database>/<schema>/<hook_name>", "postgres/public/hook")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	hook := load(t, dir).Auth.Hook.CustomAccessToken
	require.NotNil(t, hook)
	assert.True(t, hook.Enabled)
	assert.Equal(t, "pg-functions://postgres/public/hook", hook.URI)
}

func TestEveryCommentedKeyIsOneThatTheConfigurationHas(t *testing.T) {
	t.Parallel()
	text, err := standin.ConfigFile("shop")
	require.NoError(t, err)
	out := regexp.MustCompile(`(?m)^# (\[[a-z_.]+\]|[a-z0-9_]+ = .*)$`).ReplaceAllString(text, "$1")
	out = strings.NewReplacer("<database>/<schema>/<hook_name>", "postgres/public/hook", "<schema>/<hook_name>", "public/hook").Replace(out)
	require.Greater(t, strings.Count(text, "\n# "), strings.Count(out, "\n# ")+20)
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "supabase"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "config.toml"), []byte(out), 0o600))
	_, err = config.Load(t.Context(), config.Options{Dir: dir})
	if err != nil {
		assert.NotContains(t, err.Error(), "unknown key")
		assert.NotContains(t, err.Error(), "not valid TOML")
	}
}

func TestInitKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ignore := filepath.Join(dir, "supabase", ".gitignore")
	require.NoError(t, os.MkdirAll(filepath.Dir(ignore), 0o755))
	require.NoError(t, os.WriteFile(ignore, []byte("mine\n"), 0o600))
	require.NoError(t, standin.Init(dir, false))
	first := read(t, ignore)
	assert.True(t, strings.HasPrefix(first, "mine\n\n"), first)
	assert.Contains(t, first, ".temp\n")

	path := filepath.Join(dir, "supabase", "config.toml")
	require.NoError(t, os.WriteFile(path, []byte("project_id = \"old\"\n"), 0o600))
	err := standin.Init(dir, false)
	var exists *standin.ExistsError
	require.ErrorAs(t, err, &exists)
	assert.Contains(t, exists.Hint(), "--force")
	assert.Equal(t, "project_id = \"old\"\n", read(t, path))

	require.NoError(t, standin.Init(dir, true))
	assert.NotEqual(t, "old", load(t, dir).ProjectID)
	assert.Equal(t, first, read(t, ignore), "the lines are not added twice")
}
