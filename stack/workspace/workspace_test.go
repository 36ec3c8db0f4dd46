package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/workspace"
)

// folder makes a workspace of files by path and returns its place.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	return dir
}

func read(t *testing.T, dir string) (*workspace.Workspace, error) {
	t.Helper()
	return workspace.Read(t.Context(), workspace.Options{Dir: dir, Migrations: true, SeedPatterns: []string{"./seed.sql"}})
}

func mustRead(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	w, err := read(t, folder(t, files))
	require.NoError(t, err)
	return w
}

func refused(t *testing.T, dir string) *workspace.Error {
	t.Helper()
	_, err := read(t, dir)
	var e *workspace.Error
	require.ErrorAs(t, err, &e)
	return e
}

func TestMigrationsAreReadInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	w := mustRead(t, map[string]string{
		"supabase/config.toml":                   "",
		"supabase/roles.sql":                     "create role r;",
		"supabase/seed.sql":                      "select 1;",
		"supabase/migrations/10_b.sql":           "select 10;",
		"supabase/migrations/9_late.sql":         "select 9;",
		"supabase/migrations/0000_first.sql":     "select 0;",
		"supabase/migrations/README.md":          "notes",
		"supabase/migrations/20240101_.sql":      "select 2024;",
		"supabase/migrations/nested/1_x.sql":     "not read",
		"supabase/migrations/20240101000000.sql": "no underscore",
	})
	var versions, names []string
	for _, m := range w.Migrations {
		versions, names = append(versions, m.Version), append(names, m.Name)
	}
	assert.Equal(t, []string{"0000", "10", "20240101", "9"}, versions)
	assert.Equal(t, []string{"first", "b", "", "late"}, names)
	assert.Equal(t, "select 0;", w.Migrations[0].SQL)
	assert.Equal(t, "supabase/migrations/0000_first.sql", w.Migrations[0].Path)
	assert.Equal(t, "create role r;", w.Roles.SQL)
	require.Len(t, w.Seeds, 1)
	assert.Equal(t, "supabase/seed.sql", w.Seeds[0].Path)
	assert.Equal(t, "354b7196c9ba5fb4b21cf615bb6ec4cd5c07503c34229feef033fc081a8c03f4", w.Seeds[0].SHA256)
	require.Len(t, w.Skipped, 2)
	assert.Equal(t, "supabase/migrations/20240101000000.sql", w.Skipped[0].Path)
	assert.Contains(t, w.Skipped[1].Reason, "<digits>_<name>.sql")
}

func TestAnOldInitMigrationIsSkippedOnlyAsTheFirst(t *testing.T) {
	t.Parallel()
	w := mustRead(t, map[string]string{
		"supabase/migrations/20211208235959_init.sql": "a",
		"supabase/migrations/20211208235960_init.sql": "b",
	})
	require.Len(t, w.Migrations, 1)
	assert.Equal(t, "20211208235960", w.Migrations[0].Version)
	assert.Contains(t, w.Skipped[0].Reason, "December 2021")

	w = mustRead(t, map[string]string{"supabase/migrations/20240101000000_init.sql": "a"})
	assert.Len(t, w.Migrations, 1)
}

func TestSeedFilesFollowTheirPatterns(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"supabase/config.toml": "[db.seed]\nsql_paths = [\"./seeds/z.sql\", \"seeds/*.sql\", \"../shared.sql\", \"none/*.sql\", \"[\"]\n",
		"supabase/seeds/b.sql": "b", "supabase/seeds/a.sql": "a", "supabase/seeds/z.sql": "z", "shared.sql": "shared",
		"supabase/seeds/deep/c.sql": "not matched", "supabase/seed.sql": "not named",
	})
	c, err := config.Load(t.Context(), config.Options{Dir: dir})
	require.NoError(t, err)
	w, err := workspace.Read(t.Context(), workspace.OptionsFor(dir, c))
	require.NoError(t, err)
	var paths []string
	for _, s := range w.Seeds {
		paths = append(paths, s.Path)
	}
	assert.Equal(t, []string{"supabase/seeds/z.sql", "supabase/seeds/a.sql", "supabase/seeds/b.sql", "shared.sql"}, paths)
	assert.Equal(t, []string{
		`[db.seed] sql_paths: no file matches "none/*.sql"`, `[db.seed] sql_paths: "[" is not a valid pattern`,
	}, w.Warnings)
}

func TestSwitchedOffPartsAreNotRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"supabase/config.toml":       "[db.seed]\nenabled = false\n[db.migrations]\nenabled = false\n",
		"supabase/seed.sql":          "s",
		"supabase/migrations/1_.sql": "m",
	})
	c, err := config.Load(t.Context(), config.Options{Dir: dir})
	require.NoError(t, err)
	w, err := workspace.Read(t.Context(), workspace.OptionsFor(dir, c))
	require.NoError(t, err)
	assert.Empty(t, w.Migrations)
	assert.Empty(t, w.Seeds)
	assert.Nil(t, w.Roles)
	assert.NotEmpty(t, w.Hash)
}

func TestAMissingDefaultSeedFileIsNotWarnedAbout(t *testing.T) {
	t.Parallel()
	w := mustRead(t, map[string]string{"supabase/config.toml": ""})
	assert.Empty(t, w.Warnings)
	assert.Empty(t, w.Seeds)
}

func TestAFolderThatIsNoProjectIsRefusedWithAWayOut(t *testing.T) {
	t.Parallel()
	missing := refused(t, filepath.Join(t.TempDir(), "nowhere"))
	assert.Contains(t, missing.Error(), "cannot be opened: no such file or directory")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	assert.Contains(t, refused(t, file).Error(), "must be a folder")

	assert.Contains(t, refused(t, t.TempDir()).Hint(), "the folder is empty; run `supabase init`")
	assert.Contains(t, refused(t, folder(t, map[string]string{"a.txt": ""})).Hint(), "supabase init")

	project := folder(t, map[string]string{"supabase/config.toml": "", "other/x": ""})
	assert.Equal(t, "did you mean its parent, "+project+"?", refused(t, filepath.Join(project, "supabase")).Hint())

	outer := folder(t, map[string]string{"shop/supabase/config.toml": "", "docs/x": ""})
	assert.Equal(t, "did you mean "+filepath.Join(outer, "shop")+"?", refused(t, outer).Hint())

	assert.Contains(t, refused(t, folder(t, map[string]string{"supabase": ""})).Error(), "must be a folder")

	_, err := workspace.Read(t.Context(), workspace.Options{})
	assert.ErrorContains(t, err, "no workspace folder is given")
}

func TestNothingOutsideTheWorkspaceIsRead(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"1_secret.sql": "select 'secret';", "dir/2_x.sql": ""})
	for name, link := range map[string]struct{ from, to, named string }{
		"migration":         {"supabase/migrations/1_a.sql", filepath.Join(outside, "1_secret.sql"), "supabase/migrations/1_a.sql"},
		"migrations folder": {"supabase/migrations", filepath.Join(outside, "dir"), "supabase/migrations"},
		"relative link":     {"supabase/roles.sql", "../../../../../../../../../etc/hostname", "supabase/roles.sql"},
		"seed":              {"supabase/seed.sql", filepath.Join(outside, "1_secret.sql"), "supabase/seed.sql"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, map[string]string{"supabase/config.toml": ""})
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, link.from)), 0o700))
			require.NoError(t, os.Symlink(link.to, filepath.Join(dir, link.from)))
			e := refused(t, dir)
			assert.Equal(t, link.named, e.Path)
			assert.Contains(t, e.Message, "leads out of the workspace")
		})
	}
	dir := folder(t, map[string]string{"supabase/config.toml": ""})
	for _, pattern := range []string{"../../x.sql", "/etc/*.sql"} {
		_, err := workspace.Read(t.Context(), workspace.Options{Dir: dir, SeedPatterns: []string{pattern}})
		assert.ErrorContains(t, err, pattern+": this pattern of [db.seed] sql_paths leads out of the workspace")
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "supabase", "seeds")))
	_, err := workspace.Read(t.Context(), workspace.Options{Dir: dir, SeedPatterns: []string{"seeds/*.sql"}})
	assert.ErrorContains(t, err, "supabase/seeds: is a symbolic link that leads out of the workspace")
}

