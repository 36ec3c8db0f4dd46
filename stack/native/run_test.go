package native_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/mailbox"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/native/nativetest"
	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// processesOf are the ids of the processes that run because of an executable, and that
// have a text in their environment.
func processesOf(t *testing.T, executable, having string) []int {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	var list []int
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), having) {
			continue
		}
		running, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		if err == nil && (running == executable || strings.Contains(string(text), filepath.Dir(executable))) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			require.NoError(t, err)
			list = append(list, pid)
		}
	}
	return list
}

func TestACrashWhileServingIsToldWithTheLog(t *testing.T) {
	t.Parallel()
	r := startREST(t, native.Config{Path: nativetest.PostgREST(t, nativetest.CrashOnRequest), Env: restEnv(t)})
	require.NoError(t, r.Err())
	status, header, body := ask(t, r, http.MethodGet, "/crash", "")
	assert.Equal(t, http.StatusBadGateway, status)
	assert.Equal(t, "application/json", header.Get("Content-Type"))
	assert.Contains(t, body, "rest")
	ended(t, r.Done())
	assert.Equal(t, "ended: exit status 4", failure(t, r.Err()).What)
	assert.Contains(t, r.Err().Error(), "out of luck")
	status, _, body = ask(t, r, http.MethodGet, "/t", "")
	assert.Equal(t, http.StatusBadGateway, status)
	var answer struct{ Message string }
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	assert.Contains(t, answer.Message, "rest: ")
	assert.Contains(t, answer.Message, "out of luck")
}

func TestAServerThatIgnoresItsSignalIsKilled(t *testing.T) {
	t.Parallel()
	executable := nativetest.PostgREST(t, nativetest.IgnoreTerm)
	r, err := native.StartREST(t.Context(), native.Config{Path: executable, Env: restEnv(t), Grace: 200 * time.Millisecond})
	require.NoError(t, err)
	require.NoError(t, r.Stop(context.Background()))
	require.NoError(t, r.Stop(context.Background()), "stopping again is no error")
	require.NoError(t, r.Err(), "whoever stops a server is not told that it ended")
	assert.Empty(t, processesOf(t, executable, ""))
}

func TestALogWithoutEndNeitherStopsTheServerNorFillsTheMemory(t *testing.T) {
	t.Parallel()
	r := startREST(t, native.Config{Path: nativetest.PostgREST(t, nativetest.Flood), Env: restEnv(t)})
	for range 20 {
		status, _, _ := ask(t, r, http.MethodGet, "/", "")
		assert.Equal(t, http.StatusOK, status)
	}
}

func TestRequestsAndAnswersPassUnchanged(t *testing.T) {
	t.Parallel()
	env := restEnv(t)
	server := postgrestest.Shared(t)
	database := databaseOf(t, env["PGRST_DB_URI"])
	postgrestest.Exec(t, server, "postgres", database, `
		create table "a;b" (id int primary key, note text);
		create function head() returns json language sql as $$ select current_setting('request.headers')::json $$;`)
	r := startREST(t, native.Config{Path: nativetest.PostgREST(t), Env: env})
	require.NoError(t, r.Reload(t.Context()))
	status, _, body := ask(t, r, http.MethodPost, "/a%3Bb", `[{"id":1,"note":"x;y"},{"id":2,"note":"z"}]`)
	require.Equal(t, http.StatusCreated, status, body)
	status, header, body := ask(t, r, http.MethodGet, "/a%3Bb?id=eq.1;select=id", "")
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `[{"id":1}]`, body, "PostgREST takes a semicolon for an ampersand; net/url would drop both parts")
	assert.Equal(t, "postgrest/14.17", header.Get("Server"))
	assert.Equal(t, "0-0/*", header.Get("Content-Range"))
	_, _, body = ask(t, r, http.MethodPost, "/rpc/head", `{}`)
	var headers map[string]string
	require.NoError(t, json.Unmarshal([]byte(body), &headers), body)
	assert.NotContains(t, headers, "x-forwarded-for", "only the gateway says whom it forwards for")
	assert.Equal(t, "gzip", headers["accept-encoding"], "what the client sent, and nothing of ours")
}

