//go:build unix

package rest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
)

const (
	benchSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
	benchUser   = "a11ce000-0000-4000-8000-000000000001"
)

// benchCase is a request that is sent again and again.
type benchCase struct {
	name, method, path, prefer, body string
	status                           int
}

func benchCases() []benchCase {
	event := func(n int) string { return fmt.Sprintf(`{"owner":%q,"kind":"click","payload":{"n":%d}}`, benchUser, n) }
	many := make([]string, 1000)
	for i := range many {
		many[i] = event(i)
	}
	return []benchCase{
		{name: "read by key under policies", method: "GET", path: "/customers?id=eq.7", status: 200},
		{name: "list of 100 rows", method: "GET", path: "/orders?limit=100&order=id", status: 200},
		{name: "embed two levels", method: "GET", path: "/customers?select=name,orders(total,items(product,quantity))&limit=20&order=id", status: 200},
		{name: "insert minimal", method: "POST", path: "/events", body: event(1), status: 201},
		{name: "insert representation", method: "POST", path: "/events", prefer: "return=representation", body: event(1), status: 201},
		{name: "insert 1000 rows", method: "POST", path: "/events", body: "[" + strings.Join(many, ",") + "]", status: 201},
		{name: "upsert", method: "POST", path: "/counters", prefer: "resolution=merge-duplicates", body: `{"key":"hits","value":1}`, status: 200},
		{name: "call", method: "POST", path: "/rpc/add", body: `{"a":1,"b":2}`, status: 200},
	}
}

// BenchmarkServer measures one request after another: over HTTP, and tells how many times longer they take than their SQL
// takes straight through pgx in one round trip (x-floor), and how much processor time of this process, which is the client
// too, each takes (cpu-ns/op), a figure that other load on the machine changes little; and without HTTP, where the
// allocations are those of the server alone.
func BenchmarkServer(b *testing.B) {
	s, targets := benchTargets(b, benchSecret)
	token := benchToken(b, benchUser)
	client := &http.Client{}
	for _, c := range benchCases() {
		b.Run(c.name, func(b *testing.B) {
			floor := c.floor(b, s)
			b.Run("http", func(b *testing.B) {
				before := processorTime()
				for b.Loop() {
					c.send(b, client, targets[0].url, token)
				}
				b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
				b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "x-floor")
			})
			b.Run("handler", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w := httptest.NewRecorder()
					s.ServeHTTP(w, c.request(b, "http://local", token))
					if w.Code != c.status && w.Code/100 != 2 {
						b.Fatalf("%d %s", w.Code, w.Body)
					}
				}
			})
			for _, other := range targets[1:] {
				b.Run(other.name, func(b *testing.B) {
					for b.Loop() {
						c.send(b, client, other.url, token)
					}
				})
			}
		})
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStart starts and stops a server: connections, schema, listening.
func BenchmarkStart(b *testing.B) {
	s, _ := benchTargets(b, benchSecret)
	for b.Loop() {
		s, err := Start(b.Context(), Config{DatabaseURI: s.config.DatabaseURI, AnonRole: "anon", JWTSecret: benchSecret})
		require.NoError(b, err)
		require.NoError(b, s.Stop(b.Context()))
	}
}

// benchToken is a token of a user, signed with benchSecret.
func benchToken(b *testing.B, user string) string {
	return sign(b, jwt.NewWithClaims(jwt.SigningMethodHS256, benchClaims(user)), []byte(benchSecret))
}

func benchClaims(user string) jwt.MapClaims {
	return jwt.MapClaims{"role": "authenticated", "sub": user, "exp": time.Now().Add(time.Hour).Unix()}
}

func sign(b *testing.B, token *jwt.Token, key any) string {
	text, err := token.SignedString(key)
	require.NoError(b, err)
	return text
}

func (c benchCase) request(b *testing.B, root, token string) *http.Request {
	r, err := http.NewRequestWithContext(context.Background(), c.method, root+c.path, bytes.NewReader([]byte(c.body)))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.prefer != "" {
		r.Header.Set("Prefer", c.prefer)
	}
	return r
}

func (c benchCase) send(b *testing.B, client *http.Client, root, token string) {
	resp, err := client.Do(c.request(b, root, token))
	if err != nil {
		b.Error(err)
		return
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != c.status && resp.StatusCode/100 != 2 {
		b.Errorf("%s %s: %d %s %v", c.method, c.path, resp.StatusCode, body, err)
	}
}

// floor is the time of the request's statements without anything around them: prepared statements, one round trip.
func (c benchCase) floor(b *testing.B, s *Server) time.Duration {
	steps := c.steps(b, s)
	const warm, measured = 20, 200
	var start time.Time
	for i := range warm + measured {
		if i == warm {
			start = time.Now()
		}
		require.NoError(b, exchanged(b.Context(), s, steps))
	}
	return time.Since(start) / measured
}

// steps are the statements that the request makes, with its end.
func (c benchCase) steps(b *testing.B, s *Server) []step {
	st := s.state.Load()
	r := c.request(b, "http://local", "")
	who, _ := st.verifier.Identify(http.Header{"Authorization": {"Bearer " + benchToken(b, benchUser)}})
	req, err := request.Parse(request.Input{
		Method: r.Method, Path: r.URL.EscapedPath(), RawQuery: r.URL.RawQuery, Header: r.Header, Body: []byte(c.body), Settings: st.parsing,
	})
	require.NoError(b, err)
	plan, err := query.Build(req, st.snapshot, st.config.queryOptions())
	require.NoError(b, err)
	call := &call{server: s, state: st, http: r, who: who, req: req}
	t := call.transaction(plan)
	return append(t.steps(), t.end(false)...)
}

// exchanged runs statements on a connection of the server's pool.
func exchanged(ctx context.Context, s *Server, steps []step) error {
	conn, giveBack, err := s.conns.lend(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	_, err = newExchange(conn.PgConn()).do(ctx, steps)
	return err
}
