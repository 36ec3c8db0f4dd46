package pgtap_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/standin/pgtap"
)

func TestANewTestIsAFileInTheFolderOfTests(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, want := range map[string]string{"pets": "supabase/tests/pets_test.sql", "database/pets": "supabase/tests/database/pets_test.sql"} {
		file, err := pgtap.Create(dir, name)
		require.NoError(t, err)
		assert.Equal(t, want, file)
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		assert.Contains(t, string(text), "select plan(1);")

		_, err = pgtap.Create(dir, name)
		assert.EqualError(t, err, want+" already exists.")
	}
}

func TestANewTestStaysInTheWorkspace(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	_, err := pgtap.Create(dir, "../../../"+filepath.Base(outside)+"/x")
	require.Error(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "supabase"), 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "supabase", "tests")))
	_, err = pgtap.Create(dir, "x")
	require.Error(t, err)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}
