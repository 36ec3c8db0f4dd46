package hooks

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var (
	// sqlName is what the server takes as a schema or function name: an
	// unquoted identifier of at most 63 bytes, letter case kept.
	sqlName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,62}$`)
	// A symmetric secret holds 24 to 64 bytes in base64; what follows the 88th
	// character is not looked at.
	symmetricSecret  = regexp.MustCompile(`^v1,whsec_[A-Za-z0-9+/=]{32,88}`)
	asymmetricSecret = regexp.MustCompile(`^v1a,whpk_[A-Za-z0-9+/=]{44,}:whsk_[A-Za-z0-9+/=]{44,}$`)
)

// Validate tells what the server refuses at start: a scheme other than
// pg-functions, http and https, http to another machine, names that are no
// SQL identifiers, secrets of a bad format. Disabled hooks with a URI are
// checked like enabled ones; secrets count for HTTP(S) only.
func (c Config) Validate() error {
	for _, name := range Names() {
		if err := c.Points[name].validate(); err != nil {
			return err
		}
	}
	return nil
}

func (p Point) validate() error {
	if p.URI == "" {
		return nil
	}
	u, err := url.Parse(p.URI)
	if err != nil {
		return err
	}
	// The scheme is compared without case here and with it when the hook is
	// called, as in the real server: PG-FUNCTIONS:// starts and never works.
	switch strings.ToLower(u.Scheme) {
	case "pg-functions":
		_, _, err := functionName(u)
		return err
	case "http":
		switch u.Hostname() {
		case "localhost", "127.0.0.1", "::1", "host.docker.internal":
			return validateSecrets(p.Secrets)
		}
		return errors.New("only localhost, 127.0.0.1, and ::1 are supported with http")
	case "https":
		return validateSecrets(p.Secrets)
	}
	return errors.New("only postgres hooks and HTTPS functions are supported at the moment")
}

// functionName takes schema and function from a URI's path. Further parts are
// ignored, and so is the host.
func functionName(u *url.URL) (schema, function string, err error) {
	parts := strings.Split(u.Path, "/")
	if len(parts) < 3 {
		return "", "", errors.New("URI path does not contain enough parts")
	}
	if !sqlName.MatchString(parts[1]) {
		return "", "", fmt.Errorf("invalid schema name: %s", parts[1])
	}
	if !sqlName.MatchString(parts[2]) {
		return "", "", fmt.Errorf("invalid table name: %s", parts[2])
	}
	return parts[1], parts[2], nil
}

func validateSecrets(secrets []string) error {
	for _, s := range secrets {
		if !symmetricSecret.MatchString(s) && !asymmetricSecret.MatchString(s) {
			return errors.New("invalid secret format")
		}
	}
	return nil
}
