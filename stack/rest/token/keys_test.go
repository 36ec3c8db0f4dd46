package token

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecretsThatAreRefusedAtStart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"short":                               "jwt-secret: a secret has at least 32 characters, this one has 5",
		`{"keys":[{"kty":"oct"}]}`:            "jwt-secret: key 1: a symmetric key needs k",
		`{"keys":[{"kty":"RSA","n":"AQAB"}]}`: "jwt-secret: key 1: an RSA key needs n and e",
		`{"kty":"RSA","n":"AQAB","e":"AQ"}`:   "jwt-secret: key 1: the e of the RSA key is out of range",
		`{"keys":[{"kty":"oct","k":"aa"},{"kty":"EC","crv":"P-1"}]}`: `jwt-secret: key 2: unsupported crv "P-1"`,
		`{"kty":"EC","crv":"P-256","x":"AQ"}`:                        "jwt-secret: key 1: a key on P-256 needs x and y of 32 bytes",
		`{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}`:               "jwt-secret: key 1: ",
		`{"kty":"OKP","crv":"Ed25519","x":"AQ"}`:                     "jwt-secret: key 1: an Ed25519 key needs x of 32 bytes",
		`{"kty":"oct","k":"*"}`:                                      "jwt-secret: key 1: illegal base64",
	} {
		_, err := ParseKeys(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestASecretCanBeBase64(t *testing.T) {
	t.Parallel()
	raw := strings.Repeat("\xfb\xff", 16)
	for _, text := range []string{
		base64.StdEncoding.EncodeToString([]byte(raw)),
		base64.URLEncoding.EncodeToString([]byte(raw)),
		strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(raw)), "=", ".") + "\n",
	} {
		keys, err := ParseBase64Keys(text)
		require.NoError(t, err, text)
		assert.Equal(t, []byte(raw), keys.list[0].public)
	}
	_, err := ParseBase64Keys("%%%")
	assert.ErrorContains(t, err, "jwt-secret is not base64")
}

func FuzzParseKeys(f *testing.F) {
	f.Add(`{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"a","alg":"HS256"}]}`)
	f.Add(`{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"}`)
	f.Add(`{"kty":"RSA","n":"AQAB","e":"AQAB","use":"sig"}`)
	f.Add(secret)
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := ParseKeys(text)
		if err != nil {
			return
		}
		v := NewVerifier(Config{Keys: keys, AnonRole: "anon"})
		for _, alg := range []string{"HS256", "RS256", "ES256", "ES512", "EdDSA"} {
			header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"` + alg + `"}`))
			if _, err := identify(v, "Bearer "+header+".e30.AAAA"); err == nil {
				t.Fatalf("%s: three zero bytes are no signature", alg)
			}
		}
	})
}

func TestTheRoleIsFoundByItsPath(t *testing.T) {
	t.Parallel()
	const claims = `{"role":"web","a-b":{"roles":["x","author_1","staff"]},"deep":[{"$r@":"d"}],"n":7,"o":{"k": [1, "y"]}}`
	for path, want := range map[string]string{
		".role":                          "web",
		`."a-b".roles[1]`:                "author_1",
		`."a-b".roles[?(@ == "staff")]`:  "staff",
		`."a-b".roles[?(@ != "x")]`:      "author_1",
		`."a-b".roles[?(@ ^== "auth")]`:  "author_1",
		`."a-b".roles[?(@ ==^ "ff")]`:    "staff",
		`."a-b".roles[?(@*=="thor")]`:    "author_1",
		`.deep[0].$r@`:                   "d",
		`.n`:                             "7",
		`.o`:                             `{"k":[1,"y"]}`,
		`.o.k[?(@ != "z")]`:              "y",
		`.role.x`:                        "",
		`."a-b".roles[3]`:                "",
		`."a-b".roles.x`:                 "",
		`."a-b".roles[?(@ == "nobody")]`: "",
		`.role[0]`:                       "",
		`[0]`:                            "",
		`[?(@ == "web")]`:                "",
	} {
		p, err := ParseRolePath(path)
		require.NoError(t, err, path)
		c, refused := readClaims([]byte(claims))
		require.Nil(t, refused)
		got, found := p.find(c.raw)
		assert.Equal(t, want != "", found, path)
		assert.Equal(t, want, got, path)
	}
}

func TestRolePathsThatAreRefusedAtStart(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"":                      `jwt-role-claim-key "": column 1: expected ".key"`,
		"role":                  "column 1: expected",
		".":                     "column 2: expected a key",
		".a-b":                  "column 3: expected",
		`."a`:                   "column 3: the closing double quote is missing",
		".a[x]":                 "column 4: expected an index",
		".a[1":                  "column 4: expected an index",
		`.a[?(x)]`:              "column 6: expected @",
		`.a[?(@ = "x")]`:        "column 8: expected ==",
		`.a[?(@ == x)]`:         "column 11: expected a text in double quotes",
		`.a[?(@ == "x")].b`:     "expected )] at the end",
		`.a[99999999999999999]`: "expected an index",
	} {
		_, err := ParseRolePath(path)
		assert.ErrorContains(t, err, want, path)
	}
}

func FuzzRolePath(f *testing.F) {
	for _, p := range []string{".role", `."a".b[0]`, `.x[?(@ ==^ "y")]`, "[1][2]", ".é"} {
		f.Add(p, `{"role":"r","a":{"b":["c"]},"x":["y"]}`)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		p, err := ParseRolePath(path)
		c, refused := readClaims([]byte(text))
		if err != nil || refused != nil {
			return
		}
		role, found := p.find(c.raw)
		if !found && role != "" {
			t.Fatalf("%q was not found and is %q", path, role)
		}
		if !json.Valid([]byte(c.withRole(role))) {
			t.Fatalf("claims %q with role %q are no JSON", text, role)
		}
	})
}
