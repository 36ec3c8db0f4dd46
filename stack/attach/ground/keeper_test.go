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
	// Who gives a session up asks the server to cancel its statement, which takes a while; here it takes for ever.
	_, err = keeper.Exec(cancelled, "do $$ begin loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop; end $$")
	require.Error(t, err)
	require.True(t, keeper.IsClosed(), "its process goes on, and has the lock")

	require.NoError(t, c.Close(t.Context()))
	assert.Empty(t, whatDiffers(before, state(t, place)))
}
