package restreplay

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// jwtSecret signs the tokens of all recordings. It is the Supabase CLI's default.
const jwtSecret = "super-secret-jwt-token-with-at-least-32-characters-long"

// relativeTime is a claim that depends on the time of the request.
var relativeTime = regexp.MustCompile(`"<now([+-]\d+)>"`)

// authorization is the Authorization header of a step; sent is false when there is none.
func (s Step) authorization(now time.Time) (value string, sent bool, err error) {
	if s.RawAuthorization != nil {
		return *s.RawAuthorization, true, nil
	}
	var name string
	if json.Unmarshal(s.As, &name) != nil {
		return "Bearer " + mint(s.As, now), true, nil
	}
	switch name {
	case "none":
		return "", false, nil
	case "anon", "service_role":
		return "Bearer " + mint([]byte(`{"iss":"supabase-demo","role":"`+name+`","exp":1983812996}`), now), true, nil
	}
	return "", false, fmt.Errorf("as: %q is neither none, anon, service_role nor an object with claims", name)
}

// mint makes a token with the claims in the order given. It signs by hand because the claims are often wrong on purpose, and a
// library that made them again from a map would lose their order.
func mint(claims []byte, now time.Time) string {
	var compact bytes.Buffer
	if json.Compact(&compact, claims) != nil {
		compact.Write(claims)
	}
	payload := relativeTime.ReplaceAllFunc(compact.Bytes(), func(found []byte) []byte {
		offset, err := strconv.ParseInt(string(relativeTime.FindSubmatch(found)[1]), 10, 64)
		if err != nil {
			return found
		}
		return strconv.AppendInt(nil, now.Unix()+offset, 10)
	})
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(payload)
	mac := hmac.New(sha256.New, []byte(jwtSecret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}
