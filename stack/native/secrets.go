package native

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// hidden is what stands in a log for a secret.
const hidden = "[hidden]"

// minSecret is the length from which a value counts as a secret. Shorter ones would
// hide parts of words.
const minSecret = 8

// wellKnown is the password that every local project has, and a word that logs are full
// of.
const wellKnown = "postgres"

// hider returns a function that takes the secrets of an environment out of a text.
func hider(env map[string]string) func(string) string {
	var secrets []string
	add := func(value string) {
		if len(value) >= minSecret {
			secrets = append(secrets, value)
		}
	}
	for name, value := range env {
		if isURL(name) {
			if u, err := url.Parse(value); err == nil && u.User != nil {
				if password, _ := u.User.Password(); password != "" {
					add(u.User.String() + "@")
					if password != wellKnown {
						add(password)
					}
				}
			}
			continue
		}
		if !isSecret(name) {
			continue
		}
		add(value)
		for _, part := range secretParts(value) {
			add(part)
		}
	}
	// The longest first, so that no end of one is left behind by another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(secrets))
	for _, secret := range slices.Compact(secrets) {
		pairs = append(pairs, secret, hidden)
	}
	return strings.NewReplacer(pairs...).Replace
}

// isURL and isSecret tell variables by their names, which is how the servers name them.
func isURL(name string) bool {
	return name == "PGRST_DB_URI" || strings.HasSuffix(name, "DATABASE_URL")
}

func isSecret(name string) bool {
	for _, suffix := range []string{
		"_SECRET", "_SECRETS", "_KEY", "_KEYS", "_PASS", "_PASSWORD", "_AUTH_TOKEN", "_TEST_OTP",
	} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// secretParts are the secrets within a value: of a list divided by bars, with the
// version before each, and the private members of JSON Web Keys.
func secretParts(value string) []string {
	var parts []string
	if strings.ContainsAny(value, "{[") {
		var any any
		if json.Unmarshal([]byte(value), &any) == nil {
			return privateMembers(any)
		}
	}
	for part := range strings.SplitSeq(value, "|") {
		parts = append(parts, part)
		if _, bare, ok := strings.Cut(part, ",whsec_"); ok {
			parts = append(parts, bare)
		}
	}
	return parts
}

// privateMembers finds the members of keys that are secret (RFC 7518, section 6).
func privateMembers(value any) []string {
	var found []string
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			found = append(found, privateMembers(item)...)
		}
	case map[string]any:
		for name, item := range v {
			text, isText := item.(string)
			if isText && slices.Contains([]string{"k", "d", "p", "q", "dp", "dq", "qi"}, name) {
				found = append(found, text)
				continue
			}
			found = append(found, privateMembers(item)...)
		}
	}
	return found
}
