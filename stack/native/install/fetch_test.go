package install

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/native/install/installtest"
)

// large is a release whose archive is some 300 KB, so that there is a middle.
func large(t *testing.T) []byte {
	t.Helper()
	var script strings.Builder
	script.WriteString("#!/bin/sh\n")
	for i := range 60_000 {
		script.WriteString("# " + strconv.Itoa(i*i*7919) + "\n")
	}
	content := installtest.ReleaseOf(Auth, script.String())
	require.Greater(t, len(content), 3*enough)
	return content
}

// ranges are the requests for the file as "Range status sent".
func ranges(server *installtest.Server) []string {
	var all []string
	for _, r := range server.Requests() {
		all = append(all, strings.TrimSpace(r.Range+" "+strconv.Itoa(r.Status)))
	}
	return all
}

func TestADownloadThatBreaksOffGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	content := large(t)
	publish(t, server, cfg, Auth, "", installtest.File{Content: content, ETag: `"one"`, Digest: "right", Cuts: []int{100_000, 50_000}})
	var seen watcher
	cfg.Progress = &seen
	got, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Equal(t, TrustListed, got.Trust)
	assert.Equal(t, []string{"200", "bytes=100000- 206", "bytes=150000- 206"}, ranges(server))
	sent := 0
	for _, r := range server.Requests() {
		sent += r.Sent
	}
	assert.Len(t, content, sent, "nothing was sent twice")
	assert.Equal(t, []int64{0, 100_000, 150_000}, seen.have)
	assert.Equal(t, []bool{false, false, true}, seen.ends)
	assert.EqualValues(t, len(content), seen.total)
	assert.EqualValues(t, len(content), seen.received)
}

// watcher remembers a Progress.
type watcher struct {
	mu              sync.Mutex
	have            []int64
	ends            []bool
	total, received int64
	// on is called after every piece.
	on func(received int64)
}

func (w *watcher) Begin(_ string, have, total int64) {
	w.have, w.total = append(w.have, have), total
}

func (w *watcher) Received(n int) {
	w.mu.Lock()
	w.received += int64(n)
	w.mu.Unlock()
	if w.on != nil {
		w.on(w.received)
	}
}
func (w *watcher) End(whole bool) { w.ends = append(w.ends, whole) }

func TestTheNextInstallationGoesOnWhereAnEarlierOneWasEnded(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	content := large(t)
	publish(t, server, cfg, Auth, "", installtest.File{Content: content, ETag: `"one"`, Cuts: []int{100_000}, Stalls: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	first := cfg
	first.Progress = &watcher{on: func(received int64) {
		if received == 100_000 {
			cancel(errors.New("enough"))
		}
	}}
	_, err := Install(ctx, first, Auth, "")
	require.EqualError(t, err, "install auth "+DefaultVersion(Auth)+": enough")
	_, _, ok := Find(cfg.CacheDir, Auth)
	assert.False(t, ok)

	_, err = Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Equal(t, []string{"200", "bytes=100000- 206"}, ranges(server))
}

func TestAWholeDownloadIsNotRepeatedWhenOnlyTheRestWasMissing(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{ETag: `"one"`})
	url, err := cfg.URL(Auth, "")
	require.NoError(t, err)
	dir := filepath.Join(cfg.CacheDir, "bin", ".partial")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file := partial{filepath.Join(dir, "auth-v"+DefaultVersion(Auth)+"-x86.tar.gz")}
	require.NoError(t, newFetcher(cfg.withDefaults(), url, file).fetch(t.Context()))
	_, err = Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Len(t, server.Requests(), 1)
}

func TestWhatCannotBeContinuedBeginsAnew(t *testing.T) {
	t.Parallel()
	content := large(t)
	tests := map[string]struct {
		first, second installtest.File
		want          []string
	}{
		"a server without ranges": {
			first:  installtest.File{ETag: `"one"`, WithoutRange: true},
			second: installtest.File{ETag: `"one"`, WithoutRange: true},
			want:   []string{"200", "bytes=100000- 200"},
		},
		"a file that has changed": {
			first:  installtest.File{ETag: `"one"`},
			second: installtest.File{ETag: `"two"`},
			want:   []string{"200", "bytes=100000- 200"},
		},
		"a weak validator": {
			first:  installtest.File{ETag: `W/"one"`},
			second: installtest.File{ETag: `W/"one"`},
			want:   []string{"200", "200"},
		},
		"no validator": {
			first:  installtest.File{},
			second: installtest.File{},
			want:   []string{"200", "200"},
		},
		"a file that is shorter now": {
			first:  installtest.File{ETag: `"one"`},
			second: installtest.File{ETag: `"one"`, Content: installtest.Release(Auth, "2.1.0")},
			want:   []string{"200", "bytes=100000- 416", "200"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, cfg := upstream(t)
			tt.first.Content, tt.first.Cuts, tt.first.Stalls = content, []int{100_000}, true
			if tt.second.Content == nil {
				tt.second.Content = content
			}
			publish(t, server, cfg, Auth, "2.1.0", tt.first)
			ctx, cancel := context.WithCancel(t.Context())
			first := cfg
			first.Progress = &watcher{on: func(received int64) {
				if received == 100_000 {
					cancel()
				}
			}}
			_, err := Install(ctx, first, Auth, "2.1.0")
			require.ErrorIs(t, err, context.Canceled)
			publish(t, server, cfg, Auth, "2.1.0", tt.second)

			got, err := Install(t.Context(), cfg, Auth, "2.1.0")
			require.NoError(t, err)
			assert.Equal(t, hexDigest(tt.second.Content), got.SHA256)
			assert.Equal(t, tt.want, ranges(server))
		})
	}
}

// A server may answer a range of another file, in spite of If-Range.
func TestAPartOfSomethingElseIsNotPutTogether(t *testing.T) {
	t.Parallel()
	have := origin{URL: "u", Validator: `"one"`, Total: 10}
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	require.NoError(t, have.continues(header("Content-Range", "bytes 4-9/10", "ETag", `"one"`), 4))
	require.NoError(t, have.continues(header("Content-Range", "bytes 4-9/10"), 4))
	for _, h := range []http.Header{
		header(),
		header("Content-Range", "bytes 4-9/*"),
		header("Content-Range", "bytes 5-9/10"),
		header("Content-Range", "bytes 4-8/10"),
		header("Content-Range", "bytes 4-10/11"),
		header("Content-Range", "bytes 4-9/10", "ETag", `"two"`),
	} {
		assert.Error(t, have.continues(h, 4), "%v", h)
	}
}

func TestADownloadThatNeverEndsWellIsGivenUp(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "", installtest.File{Content: large(t), ETag: `"one"`, Cuts: []int{1000, 1000, 1000}})
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, "unexpected EOF")
	assert.Contains(t, hintOf(t, err), "install again: it goes on after the 2.93KiB that have arrived")
	assert.Len(t, server.Requests(), 3)
	_, err = Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err, "the next one gets the rest")
	assert.Equal(t, "bytes=3000- 206", ranges(server)[3])
}

