package token

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// skew is how far clocks may differ, in seconds (PostgREST documentation, "JWT time-based claims validation").
const skew = 30

// claims are the members of a token's payload as they were written.
type claims struct{ raw map[string]json.RawMessage }

func wrongClaims(message string) *apierror.Error { return invalidToken("PGRST303", message) }

// readClaims reads a payload, which has to be a JSON object.
func readClaims(payload []byte) (claims, *apierror.Error) {
	var c claims
	if json.Unmarshal(payload, &c.raw) != nil || c.raw == nil {
		return claims{}, wrongClaims("Parsing claims failed")
	}
	return c, nil
}

// validate checks exp, nbf, iat and aud in this order and reports the first that is wrong. A claim that is null is not there.
func (c claims) validate(now time.Time, audience string) *apierror.Error {
	seconds := now.Unix()
	for _, check := range []struct {
		name, message string
		wrong         func(int64) bool
	}{
		{"exp", "JWT expired", func(t int64) bool { return t < seconds-skew }},
		{"nbf", "JWT not yet valid", func(t int64) bool { return t > seconds+skew }},
		{"iat", "JWT issued at future", func(t int64) bool { return t > seconds+skew }},
	} {
		value, ok := c.raw[check.name]
		if !ok || string(value) == "null" {
			continue
		}
		t, isNumber := unixTime(value)
		if !isNumber {
			return wrongClaims("The JWT '" + check.name + "' claim must be a number")
		}
		if check.wrong(t) {
			return wrongClaims(check.message)
		}
	}
	return c.validateAudience(audience)
}

// unixTime reads a number of seconds. A fraction, or a number beyond 64 bits, counts as 0 (recording auth-jwt/time_claims).
func unixTime(value json.RawMessage) (seconds int64, isNumber bool) {
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return 0, false
	}
	const longest = 64 // enough for every time; an exponent with more digits would cost memory
	r, ok := new(big.Rat), false
	if i := strings.IndexAny(string(value), "eE"); len(value) <= longest && (i < 0 || len(value)-i <= 4) {
		_, ok = r.SetString(string(value))
	}
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return 0, true
	}
	return r.Num().Int64(), true
}

func (c claims) validateAudience(audience string) *apierror.Error {
	value, ok := c.raw["aud"]
	if !ok || string(value) == "null" {
		return nil
	}
	var list []*string
	var one string
	if json.Unmarshal(value, &one) == nil {
		list = []*string{&one}
	} else if json.Unmarshal(value, &list) != nil || slices.Contains(list, nil) {
		return wrongClaims("The JWT 'aud' claim must be a string or an array of strings")
	}
	if audience == "" || len(list) == 0 || slices.ContainsFunc(list, func(s *string) bool { return *s == audience }) {
		return nil
	}
	return wrongClaims("JWT not in audience")
}

// withRole is the claims as a JSON object in which role is the role that is used. Keys are sorted, which is how PostgREST
// writes them.
func (c claims) withRole(role string) string {
	all := make(map[string]json.RawMessage, len(c.raw)+1)
	maps.Copy(all, c.raw)
	all["role"] = quote(role)
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quote(name))
		b.WriteByte(':')
		b.Write(all[name])
	}
	b.WriteByte('}')
	return b.String()
}

// quote writes a JSON string, with <, > and & as they are.
func quote(text string) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(text) != nil { // cannot happen: every string can be encoded
		return []byte(`""`)
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}
