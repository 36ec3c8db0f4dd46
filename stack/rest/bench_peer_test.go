//go:build unix

package rest

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
	"github.com/supascore/supascore/stack/proc"
)

// The other servers that the benchmarks can be run against as well.
var (
	peer    = flag.String("peer", "", "root URL of a server on a database prepared with testdata/bench.sql")
	peerBin = flag.String("peer-bin", "", "PostgREST's executable, to be started on the benchmarks' own database")
)

// benchTarget is a server that requests are sent to.
type benchTarget struct {
	name, url string
	pid       int // of a process of its own that was started for the benchmarks; 0 for none
}

// benchTargets start this module's server, and the others that the flags name, on one database prepared with
// testdata/bench.sql. All have the same settings and the same number of connections, and none logs.
func benchTargets(b *testing.B, secret string) (*Server, []benchTarget) {
	srv := postgrestest.Shared(b)
	db := postgrestest.ExposedDatabase(b, srv, true)
	script, err := os.ReadFile("testdata/bench.sql")
	require.NoError(b, err)
	postgrestest.Exec(b, srv, "postgres", db, string(script))
	limit := int64(1000)
	s, err := Start(b.Context(), Config{
		DatabaseURI: srv.URL("authenticator", db), ExtraSearchPath: []string{"public", "extensions"},
		AnonRole: "anon", JWTSecret: secret, MaxRows: &limit, PoolSize: 10,
	})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Stop(context.Background())) })
	web := httptest.NewServer(s)
	b.Cleanup(web.Close)
	targets := []benchTarget{{name: "embedded", url: web.URL}}
	if *peerBin != "" {
		targets = append(targets, startPeer(b, srv, db, secret))
	}
	if *peer != "" {
		targets = append(targets, benchTarget{name: "peer", url: *peer})
	}
	return s, targets
}

// startPeer starts PostgREST with the settings of the benchmarks' own server.
func startPeer(b *testing.B, srv *postgres.Server, db, secret string) benchTarget {
	port, admin := freePort(b), freePort(b)
	p, err := proc.Start(b.Context(), proc.Config{Path: *peerBin, Env: []string{
		"PGRST_DB_URI=" + srv.URL("authenticator", db), "PGRST_DB_SCHEMAS=public",
		"PGRST_DB_EXTRA_SEARCH_PATH=public,extensions", "PGRST_DB_ANON_ROLE=anon", "PGRST_JWT_SECRET=" + secret,
		"PGRST_DB_MAX_ROWS=1000", "PGRST_DB_POOL=10", "PGRST_LOG_LEVEL=crit", "PGRST_SERVER_HOST=127.0.0.1",
		"PGRST_SERVER_PORT=" + port, "PGRST_ADMIN_SERVER_PORT=" + admin,
	}})
	require.NoError(b, err)
	b.Cleanup(func() { _ = p.Stop(context.Background()) }) // it may have ended, which the requests told
	require.Eventually(b, func() bool {
		resp, err := http.Get("http://127.0.0.1:" + admin + "/ready")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	}, 30*time.Second, 20*time.Millisecond, "PostgREST does not start")
	return benchTarget{name: "postgrest", url: "http://127.0.0.1:" + port, pid: p.PID()}
}

func freePort(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
