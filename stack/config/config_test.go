package config_test

import (
	"errors"
	"maps"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
)

// project is a workspace in memory: its files by path, and the environment.
type project struct {
	files map[string]string
	env   map[string]string
	ref   string
}

// toml is a workspace that has nothing but a config.toml.
func toml(text string) project {
	return project{files: map[string]string{"supabase/config.toml": text}}
}

func (p project) with(file, text string) project {
	p.files = maps.Clone(p.files)
	p.files[file] = text
	return p
}

func (p project) setenv(pairs ...string) project {
	p.env = maps.Clone(p.env)
	if p.env == nil {
		p.env = map[string]string{}
	}
	for i := 0; i < len(pairs); i += 2 {
		p.env[pairs[i]] = pairs[i+1]
	}
	return p
}

func (p project) load(t testing.TB) (*config.Config, error) {
	files := fstest.MapFS{}
	for name, text := range p.files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return config.Load(t.Context(), config.Options{Dir: "/projects/shop", FS: files, Env: p.env, ProjectRef: p.ref})
}

func (p project) mustLoad(t testing.TB) *config.Config {
	t.Helper()
	c, err := p.load(t)
	require.NoError(t, err)
	return c
}

// problems loads a configuration that must be refused and returns what is wrong with it.
func (p project) problems(t testing.TB) []*config.Problem {
	t.Helper()
	_, err := p.load(t)
	var loadErr *config.LoadError
	require.ErrorAs(t, err, &loadErr)
	require.NotEmpty(t, loadErr.Problems)
	return loadErr.Problems
}

func lookup(t testing.TB, c *config.Config, path string) config.Value {
	t.Helper()
	v, ok := c.Lookup(path)
	require.True(t, ok, "%s has no value", path)
	return v
}

func TestAnEmptyFileHasTheDefaultsOfTheCLI(t *testing.T) {
	t.Parallel()
	c := toml("").mustLoad(t)

	assert.Equal(t, "shop", c.ProjectID)
	assert.True(t, c.API.Enabled)
	assert.Equal(t, uint16(54321), c.API.Port)
	assert.Equal(t, []string{"public", "graphql_public"}, c.API.Schemas)
	assert.Equal(t, []string{"public", "extensions"}, c.API.ExtraSearchPath)
	assert.Equal(t, uint(1000), c.API.MaxRows)
	assert.Equal(t, uint(17), c.DB.MajorVersion)
	assert.Equal(t, 2*time.Minute, c.DB.HealthTimeout)
	assert.Equal(t, config.Globs{"./seed.sql"}, c.DB.Seed.SQLPaths)
	assert.Empty(t, c.DB.Migrations.SchemaPaths)
	assert.True(t, c.DB.Migrations.Enabled)
	assert.Equal(t, "http://127.0.0.1:3000", c.Auth.SiteURL)
	assert.Equal(t, uint(3600), c.Auth.JWTExpiry)
	assert.Equal(t, config.Size(50<<20), c.Storage.FileSizeLimit)
	assert.Equal(t, 5*time.Second, c.Auth.MFA.Phone.MaxFrequency)
	assert.Nil(t, c.Auth.Hook.CustomAccessToken)
	assert.Nil(t, c.Auth.Email.SMTP)
	assert.Contains(t, c.Auth.External, "apple")
	assert.Equal(t, config.Source{}, lookup(t, c, "auth.jwt_expiry").Source)
	assert.Equal(t, "default", lookup(t, c, "auth.jwt_expiry").Source.String())
}

func TestDerivedSettingsFollowTheOnesTheyComeFrom(t *testing.T) {
	t.Parallel()
	c := toml("[api]\nport = 4000\n").mustLoad(t)
	assert.Equal(t, "http://127.0.0.1:4000", c.API.ExternalURL)
	assert.Equal(t, "http://127.0.0.1:4000/auth/v1", c.Auth.ExternalURL)
	assert.Equal(t, "http://127.0.0.1:4000/auth/v1", c.Auth.JWTIssuer)
	assert.Equal(t, config.SourceDerived, lookup(t, c, "auth.jwt_issuer").Source.Kind)

	c = toml("[auth]\nexternal_url = \"https://id.example.com\"\n").mustLoad(t)
	assert.Equal(t, "https://id.example.com", c.Auth.JWTIssuer)
}

