package tasks

import (
	"embed"
	"io/fs"
)

// Files are named by their endings, so that a folder without any yet is no error.
//
//go:embed split.json T*/*.yaml T*/*.md T*/*.sql T*/traps/*.sql
var builtin embed.FS

// BuiltinSeed is the seed of the split of the tasks that come with the program, which
// follows SplitRule with a generator for each tier.
const BuiltinSeed = 20261130

// Builtin is the file system of the tasks that come with the program; their folders
// are at its top, with their split.json. List loads them.
func Builtin() fs.FS { return builtin }
