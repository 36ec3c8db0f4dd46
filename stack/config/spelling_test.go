package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

const hookURI = "pg-functions://postgres/public/custom_access_token_hook"

func canonicalHook() project {
	return toml("[auth.hook.custom_access_token]\nenabled = true\nuri = \"" + hookURI + "\"\n")
}

func TestEveryLegalSpellingOfAHookIsTheSameHook(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]project{
		"canonical":             canonicalHook(),
		"comment after enabled": toml("[auth.hook.custom_access_token]\nenabled = true # on\nuri = \"" + hookURI + "\"\n"),
		"comment after header":  toml("[auth.hook.custom_access_token] # the hook\nenabled = true\nuri = \"" + hookURI + "\"\n"),
		"single-quoted uri":     toml("[auth.hook.custom_access_token]\nenabled = true\nuri = '" + hookURI + "'\n"),
		"triple-quoted uri":     toml("[auth.hook.custom_access_token]\nenabled = true\nuri = '''\n" + hookURI + "'''\n"),
		"inline table":          toml("[auth.hook]\ncustom_access_token = { enabled = true, uri = \"" + hookURI + "\" }\n"),
		"nested inline table":   toml("auth = { hook = { custom_access_token = { enabled = true, uri = \"" + hookURI + "\" } } }\n"),
		"dotted keys":           toml("[auth]\nhook.custom_access_token.enabled = true\nhook.custom_access_token.uri = \"" + hookURI + "\"\n"),
		"dotted keys at the top": toml("auth.hook.custom_access_token.enabled = true\n" +
			"auth.hook.custom_access_token.uri = \"" + hookURI + "\"\n"),
		"upper-case key":     toml("[auth.hook.custom_access_token]\nENABLED = true\nUri = \"" + hookURI + "\"\n"),
		"upper-case section": toml("[AUTH.Hook.Custom_Access_Token]\nenabled = true\nuri = \"" + hookURI + "\"\n"),
		"enabled as text":    toml("[auth.hook.custom_access_token]\nenabled = \"true\"\nuri = \"" + hookURI + "\"\n"),
		"enabled as number":  toml("[auth.hook.custom_access_token]\nenabled = 1\nuri = \"" + hookURI + "\"\n"),
		"quoted keys":        toml("[auth.\"hook\".'custom_access_token']\n\"enabled\" = true\n'uri' = \"" + hookURI + "\"\n"),
		"quoted path":        toml("[\"auth.hook\".custom_access_token]\nenabled = true\nuri = \"" + hookURI + "\"\n"),
		"spaces in header":   toml("  [ auth . hook . custom_access_token ]\n\tenabled=true\n   uri   =   \"" + hookURI + "\"\n"),
		"order of keys":      toml("[auth.hook.custom_access_token]\nuri = \"" + hookURI + "\"\n\n\nenabled = true\n"),
		"escapes in uri":     toml("[auth.hook.custom_access_token]\nenabled = true\nuri = \"pg\\u002Dfunctions://postgres/public/custom_access_token_hook\"\n"),
		"section at the end": toml("[auth]\nenabled = true\n[db]\nport = 1\n[auth.hook.custom_access_token]\nenabled = true\nuri = \"" + hookURI + "\""),
		"Windows line ends":  toml("[auth.hook.custom_access_token]\r\nenabled = true\r\nuri = \"" + hookURI + "\"\r\n"),
		"uri via env": toml("[auth.hook.custom_access_token]\nenabled = true\nuri = \"env(HOOK)\"\n").
			setenv("HOOK", hookURI),
		"enabled via env": toml("[auth.hook.custom_access_token]\nenabled = \"env(ON)\"\nuri = \""+hookURI+"\"\n").
			setenv("ON", "true"),
		"uri via .env": toml("[auth.hook.custom_access_token]\nenabled = true\nuri = \"env(HOOK)\"\n").
			with(".env", "HOOK="+hookURI+"\n"),
		"overridden by the environment": toml("[auth.hook.custom_access_token]\nenabled = false\nuri = \""+hookURI+"\"\n").
			setenv("SUPABASE_AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED", "true"),
		"overridden by .env": toml("[auth.hook.custom_access_token]\nenabled = false\nuri = \""+hookURI+"\"\n").
			with("supabase/.env", "export SUPABASE_AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED=\"true\"\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := p.mustLoad(t)
			require.NotNil(t, c.Auth.Hook.CustomAccessToken)
			assert.Equal(t, config.Hook{Enabled: true, URI: hookURI}, *c.Auth.Hook.CustomAccessToken)
			state := config.DiagnoseHook(c, "custom_access_token")
			assert.Equal(t, config.HookEnabled, state.Condition, state.Cause)
			require.NotNil(t, state.Function)
			assert.Equal(t, config.HookFunction{Database: "postgres", Schema: "public", Name: "custom_access_token_hook"}, *state.Function)
			assert.Equal(t, canonicalHook().mustLoad(t).AuthEnv(config.RenderInput{}), c.AuthEnv(config.RenderInput{}))
		})
	}
}

