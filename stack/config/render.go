package config

import (
	"fmt"
	"strconv"
	"strings"
)

// RenderInput is what a configuration does not know and a running stack does. Empty fields take what the file says.
type RenderInput struct {
	AuthDBURL string // PostgreSQL URL that Auth connects with, as supabase_auth_admin
	RESTDBURL string // PostgreSQL URL that PostgREST connects with, as authenticator
	// APIURL is where the gateway answers, without a trailing path. Empty: api.external_url. An api.external_url or
	// auth.external_url that the file sets stays in force, as it is what users of the API are told.
	APIURL    string
	JWTSecret string // empty: auth.jwt_secret
	JWKS      string // key set that PostgREST verifies tokens with; empty: Config.JWKS
	// JWTKeys are the private keys of Auth as a JSON list, the first one signs. Empty: those of auth.signing_keys_path, and if
	// there are none, tokens are signed with the secret.
	JWTKeys string
	// AuthHost and AuthPort are where Auth listens. Empty: 127.0.0.1, and no port.
	AuthHost string
	AuthPort int
}

// RESTEnv returns the PGRST_ variables that the CLI starts PostgREST with (internal/start/start.go), without the port of the
// admin server.
func (c *Config) RESTEnv(in RenderInput) map[string]string {
	jwks := in.JWKS
	if jwks == "" {
		jwks = c.JWKS(in.JWTSecret)
	}
	return map[string]string{
		"PGRST_DB_URI":               in.RESTDBURL,
		"PGRST_DB_SCHEMAS":           strings.Join(c.API.Schemas, ","),
		"PGRST_DB_EXTRA_SEARCH_PATH": strings.Join(c.API.ExtraSearchPath, ","),
		"PGRST_DB_MAX_ROWS":          decimal(c.API.MaxRows),
		"PGRST_DB_ANON_ROLE":         "anon",
		"PGRST_JWT_SECRET":           jwks,
	}
}

// AuthEnv returns the variables that the CLI starts Auth with (buildGotrueEnv and after it in internal/start/start.go). Left
// out is what would make Auth reach for services that the stack does not provide: the SMTP server and the mail templates,
// which the CLI serves over HTTP. A hook is there only when it is enabled.
func (c *Config) AuthEnv(in RenderInput) map[string]string {
	env := map[string]string{
		"GOTRUE_DB_DRIVER":       "postgres",
		"GOTRUE_DB_DATABASE_URL": in.AuthDBURL,
		"DB_NAMESPACE":           "auth", // schema of Auth's tables; the CLI has it from the search_path of the role
		"GOTRUE_API_HOST":        nonEmpty(in.AuthHost, hostname),
	}
	if in.AuthPort > 0 {
		env["GOTRUE_API_PORT"] = strconv.Itoa(in.AuthPort)
	}
	c.urlEnv(env, in)
	c.tokenEnv(env, in)
	c.signInEnv(env)
	c.mailEnv(env)
	c.smsEnv(env)
	c.securityEnv(env)
	c.providerEnv(env)
	for _, h := range c.Auth.Hook.list() {
		if h.hook == nil || !h.hook.Enabled {
			continue
		}
		prefix := "GOTRUE_HOOK_" + strings.ToUpper(h.name)
		env[prefix+"_ENABLED"] = "true"
		env[prefix+"_URI"] = h.hook.URI
		env[prefix+"_SECRETS"] = h.hook.Secrets.Reveal()
	}
	return env
}

// external returns the URL of Auth and the issuer of its tokens for a gateway's address.
func (c *Config) external(api string) (auth, issuer string) {
	auth, issuer = c.Auth.ExternalURL, c.Auth.JWTIssuer
	if api == "" || c.values["api.external_url"].Source.Kind != SourceDerived {
		return auth, issuer
	}
	if c.values["auth.external_url"].Source.Kind == SourceDerived {
		auth = authURL(api)
	}
	if c.values["auth.jwt_issuer"].Source.Kind == SourceDerived {
		issuer = auth
	}
	return auth, issuer
}

