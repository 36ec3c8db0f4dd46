package rest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/rest/schema"
)

const (
	envPrefix         = "PGRST_"
	appSettingsPrefix = "app_settings_"
)

// FromEnv reads a configuration from environment variables as PostgREST does: PGRST_ and the option's name in capitals,
// such as PGRST_DB_SCHEMAS for db-schemas. Variables without the prefix, and options that have no meaning here (ports,
// log levels), are ignored. The error names the variable.
func FromEnv(env map[string]string) (Config, error) {
	var c Config
	for _, key := range slices.Sorted(maps.Keys(env)) {
		name, ok := strings.CutPrefix(key, envPrefix)
		if !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(name, strings.ToUpper(appSettingsPrefix)); ok {
			c.AppSettings = append(c.AppSettings, schema.Setting{Name: "app.settings." + rest, Value: env[key]})
			continue
		}
		if err := c.set(strings.ToLower(name), env[key]); err != nil {
			return Config{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	return c, nil
}

// withDatabase lays settings stored in the database over the configuration. Those it cannot understand are left out and
// returned, as PostgREST keeps running on a bad setting.
func (c Config) withDatabase(settings map[string]string) (Config, error) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if !storable(name) {
			continue
		}
		changed := c
		if err := changed.set(name, settings[name]); err != nil {
			return c, fmt.Errorf("setting pgrst.%s stored on the login role: %w", name, err)
		}
		c = changed
	}
	return c, nil
}

// storable lists the options that can be stored in the database (PostgREST documentation, "In-database configuration").
func storable(name string) bool {
	switch name {
	case "db_aggregates_enabled", "db_anon_role", "db_extra_search_path", "db_hoisted_tx_settings", "db_max_rows",
		"db_plan_enabled", "db_pre_request", "db_prepared_statements", "db_root_spec", "db_schemas", "db_tx_end", "jwt_aud", "jwt_role_claim_key", "jwt_secret", "jwt_secret_is_base64",
		"openapi_mode", "openapi_security_active", "openapi_server_proxy_uri", "server_cors_allowed_origins", "server_timing_enabled",
		"server_trace_header":
		return true
	default:
		return false
	}
}

// set changes one option, named in lower case with underscores.
func (c *Config) set(name, value string) (err error) {
	switch name {
	case "db_uri":
		c.DatabaseURI = value
	case "db_schemas", "db_schema":
		c.Schemas = commaList(value)
	case "db_extra_search_path":
		c.ExtraSearchPath = commaList(value)
	case "db_max_rows", "max_rows":
		c.MaxRows, err = optionalInt(value)
	case "db_anon_role":
		c.AnonRole = value
	case "db_aggregates_enabled":
		c.Aggregates, err = boolean(value)
	case "db_plan_enabled":
		c.PlanEnabled, err = boolean(value)
	case "db_tx_end":
		c.TxEnd, err = txEnd(value)
	case "db_pre_request", "pre_request":
		c.PreRequest = value
	case "db_root_spec", "root_spec":
		c.RootSpec = value
	case "server_cors_allowed_origins":
		if value != "" {
			c.CORSOrigins = commaList(value)
		}
	case "server_trace_header":
		c.TraceHeader = value
	case "server_timing_enabled":
		c.ServerTiming, err = boolean(value)
	default:
		return c.setMore(name, value)
	}
	return err
}

// setMore changes the options of tokens, of the root document and of connections.
func (c *Config) setMore(name, value string) (err error) {
	switch name {
	case "jwt_secret":
		c.JWTSecret = value
	case "jwt_secret_is_base64", "secret_is_base64":
		c.SecretIsBase64, err = boolean(value)
	case "jwt_aud":
		c.JWTAudience = value
	case "jwt_role_claim_key", "role_claim_key":
		c.RoleClaimKey = value
	case "openapi_mode":
		c.OpenAPIMode, err = openAPIMode(value)
	case "openapi_server_proxy_uri":
		c.OpenAPIProxyURI = value
	case "openapi_security_active":
		c.OpenAPISecurity, err = boolean(value)
	case "db_channel":
		c.Channel = value
	case "db_channel_enabled":
		c.ChannelDisabled, err = negated(value)
	case "db_config":
		c.StaticConfig, err = negated(value)
	case "db_hoisted_tx_settings":
		if c.HoistedSettings = nil; value != "" {
			c.HoistedSettings = commaList(value)
		}
	case "db_prepared_statements":
		c.Unprepared, err = negated(value)
	case "db_pool":
		c.PoolSize, err = strconv.Atoi(value)
	case "db_pool_acquisition_timeout":
		c.PoolTimeout, err = seconds(value)
	case "db_pool_max_idletime", "db_pool_timeout":
		c.PoolIdle, err = seconds(value)
	case "db_pool_max_lifetime":
		c.PoolLifetime, err = seconds(value)
	}
	return err
}

// commaList splits a list. The empty text is the empty list and not a list of one empty name: the extra search path can be
// switched off that way.
func commaList(value string) []string {
	list := []string{}
	if value == "" {
		return list
	}
	for item := range strings.SplitSeq(value, ",") {
		list = append(list, strings.TrimSpace(item))
	}
	return list
}

// boolean reads true and false in any case. An empty value is what an unset variable in a compose file looks like, and
// counts as the default.
func boolean(value string) (bool, error) {
	if value == "" {
		return false, nil
	}
	b, err := strconv.ParseBool(strings.ToLower(value))
	if err != nil {
		return false, fmt.Errorf("%q is not a boolean: use true or false", value)
	}
	return b, nil
}

// negated reads an option that is on by default.
func negated(value string) (bool, error) {
	if value == "" {
		return false, nil
	}
	b, err := boolean(value)
	return !b, err
}

// optionalInt reads a number; the empty text means no limit.
func optionalInt(value string) (*int64, error) {
	if value == "" {
		return nil, nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a number", value)
	}
	return &n, nil
}

// seconds reads a whole number of seconds, the unit of all durations in PostgREST's configuration.
func seconds(value string) (time.Duration, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of seconds", value)
	}
	return time.Duration(n) * time.Second, nil
}

// txEnd reads db-tx-end.
func txEnd(value string) (TxEnd, error) {
	switch value {
	case "", "commit":
		return TxEnd{}, nil
	case "commit-allow-override":
		return TxEnd{Override: true}, nil
	case "rollback":
		return TxEnd{Rollback: true}, nil
	case "rollback-allow-override":
		return TxEnd{Rollback: true, Override: true}, nil
	default:
		return TxEnd{}, fmt.Errorf("%q is not an end of transactions: use commit, commit-allow-override, rollback or rollback-allow-override", value)
	}
}

// openAPIMode reads openapi-mode.
func openAPIMode(value string) (OpenAPIMode, error) {
	switch mode := OpenAPIMode(value); mode {
	case "":
		return OpenAPIFollowPrivileges, nil
	case OpenAPIFollowPrivileges, OpenAPIIgnorePrivileges, OpenAPIDisabled:
		return mode, nil
	default:
		return "", fmt.Errorf("%q is not a mode: use follow-privileges, ignore-privileges or disabled", value)
	}
}
