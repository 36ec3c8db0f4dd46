package tasks_test

import (
	"maps"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks"
)

const (
	alice = "00000000-0000-4000-8000-00000000000a"
	dir   = "T001-own-notes"
)

// noteFiles is a small task without faults.
func noteFiles() map[string]string {
	return map[string]string{
		"task.yaml": `id: T001
title: Own notes
tier: 1
tags: [ownership]
traps: [null-owner]
reports:
  - {trap: null-owner, url: "https://example.com/1", note: nobody owned the row}
created: "2026-11-30"
canary: ` + tasks.Canary + "\n",
		"requirement.md": "# Notes\n\nR1. A person reads and changes\n    their own notes.\nR2. Nobody else does.\n\n" + tasks.Canary + "\n",
		"schema.sql":     "create table notes (id int primary key, owner uuid, body text);\n",
		"seed.sql":       "insert into notes values (1, '" + alice + "', 'a'), (2, null, 'b');\n",
		"tests.yaml": `version: 1
users:
  alice: {role: authenticated, sub: ` + alice + `, claims: {app_metadata: {org: 1}}}
  nobody: {role: anon}
tests:
  - id: own
    name: alice reads her own note
    as: alice
    rules: [R1]
    query: select id from notes order by id
    expect: {rows: [[1]]}
  - {id: none, as: nobody, rules: [R2], query: "select id from notes", expect: {count: 0}}
`,
		"solution.sql":         "alter table notes enable row level security;\n",
		"traps/null-owner.sql": "select 1;\n",
	}
}

// with returns noteFiles with some files changed; an empty text removes a file.
func with(changes map[string]string) fstest.MapFS {
	files := noteFiles()
	maps.Copy(files, changes)
	fsys := fstest.MapFS{}
	for name, text := range files {
		if text != "" {
			fsys[dir+"/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return fsys
}

func load(t *testing.T, changes map[string]string) *tasks.Task {
	t.Helper()
	task, err := tasks.Load(with(changes), dir)
	require.NoError(t, err)
	return task
}

// oneTest is a tests.yaml with one test that has these further keys.
func oneTest(keys string) map[string]string {
	return map[string]string{"tests.yaml": "users: {alice: {role: authenticated, sub: " + alice + "}}\n" +
		"tests:\n  - id: t\n    rules: [R1, R2]\n" + keys}
}
