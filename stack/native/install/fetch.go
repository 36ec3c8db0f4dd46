package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/docker/go-units"
)

// tries is how often a download that breaks off without getting further is taken up
// again; getting further means by at least enough bytes.
const (
	tries  = 3
	enough = 64 << 10
)

// fetcher downloads one file, and goes on where an earlier attempt has ended.
type fetcher struct {
	cfg Config
	url string
	// shown is url as people and files get to see it, without a password.
	shown string
	file  partial
}

func newFetcher(cfg Config, url string, file partial) *fetcher {
	return &fetcher{cfg: cfg, url: url, shown: redacted(url), file: file}
}

// redacted leaves the password of a mirror out of a URL.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "a URL that cannot be read"
	}
	return u.Redacted()
}

// fetch returns when the file is there as a whole. Whether it is the right one is for
// somebody else to find out.
func (f *fetcher) fetch(ctx context.Context) error {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval = f.cfg.limits.pause
	pause.Reset()
	for failures := 0; ; {
		_, before := f.file.begun(f.shown)
		err := f.attempt(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err == nil || !temporary(err):
			return err
		}
		_, have := f.file.begun(f.shown)
		if have-before >= enough {
			failures = 0
			pause.Reset()
		}
		if failures++; failures == tries {
			return f.givenUp(err, have)
		}
		f.cfg.Log.Info("the download broke off, trying again", "reason", err)
		select {
		case <-ctx.Done():
		case <-time.After(pause.NextBackOff()):
		}
	}
}

// givenUp adds what there is to an error that ended the last attempt.
func (f *fetcher) givenUp(err error, have int64) error {
	if have == 0 {
		return err
	}
	return withHint(err, "install again: it goes on after the %s that have arrived", units.BytesSize(float64(have)))
}

// attempt is one request and what comes of it.
func (f *fetcher) attempt(ctx context.Context) error {
	from, have := f.file.begun(f.shown)
	if have > 0 && have == from.Total {
		return nil
	}
	ctx, alive, stop := watch(ctx, f.cfg.StallTimeout)
	defer stop()
	header := http.Header{"Accept": {"application/octet-stream"}}
	if have > 0 {
		header.Set("Range", rangeOf(have))
		header.Set("If-Range", from.Validator)
	}
	resp, err := get(ctx, f.cfg.Client, f.url, header)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	alive()
	out, from, have, err := f.accept(resp, from, have)
	if err != nil {
		return err
	}
	body := &meter{ctx: ctx, r: resp.Body, url: f.shown, read: func(n int) {
		alive()
		f.cfg.Progress.Received(n)
	}}
	f.cfg.Progress.Begin(f.shown, have, from.Total)
	// One byte more than allowed shows that there is too much.
	n, err := io.Copy(out, io.LimitReader(body, f.cfg.limits.archive-have+1))
	whole := err == nil && (from.Total < 0 || have+n == from.Total)
	f.cfg.Progress.End(whole)
	err = errors.Join(err, out.Close())
	switch {
	case err != nil:
		return err
	case have+n > f.cfg.limits.archive:
		return errors.Join(f.tooLarge(), f.file.discard())
	case !whole:
		return &brokenError{fmt.Errorf("GET %s: %d of %d bytes: %w", f.shown, have+n, from.Total, io.ErrUnexpectedEOF)}
	}
	return nil
}

// accept looks at the head of an answer and opens the file where its body belongs.
func (f *fetcher) accept(resp *http.Response, from origin, have int64) (*os.File, origin, int64, error) {
	switch {
	case resp.StatusCode == http.StatusOK:
		from = origin{URL: f.shown, Validator: validator(resp.Header), Total: resp.ContentLength}
		if from.Total > f.cfg.limits.archive {
			return nil, from, 0, f.tooLarge()
		}
		out, err := f.file.restart(from)
		return out, from, 0, err
	case resp.StatusCode == http.StatusPartialContent && have > 0:
		if err := from.continues(resp.Header, have); err != nil {
			return nil, from, 0, errors.Join(&brokenError{fmt.Errorf("GET %s: %w", f.shown, err)}, f.file.discard())
		}
		if from.Total < 0 {
			from.Total = have + resp.ContentLength
		}
		out, err := f.file.resume(have)
		return out, from, have, err
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && have > 0:
		// There is less of it than we have: it is another file.
		return nil, from, 0, errors.Join(&brokenError{newStatusError(f.shown, resp)}, f.file.discard())
	default:
		return nil, from, 0, newStatusError(f.shown, resp)
	}
}

func (f *fetcher) tooLarge() error {
	return fmt.Errorf("GET %s: more than %s", f.shown, units.BytesSize(float64(f.cfg.limits.archive)))
}

// brokenError is a transfer that ended too early, and can go on.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return e.err.Error() }
func (e *brokenError) Unwrap() error { return e.err }

// stalledError says that nothing came for too long.
type stalledError struct{ after time.Duration }

func (e *stalledError) Error() string { return fmt.Sprintf("nothing came for %s", e.after) }

// temporary reports whether another attempt may get further.
func temporary(err error) bool {
	var status *statusError
	if errors.As(err, &status) && status.temporary() {
		return true
	}
	return errors.As(err, new(*brokenError)) || errors.As(err, new(*stalledError))
}

// meter counts what is read of a body. Whatever goes wrong while reading is the
// transfer's fault; what goes wrong while writing is not, and comes from elsewhere.
type meter struct {
	ctx  context.Context //nolint:containedctx // the request's own, to say why it ended
	r    io.Reader
	url  string
	read func(int)
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	if n > 0 {
		m.read(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &brokenError{fmt.Errorf("GET %s: %w", m.url, ended(m.ctx, err))}
	}
	return n, err
}

// watch ends a context when alive is not called for too long.
func watch(ctx context.Context, limit time.Duration) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { cancel(&stalledError{limit}) })
	return ctx, func() { timer.Reset(limit) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

// ended replaces "context canceled" by the reason for it.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// get sends a request that asks for the file as it is: an archive is not to be unpacked
// on the way.
func get(ctx context.Context, client *http.Client, address string, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header = header
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "supascore")
	resp, err := client.Do(req)
	var timeout net.Error
	switch {
	case err == nil:
		return resp, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("GET %s: %w", redacted(address), context.Cause(ctx))
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.As(err, &timeout) && timeout.Timeout():
		return nil, &brokenError{err}
	default:
		return nil, err
	}
}

// newClient speaks to upstream: through the proxy of the environment, without a limit on
// the whole, since that depends on the line.
func newClient() *http.Client {
	return &http.Client{
		Transport: http.DefaultTransport.(*http.Transport).Clone(), //nolint:forcetypeassert // documented
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case len(via) >= 10:
				return errors.New("more than 10 redirects")
			case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
				return fmt.Errorf("redirected from https to %s", req.URL.Redacted())
			}
			return nil
		},
	}
}
