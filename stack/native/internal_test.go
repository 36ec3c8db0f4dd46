package native

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLinesAreWholeBoundedAndWithoutSecrets(t *testing.T) {
	t.Parallel()
	var got []string
	l := &lines{hide: hider(map[string]string{"X_SECRET": "tell-nobody"}), each: func(s string) { got = append(got, s) }}
	for _, part := range []string{"a", "b\nse", "cret: tell-", "nobody!\r\n\n  \nlast"} {
		n, err := l.Write([]byte(part))
		assert.NoError(t, err)
		assert.Equal(t, len(part), n)
	}
	l.flush()
	assert.Equal(t, []string{"ab", "secret: [hidden]!", "last"}, got)
	got = nil
	_, _ = l.Write([]byte(strings.Repeat("x", 2*maxLine+5) + "\ny\n"))
	assert.Len(t, got, 4)
	assert.Len(t, got[0], maxLine)
	assert.Equal(t, "xxxxx", got[2])
	for range 1000 {
		_, _ = l.Write([]byte("more\n"))
	}
	assert.Equal(t, tailLines, strings.Count(l.tail(), "\n")+1)
	assert.LessOrEqual(t, len(l.last), 2*tailLines)
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb"), 1)
	f.Add([]byte("secret tell-nobody\r\n"), 3)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		var whole, cut []string
		run := func(into *[]string, step int) {
			l := &lines{hide: hider(nil), each: func(s string) { *into = append(*into, s) }}
			for rest := text; len(rest) > 0; {
				n := min(max(step, 1), len(rest))
				_, _ = l.Write(rest[:n])
				rest = rest[n:]
			}
			l.flush()
		}
		run(&whole, len(text))
		run(&cut, step)
		if strings.Join(whole, "\n") != strings.Join(cut, "\n") {
			t.Fatalf("how a text arrives changes its lines: %q, %q", whole, cut)
		}
	})
}

func TestSecretsOfAllShapesAreHidden(t *testing.T) {
	t.Parallel()
	hide := hider(map[string]string{
		"GOTRUE_JWT_SECRET":                         "jwt-secret-of-32-characters-at-least",
		"GOTRUE_JWT_KEYS":                           `[{"kty":"EC","kid":"k1","x":"publicpublic","d":"private-number"}]`,
		"PGRST_JWT_SECRET":                          `{"keys":[{"kty":"oct","k":"c3ltbWV0cmlj"}]}`,
		"GOTRUE_HOOK_SEND_SMS_SECRETS":              "v1,whsec_b25lLW9mLXR3bw==|v1,whsec_dGhlLW90aGVy",
		"GOTRUE_DB_DATABASE_URL":                    "postgres://supabase_auth_admin:a-password@127.0.0.1:5432/postgres",
		"PGRST_DB_URI":                              "postgres://authenticator:postgres@127.0.0.1:5432/postgres",
		"GOTRUE_SMS_TWILIO_AUTH_TOKEN":              "twilio-token",
		"GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ON": "not-a-secret",
		"GOTRUE_EXTERNAL_GITHUB_SECRET":             "short",
	})
	for text, want := range map[string]string{
		"jwt-secret-of-32-characters-at-least":                      "[hidden]",
		"d is private-number, x publicpublic":                       "d is [hidden], x publicpublic",
		"c3ltbWV0cmlj":                                              "[hidden]",
		"v1,whsec_dGhlLW90aGVy":                                     "[hidden]",
		"whsec_b25lLW9mLXR3bw==":                                    "whsec_[hidden]",
		"password a-password of postgres":                           "password [hidden] of postgres",
		"postgres://authenticator:postgres@127.0.0.1:5432/postgres": "postgres://[hidden]127.0.0.1:5432/postgres",
		"twilio-token not-a-secret short":                           "[hidden] not-a-secret short",
	} {
		assert.Equal(t, want, hide(text))
	}
}

