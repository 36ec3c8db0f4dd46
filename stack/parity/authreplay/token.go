package authreplay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// relativeTime is a claim's value that depends on the time of the request.
var relativeTime = regexp.MustCompile(`^now([+-]\d+)$`)

// apiKeys are the variables that every scenario has.
func apiKeys() (variables, error) {
	vars := variables{}
	for name, role := range map[string]string{"anon_key": "anon", "service_role_key": "service_role"} {
		token, err := mint(Mint{
			Claims: json.RawMessage(`{"iss":"supabase-demo","role":"` + role + `","exp":1983812996}`),
		}, vars, time.Now())
		if err != nil {
			return nil, err
		}
		vars[name] = token
	}
	return vars, nil
}

// mint makes a token. The tokens are often wrong on purpose: an algorithm that
// the header names and the signature is not of, claims of odd types. A JWT
// library would refuse to make them.
func mint(m Mint, vars variables, now time.Time) (string, error) {
	claims, err := mintClaims(m.Claims, vars, now)
	if err != nil {
		return "", err
	}
	header := []byte(`{"alg":"HS256","typ":"JWT"}`)
	if m.Header != nil {
		if header, err = vars.expandJSON(m.Header); err != nil {
			return "", err
		}
	}
	var fields struct {
		Alg string `json:"alg"`
	}
	if err := json.Unmarshal(header, &fields); err != nil {
		return "", fmt.Errorf("mint: header: %w", err)
	}
	secret := jwtSecret
	if m.Secret != nil {
		secret = *m.Secret
	}
	signed := encodeSegment(header) + "." + encodeSegment(claims)
	if fields.Alg == "none" {
		return signed + ".", nil
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + encodeSegment(mac.Sum(nil)), nil
}

// mintClaims expands variables and turns "now+N" into Unix times.
func mintClaims(document json.RawMessage, vars variables, now time.Time) ([]byte, error) {
	expanded, err := vars.expandJSON(document)
	if err != nil {
		return nil, fmt.Errorf("mint: claims: %w", err)
	}
	value, err := parseJSON(expanded)
	if err != nil {
		return nil, fmt.Errorf("mint: claims: %w", err)
	}
	if members, ok := value.(map[string]any); ok {
		for name, member := range members {
			text, isText := member.(string)
			match := relativeTime.FindStringSubmatch(text)
			if !isText || match == nil {
				continue
			}
			offset, err := strconv.ParseInt(match[1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("mint: claim %s: %w", name, err)
			}
			members[name] = now.Unix() + offset
		}
	}
	return json.Marshal(value)
}

// encodeSegment encodes a part of a token by RFC 7515.
func encodeSegment(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// decodeToken reads header and payload of a token, without verifying it.
func decodeToken(token string) (header, claims any, err error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, nil, errors.New("access token: not three parts")
	}
	for i, into := range []*any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			return nil, nil, fmt.Errorf("access token: part %d: %w", i+1, err)
		}
		if *into, err = parseJSON(data); err != nil {
			return nil, nil, fmt.Errorf("access token: part %d: %w", i+1, err)
		}
	}
	return header, claims, nil
}
