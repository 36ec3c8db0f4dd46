package scorers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxDepth bounds how deep claims are searched. Auth's own limits keep a token far
// below it; a hostile one must not exhaust the stack.
const maxDepth = 100

// standardClaims are the claims that every access token has. Their values are not
// a candidate's own, so the search leaves them out at the top level: a role there
// names the database role, an e-mail address may be called like a role.
func standardClaims() []string {
	return []string{
		"iss", "sub", "aud", "exp", "iat", "jti", "nbf", "email", "phone", "role", "aal", "amr",
		"session_id", "is_anonymous",
	}
}

// plainKey is a claim name that a path can hold without quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// findValue returns the paths, such as "app_metadata.roles[1]", of every text in
// the claims that equals value ignoring case, in sorted order. It looks into
// objects and arrays at any depth up to maxDepth, and not into the top-level
// standard claims.
func findValue(claims json.RawMessage, value string) ([]string, error) {
	var top map[string]any
	decoder := json.NewDecoder(bytes.NewReader(claims))
	decoder.UseNumber()
	if err := decoder.Decode(&top); err != nil {
		return nil, fmt.Errorf("claims are not a JSON object: %w", err)
	}
	var paths []string
	for name, claim := range top {
		if slices.Contains(standardClaims(), name) {
			continue
		}
		walkClaim(joinKey("", name), claim, 1, func(path string, text string) {
			if strings.EqualFold(text, value) {
				paths = append(paths, path)
			}
		})
	}
	slices.Sort(paths)
	return paths, nil
}

// nearMisses returns the paths and texts outside the standard claims that contain
// the value without being equal to it, and the standard claims that equal it.
func nearMisses(claims json.RawMessage, value string) []string {
	var top map[string]any
	if err := json.Unmarshal(claims, &top); err != nil {
		return nil
	}
	var near []string
	for name, claim := range top {
		standard := slices.Contains(standardClaims(), name)
		if text, ok := claim.(string); standard && ok && strings.EqualFold(text, value) {
			near = append(near, fmt.Sprintf("the standard claim %s, which names a database role or the like", name))
		}
		if standard {
			continue
		}
		walkClaim(joinKey("", name), claim, 1, func(path, text string) {
			// Addresses of people are called after their role; they are no claim of it.
			contains := strings.Contains(strings.ToLower(text), strings.ToLower(value))
			if contains && !strings.EqualFold(text, value) && !strings.Contains(text, "@") {
				near = append(near, fmt.Sprintf("%s = %s", path, quoted(text)))
			}
		})
	}
	slices.Sort(near)
	return near
}

// walkClaim calls visit for every text in a claim.
func walkClaim(path string, claim any, depth int, visit func(path, text string)) {
	if depth > maxDepth {
		return
	}
	switch claim := claim.(type) {
	case string:
		visit(path, claim)
	case []any:
		for i, item := range claim {
			walkClaim(fmt.Sprintf("%s[%d]", path, i), item, depth+1, visit)
		}
	case map[string]any:
		for name, item := range claim {
			walkClaim(joinKey(path, name), item, depth+1, visit)
		}
	}
}

// joinKey appends a key to a path; keys with other characters than a name has are
// quoted.
func joinKey(path, key string) string {
	if !plainKey.MatchString(key) {
		return fmt.Sprintf("%s[%q]", path, key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// ownClaims lists the top-level claims that are not standard, with their values,
// for a note.
func ownClaims(claims json.RawMessage) string {
	var top map[string]any
	decoder := json.NewDecoder(bytes.NewReader(claims))
	decoder.UseNumber()
	if err := decoder.Decode(&top); err != nil {
		return ""
	}
	var parts []string
	for name, value := range top {
		// user_metadata is in every token and not the project's.
		if slices.Contains(standardClaims(), name) || name == "user_metadata" {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s = %s", joinKey("", name), compact(value)))
	}
	slices.Sort(parts)
	return excerpt(strings.Join(parts, ", "))
}

// compact is a value as JSON in its one shortest form, so that a note reads the same
// whether the claims come from a token or from a saved result.
func compact(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "?"
	}
	return strings.TrimSpace(text.String())
}

// within reports whether a path is a top-level claim or lies in it.
func within(path, claim string) bool {
	rest, ok := strings.CutPrefix(path, claim)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
