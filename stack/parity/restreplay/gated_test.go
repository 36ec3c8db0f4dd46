package restreplay_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// gated is a server that somebody else started: it refuses what the test says.
type gated struct {
	url      string
	executed []string
	suits    error
	refuses  map[string]error // by the script, or the name of the step
}

func (g *gated) Open(context.Context) (restreplay.Instance, error) { return g, nil }
func (g *gated) Cleanup(context.Context, string) error             { return nil }
func (g *gated) Exec(_ context.Context, _, sql string) error {
	g.executed = append(g.executed, sql)
	return g.refuses[sql]
}

func (g *gated) Start(context.Context, map[string]string) (string, error) {
	return g.url + "/rest/v1", nil
}
func (g *gated) Reload(context.Context) error      { return nil }
func (g *gated) Close(context.Context) error       { return nil }
func (g *gated) Suits(map[string]string) error     { return g.suits }
func (g *gated) Passes(step restreplay.Step) error { return g.refuses[step.Name] }

// threeSteps are a request, SQL and a request.
const threeSteps = `{"scenario": "g/s", "about": "", "source": "", "config": {}, "setup_sql": "set up", "steps": [
	{"name": "one", "as": "none", "request": {"method": "GET", "path": "/t", "headers": {}, "body": null},
		"response": {"status": 200, "headers": {"content-type": "text/plain"}, "body": "/rest/v1/t"}},
	{"name": "change", "sql": "change", "response": {}},
	{"name": "two", "as": "none", "request": {"method": "GET", "path": "//u", "headers": {}, "body": null},
		"response": {"status": 200, "headers": {"content-type": "text/plain"}, "body": "/rest/v1//u"}}]}`

func TestWhatCannotBeAskedIsLeftOutWithItsReason(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Access-Control-Allow-Origin", "*") // the gateway's own
		_, _ = w.Write([]byte(r.RequestURI))
	}))
	t.Cleanup(server.Close)
	scenario, err := restreplay.Decode(strings.NewReader(threeSteps))
	require.NoError(t, err)
	left := &parity.NotAskedError{Reason: "why"}
	for name, test := range map[string]struct {
		target   gated
		want     []string
		executed []string
	}{
		"nothing is in the way":                  {gated{}, []string{"", "", ""}, []string{"set up", "change"}},
		"other settings are needed":              {gated{suits: left}, []string{"why", "why", "why"}, nil},
		"the setup is refused":                   {gated{refuses: map[string]error{"set up": left}}, []string{"why", "why", "why"}, []string{"set up"}},
		"SQL is refused, and what follows on it": {gated{refuses: map[string]error{"change": left}}, []string{"", "why", "why"}, []string{"set up", "change"}},
		"one request does not come through":      {gated{refuses: map[string]error{"one": left}}, []string{"why", "", ""}, []string{"set up", "change"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := test.target
			target.url = server.URL
			steps, err := restreplay.Run(t.Context(), &target, scenario)
			require.NoError(t, err)
			var got []string
			for _, step := range steps {
				got = append(got, step.NotAsked)
				assert.Equal(t, step.NotAsked == "", step.Agrees(), "%s: %s", step.Step, step.Diff())
			}
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.executed, target.executed)
		})
	}
}

func TestASetupThatFailsIsNotTakenForOneThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	scenario, err := restreplay.Decode(strings.NewReader(threeSteps))
	require.NoError(t, err)
	_, err = restreplay.Run(t.Context(), &gated{refuses: map[string]error{"set up": errors.New("no database")}}, scenario)
	require.EqualError(t, err, "replay g/s: set up: no database")
}
