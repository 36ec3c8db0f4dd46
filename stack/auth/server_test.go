package auth_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth"
)

func TestPagesOfEveryOriginMayUseTheAPI(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ask := func(method string, header map[string]string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, s.http.URL+"/signup", http.NoBody)
		require.NoError(t, err)
		for name, value := range header {
			req.Header.Set(name, value)
		}
		res, err := s.client.Do(req)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
		return res
	}
	preflight := ask("OPTIONS", map[string]string{
		"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "authorization,apikey",
	})
	assert.Equal(t, http.StatusNoContent, preflight.StatusCode)
	assert.Equal(t, "*", preflight.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "POST", preflight.Header.Get("Access-Control-Allow-Methods"))
	assert.Equal(t, "authorization,apikey", preflight.Header.Get("Access-Control-Allow-Headers"))

	real := ask("POST", map[string]string{"Origin": "http://localhost:3000"})
	assert.Equal(t, http.StatusBadRequest, real.StatusCode)
	assert.Equal(t, "*", real.Header.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, real.Header.Get("Access-Control-Expose-Headers"), "X-Total-Count")
	assert.Empty(t, ask("POST", nil).Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, http.StatusMethodNotAllowed, ask("OPTIONS", nil).StatusCode, "without a method asked for it is no preflight")
}

func TestARequestThatTakesTooLongIsAnswered(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, `
		create function public.custom_access_token_hook(event jsonb) returns jsonb language plpgsql as
			$$ begin perform pg_sleep(60); return event; end $$;
		grant execute on function public.custom_access_token_hook to supabase_auth_admin;`,
		hookEnv(), realTime, func(cfg *auth.Config) { cfg.RequestTimeout = 200 * time.Millisecond })
	got := s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	assert.Equal(t, http.StatusGatewayTimeout, got.status)
	assert.Equal(t, "request_timeout", got.code())
	assert.Equal(t, "Processing this request timed out, please retry after a moment.", got.text("msg"))
	assert.Equal(t, http.StatusOK, s.send("GET", "/health", "", nil).status)
}

func TestAPanicEndsOneRequestOnly(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	s := newSite(t, nil, func(cfg *auth.Config) { cfg.Rand = sometimes{&broken, cfg.Rand} })
	broken.Store(true)
	got := s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	assert.Equal(t, http.StatusInternalServerError, got.status)
	assert.Equal(t, "Internal Server Error", got.text("msg"))
	broken.Store(false)
	s.join("a@example.com")
}

// sometimes is a source of randomness that fails while broken is set.
type sometimes struct {
	broken *atomic.Bool
	_      io.Reader
}

func (s sometimes) Read(p []byte) (int, error) {
	if s.broken.Load() {
		return 0, errors.New("no randomness left")
	}
	for i := range p {
		p[i] = byte(time.Now().UnixNano() >> (8 * (i % 4)))
	}
	return len(p), nil
}

func TestStopping(t *testing.T) {
	t.Parallel()
	slow := `
		create function public.custom_access_token_hook(event jsonb) returns jsonb language plpgsql as
			$$ begin perform pg_sleep(1); return event; end $$;
		grant execute on function public.custom_access_token_hook to supabase_auth_admin;`
	inFlight := func(s *site) <-chan reply {
		done := make(chan reply, 1)
		go func() {
			got, err := s.try("POST", "/signup", "", in{"email": "a@example.com", "password": goodPassword})
			assert.NoError(t, err)
			done <- got
		}()
		until(s, `select exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')`)
		return done
	}
	t.Run("waits for requests in flight and refuses new ones", func(t *testing.T) {
		t.Parallel()
		s := hookedSite(t, slow, hookEnv(), realTime)
		done := inFlight(s)
		require.NoError(t, s.server.Stop(t.Context()))
		assert.Equal(t, http.StatusOK, (<-done).status)
		assert.Equal(t, http.StatusServiceUnavailable, s.send("GET", "/health", "", nil).status)
		require.NoError(t, s.server.Stop(t.Context()), "again")
	})
	t.Run("gives up when its context ends", func(t *testing.T) {
		t.Parallel()
		s := hookedSite(t, slow, hookEnv(), realTime)
		done := inFlight(s)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorContains(t, s.server.Stop(ctx), "requests are still running")
		assert.Equal(t, http.StatusOK, (<-done).status)
	})
}

func TestTwoServersInOneProcessShareNothing(t *testing.T) {
	t.Parallel()
	a, b := newSite(t, nil), newSite(t, map[string]string{"GOTRUE_DISABLE_SIGNUP": "true"})
	user := a.join("a@example.com")
	assert.Equal(t, "signup_disabled", b.post("/signup", in{"email": "a@example.com", "password": goodPassword}).code())
	got := b.send("GET", "/user", user.access, nil)
	assert.Equal(t, "user_not_found", got.code())
}

func TestAHookThatCallsBackForItsOwnUserEndsByItsTimeLimit(t *testing.T) {
	t.Parallel()
	var s *site
	inner := make(chan reply, 1)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, err := io.ReadAll(r.Body)
		if !assert.NoError(t, err) {
			return
		}
		_, after, _ := strings.Cut(string(event), `"user_id":"`)
		userID, _, _ := strings.Cut(after, `"`)
		// The token's transaction holds the user's row; this waits for it, and it for this.
		got, err := s.try("PUT", "/admin/users/"+userID, serviceRole, in{"app_metadata": in{"seen": true}})
		assert.NoError(t, err)
		inner <- got
		w.WriteHeader(http.StatusNoContent)
	}))
	defer hook.Close()
	s = newSite(t, map[string]string{
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI":     hook.URL,
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS": "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
	}, realTime, func(cfg *auth.Config) { cfg.Hooks.HTTPTimeout = time.Second })
	got := s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	assert.Equal(t, http.StatusUnprocessableEntity, got.status)
	assert.Equal(t, "hook_timeout", got.code())
	assert.Equal(t, http.StatusOK, (<-inner).status, "the change goes through once the token's transaction is over")
	assert.Zero(t, value[int](s, `select count(*) from auth.sessions`))
}
