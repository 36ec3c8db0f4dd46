package proc_test

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/proc"
)

func TestListenerNamesTheProcessOnAPort(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp4", "tcp"} {
		l, err := net.Listen(network, ":0")
		require.NoError(t, err)
		defer l.Close()
		owner, err := proc.Listener(t.Context(), l.Addr().(*net.TCPAddr).Port)
		require.NoError(t, err, network)
		assert.Equal(t, os.Getpid(), owner.PID)
		assert.NotEmpty(t, owner.Name)
	}
}

func TestListenerFindsNobodyOnAFreePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	_, err = proc.Listener(t.Context(), port)
	assert.ErrorIs(t, err, proc.ErrNoListener)
}