func TestLinesOfAuthAreRead(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]record{
		`{"level":"warning","msg":"Hook errored out","error":"ERROR: no (SQLSTATE P0001)","hook":"pg-functions://x","success":false,"duration":12,"time":"2026-01-01T00:00:00Z"}`: {
			level: slog.LevelWarn, message: "Hook errored out", attrs: map[string]string{
				"error": "ERROR: no (SQLSTATE P0001)", "hook": "pg-functions://x", "success": "false", "duration": "12", "sqlstate": "P0001",
			},
		},
		`{"level":"fatal","msg":"unable to load config","error":"invalid table name: 1f"}`: {
			level: slog.LevelError, message: "unable to load config",
			attrs: map[string]string{"error": "invalid table name: 1f"}, fatal: true, refuses: true,
		},
		`time="2026-01-01T00:00:00Z" level=fatal msg="Failed to load configuration: required key API_EXTERNAL_URL missing value"`: {
			level: slog.LevelError, message: "Failed to load configuration: required key API_EXTERNAL_URL missing value",
			attrs: map[string]string{}, fatal: true, refuses: true,
		},
		`time="2026-01-01T00:00:00Z" level=fatal msg="unable to load config" error="say \"no\""`: {
			level: slog.LevelError, message: "unable to load config", attrs: map[string]string{"error": `say "no"`}, fatal: true, refuses: true,
		},
		`{"level":"fatal","msg":"http server listen failed","error":"bind: address already in use"}`: {
			level: slog.LevelError, message: "http server listen failed", attrs: map[string]string{"error": "bind: address already in use"}, fatal: true,
		},
		"panic: runtime error": {level: slog.LevelError, message: "panic: runtime error", fatal: true},
		"just text":            {level: slog.LevelInfo, message: "just text"},
	} {
		assert.Equal(t, want, authRecord(line), line)
	}
}

func TestLinesOfPostgRESTAreRead(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]record{
		"21/Aug/2026:10:00:00 +0000: Starting PostgREST 14.17...": {level: slog.LevelInfo, message: "Starting PostgREST 14.17..."},
		`21/Aug/2026:10:00:00 +0000: {"code":"57014","details":null,"hint":null,"message":"canceling statement due to statement timeout"}`: {
			level: slog.LevelError, message: "canceling statement due to statement timeout",
			attrs: map[string]string{"error": "canceling statement due to statement timeout", "sqlstate": "57014"},
		},
		`21/Aug/2026:10:00:00 +0000: Failed to load the schema cache using db-schemas=public and db-extra-search-path=public. {"code":"PGRST002","details":"d","hint":"h","message":"m"}`: {
			level: slog.LevelError, message: "Failed to load the schema cache using db-schemas=public and db-extra-search-path=public.",
			attrs: map[string]string{"error": "m", "code": "PGRST002", "details": "d", "hint": "h"},
		},
		`21/Aug/2026:10:00:00 +0000: Attempting to reconnect to the database in 1 seconds...`: {
			level: slog.LevelWarn, message: "Attempting to reconnect to the database in 1 seconds...",
		},
		`127.0.0.1 - anon [21/Aug/2026:10:00:00 +0000] "GET /t HTTP/1.1" 500 - "" "curl"`: {
			level: slog.LevelError, message: `127.0.0.1 - anon [21/Aug/2026:10:00:00 +0000] "GET /t HTTP/1.1" 500 - "" "curl"`,
		},
		"postgrest: Error in config db-pool: bad": {
			level: slog.LevelError, message: "postgrest: Error in config db-pool: bad", fatal: true, refuses: true,
		},
		"postgrest: Network.Socket.bind: resource busy (Address already in use)": {
			level: slog.LevelError, message: "postgrest: Network.Socket.bind: resource busy (Address already in use)", fatal: true,
		},
	} {
		assert.Equal(t, want, restRecord(line), line)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(`{"level":"info","msg":"x"}`)
	f.Add(`21/Aug/2026:10:00:00 +0000: {"message":"m"}`)
	f.Add(`time="x" level=fatal msg="y" error=z`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, r := range []record{authRecord(line), restRecord(line)} {
			if r.refuses && !r.fatal {
				t.Fatalf("a server that refuses its settings goes on: %q", line)
			}
		}
	})
}

func TestVersionsAreComparedByNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"v2.196.0": "2.196.0", "postgrest/14.17": "14.17", "14.0 (abc1234)": "14.0", "unknown": "", "": "", "v2.190.0-rc.1": "2.190.0",
	} {
		assert.Equal(t, want, versionOf(text), text)
	}
	for _, pair := range [][2]string{{"13.2", "14"}, {"2.99.0", "2.180"}, {"2.180.0", "2.180.1"}, {"", "1"}} {
		assert.True(t, older(pair[0], pair[1]), pair)
	}
	for _, pair := range [][2]string{{"14.0", "14"}, {"14.17", "14"}, {"2.196.0", "2.180"}, {"3", "2.180"}} {
		assert.False(t, older(pair[0], pair[1]), pair)
	}
}
