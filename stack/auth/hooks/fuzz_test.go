package hooks_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/hooks"
)

// FuzzAnswer feeds answers to the hook with the strictest reading. Whatever a
// hook says becomes claims that conform or an *Error with a status.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"claims":null}`, `{"claims":{}}`, `{"claims":{"exp":1e400}}`,
		`{"error":{"http_code":-1,"message":"x"}}`, `{"error":{"http_code":1e3,"message":"x"}}`, `{"Claims":{}}`,
		`{"claims":{"aud":["a"],"exp":1,"iat":1.0,"sub":"","email":"","phone":"","role":"","aal":"","session_id":"","is_anonymous":1}}`,
	} {
		f.Add([]byte(seed))
	}
	var answer []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer)
	}))
	f.Cleanup(server.Close)
	h, err := hooks.New(hooks.Config{Points: map[hooks.Name]hooks.Point{
		hooks.CustomAccessToken: {Enabled: true, URI: server.URL},
	}}, nil)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		answer = text
		claims, err := h.CustomAccessToken(t.Context(), nil, tokenInput())
		var failure *hooks.Error
		if err != nil && (!errors.As(err, &failure) || failure.Status == 0) {
			t.Fatalf("not an *Error with a status: %#v", err)
		}
		if err == nil && claims["is_anonymous"] == nil && len(claims) < 10 {
			t.Fatalf("claims that do not conform: %v", claims)
		}
	})
}

// FuzzSettings checks that whatever settings pass the start can be called.
func FuzzSettings(f *testing.F) {
	f.Add("true", "pg-functions://postgres/public/f", "v1,whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA|")
	f.Add("yes", "http://[::1", "|")
	f.Fuzz(func(t *testing.T, enabled, uri, secrets string) {
		cfg, err := hooks.FromEnv(map[string]string{
			"GOTRUE_HOOK_SEND_SMS_ENABLED": enabled,
			"GOTRUE_HOOK_SEND_SMS_URI":     uri,
			"GOTRUE_HOOK_SEND_SMS_SECRETS": secrets,
		})
		if err != nil {
			return
		}
		_, err = hooks.New(cfg, nil)
		require.NoError(t, err)
	})
}
