package migrations_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/standin/migrations"
	"github.com/supascore/supascore/stack/workspace"
)

func files(versions ...string) []workspace.Migration {
	var out []workspace.Migration
	for _, v := range versions {
		out = append(out, workspace.Migration{File: workspace.File{Path: "supabase/migrations/" + v + "_x.sql"}, Version: v, Name: "x"})
	}
	return out
}

func versions(list []workspace.Migration) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Version)
	}
	return out
}

func TestPendingMigrations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		local, applied, want []string
		all                  bool
	}{
		"are all in an empty database":                             {local: []string{"1", "2"}, want: []string{"1", "2"}},
		"are none when all were applied":                           {local: []string{"1", "2"}, applied: []string{"1", "2"}},
		"are those after the last applied":                         {local: []string{"1", "2", "3"}, applied: []string{"1"}, want: []string{"2", "3"}},
		"include earlier ones when asked, first":                   {local: []string{"1", "2", "3", "4"}, applied: []string{"1", "3"}, all: true, want: []string{"2", "4"}},
		"include the second file of the last version, as a fault":  {local: []string{"1", "1"}, applied: []string{"1"}, want: []string{"1"}},
		"are none without files and without a history":             {},
		"are ordered by text, as the names of files and the CLI's": {local: []string{"10", "9"}, applied: []string{"10"}, want: []string{"9"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := migrations.Pending(files(c.local...), c.applied, c.all)
			require.NoError(t, err)
			assert.Equal(t, c.want, versions(got))
		})
	}
}

func TestMigrationsBeforeTheLastAppliedOneAreRefused(t *testing.T) {
	t.Parallel()
	_, err := migrations.Pending(files("1", "2", "3", "4"), []string{"1", "4"}, false)
	var e *migrations.OrderError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, []string{"supabase/migrations/2_x.sql", "supabase/migrations/3_x.sql"}, e.Paths)
	assert.EqualError(t, e, "Found local migration files to be inserted before the last migration on remote database.")
	assert.Contains(t, e.Hint(), "--include-all flag to apply these migrations:\nsupabase/migrations/2_x.sql\nsupabase/migrations/3_x.sql\n")
}

func TestVersionsWithoutFilesAreRefusedEvenWhenAllAreIncluded(t *testing.T) {
	t.Parallel()
	for name, local := range map[string][]string{"in the middle": {"1", "3"}, "at the end": {"1"}, "with a new file": {"1", "0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := migrations.Pending(files(local...), []string{"1", "2"}, true)
			var e *migrations.MissingError
			require.ErrorAs(t, err, &e)
			assert.Equal(t, []string{"2"}, e.Versions)
			assert.EqualError(t, e, "Remote migration versions not found in local migrations directory.")
			assert.Contains(t, e.Hint(), "supabase migration repair --local --status reverted 2\n")
		})
	}
}

func TestVersionsAreComparedByNumber(t *testing.T) {
	t.Parallel()
	rows := migrations.Compare(
		[]string{"20240102030405", "9", "10", "12345678901234567890123"},
		[]string{"10", "9", "20240101000000", "not a number", "009"},
	)
	assert.Equal(t, []migrations.Row{
		{Local: "9", Remote: "9", Time: "9"},
		{Remote: "009", Time: "009"},
		{Local: "10", Remote: "10", Time: "10"},
		{Remote: "20240101000000", Time: "2024-01-01 00:00:00"},
		{Local: "20240102030405", Time: "2024-01-02 03:04:05"},
		{Local: "12345678901234567890123", Time: "12345678901234567890123"},
	}, rows)
}

// The wanted texts are what glamour v1.0.0, which the CLI uses, makes of the CLI's table with its style without colours.
func TestTheTableLooksAsTheCLIDrawsIt(t *testing.T) {
	t.Parallel()
	assert.Equal(t, strings.Join([]string{
		"", "  ",
		"   Local          | Remote         | Time (UTC)          ",
		"  ----------------|----------------|---------------------",
		"   20220727064246 |                | 2022-07-27 06:42:46 ",
		"                  | 20220727064247 | 2022-07-27 06:42:47 ",
		"   1              | 1              | 1                   ",
		"", "",
	}, "\n"), migrations.Table([]migrations.Row{
		{Local: "20220727064246", Time: "2022-07-27 06:42:46"},
		{Remote: "20220727064247", Time: "2022-07-27 06:42:47"},
		{Local: "1", Remote: "1", Time: "1"},
	}))
	assert.Equal(t, "\n  \n   Local | Remote | Time (UTC) \n  -------|--------|------------\n\n", migrations.Table(nil))
}

func TestANewMigrationIsNamedByTheTimeInUTC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := time.Date(2026, 6, 1, 1, 2, 3, 0, time.FixedZone("east", 2*3600))
	file, err := migrations.Create(dir, "add_pets", at, strings.NewReader("create table pets ();\n"))
	require.NoError(t, err)
	assert.Equal(t, "supabase/migrations/20260531230203_add_pets.sql", file)
	text, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	assert.Equal(t, "create table pets ();\n", string(text))
}

func TestANewMigrationOverwritesNothing(t *testing.T) {
	t.Parallel()
	dir, at := t.TempDir(), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	file, err := migrations.Create(dir, "a", at, strings.NewReader("first"))
	require.NoError(t, err)
	_, err = migrations.Create(dir, "a", at, strings.NewReader("second"))
	assert.EqualError(t, err, "supabase/migrations/20260601000000_a.sql already exists")
	text, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	assert.Equal(t, "first", string(text))
}

func TestANewMigrationStaysInTheWorkspace(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, name := range []string{"", "../up", "a/b", `a\b`, "a\x00b"} {
		_, err := migrations.Create(t.TempDir(), name, time.Now(), strings.NewReader(""))
		assert.ErrorContains(t, err, "cannot be part of a file name", name)
	}
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "supabase"), 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "supabase", "migrations")))
	_, err := migrations.Create(dir, "a", time.Now(), strings.NewReader("x"))
	require.Error(t, err)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestANewMigrationTellsWhyItsInputEnded(t *testing.T) {
	t.Parallel()
	_, err := migrations.Create(t.TempDir(), "a", time.Now(), iotest.ErrReader(errors.New("torn")))
	assert.ErrorContains(t, err, "failed to copy from stdin: torn")
}