// What gets further does not count against a line: 12 attempts of 70 KB each.
func TestABadLineGetsThereInTheEnd(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	var cuts []int
	for range 4 {
		cuts = append(cuts, 70_000)
	}
	publish(t, server, cfg, Auth, "", installtest.File{Content: large(t), ETag: `"one"`, Cuts: cuts, Digest: "right"})
	_, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Greater(t, len(server.Requests()), tries)
}

func TestALineThatFallsSilentIsLeft(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	cfg.StallTimeout = 50 * time.Millisecond
	publish(t, server, cfg, Auth, "", installtest.File{Content: large(t), Cuts: []int{1000, 1000, 1000}, Stalls: true})
	_, err := Install(t.Context(), cfg, Auth, "")
	require.ErrorContains(t, err, "nothing came for 50ms")
	assert.Len(t, server.Requests(), 3)
}

func TestSlownessIsNoSilence(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	// Each piece comes in time, all of them together take far longer.
	cfg.StallTimeout = 250 * time.Millisecond
	content := installtest.Release(Auth, "2.1.0")
	url, err := cfg.URL(Auth, "2.1.0")
	require.NoError(t, err)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if "/"+strings.TrimPrefix(r.URL.Path, "/") != strings.TrimPrefix(url, server.URL) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		tick := time.NewTicker(60 * time.Millisecond)
		defer tick.Stop()
		for rest := content; len(rest) > 0; rest = rest[min(len(rest), len(content)/12+1):] {
			<-tick.C
			_, _ = w.Write(rest[:min(len(rest), len(content)/12+1)])
			_ = http.NewResponseController(w).Flush()
		}
	})
	server.Config.Handler = slow
	began := time.Now()
	_, err = Install(t.Context(), cfg, Auth, "2.1.0")
	require.NoError(t, err)
	assert.Greater(t, time.Since(began), 2*cfg.StallTimeout)
}

func TestAnArchiveThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	for _, withoutSize := range []bool{false, true} {
		server, cfg := upstream(t)
		cfg.limits.archive = 1000
		publish(t, server, cfg, Auth, "", installtest.File{Content: make([]byte, 5000), WithoutRange: withoutSize})
		_, err := Install(t.Context(), cfg, Auth, "")
		require.ErrorContains(t, err, "more than 1000B")
		nothingIsThere(t, cfg, Auth)
		assert.Len(t, server.Requests(), 1, "it is not tried again")
	}
}

