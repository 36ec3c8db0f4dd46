package evals

import (
	"embed"
	"io/fs"
)

//go:embed all:docs
var builtin embed.FS

// Builtin is the file system of the evals that come with the program; their
// folders are at "docs/<id>".
func Builtin() fs.FS { return builtin }