// urlEnv renders the addresses. The links in mails point at Auth itself, and from there to the site.
func (c *Config) urlEnv(env map[string]string, in RenderInput) {
	auth, issuer := c.external(in.APIURL)
	verify := strings.TrimRight(auth, "/") + "/verify"
	env["API_EXTERNAL_URL"] = auth
	env["GOTRUE_SITE_URL"] = c.Auth.SiteURL
	env["GOTRUE_URI_ALLOW_LIST"] = strings.Join(c.Auth.AdditionalRedirectURLs, ",")
	env["GOTRUE_JWT_ISSUER"] = issuer
	for _, mail := range []string{"INVITE", "CONFIRMATION", "RECOVERY", "EMAIL_CHANGE"} {
		env["GOTRUE_MAILER_URLPATHS_"+mail] = verify
	}
}

// tokenEnv renders what tokens are made and checked with. Audience and group name are no settings: PostgREST and the policies of
// every workspace rely on them.
func (c *Config) tokenEnv(env map[string]string, in RenderInput) {
	env["GOTRUE_JWT_ADMIN_ROLES"] = "service_role"
	env["GOTRUE_JWT_AUD"] = "authenticated"
	env["GOTRUE_JWT_DEFAULT_GROUP_NAME"] = "authenticated"
	env["GOTRUE_JWT_EXP"] = decimal(c.Auth.JWTExpiry)
	env["GOTRUE_JWT_SECRET"] = nonEmpty(in.JWTSecret, c.Auth.JWTSecret.Reveal())
	keys := in.JWTKeys
	if keys == "" && len(c.signingKeys) > 0 {
		keys = mustJSON(c.signingKeys)
	}
	if keys != "" {
		env["GOTRUE_JWT_KEYS"] = keys
		env["GOTRUE_JWT_VALIDMETHODS"] = "HS256,RS256,ES256"
		env["GOTRUE_JWT_VALID_METHODS"] = "HS256,RS256,ES256"
	}
}

// signInEnv renders who may sign in, how often and for how long.
func (c *Config) signInEnv(env map[string]string) {
	a := c.Auth
	env["GOTRUE_DISABLE_SIGNUP"] = boolean(!a.EnableSignup)
	env["GOTRUE_EXTERNAL_EMAIL_ENABLED"] = boolean(a.Email.EnableSignup)
	env["GOTRUE_EXTERNAL_PHONE_ENABLED"] = boolean(a.SMS.EnableSignup)
	env["GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED"] = boolean(a.EnableAnonymousSignIns)
	if a.Sessions.Timebox > 0 {
		env["GOTRUE_SESSIONS_TIMEBOX"] = a.Sessions.Timebox.String()
	}
	if a.Sessions.InactivityTimeout > 0 {
		env["GOTRUE_SESSIONS_INACTIVITY_TIMEOUT"] = a.Sessions.InactivityTimeout.String()
	}
	env["GOTRUE_RATE_LIMIT_ANONYMOUS_USERS"] = decimal(a.RateLimit.AnonymousUsers)
	env["GOTRUE_RATE_LIMIT_TOKEN_REFRESH"] = decimal(a.RateLimit.TokenRefresh)
	env["GOTRUE_RATE_LIMIT_OTP"] = decimal(a.RateLimit.SignInSignUps)
	env["GOTRUE_RATE_LIMIT_VERIFY"] = decimal(a.RateLimit.TokenVerifications)
	env["GOTRUE_RATE_LIMIT_SMS_SENT"] = decimal(a.RateLimit.SMSSent)
	env["GOTRUE_RATE_LIMIT_WEB3"] = decimal(a.RateLimit.Web3)
}

