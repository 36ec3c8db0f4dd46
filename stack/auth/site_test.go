package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth"
	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now().Truncate(time.Second)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// site is a running server on a database of its own, as a client sees it.
type site struct {
	t      testing.TB
	db     string
	server *auth.Server
	http   *httptest.Server
	client *http.Client
	clock  *clock
}

// newSite starts a server with the settings of a default local project, changed by env.
func newSite(t testing.TB, env map[string]string, edits ...func(*auth.Config)) *site {
	t.Helper()
	postgres := postgrestest.Shared(t)
	s := &site{t: t, db: postgrestest.ExposedDatabase(t, postgres, true), clock: newClock()}
	s.start(env, edits...)
	return s
}

// start starts a server, after SQL has made what its hooks need.
func (s *site) start(env map[string]string, edits ...func(*auth.Config)) {
	s.t.Helper()
	all := authreplay.BaseEnv()
	maps.Copy(all, env)
	cfg, err := auth.FromEnv(all)
	require.NoError(s.t, err)
	cfg.DatabaseURL = postgrestest.Shared(s.t).URL("supabase_auth_admin", s.db)
	cfg.MaxConns, cfg.Now = 4, s.clock.Now
	cfg.RequestTimeout = 5 * time.Minute // a busy machine must not decide a test
	for _, edit := range edits {
		edit(&cfg)
	}
	s.server, err = auth.Start(s.t.Context(), cfg)
	require.NoError(s.t, err)
	s.http = httptest.NewServer(s.server)
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.t.Cleanup(func() {
		s.http.Close()
		_ = s.server.Stop(context.Background())
	})
}

// hookedSite is newSite on a database in which SQL has run first.
func hookedSite(t testing.TB, sql string, env map[string]string, edits ...func(*auth.Config)) *site {
	t.Helper()
	postgres := postgrestest.Shared(t)
	s := &site{t: t, db: postgrestest.ExposedDatabase(t, postgres, true), clock: newClock()}
	s.sql(sql)
	s.start(env, edits...)
	return s
}

func (s *site) sql(text string) {
	s.t.Helper()
	postgrestest.Exec(s.t, postgrestest.Shared(s.t), "postgres", s.db, text)
}

// reply is an answer. Members of a JSON object are found by dotted paths.
type reply struct {
	status int
	header http.Header
	body   any
}

func (r reply) text(path string) string {
	value := r.body
	for part := range strings.SplitSeq(path, ".") {
		members, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = members[part]
	}
	text, _ := value.(string)
	return text
}

// code is the error code of a refusal, empty for success.
func (r reply) code() string { return r.header.Get("X-Sb-Error-Code") }

// send sends a request; a token of "" sends none.
func (s *site) send(method, path, token string, body any) reply {
	s.t.Helper()
	got, err := s.try(method, path, token, body)
	require.NoError(s.t, err)
	return got
}

// try is send for goroutines, which may not end the test. A body that is a string is sent as it is.
func (s *site) try(method, path, token string, body any) (reply, error) {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			return reply{}, err
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.http.URL+path, reader)
	if err != nil {
		return reply{}, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	got := reply{status: response.StatusCode, header: response.Header}
	_ = json.Unmarshal(data, &got.body) // an answer without JSON has no members
	return got, err
}

func (s *site) post(path string, body any) reply { s.t.Helper(); return s.send("POST", path, "", body) }

// in is a JSON body.
type in map[string]any

const goodPassword = "correct-horse-1"

// signUp signs an address up where nothing has to be confirmed, and returns the access token.
func (s *site) signUp(email string) string {
	s.t.Helper()
	got := s.post("/signup", in{"email": email, "password": goodPassword})
	require.Equal(s.t, 200, got.status, got.body)
	require.NotEmpty(s.t, got.text("access_token"), "the address had to be confirmed")
	return got.text("access_token")
}

// lastMail is the latest mail to an address.
func (s *site) lastMail(to string) mailbox.Message {
	s.t.Helper()
	mails := s.server.Mailbox().List(to)
	require.NotEmpty(s.t, mails, "no mail to %s", to)
	return mails[len(mails)-1]
}

// follow opens the link of a mail and returns where it leads.
func (s *site) follow(m mailbox.Message) *url.URL {
	s.t.Helper()
	_, query, ok := strings.Cut(m.Link, "/verify?")
	require.True(s.t, ok, "no link: %q", m.Link)
	got := s.send("GET", "/verify?"+query, "", nil)
	require.Equal(s.t, 303, got.status, got.body)
	target, err := url.Parse(got.header.Get("Location"))
	require.NoError(s.t, err)
	return target
}

// fragment reads the fragment of an address as a query.
func fragment(t *testing.T, u *url.URL) url.Values {
	t.Helper()
	values, err := url.ParseQuery(u.Fragment)
	require.NoError(t, err)
	return values
}

// serviceRole is the API key of a local project's administrator.
const serviceRole = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MTk4MzgxMjk5Nn0.EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU"

// queryText is the one value of a query, as its owner sees it.
func (s *site) queryText(query string) string {
	s.t.Helper()
	conn, err := pgx.Connect(s.t.Context(), postgrestest.Shared(s.t).URL("postgres", s.db))
	require.NoError(s.t, err)
	defer conn.Close(context.Background())
	var text string
	require.NoError(s.t, conn.QueryRow(s.t.Context(), query).Scan(&text))
	return text
}
