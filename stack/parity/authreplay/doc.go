// Package authreplay replays recordings of a real Supabase Auth server against
// another implementation of its API. It owns the format of the recordings, the
// variables, tokens and codes that later steps are built from, the HTTP server
// behind recorded HTTP hooks, and the rules of comparison. It promises that
// every scenario starts from a fresh database and that nothing of one reaches
// another, so that scenarios may run at the same time. It is not a server and
// starts none: a Target does.
//
// The recordings lie in fixtures/recordings/auth, one file a scenario.
package authreplay
