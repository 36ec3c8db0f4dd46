package native

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/joho/godotenv"

	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/parity/ground"
)

// warmUp lets a server sign a token before the settings of a recording come into force.
// Until it has, the real server writes the claim aud as a list (recording
// cat_hook_first_token), and the recordings were made after that. The server starts with
// the recording's settings but without its hooks, gives a person whom nobody sees a token,
// and reads the whole of the settings again from a folder that it watches.
type warmUp struct {
	database *ground.Database
	// first are the settings of the start, then those of the recording.
	first, then map[string]string
	// dir is the folder that the server watches.
	dir   string
	heard *listener
}

// settle is how long settings have to be unchanged before they are read, and reloadLimit
// how long that may take in all: the server looks once a second.
const (
	settle      = "10ms"
	reloadLimit = 30 * time.Second
)

// requestLimit is the setting that bounds requests, and defaultRequestLimit what it is
// without one (internal/conf/configuration.go of supabase/auth).
const (
	requestLimit        = "GOTRUE_API_MAX_REQUEST_DURATION"
	defaultRequestLimit = "10s"
)

func newWarmUp(database *ground.Database, env map[string]string) (*warmUp, error) {
	dir, err := os.MkdirTemp("", "supascore-settings-")
	if err != nil {
		return nil, err
	}
	w := &warmUp{database: database, then: maps.Clone(env), dir: dir, heard: newListener()}
	w.first = maps.Clone(env)
	// A busy machine is no reason not to begin; what is not set again stays in force.
	w.first[requestLimit] = "1m"
	if w.then[requestLimit] == "" {
		w.then[requestLimit] = defaultRequestLimit
	}
	maps.DeleteFunc(w.first, func(name, _ string) bool { return strings.HasPrefix(name, "GOTRUE_HOOK_") })
	w.first["GOTRUE_RELOADING_NOTIFY_ENABLED"] = "true"
	w.first["GOTRUE_RELOADING_GRACE_PERIOD_INTERVAL"] = settle
	w.first["GOTRUE_LOG_LEVEL"] = "info" // it says when it has read its settings
	// What GET /settings shows of it tells which settings are in force.
	w.first["GOTRUE_DISABLE_SIGNUP"] = strconv.FormatBool(!w.signupOff())
	return w, nil
}

func (w *warmUp) remove() error { return os.RemoveAll(w.dir) }

// signupOff is what the recording says of sign-ups.
func (w *warmUp) signupOff() bool {
	off, err := strconv.ParseBool(w.then["GOTRUE_DISABLE_SIGNUP"])
	return err == nil && off
}

// The person of the warm-up, and what removes every trace of it.
var (
	//go:embed sql/arrive.sql
	arriveSQL string
	//go:embed sql/leave.sql
	leaveSQL string
)

// refreshToken is the one that arrive.sql gives out.
const refreshToken = "warmupwarmup"

// run signs a token and brings the recording's settings into force. Settings that the
// server refuses are a native.ErrRefused.
func (w *warmUp) run(ctx context.Context, server *native.Auth) error {
	if err := w.signToken(ctx, server); err != nil {
		return fmt.Errorf("let the server sign a token: %w", err)
	}
	// The new file appears whole: the server may look at any time.
	text, err := godotenv.Marshal(w.then)
	if err != nil {
		return err
	}
	hidden := filepath.Join(w.dir, "settings.new")
	if err := os.WriteFile(hidden, []byte(text+"\n"), 0o600); err != nil {
		return err
	}
	if err := os.Rename(hidden, filepath.Join(w.dir, "settings.env")); err != nil {
		return err
	}
	return w.await(ctx, server)
}

func (w *warmUp) signToken(ctx context.Context, server *native.Auth) error {
	if err := w.database.Exec(ctx, ground.Recorder, arriveSQL); err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"refresh_token": refreshToken})
	if err != nil {
		return err
	}
	status, answer, err := ask(ctx, server, http.MethodPost, "/token?grant_type=refresh_token", body)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("POST /token: %d: %s", status, answer)
	}
	return w.database.Exec(ctx, ground.Recorder, leaveSQL)
}

// ask sends a request to the server, past the address that the recording will use.
func ask(ctx context.Context, server *native.Auth, method, path string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, server.URL()+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, answer, err
}

// await waits until the recording's settings are in force, or refused.
func (w *warmUp) await(ctx context.Context, server *native.Auth) error {
	limit, cancel := context.WithTimeoutCause(ctx, reloadLimit, errNotRead)
	defer cancel()
	select {
	case refusal := <-w.heard.outcome:
		if refusal != "" {
			return fmt.Errorf("%w: %s", native.ErrRefused, refusal)
		}
	case <-server.Done():
		return server.Err()
	case <-limit.Done():
		return context.Cause(limit)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		status, answer, err := ask(limit, server, http.MethodGet, "/settings", nil)
		if err != nil {
			return err
		}
		var settings struct {
			DisableSignup bool `json:"disable_signup"`
		}
		if status == http.StatusOK && json.Unmarshal(answer, &settings) == nil && settings.DisableSignup == w.signupOff() {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.Done():
			return context.Cause(limit)
		}
	}
}

var errNotRead = errors.New("the server does not read its settings again")
