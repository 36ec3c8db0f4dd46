package tasks

import "github.com/supascore/supascore/internal/strictyaml"

// FileError is a problem at a place in a file: its File, Line and Column (from 1, 0
// when the file as a whole is meant), what is wrong, and by Hint what to do. In a
// dataset row, File names the row and the field: "test.jsonl:3#tests_yaml".
type FileError = strictyaml.FileError