// mailEnv renders the section [auth.email].
func (c *Config) mailEnv(env map[string]string) {
	m := c.Auth.Email
	env["GOTRUE_MAILER_AUTOCONFIRM"] = boolean(!m.EnableConfirmations)
	env["GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"] = boolean(m.DoubleConfirmChanges)
	env["GOTRUE_MAILER_OTP_LENGTH"] = decimal(m.OTPLength)
	env["GOTRUE_MAILER_OTP_EXP"] = decimal(m.OTPExpiry)
	env["GOTRUE_SMTP_MAX_FREQUENCY"] = m.MaxFrequency.String()
	env["GOTRUE_RATE_LIMIT_EMAIL_SENT"] = "360000" // in effect unlimited, unless a real SMTP server is configured
	if m.SMTP != nil && m.SMTP.Enabled {
		env["GOTRUE_RATE_LIMIT_EMAIL_SENT"] = decimal(c.Auth.RateLimit.EmailSent)
	}
	for name, t := range m.Template {
		if t.Subject != nil {
			env["GOTRUE_MAILER_SUBJECTS_"+strings.ToUpper(name)] = *t.Subject
		}
	}
	for name, n := range m.Notification {
		if !n.Enabled {
			continue
		}
		env["GOTRUE_MAILER_NOTIFICATIONS_"+strings.ToUpper(name)+"_ENABLED"] = "true"
		if n.Subject != nil {
			env["GOTRUE_MAILER_SUBJECTS_"+strings.ToUpper(name)+"_NOTIFICATION"] = *n.Subject
		}
	}
}

// smsEnv renders the section [auth.sms]. The test codes are sorted, so that equal configurations render equally.
func (c *Config) smsEnv(env map[string]string) {
	s := c.Auth.SMS
	env["GOTRUE_SMS_AUTOCONFIRM"] = boolean(!s.EnableConfirmations)
	env["GOTRUE_SMS_MAX_FREQUENCY"] = s.MaxFrequency.String()
	env["GOTRUE_SMS_OTP_EXP"] = "6000" // seconds; no key in config.toml
	env["GOTRUE_SMS_OTP_LENGTH"] = "6" // no key in config.toml
	env["GOTRUE_SMS_TEMPLATE"] = s.Template
	codes := make([]string, 0, len(s.TestOTP))
	for _, phone := range sortedKeys(s.TestOTP) {
		codes = append(codes, phone+":"+s.TestOTP[phone])
	}
	env["GOTRUE_SMS_TEST_OTP"] = strings.Join(codes, ",")
	switch provider := c.smsProvider(); provider {
	case "twilio", "twilio_verify":
		t := s.Twilio
		if provider == "twilio_verify" {
			t = s.TwilioVerify
		}
		setSMS(env, provider, map[string]string{
			"ACCOUNT_SID": t.AccountSID, "AUTH_TOKEN": t.AuthToken.Reveal(), "MESSAGE_SERVICE_SID": t.MessageServiceSID,
		})
	case "messagebird":
		setSMS(env, provider, map[string]string{
			"ACCESS_KEY": s.Messagebird.AccessKey.Reveal(), "ORIGINATOR": s.Messagebird.Originator,
		})
	case "textlocal":
		setSMS(env, provider, map[string]string{"API_KEY": s.Textlocal.APIKey.Reveal(), "SENDER": s.Textlocal.Sender})
	case "vonage":
		setSMS(env, provider, map[string]string{
			"API_KEY": s.Vonage.APIKey, "API_SECRET": s.Vonage.APISecret.Reveal(), "FROM": s.Vonage.From,
		})
	}
}

// setSMS renders the credentials of one provider.
func setSMS(env map[string]string, provider string, members map[string]string) {
	env["GOTRUE_SMS_PROVIDER"] = provider
	for name, value := range members {
		env["GOTRUE_SMS_"+strings.ToUpper(provider)+"_"+name] = value
	}
}

