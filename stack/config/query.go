package config

import (
	"strings"
)

// File returns the path of the configuration file in the workspace.
func (c *Config) File() string { return configPath }

// Lookup returns the value in effect for a dotted path such as "auth.hook.custom_access_token.enabled", and where it came
// from. Letter case does not matter. ok is false for an unknown path, for a section, and for a setting that is absent because
// its optional section is.
func (c *Config) Lookup(path string) (value Value, ok bool) {
	value, ok = c.values[strings.ToLower(path)]
	return value, ok && value.Any != nil
}

// Section returns the place of a section in the file, such as "auth.hook.custom_access_token". ok is false when the file
// neither has its header nor a key in it.
func (c *Config) Section(path string) (at Source, ok bool) {
	parts := strings.Split(strings.ToLower(path), ".")
	n := c.tree.find(parts...)
	if !n.isSection() {
		return Source{}, false
	}
	return c.layout.source(parts), true
}

// Remote returns the name of the [remotes] block that is in effect, "" when none is.
func (c *Config) Remote() string { return c.remote }

// Warnings lists what the CLI lets pass and deserves a look, in the order in which it was found.
func (c *Config) Warnings() []Warning { return append([]Warning(nil), c.warnings...) }

// ExposeNewTables says whether new tables, sequences and functions of schema public are granted to the API roles, and why.
// Unset means no: the CLI's implicit default became "revoked" on 2026-05-30 (comment at auto_expose_new_tables in its template
// config.toml). Before, unset meant yes.
func (c *Config) ExposeNewTables() (bool, Source) {
	if c.API.AutoExposeNewTables == nil {
		return false, Source{}
	}
	return *c.API.AutoExposeNewTables, c.values["api.auto_expose_new_tables"].Source
}

// Absent is a part of the configuration that the stack accepts and does not provide.
type Absent struct {
	Section string // such as "realtime" or "auth.captcha"
	Reason  string // what that means for the workspace
}

// NotProvided lists what the configuration switches on and the stack does not provide, in the order of the file's template.
func (c *Config) NotProvided() []Absent {
	var list []Absent
	add := func(on bool, section, reason string) {
		if on {
			list = append(list, Absent{Section: section, Reason: reason})
		}
	}
	add(c.API.TLS.Enabled, "api.tls", "the gateway speaks plain HTTP on the loopback address")
	add(c.DB.Pooler.Enabled, "db.pooler", "clients connect to PostgreSQL directly")
	add(c.DB.Settings != DBSettings{}, "db.settings", "the server runs with the stack's own parameters")
	add(c.DB.NetworkRestrictions.Enabled, "db.network_restrictions", "the server listens on the loopback address only")
	add(len(c.DB.Vault) > 0, "db.vault", "there is no Vault, so its secrets are not stored")
	add(c.Realtime.Enabled, "realtime", "no Realtime server runs")
	add(c.Studio.Enabled, "studio", "no Studio runs")
	if c.LocalSMTP != nil {
		add(c.LocalSMTP.Enabled, "local_smtp", "no mail catcher runs")
	} else {
		add(c.Inbucket.Enabled, "inbucket", "no mail catcher runs")
	}
	add(c.Storage.Enabled, "storage", "the storage schema is there, but no Storage API runs")
	c.authNotProvided(add)
	add(c.EdgeRuntime.Enabled && len(c.Functions) > 0, "functions", "Edge Functions are not served")
	add(c.EdgeRuntime.Enabled, "edge_runtime", "no Edge Runtime runs")
	add(c.Analytics.Enabled, "analytics", "no log collection runs")
	add(c.Experimental.OrioleDBVersion != "" || c.DB.OrioleDBVersion != "", "orioledb_version", "tables are ordinary PostgreSQL tables")
	add(c.Experimental.Webhooks != nil, "experimental.webhooks", "database webhooks are not sent")
	add(c.Experimental.PgDelta != nil, "experimental.pgdelta", "the database is made from the migrations alone")
	return list
}

func (c *Config) authNotProvided(add func(on bool, section, reason string)) {
	if !c.Auth.Enabled {
		return
	}
	add(c.Auth.Passkey != nil && c.Auth.Passkey.Enabled, "auth.passkey", "passkeys cannot be used")
	add(c.Auth.Captcha != nil && c.Auth.Captcha.Enabled, "auth.captcha", "no captcha is checked")
	add(c.Auth.Email.SMTP != nil && c.Auth.Email.SMTP.Enabled, "auth.email.smtp", "no mail leaves the stack")
	add(len(c.Auth.Email.Template) > 0, "auth.email.template", "mails are not rendered")
	for _, name := range sortedKeys(c.Auth.External) {
		add(c.Auth.External[name].Enabled, "auth.external."+name, "sign-in with this provider is not possible")
	}
	add(c.smsProvider() != "", "auth.sms."+c.smsProvider(), "no text message leaves the stack")
	add(c.Auth.Web3.Solana.Enabled || c.Auth.Web3.Ethereum.Enabled, "auth.web3", "sign-in with a wallet is not possible")
	add(c.Auth.OAuthServer.Enabled, "auth.oauth_server", "Auth is no OAuth server here")
	add(c.Auth.ThirdParty.enabled() != nil, "auth.third_party", "tokens of other issuers are not accepted")
}
