package native

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// echoHeader carries the id by which Auth's log names a request.
const echoHeader = "X-Supascore-Request-Id"

// echoLimit is how long an answer is held back for its line of the log.
const echoLimit = 200 * time.Millisecond

// echo holds failing answers of Auth back until the line that explains them was read:
// the answer and the log come by different ways, and whoever reads the log after the
// answer has to find it there.
type echo struct {
	mu      sync.Mutex
	waiting map[string]chan struct{}
	// deaf is set when a line never came, as with a log level that leaves it out.
	deaf atomic.Bool
}

func newEcho() *echo { return &echo{waiting: map[string]chan struct{}{}} }

// heard is told every line of the log. The line that ends a request comes after all
// others about it.
func (e *echo) heard(line record) {
	id := line.attrs["request_id"]
	if id == "" || line.attrs["status"] == "" {
		return
	}
	e.deaf.Store(false)
	e.mu.Lock()
	defer e.mu.Unlock()
	if waiting, ok := e.waiting[id]; ok {
		close(waiting)
		delete(e.waiting, id)
	}
}

// around gives each request an id and holds its failing answer back.
func (e *echo) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, written := uuid.NewString(), make(chan struct{})
		e.mu.Lock()
		e.waiting[id] = written
		e.mu.Unlock()
		defer func() {
			e.mu.Lock()
			delete(e.waiting, id)
			e.mu.Unlock()
		}()
		out := new(http.Request)
		*out = *r
		out.Header = r.Header.Clone()
		out.Header.Set(echoHeader, id)
		next.ServeHTTP(&heldWriter{ResponseWriter: w, hold: func() { e.await(r.Context(), written) }}, out)
	})
}

func (e *echo) await(ctx context.Context, written <-chan struct{}) {
	if e.deaf.Load() {
		return
	}
	limit := time.NewTimer(echoLimit)
	defer limit.Stop()
	select {
	case <-written:
	case <-ctx.Done():
	case <-limit.C:
		e.deaf.Store(true)
	}
}

// heldWriter calls hold before the head of a failing answer is written.
type heldWriter struct {
	http.ResponseWriter
	hold func()
}

// WriteHeader holds back answers that say that something failed.
func (w *heldWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.hold()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets the answer be flushed.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
