package standin

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/joho/godotenv"
	"github.com/pelletier/go-toml/v2"
)

// Status is what `status` tells of a running stack. An empty value is one that the
// stack does not have, and is left out. There are no values for what this stack never
// has, such as Studio.
type Status struct {
	// APIURL and RESTURL are the gateway and the REST API behind it.
	APIURL, RESTURL string
	// DBURL is the database as role postgres.
	DBURL string
	// PublishableKey, SecretKey, AnonKey, ServiceRoleKey and JWTSecret are the keys. The
	// CLI shows them when Auth runs.
	PublishableKey, SecretKey, AnonKey, ServiceRoleKey, JWTSecret string
}

// DatabaseURL is a connection string as the CLI writes it: with its scheme and without
// parameters.
func DatabaseURL(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", err
	}
	u.Scheme, u.RawQuery = "postgresql", ""
	return u.String(), nil
}

// settings are the names by which --override-name knows the values, with the names
// that they have otherwise (internal/status/status.go, CustomName).
func (s Status) settings() []struct{ setting, name, value string } {
	return []struct{ setting, name, value string }{
		{"api.url", "API_URL", s.APIURL},
		{"api.rest_url", "REST_URL", s.RESTURL},
		{"db.url", "DB_URL", s.DBURL},
		{"auth.publishable_key", "PUBLISHABLE_KEY", s.PublishableKey},
		{"auth.secret_key", "SECRET_KEY", s.SecretKey},
		{"auth.jwt_secret", "JWT_SECRET", s.JWTSecret},
		{"auth.anon_key", "ANON_KEY", s.AnonKey},
		{"auth.service_role_key", "SERVICE_ROLE_KEY", s.ServiceRoleKey},
	}
}

// Values maps names to values. overrides are settings of the form "api.url=NAME";
// those of values that there are not are passed over, as by the CLI.
func (s Status) Values(overrides []string) (map[string]string, error) {
	names := map[string]string{}
	for _, o := range overrides {
		setting, name, ok := strings.Cut(o, "=")
		if !ok {
			return nil, fmt.Errorf("items in environ must have format key=value: %q", o)
		}
		names[setting] = name
	}
	values := map[string]string{}
	for _, v := range s.settings() {
		if v.value == "" {
			continue
		}
		name := v.name
		if other := names[v.setting]; other != "" {
			name = other
		}
		values[name] = v.value
	}
	return values, nil
}

// Formats are the output formats of `status`.
func Formats() []string { return []string{"env", "pretty", "json", "toml", "yaml"} }

// Encode writes values in one of the formats but "pretty", sorted by name.
func Encode(w io.Writer, format string, values map[string]string) error {
	switch format {
	case "env":
		text, err := godotenv.Marshal(values)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(w, text)
		return err
	case "json":
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(values)
	case "toml":
		return toml.NewEncoder(w).Encode(values)
	case "yaml":
		var sorted yaml.MapSlice
		for _, name := range slices.Sorted(maps.Keys(values)) {
			sorted = append(sorted, yaml.MapItem{Key: name, Value: values[name]})
		}
		return yaml.NewEncoder(w).Encode(sorted)
	}
	return fmt.Errorf("unsupported output encoding %q", format)
}

// Pretty writes the values for people, in the CLI's groups and under its labels.
func (s Status) Pretty(w io.Writer) error {
	groups := []table{
		{"🌐 APIs", [][2]string{{"Project URL", s.APIURL}, {"REST", s.RESTURL}}},
		{"⛁ Database", [][2]string{{"URL", s.DBURL}}},
		{"🔑 Authentication Keys", [][2]string{{"Publishable", s.PublishableKey}, {"Secret", s.SecretKey}}},
	}
	for _, g := range groups {
		text := g.String()
		if text == "" {
			continue
		}
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			return err
		}
	}
	return nil
}
