package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rest"
)

// sent is what a server got.
type sent struct {
	method, path, query, body string
	header                    http.Header
}

func record(t *testing.T, status int) (*rest.Client, *sent) {
	t.Helper()
	got := &sent{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		*got = sent{r.Method, r.URL.Path, r.URL.RawQuery, string(body), r.Header}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "[]")
	}))
	t.Cleanup(server.Close)
	return rest.New(server.URL+"/rest/v1", "the-key", http.DefaultTransport), got
}

func TestEveryVerbIsTheRequestThatAUsersProgramSends(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		request rest.Request
		want    sent
		prefer  string
	}{
		{
			"delete",
			rest.Request{Verb: probes.VerbDelete, Table: "public.posts", Key: map[string]string{"id": "7"}},
			sent{method: "DELETE", path: "/rest/v1/posts", query: "id=eq.7"},
			"return=minimal",
		},
		{
			"delete by a key of two columns",
			rest.Request{Verb: probes.VerbDelete, Table: "public.posts", Key: map[string]string{"b": "x&y=1", "a": "1"}},
			sent{method: "DELETE", path: "/rest/v1/posts", query: "a=eq.1&b=eq.x%26y%3D1"},
			"return=minimal",
		},
		{
			"insert",
			rest.Request{Verb: probes.VerbInsert, Table: "public.roles", Values: map[string]any{"role": "moderator", "n": 1}},
			sent{method: "POST", path: "/rest/v1/roles", body: `{"n":1,"role":"moderator"}`},
			"return=minimal",
		},
		{
			"update",
			rest.Request{Verb: probes.VerbUpdate, Table: "public.posts", Key: map[string]string{"id": "7"}, Values: map[string]any{"body": "new"}},
			sent{method: "PATCH", path: "/rest/v1/posts", query: "id=eq.7", body: `{"body":"new"}`},
			"return=minimal",
		},
		{
			"read",
			rest.Request{Verb: probes.VerbRead, Table: "public.posts", Key: map[string]string{"id": "7"}},
			sent{method: "GET", path: "/rest/v1/posts", query: "id=eq.7&select=id"},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, got := record(t, 200)
			test.request.Token = "the-token"
			answer, trouble := client.Do(t.Context(), test.request)
			require.Empty(t, trouble)
			assert.Equal(t, 200, answer.Status)
			header := got.header
			got.header = nil
			assert.Equal(t, test.want, *got)
			assert.Equal(t, test.prefer, header.Get("Prefer"))
			assert.Equal(t, "Bearer the-token", header.Get("Authorization"))
			assert.Equal(t, "the-key", header.Get("apikey"))
			assert.Equal(t, "public", header.Get("Content-Profile"))
		})
	}
}

func TestTheSchemaOfTheTableIsAddressed(t *testing.T) {
	t.Parallel()
	client, got := record(t, 200)
	_, trouble := client.Do(t.Context(), rest.Request{Verb: probes.VerbRead, Table: "private.posts", Key: map[string]string{"id": "1"}})
	require.Empty(t, trouble)
	assert.Equal(t, "/rest/v1/posts", got.path)
	assert.Equal(t, "private", got.header.Get("Accept-Profile"))
}

func TestARefusalIsAnAnswerAndNoTrouble(t *testing.T) {
	t.Parallel()
	client, _ := record(t, 403)
	answer, trouble := client.Do(t.Context(), rest.Request{Verb: probes.VerbDelete, Table: "public.posts", Key: map[string]string{"id": "1"}})
	assert.Empty(t, trouble)
	assert.Equal(t, 403, answer.Status)
}

func TestARequestThatCannotBeMadeIsTrouble(t *testing.T) {
	t.Parallel()
	client, got := record(t, 200)
	for _, request := range []rest.Request{
		{Verb: probes.VerbDelete, Table: "posts"},
		{Verb: "truncate", Table: "public.posts"},
		{Verb: probes.VerbInsert, Table: "public.posts", Values: map[string]any{"a": make(chan int)}},
	} {
		_, trouble := client.Do(t.Context(), request)
		assert.NotEmpty(t, trouble, "%+v", request)
	}
	assert.Empty(t, got.method)
	_, trouble := rest.New("://", "k", http.DefaultTransport).Do(t.Context(), rest.Request{Verb: probes.VerbRead, Table: "public.posts"})
	assert.NotEmpty(t, trouble)
}
