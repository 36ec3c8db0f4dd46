package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// auth checks the section [auth], which the CLI does only while Auth is enabled: a faulty hook of a disabled Auth is legal.
func (v *validator) auth() {
	v.require(v.Auth.SiteURL != "", "auth.site_url")
	if c := v.Auth.Captcha; c != nil && c.Enabled {
		v.require(c.Provider != "", "auth.captcha.provider")
		v.require(c.Secret != "", "auth.captcha.secret")
	}
	v.signingKeysFile()
	v.passkey()
	for _, h := range v.Auth.Hook.list() {
		if h.hook != nil && h.hook.Enabled {
			v.hook("auth.hook."+h.name, h.hook)
		}
	}
	v.mfa()
	v.email()
	v.sms()
	v.external()
	v.thirdParty()
}

// passkey checks that the relying party is known, without which no passkey can be made.
func (v *validator) passkey() {
	if v.Auth.Passkey == nil || !v.Auth.Passkey.Enabled {
		return
	}
	w := v.Auth.WebAuthn
	if w == nil {
		v.fail("auth.passkey.enabled", "auth.passkey needs the section [auth.webauthn]")
		return
	}
	v.require(w.RPID != "", "auth.webauthn.rp_id")
	v.require(len(w.RPOrigins) > 0, "auth.webauthn.rp_origins")
}

// namedHook is a hook with the name of its section, nil when the section is absent.
type namedHook struct {
	name string
	hook *Hook
}

// list gives the hooks in the order of the CLI's struct.
func (h Hooks) list() []namedHook {
	return []namedHook{
		{"mfa_verification_attempt", h.MFAVerificationAttempt},
		{"password_verification_attempt", h.PasswordVerificationAttempt},
		{"custom_access_token", h.CustomAccessToken},
		{"send_sms", h.SendSMS},
		{"send_email", h.SendEmail},
		{"before_user_created", h.BeforeUserCreated},
	}
}

var hookSecret = regexp.MustCompile(`^v1,whsec_[A-Za-z0-9+/=]{32,88}$`)

// hook checks an enabled hook. The CLI does not look at the names in a pg-functions URI; Auth does, at its start.
func (v *validator) hook(section string, h *Hook) {
	if h.URI == "" {
		v.fail(section+".uri", "%s.uri is required for an enabled hook, but missing or empty", section)
		return
	}
	uri, err := url.Parse(h.URI)
	if err != nil {
		v.fail(section+".uri", "%s.uri is not a URI", section)
		return
	}
	switch strings.ToLower(uri.Scheme) {
	case "http", "https":
		v.hookSecrets(section, h.Secrets.Reveal())
	case "pg-functions":
		if h.Secrets != "" {
			v.fail(section+".secrets", "%s.secrets is not supported for a pg-functions URI", section)
		}
	default:
		v.fail(section+".uri", "%s.uri must begin with pg-functions://, http:// or https://, but is %q", section, h.URI)
	}
}

// hookSecrets checks the signing secrets of an HTTP hook. One that env(NAME) leaves as text does not have their form, and is
// reported so.
func (v *validator) hookSecrets(section, secrets string) {
	if secrets == "" {
		v.fail(section+".secrets", "%s.secrets is required for an HTTP hook, but missing or empty", section)
		return
	}
	for secret := range strings.SplitSeq(secrets, "|") {
		if !hookSecret.MatchString(secret) {
			v.fail(section+".secrets",
				`%s.secrets must be "v1,whsec_" and 32 to 88 base64 characters, several such separated by "|"`, section)
			return
		}
	}
}

// mfa refuses factors that could be enrolled and then not be used.
func (v *validator) mfa() {
	check := func(enroll, verify bool, section string) {
		if enroll && !verify {
			v.fail(section+".enroll_enabled", "%s.enroll_enabled needs %s.verify_enabled", section, section)
		}
	}
	check(v.Auth.MFA.TOTP.EnrollEnabled, v.Auth.MFA.TOTP.VerifyEnabled, "auth.mfa.totp")
	check(v.Auth.MFA.Phone.EnrollEnabled, v.Auth.MFA.Phone.VerifyEnabled, "auth.mfa.phone")
	check(v.Auth.MFA.WebAuthn.EnrollEnabled, v.Auth.MFA.WebAuthn.VerifyEnabled, "auth.mfa.web_authn")
}

// email checks templates and the SMTP server. Paths of templates are relative to the workspace folder, those of notifications to
// supabase/: the CLI resolves the two differently.
func (v *validator) email() {
	for _, name := range sortedKeys(v.Auth.Email.Template) {
		t := v.Auth.Email.Template[name]
		v.template("auth.email.template."+name, ".", t.Content, t.ContentPath)
	}
	for _, name := range sortedKeys(v.Auth.Email.Notification) {
		if n := v.Auth.Email.Notification[name]; n.Enabled {
			v.template("auth.email.notification."+name, "supabase", n.Content, n.ContentPath)
		}
	}
	if s := v.Auth.Email.SMTP; s != nil && s.Enabled {
		v.require(s.Host != "", "auth.email.smtp.host")
		v.require(s.Port != 0, "auth.email.smtp.port")
		v.require(s.User != "", "auth.email.smtp.user")
		v.require(s.Pass != "", "auth.email.smtp.pass")
		v.require(s.AdminEmail != "", "auth.email.smtp.admin_email")
	}
}

// template refuses a text in config.toml itself, which the CLI has no way to serve to Auth.
func (v *validator) template(section, base string, content *string, file string) {
	if file == "" && content != nil {
		v.fail(section+".content", "%s.content is not supported: put it in a file and name that in content_path", section)
	}
	v.readable(section+".content_path", base, file)
}

