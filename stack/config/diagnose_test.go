package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/config"
)

const onAndURI = "enabled = true\nuri = \"" + hookURI + "\"\n"

func TestAHookThatIsOffIsDiagnosed(t *testing.T) {
	t.Parallel()
	const section = "[auth.hook.custom_access_token]\n"
	for _, tc := range []struct {
		name string
		text string
		want config.Condition
		line int
	}{
		{"section missing", "[auth]\nenabled = true\n", config.HookMissing, 0},
		{"enabled is false", section + "enabled = false\nuri = \"" + hookURI + "\"\n", config.HookDisabled, 2},
		{"enabled missing", section + "uri = \"" + hookURI + "\"\n", config.HookNoSwitch, 1},
		{"enabled commented out", section + "# enabled = true\nuri = \"" + hookURI + "\"\n", config.HookNoSwitch, 1},
		{"section empty", section, config.HookNoSwitch, 1},
		{"uri missing", section + "enabled = true\n", config.HookNoURI, 1},
		{"uri of another scheme", section + "enabled = true\nuri = \"postgres://a/b/c\"\n", config.HookBadURI, 3},
		{"pg-functions with secrets", section + onAndURI + "secrets = \"v1,whsec_x\"\n", config.HookBadURI, 3},
		{"hyphen in the function's name", section + "enabled = true\nuri = \"pg-functions://postgres/public/my-hook\"\n", config.HookStopsAuth, 3},
		{"function missing in the uri", section + "enabled = true\nuri = \"pg-functions://postgres/public\"\n", config.HookStopsAuth, 3},
		{"http to another machine", section + "enabled = true\nuri = \"http://example.com/\"\nsecrets = \"v1,whsec_" +
			"MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\"\n", config.HookStopsAuth, 3},
		{"auth disabled", "[auth]\nenabled = false\n" + section + onAndURI, config.HookAuthDisabled, 2},
		{
			"only for a remote", "[remotes.prod]\nproject_id = \"abcdefghijklmnopqrst\"\n[remotes.prod.auth.hook.custom_access_token]\n" + onAndURI,
			config.HookOtherRemote, 3,
		},
		{"section commented out", "[auth]\n# [auth.hook.custom_access_token]\n# enabled = true\n", config.HookCommented, 2},
		{"dotted keys commented out", "# auth.hook.custom_access_token.enabled = true\n", config.HookCommented, 1},
		{
			"inside a multi-line string", "[auth.sms]\ntemplate = \"\"\"\n[auth.hook.custom_access_token]\nenabled = true\n\"\"\"\n",
			config.HookInString, 3,
		},
		{"hook name misspelt", "[auth.hook.custom_acces_token]\n" + onAndURI, config.HookWrongName, 1},
		{"hook named after the function", "[auth.hook.custom_access_token_hook]\n" + onAndURI, config.HookWrongName, 1},
		{"hook in auth", "[auth.custom_access_token]\n" + onAndURI, config.HookWrongName, 1},
		{"hooks for hook", "[auth.hooks.custom_access_token]\n" + onAndURI, config.HookWrongName, 1},
		{"not TOML", "[auth\n", config.HookUnreadableFile, 0},
		{"duplicate table", section + onAndURI + section, config.HookUnreadableFile, 0},
		{"unknown key beside it", section + onAndURI + "secret = \"x\"\n", config.HookEnabled, 2},
		{"on", section + onAndURI, config.HookEnabled, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, err := toml(tc.text).load(t)
			if err != nil {
				c = config.Partial(err)
			}
			state := config.DiagnoseHook(c, "custom_access_token")
			assert.Equal(t, tc.want, state.Condition, state.Cause)
			assert.Equal(t, tc.line, state.At.Line, state.Cause)
			assert.Equal(t, tc.want == config.HookEnabled, state.Enabled())
			assert.NotEmpty(t, state.Cause)
		})
	}
}

func TestOtherHooksAreNotTakenForTheOne(t *testing.T) {
	t.Parallel()
	c := toml("[auth.hook.send_sms]\nenabled = true\nuri = \"pg-functions://postgres/public/sms\"\n").mustLoad(t)
	assert.Equal(t, config.HookMissing, config.DiagnoseHook(c, "send_email").Condition)
	assert.Equal(t, config.HookMissing, config.DiagnoseHook(c, "custom_access_token").Condition)
	assert.Equal(t, config.HookEnabled, config.DiagnoseHook(c, "send_sms").Condition)
}

func TestALegalSectionIsNotTakenForAMisspeltHook(t *testing.T) {
	t.Parallel()
	c := toml("[auth.email]\nenable_signup = true\n[auth.sms]\nenable_signup = false\n[functions.custom_access_token]\nverify_jwt = false\n").mustLoad(t)
	for _, name := range config.HookNames() {
		assert.Equal(t, config.HookMissing, config.DiagnoseHook(c, name).Condition, name)
	}
}

func TestAnHTTPHookNamesItsTarget(t *testing.T) {
	t.Parallel()
	c := toml(httpHook + "secrets = \"v1,whsec_" + "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=\"\n").mustLoad(t)
	state := config.DiagnoseHook(c, "send_email")
	assert.Equal(t, config.HookEnabled, state.Condition, state.Cause)
	assert.Nil(t, state.Function)
	assert.Equal(t, "example.com", state.HTTP.Host)
}

func TestFunctionTargetsAreReadAsAuthReadsThem(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		uri    string
		schema string
		name   string
		ok     bool
		fault  bool
	}{
		{"pg-functions://postgres/public/f", "public", "f", true, false},
		{"pg-functions://elsewhere/public/f/extra", "public", "f", true, false},
		{"PG-FUNCTIONS://postgres/public/F", "public", "F", true, false},
		{"pg-functions:///public/f", "public", "f", true, false},
		{"pg-functions:/postgres/public/f", "postgres", "public", true, false},
		{"pg-functions://postgres/public/", "public", "", true, true},
		{"pg-functions://postgres/public", "", "", true, true},
		{"pg-functions://postgres/my-hooks/f", "my-hooks", "f", true, true},
		{"pg-functions://postgres/public/2f", "public", "2f", true, true},
		{"https://example.com/a/b", "", "", false, false},
		{"public.f", "", "", false, false},
	} {
		f, ok := config.ParseHookFunction(tc.uri)
		assert.Equal(t, tc.ok, ok, tc.uri)
		assert.Equal(t, tc.schema, f.Schema, tc.uri)
		assert.Equal(t, tc.name, f.Name, tc.uri)
		assert.Equal(t, tc.fault, f.Fault != "", "%s: %s", tc.uri, f.Fault)
	}
}
