package postgres

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAvailableMemoryIsReadFromTheKernel(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 123<<10, memAvailable([]byte("MemTotal: 999 kB\nMemAvailable:     123 kB\n")))
	assert.Zero(t, memAvailable([]byte("MemTotal: 999 kB\n")))
	assert.Zero(t, memAvailable(nil))
	assert.NotZero(t, availableMemory())
}

func TestAControlGroupsLimitMayBeAbsent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]uint64{"1048576\n": 1 << 20, "max\n": 0, "": 0} {
		path := filepath.Join(dir, "memory.max")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got, ok := readNumber(path)
		assert.Equal(t, want, got)
		assert.Equal(t, want != 0, ok)
	}
	_, ok := readNumber(filepath.Join(dir, "nothing"))
	assert.False(t, ok)

	limit, used := filepath.Join(dir, "limit"), filepath.Join(dir, "used")
	require.NoError(t, os.WriteFile(limit, []byte("1000"), 0o600))
	assert.EqualValues(t, uint64(math.MaxUint64), groupFree(limit, used), "no use known")
	require.NoError(t, os.WriteFile(used, []byte("300"), 0o600))
	assert.EqualValues(t, 700, groupFree(limit, used))
	require.NoError(t, os.WriteFile(used, []byte("3000"), 0o600))
	assert.Zero(t, groupFree(limit, used))
}
