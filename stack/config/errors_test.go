package config_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

const httpHook = "[auth.hook.send_email]\nenabled = true\nuri = \"https://example.com/hook\"\n"

func TestWhatIsWrongIsSaidWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"syntax error", "[auth]\nsite_url = \"http://x\n", "supabase/config.toml:2:21: basic strings cannot have new lines"},
		{"duplicate table", "[auth]\nenabled = true\n[auth]\n", "supabase/config.toml:3:2: table auth already exists"},
		{"duplicate key", "[auth]\nenabled = true\nenabled = false\n", "supabase/config.toml:3:1: key enabled is already defined"},
		{"byte-order mark", "\xef\xbb\xbf[auth]\n", "supabase/config.toml:1:1: the file starts with a byte-order mark"},
		{"UTF-16", "\xff\xfe[\x00", "supabase/config.toml:1:1: the file is not valid UTF-8"},
		{"invalid UTF-8", "# a\n# \xe4\n", "supabase/config.toml:2:3: the file is not valid UTF-8"},
		{"unknown key", "[auth]\nsite_urll = \"x\"\n", "supabase/config.toml:2:1: unknown key auth.site_urll"},
		{"unknown section", "[atuh]\nenabled = true\n", "supabase/config.toml:1:2: unknown key atuh"},
		{
			"unknown key of a remote", "[remotes.p]\nproject_id = \"abcdefghijklmnopqrst\"\nauth.sit_url = \"x\"\n",
			"supabase/config.toml:3:6: unknown key remotes.p.auth.sit_url",
		},
		{"value for a section", "auth = true\n", "supabase/config.toml:1:1: auth is a section"},
		{"section for a value", "[api.port]\nx = 1\n", "supabase/config.toml:1:6: api.port is a single value"},
		{"wrong type", "[auth]\nenable_signup = \"yes\"\n", `supabase/config.toml:2:1: auth.enable_signup must be true or false, but is the string "yes"`},
		{"port too large", "[api]\nport = 70000\n", "supabase/config.toml:2:1: api.port must be a whole number from 0 to 65535, but is 70000"},
		{"negative", "[api]\nmax_rows = -1\n", "supabase/config.toml:2:1: api.max_rows must be a whole number"},
		{"not in the list", "[db.pooler]\npool_mode = \"statement\"\n", `supabase/config.toml:2:1: db.pooler.pool_mode must be one of "transaction", "session"`},
		{"duration", "[auth.email]\nmax_frequency = \"soon\"\n", "supabase/config.toml:2:1: auth.email.max_frequency must be a duration"},
		{"date", "[auth]\nsite_url = 2024-01-01\n", "supabase/config.toml:2:1: auth.site_url must be a string, but is a date or time"},
		{"list item", "[api]\nschemas = [\"a\", []]\n", "supabase/config.toml:2:1: api.schemas must be a list of strings, but item 2 is a list"},
		{"size", "[storage]\nfile_size_limit = \"big\"\n", "supabase/config.toml:2:1: storage.file_size_limit must be a size"},
		{"rules", "[experimental.inspect]\nrules = [1]\n", "supabase/config.toml:2:1: experimental.inspect.rules must be a list of tables, but item 1 is a number"},
		{"secret that is no string", httpHook + "secrets = 12\n", "supabase/config.toml:4:1: auth.hook.send_email.secrets must be a string, but is a number"},
		{"encrypted secret", "[auth]\njwt_secret = \"encrypted:abc\"\n", "supabase/config.toml:2:1: auth.jwt_secret is encrypted with dotenvx"},
		{"empty project_id", "project_id = \"\"\n", "supabase/config.toml:1:1: project_id is required"},
		{"API port 0", "[api]\nport = 0\n", "supabase/config.toml:2:1: api.port is required"},
		{"database port 0", "[db]\nport = 0\n", "supabase/config.toml:2:1: db.port is required"},
		{"PostgreSQL 12", "[db]\nmajor_version = 12\n", "supabase/config.toml:2:1: db.major_version is 12"},
		{"PostgreSQL 16", "[db]\nmajor_version = 16\n", "supabase/config.toml:2:1: db.major_version is 16, but must be"},
		{"short secret", "[auth]\njwt_secret = \"short\"\n", "supabase/config.toml:2:1: auth.jwt_secret has 5 characters, but must have at least 16"},
		{"remote ref", "[remotes.p]\nproject_id = \"x\"\n", "supabase/config.toml:2:1: remotes.p.project_id must be a project ref"},
		{"hook without uri", "[auth.hook.send_sms]\nenabled = true\n", "supabase/config.toml:1:12: auth.hook.send_sms.uri is required"},
		{"HTTP hook without secrets", httpHook, "supabase/config.toml:1:12: auth.hook.send_email.secrets is required for an HTTP hook"},
		{"malformed secrets", httpHook + "secrets = \"whsec_x\"\n", `supabase/config.toml:4:1: auth.hook.send_email.secrets must be "v1,whsec_"`},
		{"unset secrets", httpHook + "secrets = \"env(NOT_SET)\"\n", `supabase/config.toml:4:1: auth.hook.send_email.secrets must be "v1,whsec_"`},
		{
			"pg-functions with secrets", "[auth.hook.send_sms]\nenabled = true\nuri = \"pg-functions://p/a/b\"\nsecrets = \"x\"\n",
			"supabase/config.toml:4:1: auth.hook.send_sms.secrets is not supported for a pg-functions URI",
		},
		{
			"other scheme", "[auth.hook.send_sms]\nenabled = true\nuri = \"postgres://p/a/b\"\n",
			"supabase/config.toml:3:1: auth.hook.send_sms.uri must begin with pg-functions://",
		},
		{"MFA", "[auth.mfa.totp]\nenroll_enabled = true\n", "supabase/config.toml:2:1: auth.mfa.totp.enroll_enabled needs"},
		{"captcha", "[auth.captcha]\nenabled = true\nprovider = \"hcaptcha\"\n", "supabase/config.toml:1:7: auth.captcha.secret is required"},
		{"passkey", "[auth.passkey]\nenabled = true\n", "supabase/config.toml:2:1: auth.passkey needs the section [auth.webauthn]"},
		{"provider", "[auth.external.github]\nenabled = true\n", "supabase/config.toml:1:16: auth.external.github.client_id is required"},
		{"SMTP", "[auth.email.smtp]\nhost = \"h\"\n", "supabase/config.toml:1:13: auth.email.smtp.port is required"},
		{"twilio", "[auth.sms.twilio]\nenabled = true\n", "supabase/config.toml:1:11: auth.sms.twilio.account_sid is required"},
		{
			"third parties", "[auth.third_party]\nfirebase = {enabled=true, project_id='a'}\nauth0 = {enabled=true, tenant='a'}\n",
			"supabase/config.toml:3:10: only one provider of [auth.third_party] may be enabled, but firebase and auth0 are",
		},
		{"clerk", "[auth.third_party.clerk]\nenabled = true\ndomain = \"x\"\n", "supabase/config.toml:3:1: auth.third_party.clerk.domain must be like"},
		{"template text", "[auth.email.template.invite]\ncontent = \"hi\"\n", "supabase/config.toml:2:1: auth.email.template.invite.content is not supported"},
		{
			"missing template", "[auth.email.template.invite]\ncontent_path = \"./x.html\"\n",
			"supabase/config.toml:2:1: auth.email.template.invite.content_path: open x.html: file does not exist",
		},
		{
			"file outside", "[auth]\nsigning_keys_path = \"../../keys.json\"\n",
			"supabase/config.toml:2:1: auth.signing_keys_path names ../../keys.json, which is outside the workspace",
		},
		{"absolute path", "[auth]\nsigning_keys_path = \"/etc/passwd\"\n", "supabase/config.toml:2:1: auth.signing_keys_path names /etc/passwd"},
		{"function name", "[functions.1st]\nverify_jwt = true\n", `supabase/config.toml:1:12: the function name "1st" must start with a letter`},
		{"deno", "[edge_runtime]\ndeno_version = 3\n", "supabase/config.toml:2:1: edge_runtime.deno_version is 3"},
		{"bigquery", "[analytics]\nbackend = \"bigquery\"\n", "supabase/config.toml:1:2: analytics.gcp_project_id is required"},
		{"webhooks", "[experimental.webhooks]\nenabled = false\n", "supabase/config.toml:2:1: experimental.webhooks.enabled may be true"},
		{"deep key", strings.Repeat("a.", 100) + "a = 1\n", "supabase/config.toml:1:65: key has more than 32 parts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			problems := toml(tc.text).problems(t)
			var texts []string
			for _, p := range problems {
				texts = append(texts, strings.Split(p.Error(), "\n")[0])
			}
			assert.Truef(t, strings.HasPrefix(texts[0], tc.want), "want %q first in\n%s", tc.want, strings.Join(texts, "\n"))
		})
	}
}