// GitHub sends whoever asks for a file to another host, each time by another URL.
func TestADownloadGoesOnThroughRedirects(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	content := large(t)
	publish(t, server, cfg, Auth, "", installtest.File{Content: content, ETag: `"one"`, Digest: "right", Cuts: []int{100_000}})
	signed := 0
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		signed++
		http.Redirect(w, r, server.URL+r.URL.Path+"?signature="+strconv.Itoa(signed), http.StatusFound)
	}))
	t.Cleanup(front.Close)
	cfg.BaseURL, cfg.ListingURL = front.URL, server.URL
	got, err := Install(t.Context(), cfg, Auth, "")
	require.NoError(t, err)
	assert.Equal(t, TrustListed, got.Trust)
	assert.Equal(t, []string{"200", "bytes=100000- 206"}, ranges(server))
	assert.Equal(t, 2, signed)
}

func TestThePasswordOfAMirrorStaysWithTheMirror(t *testing.T) {
	t.Parallel()
	server, cfg := upstream(t)
	publish(t, server, cfg, Auth, "2.1.0", installtest.File{Content: large(t), ETag: `"one"`, Cuts: []int{1000, 1000, 1000}})
	cfg.BaseURL = strings.Replace(server.URL, "http://", "http://me:sesame@", 1)
	seen := notes{}
	cfg.Log, cfg.Progress = seen.logger(), announcer{&seen}
	server.RefuseListings(http.StatusForbidden)
	_, err := Install(t.Context(), cfg, Auth, "2.1.0")
	require.ErrorContains(t, err, "unexpected EOF")
	written := seen.String() + err.Error() + hintOf(t, err) + files(t, cfg.CacheDir)
	_, err = Install(t.Context(), cfg, Auth, "2.1.0")
	require.NoError(t, err)
	assert.Equal(t, "bytes=3000- 206", ranges(server)[3])
	_, err = Install(t.Context(), cfg, Auth, "2.2.0")
	require.ErrorContains(t, err, "404")
	written += seen.String() + err.Error() + hintOf(t, err) + files(t, cfg.CacheDir)
	assert.NotContains(t, written, "sesame")
	assert.Contains(t, written, "http://me:xxxxx@127.0.0.1:")
}

// announcer is a Progress that notes the URL.
type announcer struct{ to *notes }

func (a announcer) Begin(url string, _, _ int64) { _, _ = a.to.Write([]byte(url)) }
func (a announcer) Received(int)                 {}
func (a announcer) End(bool)                     {}

// files are all small files below a folder, one after the other.
func files(t *testing.T, dir string) string {
	t.Helper()
	text := ""
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "z") {
			return err
		}
		content, err := os.ReadFile(path)
		text += string(content)
		return err
	}))
	return text
}

func TestNoRedirectLeadsFromHTTPSToHTTP(t *testing.T) {
	t.Parallel()
	check := newClient().CheckRedirect
	request := func(url string) *http.Request {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		return r
	}
	require.NoError(t, check(request("https://cdn.example/x"), []*http.Request{request("https://github.com/x")}))
	require.NoError(t, check(request("http://b.example/x"), []*http.Request{request("http://a.example/x")}))
	require.EqualError(t, check(request("http://cdn.example/x"), []*http.Request{request("https://github.com/x")}),
		"redirected from https to http://cdn.example/x")
	require.EqualError(t, check(request("https://a.example"), make([]*http.Request, 10)), "more than 10 redirects")
}

func TestABeginningThatCannotBeRecognisedIsNotContinued(t *testing.T) {
	t.Parallel()
	const url = "http://x/y"
	for name, note := range map[string]string{
		"no note":       "",
		"damaged":       `{"url":`,
		"of another":    `{"url":"http://x/z","validator":"\"one\"","total":10}`,
		"no validator":  `{"url":"http://x/y","validator":"","total":10}`,
		"more than all": `{"url":"http://x/y","validator":"\"one\"","total":2}`,
	} {
		p := partial{filepath.Join(t.TempDir(), "f")}
		require.NoError(t, os.WriteFile(p.path, []byte("abc"), 0o600))
		if note != "" {
			require.NoError(t, os.WriteFile(p.note(), []byte(note), 0o600))
		}
		_, have := p.begun(url)
		assert.Zero(t, have, name)
	}
	p := partial{filepath.Join(t.TempDir(), "f")}
	require.NoError(t, os.WriteFile(p.note(), []byte(`{"url":"http://x/y","validator":"\"one\"","total":10}`), 0o600))
	_, have := p.begun(url)
	assert.Zero(t, have, "a note without a file")
	require.NoError(t, os.WriteFile(p.path, []byte("abc"), 0o600))
	from, have := p.begun(url)
	assert.Equal(t, origin{URL: url, Validator: `"one"`, Total: 10}, from)
	assert.EqualValues(t, 3, have)
}
