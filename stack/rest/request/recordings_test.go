package request

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/rest/apierror"
)

type recording struct {
	Scenario string             `json:"scenario"`
	Config   map[string]*string `json:"config"`
	Steps    []recordedStep     `json:"steps"`
}

type recordedStep struct {
	Name    string `json:"name"`
	Request *struct {
		Method  string         `json:"method"`
		Path    string         `json:"path"`
		Headers map[string]any `json:"headers"`
		Body    string         `json:"body"`
	} `json:"request"`
	Response struct {
		Status int             `json:"status"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
}

func (s recordedStep) input(schemas []string) Input {
	path, query, _ := strings.Cut(s.Request.Path, "?")
	in := Input{
		Method: s.Request.Method, Path: path, RawQuery: query, Header: http.Header{}, Body: []byte(s.Request.Body),
		Settings: Settings{Schemas: schemas, KnownTimezone: func(name string) bool { return !strings.HasPrefix(name, "Mars") }},
	}
	for k, v := range s.Request.Headers {
		if list, ok := v.([]any); ok {
			for _, one := range list {
				in.Header.Add(k, one.(string))
			}
		} else {
			in.Header.Add(k, v.(string))
		}
	}
	return in
}

func recordings(t testing.TB) []recording {
	t.Helper()
	files, err := filepath.Glob("../../../fixtures/recordings/rest/*/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	list := make([]recording, len(files))
	for i, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &list[i]), f)
	}
	return list
}

func (r recording) schemas() []string {
	if s := r.Config["db-schemas"]; s != nil {
		return strings.Split(*s, ",")
	}
	return []string{"public", "graphql_public"}
}

// parsedHere says whether the error of a recording is one that this package answers with.
func parsedHere(code string) bool {
	switch code {
	case "PGRST100", "PGRST101", "PGRST102", "PGRST106", "PGRST114", "PGRST117", "PGRST125":
		return true
	}
	return false
}

func TestRecordedRequestsAreUnderstoodAsTheServerDid(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, r := range recordings(t) {
		for _, s := range r.Steps {
			if s.Request == nil {
				continue
			}
			var want struct {
				Code, Message string
				Details       any
			}
			_ = json.Unmarshal(s.Response.Body, &want) // other bodies have no code
			_, err := Parse(s.input(r.schemas()))
			switch {
			case parsedHere(want.Code):
				compared++
				var got *apierror.Error
				if assert.ErrorAs(t, err, &got, "%s: %s", r.Scenario, s.Name) {
					assert.Equal(t, want.Code, got.Code, "%s: %s", r.Scenario, s.Name)
					assert.Equal(t, want.Message, got.Message, "%s: %s", r.Scenario, s.Name)
					assert.Equal(t, want.Details, got.Details, "%s: %s", r.Scenario, s.Name)
					assert.Equal(t, s.Response.Status, got.Status, "%s: %s", r.Scenario, s.Name)
				}
			case s.Response.Status < 300 || strings.HasPrefix(want.Code, "PGRST2"):
				assert.NoError(t, err, "%s: %s: %s", r.Scenario, s.Name, s.Request.Path)
			}
		}
	}
	assert.Greater(t, compared, 90, "recorded errors of the parser")
}
