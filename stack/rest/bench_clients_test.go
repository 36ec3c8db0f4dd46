//go:build unix

package rest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// BenchmarkClients measures throughput and latency with 1, 8 and 64 clients that send one request after another, against
// this server and, with -peer or -peer-bin, against another one. "floor" is what no server can be better than: the requests'
// transactions alone, without HTTP and without planning them.
func BenchmarkClients(b *testing.B) {
	server, targets := benchTargets(b, benchSecret)
	token := benchToken(b, benchUser)
	for _, c := range benchCases() {
		for _, clients := range []int{1, 8, 64} {
			for _, target := range targets {
				b.Run(fmt.Sprintf("%s/%d clients/%s", c.name, clients, target.name), func(b *testing.B) {
					emptied(b, server)
					request, open := c.rendered(b, target.url, token), wires(b, clients, target.url)
					load(b, clients, newUsage(b, server, target.pid), func(worker int) error { return open[worker].send(request) })
				})
			}
			b.Run(fmt.Sprintf("%s/%d clients/floor", c.name, clients), func(b *testing.B) {
				emptied(b, server)
				steps := c.steps(b, server)
				load(b, clients, newUsage(b, server), func(int) error { return exchanged(b.Context(), server, steps) })
			})
		}
	}
}

// emptied empties the tables that the benchmarks write to, so that every server begins with the same ones: inserting is slower
// where more was inserted before.
func emptied(b *testing.B, s *Server) {
	conn, err := pgx.Connect(b.Context(), s.config.DatabaseURI)
	require.NoError(b, err)
	defer conn.Close(context.Background())
	_, err = conn.PgConn().Exec(b.Context(), "set role service_role; truncate public.events, public.counters").ReadAll()
	require.NoError(b, err)
}

// BenchmarkNewTokens sends a token that was never seen before with every request, so each signature is verified: tokens of a
// shared secret, as the local stack signs them, and of an elliptic curve, as projects with their own signing keys do.
func BenchmarkNewTokens(b *testing.B) {
	curve, keys := benchKeys(b)
	server, targets := benchTargets(b, keys)
	c := benchCase{method: "POST", path: "/rpc/add", body: `{"a":1,"b":2}`, status: 200}
	for _, kind := range []struct {
		method jwt.SigningMethod
		key    any
	}{{jwt.SigningMethodHS256, []byte(benchSecret)}, {jwt.SigningMethodES256, curve}} {
		for _, target := range targets {
			b.Run(kind.method.Alg()+"/"+target.name, func(b *testing.B) {
				// Signing is the client's work: it is done before.
				requests := make(chan []byte, b.N)
				for i := range b.N {
					token := jwt.NewWithClaims(kind.method, benchClaims(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)))
					token.Header["kid"] = kind.method.Alg()
					requests <- c.rendered(b, target.url, sign(b, token, kind.key))
				}
				open := wires(b, 8, target.url)
				load(b, 8, newUsage(b, server, target.pid), func(worker int) error { return open[worker].send(<-requests) })
			})
		}
	}
}

// benchKeys is an elliptic-curve key, and a key set for it and benchSecret.
func benchKeys(b *testing.B) (*ecdsa.PrivateKey, string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(b, err)
	point, err := key.PublicKey.Bytes()
	require.NoError(b, err)
	text := base64.RawURLEncoding.EncodeToString
	set, err := json.Marshal(map[string]any{"keys": []map[string]string{
		{"kty": "oct", "kid": "HS256", "alg": "HS256", "k": text([]byte(benchSecret))},
		{"kty": "EC", "kid": "ES256", "alg": "ES256", "crv": "P-256", "x": text(point[1:33]), "y": text(point[33:])},
	}})
	require.NoError(b, err)
	return key, string(set)
}

// load lets clients share b.N requests and reports requests a second and the latencies that half of them and all but one in
// a hundred stay below, and how much processor time all processes together spend on a request.
func load(b *testing.B, clients int, processes usage, send func(worker int) error) {
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var group sync.WaitGroup
	before := processes.soFar()
	b.ResetTimer()
	for worker := range clients {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				start := time.Now()
				if err := send(worker); err != nil {
					b.Error(err)
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	if processes.measurable() {
		b.ReportMetric(float64((processes.soFar()-before).Microseconds())/float64(b.N), "cpu-µs/request")
	}
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds()), "p99-µs")
}

// wire is a connection of a client that costs next to nothing, since its processor time is taken from the server's: it
// writes requests that were rendered before, and throws the answers away.
type wire struct {
	conn   net.Conn
	reader *bufio.Reader
}

// wires connects clients to a server until the benchmark ends.
func wires(b *testing.B, clients int, root string) []*wire {
	all := make([]*wire, clients)
	for i := range all {
		conn, err := net.Dial("tcp", strings.TrimPrefix(root, "http://"))
		require.NoError(b, err)
		b.Cleanup(func() { _ = conn.Close() })
		all[i] = &wire{conn: conn, reader: bufio.NewReaderSize(conn, 64<<10)}
	}
	return all
}

// send sends a request and reads its answer, which must be a success.
func (w *wire) send(request []byte) error {
	if _, err := w.conn.Write(request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(w.reader, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode/100 != 2 {
		body, err := io.ReadAll(resp.Body)
		return fmt.Errorf("%s %s %w", resp.Status, body, err)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// rendered is the request as it is sent.
func (c benchCase) rendered(b *testing.B, root, token string) []byte {
	var out bytes.Buffer
	require.NoError(b, c.request(b, root, token).Write(&out))
	return out.Bytes()
}
