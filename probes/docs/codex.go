package docs

// parseCodex reads one event of Codex's exec --json. A call and its result are one
// item, complete when the event says so; events before that repeat it in part.
func parseCodex(t *transcript, e event) {
	if e.text("type") != "item.completed" {
		return
	}
	item := e.object("item")
	// Ids start again when a session is resumed, and a completed item comes once:
	// the call is kept without its id, so that no later one takes its place.
	c := &call{line: t.seen.Lines, args: item}
	switch first(item.text("type"), item.text("item_type")) {
	case "command_execution":
		c.kind, c.command = kindShell, item.text("command")
		c.result.setValue(item["aggregated_output"])
	case "web_search":
		c.kind = kindSearch
		c.result.setValue(item["result"])
	case "mcp_tool_call":
		if first(item.text("tool"), item.text("name")) != string(kindSearchDocs) {
			return
		}
		c.kind, c.args = kindSearchDocs, arguments(item["arguments"])
		c.result.setValue(firstValue(item["result"], item["output"]))
	default:
		return
	}
	c.result.failed = codexFailed(item)
	t.add(c)
}

// codexFailed reads an item's outcome: the exit code where there is one, else the
// status. Without either nothing is known, which is no failure.
func codexFailed(item event) bool {
	if code, ok := item.number("exit_code"); ok {
		return code != 0
	}
	status := item.text("status")
	return status == "failed" || status == "declined" || item["error"] != nil
}

func firstValue(values ...any) any {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}
