package hooks

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Name tells hooks apart. Its text is what an event's metadata.name says.
type Name string

// The seven hooks. after_user_created has no key in config.toml; it exists for
// servers configured by environment variables alone.
const (
	CustomAccessToken    Name = "customize-access-token"
	BeforeUserCreated    Name = "before-user-created"
	AfterUserCreated     Name = "after-user-created"
	PasswordVerification Name = "password-verification"
	MFAVerification      Name = "mfa-verification"
	SendEmail            Name = "send-email"
	SendSMS              Name = "send-sms"
)

// Names lists every hook, in the order in which settings are checked at start.
func Names() []Name {
	return []Name{
		MFAVerification, PasswordVerification, CustomAccessToken, SendSMS,
		SendEmail, BeforeUserCreated, AfterUserCreated,
	}
}

// envName is the middle part of the environment variables of a hook.
func (n Name) envName() string {
	switch n {
	case CustomAccessToken:
		return "CUSTOM_ACCESS_TOKEN"
	case BeforeUserCreated:
		return "BEFORE_USER_CREATED"
	case AfterUserCreated:
		return "AFTER_USER_CREATED"
	case PasswordVerification:
		return "PASSWORD_VERIFICATION_ATTEMPT"
	case MFAVerification:
		return "MFA_VERIFICATION_ATTEMPT"
	case SendEmail:
		return "SEND_EMAIL"
	case SendSMS:
		return "SEND_SMS"
	}
	return strings.ToUpper(strings.ReplaceAll(string(n), "-", "_"))
}

// Point is the setting of one hook.
type Point struct {
	// Enabled switches the hook on. A disabled hook is still checked.
	Enabled bool
	// URI is pg-functions://<ignored>/<schema>/<function> or an HTTP(S)
	// address; http only for this machine. Empty is accepted at start even
	// when the hook is enabled; each call then fails with ErrUnsupportedURI.
	URI string
	// Secrets sign HTTP requests, each "v1,whsec_<base64>". Unused by SQL
	// functions.
	Secrets []string
}

// Config says which hooks exist and how they are called. The zero value has
// none enabled.
type Config struct {
	// Points holds the hooks; a missing name is a disabled hook.
	Points map[Name]Point
	// PostgresTimeout limits one SQL function, default 2 s.
	PostgresTimeout time.Duration
	// HTTPTimeout is the budget of one HTTP hook with all its tries, default 5 s.
	HTTPTimeout time.Duration
	// HTTPBackoff is the pause after a broken connection, default 2 s.
	HTTPBackoff time.Duration
	// HTTPTries is how often an HTTP hook is tried, default 3.
	HTTPTries int
	// HTTPResponseLimit bounds an HTTP answer in bytes, default 200 KiB.
	HTTPResponseLimit int64
	// Transport sends HTTP hooks; default a transport of its own.
	Transport http.RoundTripper
	// Log receives one warning per failed call; default discards.
	Log *slog.Logger
	// Now gives the time in events and signatures, default time.Now.
	Now func() time.Time
	// NewID gives the UUID in events and signatures, default a random one.
	NewID func() uuid.UUID
}

// withDefaults fills what is zero. The limits are the real server's constants.
func (c Config) withDefaults() Config {
	c.PostgresTimeout = orDefault(c.PostgresTimeout, 2*time.Second)
	c.HTTPTimeout = orDefault(c.HTTPTimeout, 5*time.Second)
	c.HTTPBackoff = orDefault(c.HTTPBackoff, 2*time.Second)
	c.HTTPTries = orDefault(c.HTTPTries, 3)
	c.HTTPResponseLimit = orDefault(c.HTTPResponseLimit, 200*1024)
	if c.Transport == nil {
		c.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = uuid.New
	}
	return c
}

// orDefault is a value, or fallback for the zero value.
func orDefault[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// FromEnv reads GOTRUE_HOOK_<NAME>_{ENABLED,URI,SECRETS}. Secrets are
// separated by "|", empty parts are skipped. It fails on an ENABLED that is
// no boolean and on settings that Config.Validate refuses, with the words of
// the real server (recording cat_hook_config_startup).
func FromEnv(env map[string]string) (Config, error) {
	cfg := Config{Points: map[Name]Point{}}
	for _, name := range Names() {
		key := "GOTRUE_HOOK_" + name.envName()
		p := Point{URI: env[key+"_URI"]}
		if text, ok := env[key+"_ENABLED"]; ok && text != "" {
			on, err := strconv.ParseBool(text)
			if err != nil {
				return Config{}, fmt.Errorf(
					"envconfig.Process: assigning %s_ENABLED to Enabled: converting '%s' to type bool. details: %w",
					key, text, err)
			}
			p.Enabled = on
		}
		for secret := range strings.SplitSeq(env[key+"_SECRETS"], "|") {
			if secret != "" {
				p.Secrets = append(p.Secrets, secret)
			}
		}
		cfg.Points[name] = p
	}
	return cfg, cfg.Validate()
}
