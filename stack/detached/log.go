package detached

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/supascore/supascore/stack"
)

// logPage is the answer to a question for the log.
type logPage struct {
	Entries []stack.LogEntry `json:"entries"`
	Next    int              `json:"next"`
}

const (
	// logTimeout bounds one look at a log: it explains what went wrong, and must not add
	// to it.
	logTimeout = 2 * time.Second
	// maxLog bounds how much of a log is read at once, in bytes.
	maxLog = 16 << 20
)

// log answers with what the services have logged since the line "after".
func (d *desk) log(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil {
		http.Error(w, "after is a number", http.StatusBadRequest)
		return
	}
	var page logPage
	page.Entries, page.Next = d.running.Log().Since(after)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(page) // whoever asked may be gone
}

// Log returns what the services of a state's stack have logged since the nth line that
// was ever logged, and the number to ask for next.
func Log(ctx context.Context, state State, n int) (entries []stack.LogEntry, next int, err error) {
	if state.Control.URL == "" {
		return nil, n, errors.New("the stack was started by another version of this program, which keeps no log")
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, state.Control.URL+"/log?after="+strconv.Itoa(n), nil)
	if err != nil {
		return nil, n, err
	}
	req.Header.Set("Authorization", "Bearer "+state.Control.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, n, fmt.Errorf("reach the serving process: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, n, fmt.Errorf("the serving process answers %s", resp.Status)
	}
	var page logPage
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxLog)).Decode(&page); err != nil {
		return nil, n, fmt.Errorf("read the log: %w", err)
	}
	return page.Entries, page.Next, nil
}