func TestReasonPhrasesArePassedOn(t *testing.T) {
	t.Parallel()
	env := restEnv(t)
	postgrestest.Exec(t, postgrestest.Shared(t), "postgres", databaseOf(t, env["PGRST_DB_URI"]), `
		create function boom(code text, message text) returns void language plpgsql as
			$$ begin raise exception using errcode = code, message = message; end $$;`)
	r := startREST(t, native.Config{Path: nativetest.PostgREST(t), Env: env})
	server := httptest.NewServer(r)
	defer server.Close()
	for _, want := range []struct{ code, message, status string }{
		{"PT404", "nothing to see here, äöü", "404 nothing to see here, äöü"},
		{"PT999", "odd", "999 odd"},
		{"P0001", "plain", "400 Bad Request"},
	} {
		for range 2 { // on a connection of its own, and on one that was used
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/rpc/boom",
				strings.NewReader(`{"code":"`+want.code+`","message":"`+want.message+`"}`))
			require.NoError(t, err)
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Origin", "http://example.com")
			resp, err := server.Client().Do(req)
			require.NoError(t, err)
			var answer map[string]any
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
			require.NoError(t, resp.Body.Close())
			assert.Equal(t, want.status, resp.Status)
			assert.Equal(t, want.message, answer["message"])
			assert.Len(t, resp.Header.Values("Access-Control-Allow-Origin"), 1)
		}
	}
}

func TestMailsOfAuthGoToItsMailbox(t *testing.T) {
	t.Parallel()
	a := startAuth(t, native.Config{Path: nativetest.Auth(t), Env: authEnv(t)})
	status, _, body := ask(t, a, http.MethodPost, "/signup", `{"email":"a@example.com","password":"secret123"}`)
	require.Equal(t, http.StatusOK, status, body)
	_, _, body = ask(t, a.Mailbox(), http.MethodGet, "/?to=a@example.com", "")
	var list []mailbox.Message
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	require.Len(t, list, 1)
	assert.Equal(t, "signup", list[0].Kind)
	assert.Regexp(t, `^\d{6}$`, list[0].Code)
	assert.NotEmpty(t, list[0].TokenHash)
	assert.Contains(t, list[0].Link, "http://127.0.0.1:54321/auth/v1/verify?")
	assert.Equal(t, list[0].TokenHash, queryOf(t, list[0].Link).Get("token"))
	assert.Equal(t, "http://127.0.0.1:3000", list[0].RedirectTo)
	assert.Contains(t, list[0].Text, "Your code: "+list[0].Code)
	status, _, body = ask(t, a, http.MethodPost, "/verify",
		`{"type":"signup","email":"a@example.com","token":"`+list[0].Code+`"}`)
	assert.Equal(t, http.StatusOK, status, body)
}

func TestTheReasonOfAFailingAnswerIsInTheLogBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	log, lines := newLog()
	env := authEnv(t, map[string]string{
		"GOTRUE_MAILER_AUTOCONFIRM":               "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED": "true",
		"GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI":     "pg-functions://postgres/public/hook",
	})
	postgrestest.Exec(t, postgrestest.Shared(t), "postgres", databaseOf(t, env["GOTRUE_DB_DATABASE_URL"]), `
		create function hook(event jsonb) returns jsonb language plpgsql as
			$$ begin raise exception 'no token for %', event->'claims'->>'email'; end $$;
		grant execute on function hook to supabase_auth_admin;`)
	a := startAuth(t, native.Config{Path: nativetest.Auth(t), Env: env, Log: log})
	for i := range 10 {
		email := "p" + strconv.Itoa(i) + "@example.com"
		status, _, body := ask(t, a, http.MethodPost, "/signup", `{"email":"`+email+`","password":"secret123"}`)
		require.Equal(t, http.StatusInternalServerError, status, body)
		found := false
		for _, line := range lines.lines(t) {
			cause, _ := line["error"].(string)
			if line["msg"] == "Hook errored out" && strings.Contains(cause, "no token for "+email) {
				found = true
				assert.Equal(t, "P0001", line["sqlstate"])
				assert.Equal(t, "pg-functions://postgres/public/hook", line["hook"])
				assert.Equal(t, "WARN", line["level"])
			}
		}
		require.True(t, found, "the log has no reason for %s:\n%s", email, lines)
	}
}
