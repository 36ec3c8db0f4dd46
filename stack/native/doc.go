// Package native runs the real servers, PostgREST and Auth, as supervised children. It
// owns how their executables are found, how they are started on free ports with exactly
// the environment that they are given, what they log, and the way of requests to them.
// It promises that a child never outlives this process, that a server which was started
// has answered a request, and that no secret of its environment is quoted in an error or
// a log line. It renders no configuration and knows nothing of workspaces.
package native
