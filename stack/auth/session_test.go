package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASessionEnds(t *testing.T) {
	t.Parallel()
	t.Run("when it was not refreshed for the inactivity timeout", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"GOTRUE_SESSIONS_INACTIVITY_TIMEOUT": "1h"})
		user := s.join("a@example.com")
		s.clock.pass(59 * time.Minute)
		got := s.refresh(user.refresh)
		require.Equal(t, http.StatusOK, got.status, got.body)
		s.clock.pass(59 * time.Minute)
		got = s.refresh(got.session().refresh)
		require.Equal(t, http.StatusOK, got.status, "a refresh is activity: %v", got.body)
		s.clock.pass(61 * time.Minute)
		got = s.refresh(got.session().refresh)
		assert.Equal(t, "session_expired", got.code())
		assert.Equal(t, "Invalid Refresh Token: Session Expired (Inactivity)", got.text("msg"))
	})
	t.Run("when the user has signed in elsewhere, with one session per user", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"GOTRUE_SESSIONS_SINGLE_PER_USER": "true"})
		first := s.join("a@example.com")
		s.clock.pass(time.Minute)
		second := s.signIn("a@example.com").session()
		got := s.refresh(first.refresh)
		assert.Equal(t, "session_expired", got.code())
		assert.Equal(t, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)", got.text("msg"))
		assert.Equal(t, http.StatusOK, s.refresh(second.refresh).status)
	})
	t.Run("but not by a session of another kind", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"GOTRUE_SESSIONS_SINGLE_PER_USER": "true", "GOTRUE_SESSIONS_TAGS": "web,phone"})
		first := s.join("a@example.com")
		s.clock.pass(time.Minute)
		s.signIn("a@example.com")
		s.sql(`update auth.sessions set tag = 'phone' where created_at = (select max(created_at) from auth.sessions)`)
		got := s.refresh(first.refresh)
		require.Equal(t, http.StatusOK, got.status, got.body)
		s.clock.pass(time.Minute)
		s.signIn("a@example.com") // without a tag it is of the first kind
		assert.Equal(t, "session_expired", s.refresh(got.session().refresh).code())
	})
	t.Run("for an administrator too, when its token names the session", func(t *testing.T) {
		t.Parallel()
		s := newSite(t, map[string]string{"GOTRUE_SESSIONS_TIMEBOX": "30m"})
		user := s.join("a@example.com")
		sessionID := value[string](s, `select id::text from auth.sessions`)
		claims := jwt.MapClaims{"role": "service_role", "sub": user.id, "session_id": sessionID}
		assert.Equal(t, http.StatusOK, s.send("GET", "/admin/users", mint(t, claims), nil).status)
		s.clock.pass(31 * time.Minute)
		got := s.send("GET", "/admin/users", mint(t, claims), nil)
		assert.Equal(t, http.StatusForbidden, got.status)
		assert.Equal(t, "session_expired", got.code())
		delete(claims, "session_id")
		assert.Equal(t, http.StatusOK, s.send("GET", "/admin/users", mint(t, claims), nil).status)
	})
}

func TestAReusedRefreshTokenIsRefusedForGood(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	first := s.join("a@example.com")
	second := s.refresh(first.refresh).session()
	third := s.refresh(second.refresh).session()
	s.clock.pass(11 * time.Second)
	got := s.refresh(first.refresh)
	assert.Equal(t, "refresh_token_already_used", got.code())
	assert.True(t, value[bool](s, `select bool_and(revoked) from auth.refresh_tokens`),
		"the refusal has revoked the family although its request failed")
	s.clock.pass(11 * time.Second)
	assert.Equal(t, "refresh_token_already_used", s.refresh(third.refresh).code())
}

func TestWhatATokenResponseSaysInItsHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	got := s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	first := got.session()
	sessionID := value[string](s, `select id::text from auth.sessions`)
	assert.Equal(t, first.id, got.header.Get("Sb-Auth-User-Id"))
	assert.Equal(t, sessionID, got.header.Get("Sb-Auth-Session-Id"))
	assert.Equal(t, first.refresh[:5], got.header.Get("Sb-Auth-Refresh-Token-Prefix"))
	assert.Empty(t, got.header.Get("Sb-Auth-Refresh-Token-Reuse"))
	got = s.refresh(first.refresh)
	assert.Equal(t, got.session().refresh[:5], got.header.Get("Sb-Auth-Refresh-Token-Prefix"))
	assert.Equal(t, "false", got.header.Get("Sb-Auth-Refresh-Token-Reuse"))
	again := s.refresh(first.refresh)
	assert.Equal(t, sessionID, again.header.Get("Sb-Auth-Session-Id"))
	assert.Empty(t, again.header.Get("Sb-Auth-Refresh-Token-Reuse"), "the active token was given out again")
}

func TestASessionRemembersItsClient(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for forwarded, want := range map[string]string{
		"": "127.0.0.1", "203.0.113.7, 10.0.0.1": "203.0.113.7", "junk, 2001:db8::1": "2001:db8::1", "fe80::1%eth0": "127.0.0.1",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+"/signup",
			jsonBody(t, in{"email": "a@example.com", "password": goodPassword}))
		require.NoError(t, err)
		req.Header.Set("User-Agent", "a test")
		req.Header.Set("X-Forwarded-For", forwarded)
		res, err := s.client.Do(req)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Equal(t, want+" a test", value[string](s, `select host(ip) || ' ' || user_agent from auth.sessions`), forwarded)
		_, err = s.connect("postgres").Exec(t.Context(), `delete from auth.users`)
		require.NoError(t, err)
	}
}

func TestAChangedPasswordNeedsTheOldOneWhereThatIsWanted(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD": "true"})
	user := s.join("a@example.com")
	for name, c := range map[string]struct {
		body in
		code string
	}{
		"none":    {in{"password": "another-horse-2"}, "current_password_required"},
		"a wrong": {in{"password": "another-horse-2", "current_password": "no"}, "current_password_invalid"},
		"same":    {in{"password": goodPassword, "current_password": goodPassword}, "same_password"},
	} {
		assert.Equal(t, c.code, s.send("PUT", "/user", user.access, c.body).code(), name)
	}
	got := s.send("PUT", "/user", user.access, in{"password": "another-horse-2", "current_password": goodPassword})
	require.Equal(t, http.StatusOK, got.status, got.body)
	assert.Equal(t, "invalid_credentials", s.signIn("a@example.com").code())
	assert.Equal(t, http.StatusOK, s.send("GET", "/user", user.access, nil).status, "its own session lives on")
}
