package config

import (
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
)

// hostname is where the CLI's local stack listens.
const hostname = "127.0.0.1"

// localJWTSecret is the CLI's public constant for local development (pkg/config/apikeys.go).
const localJWTSecret = "super-secret-jwt-token-with-at-least-32-characters-long"

// derive fills the settings whose default depends on other settings.
func (c *Config) derive(o Options) {
	if v := c.values["project_id"]; v.Source.Kind == SourceDefault {
		c.set("project_id", &c.ProjectID, sanitizeProjectID(o.folderName()))
	} else if clean := sanitizeProjectID(c.ProjectID); clean != c.ProjectID {
		c.warnings = append(c.warnings, Warning{
			Message: fmt.Sprintf("project_id %q has characters that the CLI replaces: it uses %q", c.ProjectID, clean),
			Source:  v.Source,
		})
		c.ProjectID = clean
		c.values["project_id"] = Value{Any: clean, Source: v.Source}
	}
	if c.API.ExternalURL == "" {
		scheme := "http"
		if c.API.TLS.Enabled {
			scheme = "https"
		}
		host := net.JoinHostPort(hostname, strconv.Itoa(int(c.API.Port)))
		c.set("api.external_url", &c.API.ExternalURL, scheme+"://"+host)
	}
	if c.Auth.ExternalURL == "" {
		c.set("auth.external_url", &c.Auth.ExternalURL, authURL(c.API.ExternalURL))
	}
	if c.Auth.JWTIssuer == "" {
		c.set("auth.jwt_issuer", &c.Auth.JWTIssuer, c.Auth.ExternalURL)
	}
	if c.Auth.JWTSecret == "" {
		c.Auth.JWTSecret = localJWTSecret
		c.values["auth.jwt_secret"] = Value{Any: c.Auth.JWTSecret}
	}
	// Names of variables are upper-case by convention, and the reader of the CLI lower-cases all keys.
	secrets := make(map[string]Secret, len(c.EdgeRuntime.Secrets))
	for name, value := range c.EdgeRuntime.Secrets {
		secrets[strings.ToUpper(name)] = value
	}
	c.EdgeRuntime.Secrets = secrets
}

// set records a derived value in both forms, the typed one and the one by path.
func (c *Config) set(key string, field *string, value string) {
	*field = value
	c.values[key] = Value{Any: value, Source: Source{Kind: SourceDerived}}
}

// authURL is where the gateway serves Auth.
func authURL(api string) string { return strings.TrimRight(api, "/") + "/auth/v1" }

var invalidProjectID = regexp.MustCompile(`[^a-zA-Z0-9_.-]+`)

// ProjectIDOf is the project_id that a folder of this name gets when its file sets none.
func ProjectIDOf(folder string) string { return sanitizeProjectID(folder) }

// sanitizeProjectID makes an id fit for container names, as the CLI does: other characters become "_", the first one is a
// letter or digit, and there are at most 40.
func sanitizeProjectID(id string) string {
	id = strings.TrimLeft(invalidProjectID.ReplaceAllString(id, "_"), "_.-")
	return id[:min(len(id), 40)]
}