func TestAVariableDoesNotSwitchOnAHookThatTheFileLacks(t *testing.T) {
	t.Parallel()
	const variable = "SUPABASE_AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED"
	c := toml("").setenv(variable, "true").mustLoad(t)
	assert.Nil(t, c.Auth.Hook.CustomAccessToken, "the CLI knows no keys below an absent optional section")

	c = toml("[auth.hook.custom_access_token]\nuri = \""+hookURI+"\"\n").setenv(variable, "true").mustLoad(t)
	assert.False(t, c.Auth.Hook.CustomAccessToken.Enabled, "nor keys that the section lacks")
}

func TestAVariableSetsASettingThatTheFileLacks(t *testing.T) {
	t.Parallel()
	c := toml("").setenv("SUPABASE_API_SCHEMAS", "public,private", "SUPABASE_API_MAX_ROWS", "7").mustLoad(t)
	assert.Equal(t, []string{"public", "private"}, c.API.Schemas)
	assert.Equal(t, uint(7), c.API.MaxRows)
}

func TestEnvFilesCountInTheOrderOfTheCLI(t *testing.T) {
	t.Parallel()
	// Every file defines the variables of all that come after it: the value that wins names the file.
	order := []string{
		"supabase/.env.development.local", "supabase/.env.local", "supabase/.env.development", "supabase/.env",
		".env.development.local", ".env.local", ".env.development", ".env",
	}
	for i, winner := range order {
		p := toml("[auth]\nsite_url = \"env(SITE)\"\n")
		for _, file := range order[i:] {
			p = p.with(file, "SITE="+file+"\n")
		}
		c := p.mustLoad(t)
		assert.Equal(t, winner, c.Auth.SiteURL)
		assert.Equal(t, winner, lookup(t, c, "auth.site_url").Source.EnvFile)
	}
}

func TestTheEnvironmentNamedBySUPABASE_ENVChoosesTheFiles(t *testing.T) {
	t.Parallel()
	p := toml("[auth]\nsite_url = \"env(SITE)\"\n").
		with(".env.local", "SITE=local\n").with(".env.test", "SITE=test\n").with(".env.staging", "SITE=staging\n").with(".env", "SITE=plain\n")
	assert.Equal(t, "local", p.setenv("SUPABASE_ENV", "staging").mustLoad(t).Auth.SiteURL)
	assert.Equal(t, "test", p.setenv("SUPABASE_ENV", "test").mustLoad(t).Auth.SiteURL, ".env.local is left out of tests")
	assert.Equal(t, "real", p.setenv("SITE", "real").mustLoad(t).Auth.SiteURL)
	assert.Equal(t, "env(SITE)", p.setenv("SITE", "").mustLoad(t).Auth.SiteURL,
		"a variable that is set but empty hides the files and is not substituted")
	assert.Equal(t, "local", p.setenv("SUPABASE_ENV", "../../etc").mustLoad(t).Auth.SiteURL)
}

func TestABrokenEnvFileIsNamedAndNotQuoted(t *testing.T) {
	t.Parallel()
	problems := toml("").with("supabase/.env", "PASSWORD=\"hush\nOTHER").problems(t)
	require.Len(t, problems, 1)
	assert.Equal(t, "supabase/.env", problems[0].File)
	assert.NotContains(t, problems[0].Error(), "hush")
}

func TestKeysThatDifferInCaseOnlyAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[auth]\nenabled = true\nEnabled = false\n",
		"[auth]\nenabled = true\n[Auth.email]\nenable_signup = true\n",
		"auth = { enabled = true, ENABLED = false }\n",
	} {
		problems := toml(text).problems(t)
		assert.Contains(t, problems[0].Message, "one key to the CLI")
		assert.Positive(t, problems[0].Line)
		assert.True(t, strings.HasPrefix(problems[0].Error(), "supabase/config.toml:"))
	}
}
