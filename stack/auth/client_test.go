package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// session is a user that has signed in.
type session struct{ id, access, refresh string }

func (r reply) session() session {
	return session{id: r.text("user.id"), access: r.text("access_token"), refresh: r.text("refresh_token")}
}

// join signs an address up where nothing has to be confirmed.
func (s *site) join(email string) session {
	s.t.Helper()
	got := s.post("/signup", in{"email": email, "password": goodPassword})
	require.Equal(s.t, 200, got.status, got.body)
	return got.session()
}

func (s *site) signIn(email string) reply {
	s.t.Helper()
	return s.post("/token?grant_type=password", in{"email": email, "password": goodPassword})
}

func (s *site) refresh(token string) reply {
	s.t.Helper()
	return s.post("/token?grant_type=refresh_token", in{"refresh_token": token})
}

// mint signs claims with the project's secret.
func mint(t testing.TB, claims jwt.MapClaims) string {
	t.Helper()
	secret := authreplay.BaseEnv()["GOTRUE_JWT_SECRET"]
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(secret))
	require.NoError(t, err)
	return text
}

// value is the one value that SQL answers as postgres.
func value[T any](s *site, sql string, args ...any) T {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), postgrestest.Shared(s.t).URL("postgres", s.db))
	require.NoError(s.t, err)
	defer conn.Close(context.Background())
	var out T
	require.NoError(s.t, conn.QueryRow(s.t.Context(), sql, args...).Scan(&out))
	return out
}

// patience is how long tests wait for what has to happen. It is longer than any busy machine takes.
const patience = time.Minute

// until waits until SQL answers true.
func until(s *site, sql string) {
	s.t.Helper()
	conn := s.connect("postgres")
	require.EventuallyWithT(s.t, func(c *assert.CollectT) {
		var holds bool
		require.NoError(c, conn.QueryRow(s.t.Context(), sql).Scan(&holds))
		assert.True(c, holds, sql)
	}, patience, 10*time.Millisecond)
}

// connect opens a connection that the test's end closes.
func (s *site) connect(role string) *pgx.Conn {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), postgrestest.Shared(s.t).URL(role, s.db))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// jsonBody is a value as the body of a request.
func jsonBody(t testing.TB, v any) io.Reader {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return bytes.NewReader(data)
}
