package config

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Condition says why a hook is on or off, or whether it would let Auth start.
type Condition string

// The conditions of a hook. Only HookEnabled means that Auth calls it.
const (
	HookEnabled        Condition = "enabled"
	HookMissing        Condition = "section missing"
	HookDisabled       Condition = "enabled is false"
	HookNoSwitch       Condition = "key enabled missing"
	HookNoURI          Condition = "uri missing"
	HookBadURI         Condition = "uri refused"         // scheme or secrets that the CLI refuses
	HookStopsAuth      Condition = "auth does not start" // a target that the CLI takes and Auth refuses at its start
	HookAuthDisabled   Condition = "auth disabled"       // auth.enabled = false
	HookOtherRemote    Condition = "only for remote"     // the section is in a [remotes] block of another project
	HookCommented      Condition = "only in comments"
	HookInString       Condition = "only in a multi-line string"
	HookWrongName      Condition = "wrong section name"
	HookUnreadableFile Condition = "file unreadable" // config.toml is missing or no TOML
)

// HookState is the diagnosis of one hook.
type HookState struct {
	Name       string // "custom_access_token"
	Condition  Condition
	At         Source // the key, section, comment or string that decides; zero when nothing in the file does
	Cause      string // one sentence with the place, for people
	Suggestion string // what to write instead, "" when that is plain
	URI        string // uri in effect, "" when there is none
	// Function is the target of a pg-functions URI, HTTP that of an http or https one; nil when the URI is of the other kind, or
	// cannot be read.
	Function *HookFunction
	HTTP     *url.URL
}

// Enabled reports whether Auth calls the hook.
func (s HookState) Enabled() bool { return s.Condition == HookEnabled }

// HookFunction is the function that a pg-functions URI names.
type HookFunction struct {
	Database string // ignored by Auth, which uses its own connection
	Schema   string
	Name     string
	// Fault is why Auth refuses to start with it, "" when it does not: names must match [a-zA-Z_][a-zA-Z0-9_]{0,62}
	// (recording cat_hook_config_startup).
	Fault string
}

var hookName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,62}$`)

// ParseHookFunction reads a pg-functions URI the way Auth does at its start: the path's first two parts are the schema and the
// function, further ones are ignored. ok is false for a URI of another scheme or none.
func ParseHookFunction(uri string) (f HookFunction, ok bool) {
	parsed, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(parsed.Scheme, "pg-functions") {
		return HookFunction{}, false
	}
	f.Database = parsed.Host
	parts := strings.Split(parsed.Path, "/")
	if len(parts) < 3 {
		f.Fault = "the URI must be pg-functions://<database>/<schema>/<function>"
		return f, true
	}
	f.Schema, f.Name = parts[1], parts[2]
	const rule = "Auth does not start with the %s name %q: it takes up to 63 letters, digits and underscores, no digit first"
	switch {
	case !hookName.MatchString(f.Schema):
		f.Fault = fmt.Sprintf(rule, "schema", f.Schema)
	case !hookName.MatchString(f.Name):
		f.Fault = fmt.Sprintf(rule, "function", f.Name)
	}
	return f, true
}

// httpFault says why Auth does not start with an HTTP target, "" when it does: without TLS it calls this machine only.
func httpFault(target *url.URL) string {
	local := slices.Contains([]string{"localhost", "127.0.0.1", "::1", "host.docker.internal"}, target.Hostname())
	if strings.EqualFold(target.Scheme, "http") && !local {
		return fmt.Sprintf("Auth does not start with a hook at http://%s: other machines need https", target.Host)
	}
	return ""
}

// HookNames lists the hooks there are.
func HookNames() []string {
	var names []string
	for _, h := range (Hooks{}).list() {
		names = append(names, h.name)
	}
	return names
}

// Hook returns a hook's section, nil when the file has none or there is no hook of this name.
func (c *Config) Hook(name string) *Hook {
	for _, h := range c.Auth.Hook.list() {
		if h.name == name {
			return h.hook
		}
	}
	return nil
}