func TestEveryValueSaysWhereItCameFrom(t *testing.T) {
	t.Parallel()
	c := toml(`[auth]
site_url = "https://shop.example.com"
jwt_expiry = 60
minimum_password_length = "env(PASSWORD_LENGTH)"
additional_redirect_urls = ["env(REDIRECT)"]
`).with("supabase/.env", "# secrets\nPASSWORD_LENGTH=9\n").
		setenv("SUPABASE_AUTH_JWT_EXPIRY", "120", "REDIRECT", "https://a.example.com").mustLoad(t)

	for path, want := range map[string]string{
		"auth.site_url":                 "supabase/config.toml:2:1",
		"auth.jwt_expiry":               "environment variable SUPABASE_AUTH_JWT_EXPIRY",
		"auth.minimum_password_length":  "supabase/config.toml:4:1 through PASSWORD_LENGTH from supabase/.env:2",
		"auth.additional_redirect_urls": "supabase/config.toml:5:1 through environment variable REDIRECT",
	} {
		assert.Equal(t, want, lookup(t, c, path).Source.String(), path)
	}
	assert.Equal(t, uint(120), c.Auth.JWTExpiry)
	assert.Equal(t, uint(9), c.Auth.MinimumPasswordLength)
	assert.Equal(t, []string{"https://a.example.com"}, c.Auth.AdditionalRedirectURLs)
	assert.Equal(t, uint(120), lookup(t, c, "AUTH.JWT_EXPIRY").Any)
	_, ok := c.Lookup("auth.no_such_key")
	assert.False(t, ok)
}

func TestValuesMayHaveAnotherTypeThatMeansTheSame(t *testing.T) {
	t.Parallel()
	c := toml(`
[api]
max_rows = 12.7
schemas = "public,private"
[db]
health_timeout = "90s"
[db.seed]
sql_paths = "a.sql,b.sql"
[auth]
enable_signup = 0
enable_manual_linking = "1"
jwt_expiry = "0x3c"
site_url = 12
additional_redirect_urls = "https://a,https://b"
[auth.sms.test_otp]
4152127777 = 123456
[storage]
file_size_limit = "5MB"
[functions.Hello]
`).mustLoad(t)

	assert.Equal(t, uint(12), c.API.MaxRows)
	assert.Equal(t, []string{"public", "private"}, c.API.Schemas)
	assert.Equal(t, 90*time.Second, c.DB.HealthTimeout)
	assert.Equal(t, config.Globs{"a.sql,b.sql"}, c.DB.Seed.SQLPaths, "patterns are not split at commas")
	assert.False(t, c.Auth.EnableSignup)
	assert.True(t, c.Auth.EnableManualLinking)
	assert.Equal(t, uint(60), c.Auth.JWTExpiry)
	assert.Equal(t, "12", c.Auth.SiteURL)
	assert.Equal(t, []string{"https://a", "https://b"}, c.Auth.AdditionalRedirectURLs)
	assert.Equal(t, map[string]string{"4152127777": "123456"}, c.Auth.SMS.TestOTP)
	assert.Equal(t, config.Size(5<<20), c.Storage.FileSizeLimit)
	assert.Equal(t, config.Function{Enabled: true, VerifyJWT: true}, c.Functions["hello"])
}

