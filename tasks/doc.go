// Package tasks holds the nouns of Row Level Security tasks in RLS-Bench's format: a
// Task with its schema, numbered rules, tests, reference policies and planted wrong
// answers, read from a folder or from a dataset row without loss either way. It reads
// strictly (what it does not know is an error with file, line and column), keeps the
// format's open questions as explicit Readings, checks a task's structure, writes the
// prompt a model gets and finds the SQL in its answer. It runs nothing, judges nothing
// and imports no other package of this module but those that share this purpose.
package tasks
