//go:build unix

package rest

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkClients measures throughput and latency with 1, 8 and 64 clients that send one request after another, against
// this server and, with -peer, against another one.
func BenchmarkClients(b *testing.B) {
	_, url := benchServer(b)
	targets := []struct{ name, url string }{{"embedded", url}}
	if *peer != "" {
		targets = append(targets, struct{ name, url string }{"peer", *peer})
	}
	token := benchToken(b, benchUser)
	for _, c := range benchCases() {
		for _, clients := range []int{1, 8, 64} {
			for _, target := range targets {
				b.Run(fmt.Sprintf("%s/%d clients/%s", c.name, clients, target.name), func(b *testing.B) {
					load(b, clients, func(client *http.Client) { c.send(b, client, target.url, token) })
				})
			}
		}
	}
}

// BenchmarkNewTokens sends a token that was never seen before with every request, so each signature is verified.
func BenchmarkNewTokens(b *testing.B) {
	_, url := benchServer(b)
	c := benchCase{name: "call", method: "POST", path: "/rpc/add", body: `{"a":1,"b":2}`, status: 200}
	var n atomic.Int64
	load(b, 8, func(client *http.Client) {
		c.send(b, client, url, benchToken(b, fmt.Sprintf("00000000-0000-4000-8000-%012d", n.Add(1))))
	})
}

// load lets clients share b.N requests and reports requests a second and the latencies that half of them and all but one in
// a hundred stay below.
func load(b *testing.B, clients int, send func(*http.Client)) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	took := make([]time.Duration, b.N)
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range clients {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				start := time.Now()
				send(client)
				took[i] = time.Since(start)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds()), "p99-µs")
}
