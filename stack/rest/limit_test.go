package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// PostgREST reads at most 50 KiB of request line and headers (warp, settingsMaxTotalHeaderLength), and its HTTP server
// answers the rest (warp, defaultOnExceptionResponse).
func TestTheSizeOfQueryStringAndHeadersIsLimited(t *testing.T) {
	t.Parallel()
	a := serve(t, `create table public.t (id int primary key, name text); insert into public.t values (1, 'one')`)
	long := strings.Repeat("x", 49<<10)
	t.Run("long ones are answered", func(t *testing.T) {
		t.Parallel()
		a.get(as("service_role"), "/t?name=eq."+long).answers(200, `[]`)
		a.get(as("service_role"), "/t?id=eq.1", "X-Long: "+long).answers(200, `[{"id":1,"name":"one"}]`)
	})
	for what, r := range map[string]reply{
		"query string": a.get(as("service_role"), "/t?name=eq."+long+long),
		"header":       a.get(as("service_role"), "/t", "X-Long: "+long, "X-Longer: "+long),
	} {
		t.Run("longer ones are refused: "+what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, http.StatusBadRequest, r.status)
			assert.Equal(t, "Bad Request", r.body)
			assert.Equal(t, "text/plain; charset=utf-8", r.header.Get("Content-Type"))
		})
	}
	t.Run("bodies are not limited", func(t *testing.T) {
		t.Parallel()
		r := a.send(as("service_role"), http.MethodPost, "/t?select=id", `{"id":2,"name":"`+strings.Repeat(long, 40)+`"}`, "Prefer: return=representation")
		r.answers(201, `[{"id":2}]`)
	})
}