func TestALinkInsideTheWorkspaceIsFollowed(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"db/1_a.sql": "select 1;", "supabase/config.toml": ""})
	require.NoError(t, os.Symlink("../db", filepath.Join(dir, "supabase", "migrations")))
	w, err := read(t, dir)
	require.NoError(t, err)
	require.Len(t, w.Migrations, 1)
	assert.Equal(t, "select 1;", w.Migrations[0].SQL)
	before := w.Hash
	require.NoError(t, os.WriteFile(filepath.Join(dir, "db", "1_a.sql"), []byte("select 2;"), 0o600))
	w, err = read(t, dir)
	require.NoError(t, err)
	assert.NotEqual(t, before, w.Hash, "what was read counts for the hash, wherever it is")
}

func TestFilesThatAreTooLargeOrNoTextAreRefusedWithTheirPlace(t *testing.T) {
	t.Parallel()
	large := folder(t, map[string]string{"supabase/migrations/1_a.sql": ""})
	require.NoError(t, os.Truncate(filepath.Join(large, "supabase/migrations/1_a.sql"), 100<<20))
	assert.Equal(t, "supabase/migrations/1_a.sql: the file has 100MiB, but at most 10MiB are read", refused(t, large).Error())

	for text, want := range map[string]string{
		"select 1;\n  \xff": "supabase/roles.sql:2:3: the byte 0xff is not valid UTF-8",
		"-- ü\n-- \x00":     "supabase/roles.sql:2:4: there is a NUL byte, so this is not text",
		"\xff\xfes\x00":     "supabase/roles.sql:1:1: the byte 0xff is not valid UTF-8",
	} {
		assert.Equal(t, want, refused(t, folder(t, map[string]string{"supabase/roles.sql": text})).Error())
	}

	directory := folder(t, map[string]string{"supabase/roles.sql/x": ""})
	assert.Equal(t, "supabase/roles.sql: is not a regular file", refused(t, directory).Error())
}

func TestAFolderWithTooMuchInItIsRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"supabase/assets.bin": strings.Repeat("x", 2000)})
	_, err := workspace.Read(t.Context(), workspace.Options{Dir: dir, MaxTotal: 1000})
	assert.ErrorContains(t, err, "supabase: the folder has more than 1000B of files")
}

func TestEqualFoldersHaveEqualHashes(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"supabase/config.toml": "", "supabase/migrations/1_a.sql": "a", "supabase/functions/f/index.ts": "code", ".env": "A=1",
	}
	hash := mustRead(t, files).Hash
	assert.Len(t, hash, 64)
	assert.Equal(t, hash, mustRead(t, files).Hash)

	for name, text := range map[string]string{
		"supabase/.temp/cli-latest": "v2", "node_modules/x": "y", "README.md": "z", "supabase/functions/node_modules/m.js": "",
	} {
		files[name] = text
	}
	assert.Equal(t, hash, mustRead(t, files).Hash, "tools' own files do not count")

	for name, text := range map[string]string{
		"supabase/config.toml": "# changed", "supabase/functions/f/index.ts": "other", ".env": "A=2", "supabase/migrations/2_b.sql": "b",
	} {
		old, had := files[name]
		files[name] = text
		assert.NotEqual(t, hash, mustRead(t, files).Hash, name)
		if delete(files, name); had {
			files[name] = old
		}
	}
}

func TestReadStopsWhenTheContextHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := workspace.Read(ctx, workspace.Options{Dir: folder(t, map[string]string{"supabase/roles.sql": ""})})
	assert.ErrorIs(t, err, context.Canceled)
}
