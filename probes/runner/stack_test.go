package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/stack/postgres"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

const (
	testSecret = "super-secret-jwt-token-with-at-least-32-characters-long"
	testAPIKey = "sb_publishable_test"
)

// fakeStack plays Auth and REST over a real database, with answers in the shapes
// of the real services, so that a test can make either fail at will. It knows the
// requests of the test's plan only.
type fakeStack struct {
	t        *testing.T
	server   *postgres.Server
	database string
	pool     *pgxpool.Pool
	http     *httptest.Server

	mu sync.Mutex
	// failAuth may answer a request to Auth itself: it returns true when it did.
	failAuth func(w http.ResponseWriter, kind, email string) bool
	// failREST does the same for a request to REST.
	failREST func(w http.ResponseWriter, r *http.Request) bool
	logs     []probes.LogEntry
	users    map[string]string
	// signIns counts sign-ins by address.
	signIns map[string]int
}

// newFakeStack makes a stack on a fresh database of the shared server.
func newFakeStack(t *testing.T, schema string) *fakeStack {
	t.Helper()
	server := postgrestest.Shared(t)
	return fakeStackOn(t, server, postgrestest.Database(t, server), schema)
}

// fakeStackOn makes a stack on a database.
func fakeStackOn(t *testing.T, server *postgres.Server, database, schema string) *fakeStack {
	t.Helper()
	s := &fakeStack{
		t: t, server: server, database: database,
		users: map[string]string{}, signIns: map[string]int{},
	}
	pool, err := pgxpool.New(t.Context(), server.URL("supabase_admin", s.database))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s.pool = pool
	_, err = pool.Exec(t.Context(), "set role postgres;"+schema+";reset role;")
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth/v1/health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /auth/v1/signup", s.signUp)
	mux.HandleFunc("POST /auth/v1/token", s.signIn)
	mux.HandleFunc("/rest/v1/", s.rest)
	s.http = httptest.NewServer(mux)
	t.Cleanup(s.http.Close)
	return s
}

func (s *fakeStack) target() probes.Target {
	return probes.Target{
		AuthURL: s.http.URL + "/auth/v1", RESTURL: s.http.URL + "/rest/v1", APIKey: testAPIKey,
		OwnerURL: s.server.URL("postgres", s.database), JWTSecret: testSecret,
		Logs: func() []probes.LogEntry {
			s.mu.Lock()
			defer s.mu.Unlock()
			return append([]probes.LogEntry(nil), s.logs...)
		},
		Hooks: map[string]probes.HookConfig{"custom_access_token": {Enabled: true, Schema: "public", Function: "hook"}},
	}
}

func (s *fakeStack) log(entry probes.LogEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs = append(s.logs, entry)
}

func (s *fakeStack) signUp(w http.ResponseWriter, r *http.Request) {
	email := s.read(r)
	if s.failAuth != nil && s.failAuth(w, "sign-up", email) {
		return
	}
	id := uuid.NewString()
	_, err := s.pool.Exec(r.Context(), "insert into auth.users (id, email) values ($1, $2)", id, email)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	s.mu.Lock()
	s.users[email] = id
	s.mu.Unlock()
	s.session(w, email)
}

func (s *fakeStack) signIn(w http.ResponseWriter, r *http.Request) {
	email := s.read(r)
	s.mu.Lock()
	s.signIns[email]++
	s.mu.Unlock()
	if s.failAuth != nil && s.failAuth(w, "sign-in", email) {
		return
	}
	s.session(w, email)
}

func (s *fakeStack) read(r *http.Request) string {
	var body struct{ Email, Password string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Password != "secret123" || r.Header.Get("apikey") != testAPIKey {
		s.t.Errorf("Auth got the wrong request: %v, %+v, key %q", err, body, r.Header.Get("apikey"))
	}
	return body.Email
}

// session answers with a token that says whether the person had a row in
// member_roles when it was issued.
func (s *fakeStack) session(w http.ResponseWriter, email string) {
	s.mu.Lock()
	id := s.users[email]
	s.mu.Unlock()
	var role *string
	err := s.pool.QueryRow(context.Background(), "select max(role::text) from public.member_roles where member_id = $1", id).Scan(&role)
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": id, "role": "authenticated", "user_role": role, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(testSecret))
	if err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	now := time.Now().UTC().Format(time.RFC3339)
	answer(w, http.StatusOK, map[string]any{
		"access_token": token, "token_type": "bearer", "expires_in": 3600, "refresh_token": "r",
		"user": map[string]any{"id": id, "email": email, "created_at": now, "updated_at": now},
	})
}

// rest carries a request out with the rights of its token, as PostgREST does.
func (s *fakeStack) rest(w http.ResponseWriter, r *http.Request) {
	table := strings.TrimPrefix(r.URL.Path, "/rest/v1/")
	if strings.HasPrefix(table, "rpc/") {
		answer(w, http.StatusNotFound, map[string]any{"code": "PGRST202", "message": "no such function"})
		return
	}
	if s.failREST != nil && s.failREST(w, r) {
		return
	}
	claims := jwt.MapClaims{}
	raw := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, err := jwt.ParseWithClaims(raw, claims, func(*jwt.Token) (any, error) { return []byte(testSecret), nil }); err != nil {
		answer(w, http.StatusUnauthorized, map[string]any{"code": "PGRST301", "message": err.Error()})
		return
	}
	rows, err := s.carryOut(r, table, claims)
	if err != nil {
		answer(w, http.StatusForbidden, map[string]any{"code": "42501", "message": err.Error()})
		return
	}
	if r.Method == http.MethodGet {
		answer(w, http.StatusOK, make([]struct{}, rows))
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (s *fakeStack) carryOut(r *http.Request, table string, claims jwt.MapClaims) (int64, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return 0, err
	}
	tx, err := s.pool.Begin(r.Context())
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(context.Background()) //nolint:errcheck // nothing is left after a commit
	_, err = tx.Exec(r.Context(), "select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", string(text))
	if err != nil {
		return 0, err
	}
	name := pgx.Identifier{"public", table}.Sanitize()
	var body map[string]any
	if r.Body != nil {
		_ = json.NewDecoder(r.Body).Decode(&body)
	}
	id := strings.TrimPrefix(r.URL.Query().Get("id"), "eq.")
	var statement string
	args := []any{id}
	switch r.Method {
	case http.MethodDelete:
		statement = fmt.Sprintf("delete from %s where id = $1::text::bigint", name)
	case http.MethodGet:
		statement = fmt.Sprintf("select id from %s where id = $1::text::bigint", name)
	case http.MethodPatch:
		statement, args = fmt.Sprintf("update %s set body = $2 where id = $1::text::bigint", name), []any{id, body["body"]}
	default:
		statement, args = fmt.Sprintf("insert into %s (member_id, role) values ($1, $2)", name), []any{body["member_id"], body["role"]}
	}
	tag, err := tx.Exec(r.Context(), statement, args...)
	if err != nil {
		return 0, err
	}
	return tag.RowsAffected(), tx.Commit(r.Context())
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// fail answers as Auth does when something breaks.
func fail(w http.ResponseWriter, status int, message string) {
	answer(w, status, map[string]any{"code": status, "error_code": "unexpected_failure", "msg": message})
}
