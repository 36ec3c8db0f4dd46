//go:build unix

package workspace_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPipeIsRefusedWithoutWaitingForItsWriter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"roles.sql", "seed.sql"} {
		dir := folder(t, map[string]string{"supabase/config.toml": ""})
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "supabase", name), 0o600))
		assert.Equal(t, "supabase/"+name+": is not a regular file", refused(t, dir).Error())
	}
}
