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

// wrongClaims is PGRST303.
func wrongClaims(message string) *apierror.Error { return invalidToken("PGRST303", message) }

// readClaims reads a payload, which has to be a JSON object.
func readClaims(payload []byte) (claims, *apierror.Error) {
	var c claims
	if json.Unmarshal(payload, &c.raw) != nil || c.raw == nil {
		return claims{}, wrongClaims("Parsing claims failed")
	}
	return c, nil
}

// timeClaim is exp, nbf or iat as it is in a token. A claim that is null is not there.
type timeClaim struct {
	isSet, isNumber bool
	seconds         int64
}

// times reads exp, nbf and iat, in the order in which they are checked.
func (c claims) times() (out [3]timeClaim) {
	for i, name := range timeClaims() {
		value, ok := c.raw[name]
		if !ok || string(value) == "null" {
			continue
		}
		out[i].isSet = true
		out[i].seconds, out[i].isNumber = unixTime(value)
	}
	return out
}

// timeClaims are the names of the claims in timeClaim arrays.
func timeClaims() [3]string { return [3]string{"exp", "nbf", "iat"} }

// checkTimes reports the first time claim that is wrong at a moment.
func checkTimes(times [3]timeClaim, now time.Time) *apierror.Error {
	seconds := now.Unix()
	for i, t := range times {
		switch {
		case !t.isSet:
		case !t.isNumber:
			return wrongClaims("The JWT '" + timeClaims()[i] + "' claim must be a number")
		case i == 0 && t.seconds < seconds-skew:
			return wrongClaims("JWT expired")
		case i == 1 && t.seconds > seconds+skew:
			return wrongClaims("JWT not yet valid")
		case i == 2 && t.seconds > seconds+skew:
			return wrongClaims("JWT issued at future")
		}
	}
	return nil
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

// checkAudience reports an aud that is malformed, or that does not name the audience where there is one.
func (c claims) checkAudience(audience string) *apierror.Error {
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
