package rest_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity/embedded"
	"github.com/supascore/supascore/stack/parity/restreplay"
	"github.com/supascore/supascore/stack/postgres"
)

// TestRecordings replays what the real server answered, request by request. Roles
// and their settings belong to the cluster, so the recordings have one of their own.
func TestRecordings(t *testing.T) {
	engine, err := embedded.Start(t.Context(), postgres.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Stop(context.Background())) })
	restreplay.Exercise(t, engine.REST(), os.DirFS("../../fixtures/recordings/rest"), nil)
}
