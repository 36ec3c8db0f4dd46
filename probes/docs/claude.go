package docs

import "strings"

// parseClaude reads one event of Claude Code's stream-json. A call is a tool_use
// block of an assistant's message; its result is a tool_result block of a later
// user message, which names the call's id.
func parseClaude(t *transcript, e event) {
	for _, block := range e.object("message").list("content") {
		block := asObject(block)
		switch {
		case e.text("type") == "assistant" && block.text("type") == "tool_use":
			t.claudeCall(block)
		case e.text("type") == "user" && block.text("type") == "tool_result":
			t.claudeResult(block)
		}
	}
}

func (t *transcript) claudeCall(block event) {
	kind := claudeKind(block.text("name"))
	if kind == "" {
		return
	}
	args := block.object("input")
	t.add(&call{id: block.text("id"), line: t.seen.Lines, kind: kind, args: args, command: args.text("command")})
}

// claudeKind maps the names of Claude Code's tools. Tools of MCP servers are
// called mcp__<server>__<tool>.
func claudeKind(name string) kind {
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok {
		if _, tool, ok := strings.Cut(rest, "__"); ok && tool == string(kindSearchDocs) {
			return kindSearchDocs
		}
		return ""
	}
	switch strings.ToLower(name) {
	case "bash":
		return kindShell
	case "webfetch":
		return kindFetch
	case "websearch":
		return kindSearch
	case string(kindSearchDocs):
		return kindSearchDocs
	default:
		return ""
	}
}

func (t *transcript) claudeResult(block event) {
	call, ok := t.byID[block.text("tool_use_id")]
	if !ok {
		return
	}
	call.result = result{stub: true}
	if text, ok := textBlocks(block["content"]); ok {
		call.result.setValue(text)
	} else {
		call.result.setValue(block["content"])
	}
	call.result.failed, _ = block["is_error"].(bool)
}

// textBlocks joins a list that consists of text blocks. Other lists, of images for
// example, are no text.
func textBlocks(content any) (string, bool) {
	blocks, ok := content.([]any)
	if !ok {
		return "", false
	}
	texts := make([]string, 0, len(blocks))
	for _, block := range blocks {
		block := asObject(block)
		if block.text("type") != "text" {
			return "", false
		}
		texts = append(texts, block.text("text"))
	}
	return strings.Join(texts, "\n"), true
}
