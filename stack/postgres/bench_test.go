package postgres

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkStart measures a whole start with a cached image, and beside it the
// floor: the same server, started on a cluster that is already there. The
// metric x-floor is how many times longer the whole takes.
func BenchmarkStart(b *testing.B) {
	var whole, floor time.Duration
	for b.Loop() {
		began := time.Now()
		s, err := Start(b.Context(), Config{})
		require.NoError(b, err)
		whole += time.Since(began)
		b.StopTimer()
		require.NoError(b, s.Stop(b.Context()))
		floor += bareStart(b)
		b.StartTimer()
	}
	b.ReportMetric(float64(whole)/float64(floor), "x-floor")
	b.ReportMetric(float64(floor.Milliseconds())/float64(b.N), "floor-ms/op")
}

// bareStart is the time that the server itself needs.
func bareStart(b *testing.B) time.Duration {
	b.Helper()
	ctx := b.Context()
	cfg, err := Config{}.withDefaults()
	require.NoError(b, err)
	id, err := serverIdentity()
	require.NoError(b, err)
	c, err := openCache(cfg.CacheDir, id)
	require.NoError(b, err)
	found, err := discover(ctx, cfg, c, id)
	require.NoError(b, err)
	run, err := runDir(cfg, c, id)
	require.NoError(b, err)
	cl, err := newCluster(run, id)
	require.NoError(b, err)
	defer func() { require.NoError(b, cl.remove()) }()
	require.NoError(b, cl.fill(ctx, newImage(c, found, id, cfg)))
	server := &backend{install: found, id: id, data: cl.data(), socket: cl.socket}
	began := time.Now()
	require.NoError(b, startOnPort(ctx, server, 0))
	took := time.Since(began)
	require.NoError(b, server.child.Stop(ctx))
	return took
}

// BenchmarkCreateDatabase measures the copy of a project that a test or a
// candidate gets, without the connection that makes it.
func BenchmarkCreateDatabase(b *testing.B) {
	s, err := Start(b.Context(), Config{})
	require.NoError(b, err)
	defer func() { require.NoError(b, s.Stop(context.Background())) }()
	conn, err := s.connectAdmin(b.Context())
	require.NoError(b, err)
	defer conn.Close(context.Background())
	n := 0
	for b.Loop() {
		n++
		name := "bench" + strconv.Itoa(n)
		require.NoError(b, createDatabase(b.Context(), conn, name))
		b.StopTimer()
		require.NoError(b, s.DropDatabase(b.Context(), name))
		b.StartTimer()
	}
}