// securityEnv renders passwords, sessions, captcha and second factors. A section that the file lacks sets nothing, which leaves
// Auth its own default.
func (c *Config) securityEnv(env map[string]string) {
	a := c.Auth
	env["GOTRUE_PASSWORD_MIN_LENGTH"] = decimal(a.MinimumPasswordLength)
	env["GOTRUE_PASSWORD_REQUIRED_CHARACTERS"] = requiredCharacters(a.PasswordRequirements)
	env["GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED"] = boolean(a.EnableRefreshTokenRotation)
	env["GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL"] = decimal(a.RefreshTokenReuseInterval)
	env["GOTRUE_SECURITY_MANUAL_LINKING_ENABLED"] = boolean(a.EnableManualLinking)
	env["GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION"] = boolean(a.Email.SecurePasswordChange)
	if a.Captcha != nil {
		env["GOTRUE_SECURITY_CAPTCHA_ENABLED"] = boolean(a.Captcha.Enabled)
		env["GOTRUE_SECURITY_CAPTCHA_PROVIDER"] = a.Captcha.Provider
		env["GOTRUE_SECURITY_CAPTCHA_SECRET"] = a.Captcha.Secret.Reveal()
	}
	env["GOTRUE_MFA_MAX_ENROLLED_FACTORS"] = decimal(a.MFA.MaxEnrolledFactors)
	for name, f := range map[string]Factor{"TOTP": a.MFA.TOTP, "PHONE": a.MFA.Phone.Factor, "WEB_AUTHN": a.MFA.WebAuthn} {
		env["GOTRUE_MFA_"+name+"_ENROLL_ENABLED"] = boolean(f.EnrollEnabled)
		env["GOTRUE_MFA_"+name+"_VERIFY_ENABLED"] = boolean(f.VerifyEnabled)
	}
	if a.MFA.Phone.EnrollEnabled || a.MFA.Phone.VerifyEnabled {
		env["GOTRUE_MFA_PHONE_TEMPLATE"] = a.MFA.Phone.Template
		env["GOTRUE_MFA_PHONE_OTP_LENGTH"] = decimal(a.MFA.Phone.OTPLength)
		env["GOTRUE_MFA_PHONE_MAX_FREQUENCY"] = a.MFA.Phone.MaxFrequency.String()
	}
	if a.Passkey != nil {
		env["GOTRUE_PASSKEY_ENABLED"] = boolean(a.Passkey.Enabled)
	}
	if a.WebAuthn != nil {
		env["GOTRUE_WEBAUTHN_RP_ID"] = a.WebAuthn.RPID
		env["GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"] = a.WebAuthn.RPDisplayName
		env["GOTRUE_WEBAUTHN_RP_ORIGINS"] = strings.Join(a.WebAuthn.RPOrigins, ",")
	}
}

// providerEnv renders OAuth providers, disabled ones too, as the CLI does, and what else may vouch for a user.
func (c *Config) providerEnv(env map[string]string) {
	a := c.Auth
	for name, p := range a.External {
		prefix := "GOTRUE_EXTERNAL_" + strings.ToUpper(name)
		env[prefix+"_ENABLED"] = boolean(p.Enabled)
		env[prefix+"_CLIENT_ID"] = p.ClientID
		env[prefix+"_SECRET"] = p.Secret.Reveal()
		env[prefix+"_SKIP_NONCE_CHECK"] = boolean(p.SkipNonceCheck)
		env[prefix+"_EMAIL_OPTIONAL"] = boolean(p.EmailOptional)
		env[prefix+"_REDIRECT_URI"] = nonEmpty(p.RedirectURI, env["GOTRUE_JWT_ISSUER"]+"/callback")
		if p.URL != "" {
			env[prefix+"_URL"] = p.URL
		}
	}
	env["GOTRUE_EXTERNAL_WEB3_SOLANA_ENABLED"] = boolean(a.Web3.Solana.Enabled)
	env["GOTRUE_EXTERNAL_WEB3_ETHEREUM_ENABLED"] = boolean(a.Web3.Ethereum.Enabled)
	if a.OAuthServer.Enabled {
		env["GOTRUE_OAUTH_SERVER_ENABLED"] = "true"
		env["GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"] = a.OAuthServer.AuthorizationURLPath
		env["GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION"] = boolean(a.OAuthServer.AllowDynamicRegistration)
	}
}

// requiredCharacters gives the character classes of a password requirement as Auth reads them: a password needs one character
// of each class between the colons; a colon of a class is written "\:".
func requiredCharacters(requirement string) string {
	const (
		lower   = "abcdefghijklmnopqrstuvwxyz"
		upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		digits  = "0123456789"
		symbols = `!@#$%^&*()_+-=[]{};'\\:"|<>?,./` + "`~"
	)
	switch requirement {
	case "letters_digits":
		return lower + upper + ":" + digits
	case "lower_upper_letters_digits":
		return lower + ":" + upper + ":" + digits
	case "lower_upper_letters_digits_symbols":
		return lower + ":" + upper + ":" + digits + ":" + symbols
	}
	return ""
}

func decimal(n uint) string { return fmt.Sprint(n) }

func boolean(b bool) string { return strconv.FormatBool(b) }
