package docs

import "strings"

// parseOpenCode reads one event of opencode's run --format json. A tool_use event
// holds the call and, once its state is completed or error, the result. Earlier
// states of the same call have the same id.
func parseOpenCode(t *transcript, e event) {
	if e.text("type") != "tool_use" {
		return
	}
	part := e.object("part")
	kind := openCodeKind(part.text("tool"))
	if kind == "" {
		return
	}
	state := part.object("state")
	args := state.object("input")
	c := &call{id: part.text("callID"), line: t.seen.Lines, kind: kind, args: args, command: args.text("command")}
	switch state.text("status") {
	case "completed":
		c.result.setValue(state["output"])
		if exit, ok := state.object("metadata").number("exit"); ok {
			c.result.failed = exit != 0
		}
	case "error":
		c.result.setValue(firstValue(state["error"], state["output"]))
		c.result.failed = true
	}
	t.add(c)
}

// openCodeKind maps the names of opencode's tools. Those of MCP servers are called
// <server>_<tool>, where both parts may hold underscores; search_docs is found by
// its ending, whatever the server is called.
func openCodeKind(name string) kind {
	switch name = strings.ToLower(name); {
	case name == "bash":
		return kindShell
	case name == "webfetch":
		return kindFetch
	case name == "websearch":
		return kindSearch
	case name == string(kindSearchDocs), strings.HasSuffix(name, "_"+string(kindSearchDocs)):
		return kindSearchDocs
	default:
		return ""
	}
}
