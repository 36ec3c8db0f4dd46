package authreplay_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity/authreplay"
)

// recordings is the folder with the recordings of the real server.
const recordings = "../../../fixtures/recordings/auth"

func TestEveryRecordingIsReadStrictly(t *testing.T) {
	t.Parallel()
	scenarios, err := authreplay.Load(os.DirFS(recordings))
	require.NoError(t, err)
	steps := 0
	for _, s := range scenarios {
		steps += len(s.Steps)
	}
	assert.Len(t, scenarios, 77)
	assert.Equal(t, 1540, steps)
}

func TestARecordingThatSaysMoreThanIsLookedAtIsRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"unknown member":  `{"scenario":"s","steps":[{"name":"a","sql":"select 1","response":{"rows":[],"count":1}}]}`,
		"no steps":        `{"scenario":"s","steps":[]}`,
		"two kinds":       `{"scenario":"s","steps":[{"name":"a","sql":"select 1","kind":"startup","response":{"started":true}}]}`,
		"no kind":         `{"scenario":"s","steps":[{"name":"a","response":{}}]}`,
		"started missing": `{"scenario":"s","steps":[{"name":"a","kind":"startup","env":{},"response":{}}]}`,
		"two documents":   `{"scenario":"s","steps":[{"name":"a","sql":"select 1","response":{}}]} {}`,
	}
	for name, text := range tests {
		_, err := authreplay.Decode(strings.NewReader(text))
		assert.Error(t, err, name)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"scenario":"s","steps":[{"name":"a","sql":"select 1","response":{}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := authreplay.Decode(strings.NewReader(text))
		if err == nil && len(s.Steps) == 0 {
			t.Fatal("accepted without steps")
		}
	})
}
