package auth_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/auth"
)

// errorCounter is a log that counts errors, and panics among them.
type errorCounter struct{ errors, panics atomic.Int64 }

func (c *errorCounter) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelError
}

func (c *errorCounter) Handle(_ context.Context, r slog.Record) error {
	c.errors.Add(1)
	if r.Message == "request panicked" {
		c.panics.Add(1)
	}
	return nil
}

func (c *errorCounter) WithAttrs([]slog.Attr) slog.Handler { return c }
func (c *errorCounter) WithGroup(string) slog.Handler      { return c }

// FuzzRequests sends any body to any endpoint that reads one: no request panics, and none fails
// without a record of why.
func FuzzRequests(f *testing.F) {
	counter := &errorCounter{}
	s := newSite(f, map[string]string{
		"GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true", "GOTRUE_EXTERNAL_PHONE_ENABLED": "true",
	}, func(cfg *auth.Config) { cfg.Log = slog.New(counter) })
	user := s.join("fuzz@example.com")
	endpoints := []struct{ method, path, token string }{
		{"POST", "/signup", ""},
		{"POST", "/token?grant_type=password", ""},
		{"POST", "/token?grant_type=refresh_token", ""},
		{"POST", "/token?grant_type=pkce", ""},
		{"POST", "/token?grant_type=id_token", ""},
		{"PUT", "/user", user.access},
		{"POST", "/admin/users", serviceRole},
		{"PUT", "/admin/users/" + user.id, serviceRole},
		{"POST", "/admin/generate_link", serviceRole},
		{"POST", "/verify", ""},
		{"POST", "/otp", ""},
		{"POST", "/recover", ""},
		{"POST", "/resend", ""},
		{"POST", "/invite", serviceRole},
		{"POST", "/factors", user.access},
	}
	for i := range endpoints {
		for _, body := range []string{
			``, `null`, `[]`, `{`, `{"email":"a@b.c","password":"abcdef"}`, `{"email":"\u0000@b","phone":"+1 5"}`,
			`{"email":"x@y.z","data":{"a":null,"\u0000":1e400}}`, `{"refresh_token":"abcdefghijkl"}`,
			`{"id":"00000000-0000-0000-0000-000000000000","email":"n@il","ban_duration":"-1h"}`,
			`{"app_metadata":{"\u0000":"\ud800"},"role":"\u0000","user_metadata":{}}`, `{"password":null,"nonce":"1"}`,
		} {
			f.Add(uint8(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		if !utf8.ValidString(body) || body == "" {
			t.Skip("the client sends text")
		}
		endpoint := endpoints[int(which)%len(endpoints)]
		before := counter.errors.Load()
		here := *s
		here.t = t // f must not be used inside of the target
		got, err := here.try(endpoint.method, endpoint.path, endpoint.token, body)
		if err != nil {
			t.Fatal(err)
		}
		if counter.panics.Load() > 0 {
			t.Fatalf("%s %s panicked for %q", endpoint.method, endpoint.path, body)
		}
		if got.status >= 500 && counter.errors.Load() == before {
			t.Fatalf("%s %s answered %d for %q and logged nothing: %v", endpoint.method, endpoint.path, got.status, body, got.body)
		}
	})
}
