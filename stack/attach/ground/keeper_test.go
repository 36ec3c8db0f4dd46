package ground_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestACandidateIsTakenAwayThoughTheKeeperWasGivenUpInTheMiddleOfAStatement(t *testing.T) {
	t.Parallel()
	place := running(t)
	before := state(t, place)
	g := open(t, place)
	c, err := g.Enter(t.Context(), notes())
	require.NoError(t, err)

	keeper, err := g.Keeper(t.Context())
	require.NoError(t, err)
	cancelled, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = keeper.Exec(cancelled, "select pg_sleep(60)")
	require.Error(t, err)
	require.True(t, keeper.IsClosed(), "its process goes on, and has the lock")

	require.NoError(t, c.Close(t.Context()))
	assert.Empty(t, whatDiffers(before, state(t, place)))
}
