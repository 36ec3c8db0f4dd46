package auth_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/embedded"
	"github.com/supascore/supascore/stack/postgres"
)

func TestTheServerAnswersAsTheRecordedOne(t *testing.T) {
	t.Parallel()
	engine, err := embedded.Start(t.Context(), postgres.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, engine.Stop(context.Background())) })
	authreplay.Exercise(t, engine.Auth(), os.DirFS("../../fixtures/recordings/auth"), nil)
}