func TestTheOffendingLineIsShown(t *testing.T) {
	t.Parallel()
	problems := toml("[auth]\n  site_urll = \"x\" # typo\n").problems(t)
	require.Len(t, problems, 1)
	assert.Equal(t, "supabase/config.toml:2:3: unknown key auth.site_urll\n  2 |   site_urll = \"x\" # typo\n        ^", problems[0].Error())
	assert.Equal(t, "did you mean auth.site_url?", problems[0].Hint())
}

func TestALineThatHoldsASecretIsShownWithoutIt(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[auth]\njwt_secret = \"hush\"\n",
		"[auth]\njwt_secret = \"hush\n",
		"auth = { jwt_secret = \"hush\", site_urll = 1 }\n",
		"[auth.sms.twilio]\nauth_token = [\"hush\"]\n",
		"[auth.email.smtp]\npass = hush\n",
		"[db.vault]\nstripe = [\"hush\"]\n",
		"[edge_runtime.secrets]\nSTRIPE = \"hush\n",
		"[auth.hook.send_email]\nenabled = true\nuri = \"https://x\"\nsecrets = \"hush\"\n",
		"[auth.external.github]\nenabled = true\nsecret = \"hush\"\nsecrets = \"hush\"\n",
	} {
		_, err := toml(text).load(t)
		require.Error(t, err, text)
		assert.NotContains(t, err.Error(), "hush", text)
	}
}

func TestUnknownKeysComeWithASuggestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[auth.hook.custom_acces_token]\nenabled = true\n":       "did you mean auth.hook.custom_access_token?",
		"[auth.hook.custom_access_token_hook]\nenabled = true\n": "did you mean auth.hook.custom_access_token?",
		"[auth.hooks.custom_access_token]\nenabled = true\n":     "did you mean auth.hook?",
		"[auth.hook.send_sms]\nsecret = \"x\"\n":                 "did you mean auth.hook.send_sms.secrets?",
		"[storge]\nenabled = true\n":                             "did you mean storage?",
		"[auth.hook.zzzz]\nenabled = true\n": "the keys of auth.hook are mfa_verification_attempt, password_verification_attempt, " +
			"custom_access_token, send_sms, send_email, before_user_created",
	} {
		problems := toml(text).problems(t)
		require.Len(t, problems, 1, text)
		assert.Equal(t, want, problems[0].Hint())
	}
}

func TestSeveralFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	_, err := toml("[auth]\nsite_urll = \"x\"\njwt_secret = \"y\"\nenable_signup = \"perhaps\"\n").load(t)
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "supabase/config.toml:"), 4)
	var p *config.Problem
	require.ErrorAs(t, err, &p)
	assert.Equal(t, 2, p.Line)
}

func TestAMissingFileComesWithAWayOut(t *testing.T) {
	t.Parallel()
	_, err := project{}.load(t)
	var loadErr *config.LoadError
	require.ErrorAs(t, err, &loadErr)
	assert.Contains(t, err.Error(), "supabase/config.toml: the workspace has no such file")
	assert.Contains(t, loadErr.Hint(), "supabase init")
	assert.Nil(t, loadErr.Partial)
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := toml(strings.Repeat("# padding\n", 200_000)).load(t)
	assert.ErrorContains(t, err, "larger than 1MiB")
}

func TestASymbolicLinkOutOfTheWorkspaceIsNotFollowed(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside.toml")
	require.NoError(t, os.WriteFile(outside, []byte("project_id = \"stolen\"\n"), 0o600))
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "supabase"), 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "supabase", "config.toml")))
	_, err := config.Load(t.Context(), config.Options{Dir: dir})
	assert.ErrorContains(t, err, "path escapes from parent")

	_, err = config.Load(t.Context(), config.Options{Dir: filepath.Join(dir, "nowhere")})
	assert.ErrorContains(t, err, "open workspace")
}

func TestLoadStopsWhenTheContextHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := config.Load(ctx, config.Options{Dir: t.TempDir()})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestAFileFullOfNonsenseIsRefusedWithAFewProblems(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"unknown keys":     numbered(1_000, "key_%d = 1\n"),
		"unknown sections": numbered(1_000, "[section_%d.x]\na = 1\n"),
		"unknown subkeys":  numbered(1_000, "auth.hook.x.y%d = 1\n"),
		"too many keys":    numbered(50_000, "key_%d = 1\n"),
		"too many remotes": numbered(1_000, "[remotes.r%d]\n"),
		"long key":         strings.Repeat("k", 100_000) + " = 1\n",
		"deep value":       "a = " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n",
		"too deep value":   "a = " + strings.Repeat("[", 90_000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.LessOrEqual(t, len(toml(text).problems(t)), 100)
		})
	}
}

// numbered repeats a line with a running number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
