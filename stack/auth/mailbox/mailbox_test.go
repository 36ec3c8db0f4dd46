package mailbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/mailbox"
)

func TestTheOldestMessagesGoFirst(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	box := mailbox.New(mailbox.Config{Limit: 2, Now: func() time.Time { return now }})
	for i := range 5 {
		box.Add(mailbox.Message{To: fmt.Sprintf("u%d@example.com", i), Code: "1"})
	}
	got := box.List("")
	require.Len(t, got, 2)
	assert.Equal(t, "u3@example.com", got[0].To)
	assert.Equal(t, int64(5), got[1].ID)
	assert.Equal(t, time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC), got[1].SentAt)
	box.Clear()
	assert.Empty(t, box.List(""))
	assert.Equal(t, int64(6), box.Add(mailbox.Message{}).ID, "ids go on")
}

func TestAnAddressIsFoundInAnyCase(t *testing.T) {
	t.Parallel()
	box := mailbox.New(mailbox.Config{})
	box.Add(mailbox.Message{To: "a@example.com"})
	box.Add(mailbox.Message{To: "b@example.com"})
	assert.Len(t, box.List("A@Example.com"), 1)
	assert.Empty(t, box.List("a@example.co"))
}

func TestManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	box := mailbox.New(mailbox.Config{Limit: 10_000})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 50 {
				box.Add(mailbox.Message{To: "a"})
				box.List("a")
			}
		})
	}
	wg.Wait()
	got := box.List("")
	require.Len(t, got, 1000)
	for i, m := range got {
		require.Equal(t, int64(i+1), m.ID)
	}
}

func TestTheListOverHTTP(t *testing.T) {
	t.Parallel()
	box := mailbox.New(mailbox.Config{})
	server := httptest.NewServer(box)
	t.Cleanup(server.Close)
	box.Add(mailbox.Message{To: "a@example.com", Kind: "signup", Code: "123456"})
	box.Add(mailbox.Message{To: "b@example.com", Kind: "recovery", Code: "654321"})
	do := func(method, query string) (int, []mailbox.Message) {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+query, nil)
		require.NoError(t, err)
		response, err := server.Client().Do(req)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		var list []mailbox.Message
		if response.StatusCode == http.StatusOK {
			require.NoError(t, json.Unmarshal(body, &list))
		}
		return response.StatusCode, list
	}

	_, all := do(http.MethodGet, "/")
	assert.Len(t, all, 2)
	_, one := do(http.MethodGet, "/?to=B@example.com")
	require.Len(t, one, 1)
	assert.Equal(t, "654321", one[0].Code)
	_, later := do(http.MethodGet, "/?after=1")
	require.Len(t, later, 1)
	assert.Equal(t, int64(2), later[0].ID)
	status, _ := do(http.MethodGet, "/?after=x")
	assert.Equal(t, http.StatusBadRequest, status)
	status, _ = do(http.MethodPost, "/")
	assert.Equal(t, http.StatusMethodNotAllowed, status)
	status, _ = do(http.MethodDelete, "/")
	assert.Equal(t, http.StatusNoContent, status)
	_, none := do(http.MethodGet, "/")
	assert.NotNil(t, none, "an empty list is [], not null")
	assert.Empty(t, none)
}

func FuzzListQuery(f *testing.F) {
	f.Add("to=a@example.com&after=0")
	f.Add("after=9223372036854775808")
	box := mailbox.New(mailbox.Config{})
	box.Add(mailbox.Message{To: "a@example.com"})
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL = &url.URL{Path: "/", RawQuery: query}
		w := httptest.NewRecorder()
		box.ServeHTTP(w, r)
		if w.Code == http.StatusOK && !strings.HasPrefix(w.Body.String(), "[") {
			t.Fatalf("no list: %s", w.Body)
		}
	})
}