// smsProvider names the provider of text messages in use: the first enabled one in the CLI's order.
func (c *Config) smsProvider() string {
	s := c.Auth.SMS
	for _, p := range []struct {
		name    string
		enabled bool
	}{
		{"twilio", s.Twilio.Enabled},
		{"twilio_verify", s.TwilioVerify.Enabled},
		{"messagebird", s.Messagebird.Enabled},
		{"textlocal", s.Textlocal.Enabled},
		{"vonage", s.Vonage.Enabled},
	} {
		if p.enabled {
			return p.name
		}
	}
	return ""
}

// sms checks the first enabled provider only, as the CLI does: it ignores the others.
func (v *validator) sms() {
	s := &v.Auth.SMS
	section := "auth.sms." + v.smsProvider() + "."
	switch v.smsProvider() {
	case "twilio", "twilio_verify":
		t := s.Twilio
		if !t.Enabled {
			t = s.TwilioVerify
		}
		v.require(t.AccountSID != "", section+"account_sid")
		v.require(t.MessageServiceSID != "", section+"message_service_sid")
		v.require(t.AuthToken != "", section+"auth_token")
	case "messagebird":
		v.require(s.Messagebird.Originator != "", section+"originator")
		v.require(s.Messagebird.AccessKey != "", section+"access_key")
	case "textlocal":
		v.require(s.Textlocal.Sender != "", section+"sender")
		v.require(s.Textlocal.APIKey != "", section+"api_key")
	case "vonage":
		v.require(s.Vonage.From != "", section+"from")
		v.require(s.Vonage.APIKey != "", section+"api_key")
		v.require(s.Vonage.APISecret != "", section+"api_secret")
	default:
		v.phoneWithoutProvider()
	}
}

// phoneWithoutProvider switches phone sign-up off where nothing could send a message, as the CLI does. A send_sms hook does
// send messages, and the CLI overlooks that; here it counts, because a workspace with that hook means what it says.
func (v *validator) phoneWithoutProvider() {
	hook := v.Auth.Hook.SendSMS
	if !v.Auth.SMS.EnableSignup || (hook != nil && hook.Enabled) {
		return
	}
	value := v.values["auth.sms.enable_signup"]
	v.warnings = append(v.warnings, Warning{
		Message: "no SMS provider is enabled, so phone sign-up is switched off", Source: value.Source,
	})
	v.Auth.SMS.EnableSignup = false
	v.values["auth.sms.enable_signup"] = Value{Any: false, Source: value.Source}
}

// external checks the OAuth providers. Apple and Google need no secret, as they take the tokens of native apps without one.
func (v *validator) external() {
	for _, name := range []string{"linkedin", "slack"} {
		if p, ok := v.Auth.External[name]; ok {
			if p.Enabled {
				v.warnings = append(v.warnings, Warning{
					Message: fmt.Sprintf("the provider %s is deprecated and switched off; use auth.external.%s_oidc", name, name),
					Source:  v.layout.source([]string{"auth", "external", name}),
				})
			}
			delete(v.Auth.External, name)
		}
	}
	for _, name := range sortedKeys(v.Auth.External) {
		p := v.Auth.External[name]
		if !p.Enabled {
			continue
		}
		v.require(p.ClientID != "", "auth.external."+name+".client_id")
		v.require(p.Secret != "" || slices.Contains([]string{"apple", "google"}, name), "auth.external."+name+".secret")
	}
}

// enabled lists the sections of [auth.third_party] that are switched on.
func (t ThirdParty) enabled() []string {
	var on []string
	for _, p := range []struct {
		name    string
		enabled bool
	}{
		{"firebase", t.Firebase.Enabled},
		{"auth0", t.Auth0.Enabled},
		{"aws_cognito", t.Cognito.Enabled},
		{"clerk", t.Clerk.Enabled},
		{"workos", t.WorkOS.Enabled},
	} {
		if p.enabled {
			on = append(on, p.name)
		}
	}
	return on
}

// clerkDomain is the form of the domains that Clerk gives its users.
var clerkDomain = regexp.MustCompile(`^(clerk([.][a-z0-9-]+){2,}|([a-z0-9-]+[.])+clerk[.]accounts[.]dev)$`)

// thirdParty checks the issuers that are to be trusted beside Auth.
func (v *validator) thirdParty() {
	const section = "auth.third_party."
	t := v.Auth.ThirdParty
	on := t.enabled()
	v.require(!t.Firebase.Enabled || t.Firebase.ProjectID != "", section+"firebase.project_id")
	v.require(!t.Auth0.Enabled || t.Auth0.Tenant != "", section+"auth0.tenant")
	v.require(!t.Cognito.Enabled || t.Cognito.UserPoolID != "", section+"aws_cognito.user_pool_id")
	v.require(!t.Cognito.Enabled || t.Cognito.UserPoolRegion != "", section+"aws_cognito.user_pool_region")
	v.require(!t.WorkOS.Enabled || t.WorkOS.IssuerURL != "", section+"workos.issuer_url")
	if t.Clerk.Enabled && !clerkDomain.MatchString(t.Clerk.Domain) {
		v.fail(section+"clerk.domain",
			"%sclerk.domain must be like clerk.example.com or example.clerk.accounts.dev, but is %q", section, t.Clerk.Domain)
	}
	if len(on) > 1 {
		v.fail(section+on[1]+".enabled", "only one provider of [auth.third_party] may be enabled, but %s are", strings.Join(on, " and "))
	}
}
