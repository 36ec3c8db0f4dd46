// Package restreplay replays recordings of a real PostgREST server against another implementation of its API. It owns the
// format of the recordings, the tokens that their requests carry and the rules of comparison. It promises that every scenario
// starts from a fresh database, so that scenarios may run at the same time, and that requests go over the wire byte by byte as
// recorded. It is not a server and starts none: a Target does.
//
// The recordings lie in fixtures/recordings/rest, one folder a group and one file a scenario.
package restreplay
