package auth_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth"
)

// peer is the root of another server with the same API, such as a real Auth server, that the
// benchmarks run against instead: go test -bench . -peer http://127.0.0.1:9999
var peer = flag.String("peer", "", "root `URL` of another Auth server to measure")

// BenchmarkAuth measures the three requests that a run is made of, at the cost of bcrypt that a
// local project has here (4) and at the real server's (10), with as many clients as processors.
func BenchmarkAuth(b *testing.B) {
	if *peer != "" {
		s := newSite(b, nil, realTime)
		s.http = &httptest.Server{URL: *peer}
		benchmarkRequests(b, s)
		return
	}
	for _, cost := range []int{4, 10} {
		b.Run(fmt.Sprintf("cost=%d", cost), func(b *testing.B) {
			benchmarkRequests(b, newSite(b, nil, realTime, func(cfg *auth.Config) { cfg.BcryptCost = cost }))
		})
	}
	b.Run("cost=4/hook", func(b *testing.B) {
		benchmarkRequests(b, hookedSite(b, claimsHook, hookEnv(), realTime))
	})
}

func benchmarkRequests(b *testing.B, s *site) {
	run := "bench-" + uuid.NewString()[:8]
	email := func(kind string, i int64) string { return fmt.Sprintf("%s-%s%d@example.com", run, kind, i) }
	b.Run("signup", func(b *testing.B) {
		round := uuid.NewString()[:8]
		measure(b, func(i int64) error {
			return expectOK(s.try("POST", "/signup", "", in{"email": email(round, i), "password": goodPassword}))
		})
	})
	const users = 32
	for i := range users {
		s.join(email("user", int64(i)))
	}
	b.Run("password", func(b *testing.B) {
		measure(b, func(i int64) error {
			return expectOK(s.try("POST", "/token?grant_type=password", "",
				in{"email": email("user", i%users), "password": goodPassword}))
		})
	})
	b.Run("refresh", func(b *testing.B) {
		// Every client refreshes sessions of its own: taking one out of the channel owns it.
		sessions := make(chan string, users)
		for i := range users {
			sessions <- s.signIn(email("user", int64(i))).session().refresh
		}
		measure(b, func(int64) error {
			got, err := s.try("POST", "/token?grant_type=refresh_token", "", in{"refresh_token": <-sessions})
			sessions <- got.session().refresh
			return expectOK(got, err)
		})
	})
	b.Run("user", func(b *testing.B) {
		token := s.signIn(email("user", 0)).session().access
		measure(b, func(int64) error { return expectOK(s.try("GET", "/user", token, nil)) })
	})
}

func expectOK(got reply, err error) error {
	if err == nil && got.status != 200 {
		err = fmt.Errorf("status %d: %v", got.status, got.body)
	}
	return err
}

// measure runs a request from parallel clients and reports requests a second and the median and
// 99th percentile of their times.
func measure(b *testing.B, do func(i int64) error) {
	b.Helper()
	var mu sync.Mutex
	var next atomic.Int64
	var times []time.Duration
	b.ResetTimer()
	began := time.Now()
	b.RunParallel(func(pb *testing.PB) {
		var own []time.Duration
		for pb.Next() {
			start := time.Now()
			if err := do(next.Add(1)); err != nil {
				b.Error(err)
				return
			}
			own = append(own, time.Since(start))
		}
		mu.Lock()
		defer mu.Unlock()
		times = append(times, own...)
	})
	elapsed := time.Since(began)
	b.StopTimer()
	require.NotEmpty(b, times)
	slices.Sort(times)
	at := func(q float64) float64 { return float64(times[int(q*float64(len(times)-1))].Microseconds()) / 1000 }
	b.ReportMetric(float64(len(times))/elapsed.Seconds(), "req/s")
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}
