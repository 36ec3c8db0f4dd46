// Package scorers is the library of check kinds: pure functions from what probes
// observed to the status, class and note of a check. It plans what an eval's
// checks want to know (Plan) and judges what came of it (Judge). It does no I/O,
// reads no clock and keeps no state, so the same observations give the same
// checks today and from a saved result. Which kinds there are is one explicit
// table in library.go; evals parameterise kinds, and what no kind can say is added
// there in Go.
package scorers
