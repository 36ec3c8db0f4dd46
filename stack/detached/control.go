package detached

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/migrate"
)

// Control is how other commands speak to a serving process: over loopback HTTP, with
// a token that only the reader of the state file has.
type Control struct {
	URL   string `json:"url,omitempty"`
	Token string `json:"token,omitempty"`
}

// desk is where a serving process listens to other commands.
type desk struct {
	control Control
	running *stack.Stack
	// record puts changed settings into the state files.
	record func(Control, stack.Settings) error
	server *http.Server
	served chan struct{}
}

// listen opens the desk.
func listen(ctx context.Context, running *stack.Stack, record func(Control, stack.Settings) error) (*desk, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen to other commands: %w", err)
	}
	d := &desk{
		control: Control{URL: "http://" + l.Addr().String(), Token: rand.Text()},
		running: running, record: record, served: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /reset", d.reset)
	mux.HandleFunc("GET /log", d.log)
	d.server = &http.Server{Handler: d.authorized(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(d.served)
		_ = d.server.Serve(l) // it ends with close; without it, only resets are missing
	}()
	return d, nil
}

// closeGrace is how long an answer may take to get out when the desk closes.
const closeGrace = time.Second

// close ends the desk and what is under way there. An answer that says why the stack
// ends gets out.
func (d *desk) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	err := d.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = d.server.Close()
	}
	<-d.served
	return err
}

func (d *desk) authorized(next http.Handler) http.Handler {
	want := []byte("Bearer " + d.control.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// resetReport is a line of the answer to a reset; the last one has Done.
type resetReport struct {
	Progress *Progress `json:"progress,omitempty"`
	Done     bool      `json:"done,omitempty"`
	Error    string    `json:"error,omitempty"`
	Hint     string    `json:"hint,omitempty"`
}

// maxResetRequest bounds the request's body, in bytes.
const maxResetRequest = 1 << 16

// reset resets the stack and reports in lines of JSON while it does.
func (d *desk) reset(w http.ResponseWriter, r *http.Request) {
	var options stack.ResetOptions
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxResetRequest)).Decode(&options); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	lines := &lineWriter{out: w, flush: http.NewResponseController(w).Flush}
	options.OnPhase = func(name string) { lines.write(resetReport{Progress: &Progress{Phase: name}}) }
	options.OnFile = func(kind migrate.Kind, path string) {
		lines.write(resetReport{Progress: &Progress{Kind: kind, File: path}})
	}
	err := d.running.Reset(r.Context(), options)
	if recordErr := d.record(d.control, d.running.Settings()); err == nil {
		err = recordErr
	}
	report := resetReport{Done: true}
	if err != nil {
		report.Error = err.Error()
		var start *stack.StartError
		if errors.As(err, &start) && start.Fault == stack.FaultWorkspace {
			report.Error = start.Err.Error() // it names its file
		}
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			report.Hint = hinted.Hint()
		}
	}
	lines.write(report)
}

// lineWriter writes values as lines of JSON at once. Phases begin in several goroutines.
type lineWriter struct {
	mu    sync.Mutex
	out   io.Writer
	flush func() error
}

func (l *lineWriter) write(value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = errors.Join(json.NewEncoder(l.out).Encode(value), l.flush()) // whoever asked may be gone
}

// ResetError is a reset that failed, in the words of the serving process.
type ResetError struct{ Message, Remedy string }

// Error is what went wrong.
func (e *ResetError) Error() string { return e.Message }

// Hint is what to do about it.
func (e *ResetError) Hint() string { return e.Remedy }

// Reset has the stack of a state reset its database, see stack.Stack.Reset, and waits
// for it. A refusal is a *ResetError. When ctx ends, the reset is called off: the stack
// goes on with the files that were applied by then.
func Reset(ctx context.Context, state State, options stack.ResetOptions, onProgress func(Progress)) error {
	if state.Control.URL == "" {
		return errors.New("the stack was started by another version of this program, which cannot be told to reset")
	}
	body, err := json.Marshal(options)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, state.Control.URL+"/reset", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+state.Control.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("reach the serving process: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the serving process answers %s", resp.Status)
	}
	lines := json.NewDecoder(resp.Body)
	for {
		var report resetReport
		if err := lines.Decode(&report); err != nil {
			return fmt.Errorf("the serving process ended in the middle of the reset: %w", err)
		}
		switch {
		case report.Progress != nil:
			onProgress(*report.Progress)
		case report.Error != "":
			return &ResetError{report.Error, report.Hint}
		case report.Done:
			return nil
		}
	}
}