func TestARemoteBlockOfThisProjectOverridesTheRestOfTheFile(t *testing.T) {
	t.Parallel()
	p := toml(`
[auth]
site_url = "http://local"
[remotes.prod]
project_id = "abcdefghijklmnopqrst"
[remotes.prod.auth]
site_url = "http://prod"
`).setenv("SUPABASE_AUTH_SITE_URL", "http://env")

	c := p.mustLoad(t)
	assert.Equal(t, "http://env", c.Auth.SiteURL)
	assert.True(t, c.DB.Seed.Enabled)
	assert.Empty(t, c.Remote())

	p.ref = "abcdefghijklmnopqrst"
	c = p.mustLoad(t)
	assert.Equal(t, "http://prod", c.Auth.SiteURL, "a remote block beats the environment")
	assert.Equal(t, "supabase/config.toml:7:1 in [remotes.prod]", lookup(t, c, "auth.site_url").Source.String())
	assert.False(t, c.DB.Seed.Enabled, "a remote block switches seeding off unless it says otherwise")
	assert.Equal(t, "prod", c.Remote())
	assert.Equal(t, "abcdefghijklmnopqrst", c.ProjectID)
}

func TestNewTablesAreExposedOnlyWhenTheFileSaysSo(t *testing.T) {
	t.Parallel()
	expose, source := toml("").mustLoad(t).ExposeNewTables()
	assert.False(t, expose)
	assert.Equal(t, config.SourceDefault, source.Kind)

	expose, source = toml("[api]\nauto_expose_new_tables = true\n").mustLoad(t).ExposeNewTables()
	assert.True(t, expose)
	assert.Equal(t, 2, source.Line)
}

func TestWhatTheStackLacksIsListed(t *testing.T) {
	t.Parallel()
	c := toml("[realtime]\nenabled = false\n[auth.external.github]\nenabled = true\nclient_id = \"x\"\nsecret = \"y\"\n").mustLoad(t)
	var sections []string
	for _, absent := range c.NotProvided() {
		sections = append(sections, absent.Section)
		assert.NotEmpty(t, absent.Reason)
	}
	assert.Equal(t, []string{"studio", "inbucket", "storage", "auth.external.github", "edge_runtime", "analytics"}, sections)
}

func TestUnsetVariablesAreWarnedAbout(t *testing.T) {
	t.Parallel()
	c := toml("[auth]\nsite_url = \"env(SITE)\"\n").setenv("SITE", "").mustLoad(t)
	assert.Equal(t, "env(SITE)", c.Auth.SiteURL)
	require.Len(t, c.Warnings(), 1)
	assert.Equal(t, "supabase/config.toml:2:1: environment variable SITE is unset, so the text env(SITE) stays as it is",
		c.Warnings()[0].String())
}

func TestAWrongConfigurationCanStillBeExamined(t *testing.T) {
	t.Parallel()
	_, err := toml("[auth]\nsite_url = \"http://x\"\nsite_urll = \"y\"\n").load(t)
	require.Error(t, err)
	c := config.Partial(err)
	require.NotNil(t, c)
	assert.Equal(t, "http://x", c.Auth.SiteURL)
	assert.Nil(t, config.Partial(errors.New("other")))
}

func TestTheNewNamesOfRenamedKeysAreTakenToo(t *testing.T) {
	t.Parallel()
	c := toml("[local_smtp]\nenabled = false\n[db]\norioledb_version = \"17.0.1\"\n").mustLoad(t)
	require.NotNil(t, c.LocalSMTP)
	assert.False(t, c.LocalSMTP.Enabled)
	var sections []string
	for _, absent := range c.NotProvided() {
		sections = append(sections, absent.Section)
	}
	assert.Contains(t, sections, "orioledb_version")
	assert.NotContains(t, sections, "local_smtp")
	assert.NotContains(t, sections, "inbucket")
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	c := toml("[auth]\njwt_secret = \"hush-hush-hush-hush\"\n").mustLoad(t)
	assert.Equal(t, "[redacted]", c.Auth.JWTSecret.String())
	assert.Equal(t, `"[redacted]"`, c.Auth.JWTSecret.GoString())
	text, err := c.Auth.JWTSecret.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "[redacted]", string(text))
	assert.Equal(t, "hush-hush-hush-hush", c.Auth.JWTSecret.Reveal())
}
