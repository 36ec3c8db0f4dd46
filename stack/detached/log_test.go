package detached_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/detached"
)

func TestAnotherProcessReadsTheLogAndWhatAuthWasStartedWith(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "supabase", "config.toml"), []byte(
		"project_id = \"test\"\n[auth.hook.custom_access_token]\nenabled = true\nuri = \"pg-functions://postgres/public/nowhere\"\n"), 0o600))
	state := spawn(t, asRole(dir, projectID(), "serves"))
	assert.Equal(t, map[string]attach.Hook{"custom_access_token": {URI: "pg-functions://postgres/public/nowhere"}}, state.Auth.Hooks)
	assert.Len(t, state.Auth.Hash, 64)

	before, next, err := detached.Log(t.Context(), state, 0)
	require.NoError(t, err)
	assert.Len(t, before, next)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, state.Endpoints.AuthURL+"/signup",
		strings.NewReader(`{"email":"a@example.com","password":"secret123"}`))
	require.NoError(t, err)
	req.Header.Set("apikey", state.Endpoints.Keys.Publishable)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.GreaterOrEqual(t, resp.StatusCode, 400)

	after, last, err := detached.Log(t.Context(), state, next)
	require.NoError(t, err)
	require.NotEmpty(t, after)
	assert.Equal(t, next+len(after), last)
	assert.Equal(t, "auth", after[0].Service)
	assert.Contains(t, after[0].Attrs["error"], "public.nowhere")
	nothing, again, err := detached.Log(t.Context(), state, last)
	require.NoError(t, err)
	assert.Empty(t, nothing)
	assert.Equal(t, last, again)

	state.Control.Token = "wrong"
	_, _, err = detached.Log(t.Context(), state, 0)
	require.ErrorContains(t, err, "403")
	state.Control = detached.Control{}
	_, _, err = detached.Log(t.Context(), state, 0)
	assert.ErrorContains(t, err, "another version")
}
