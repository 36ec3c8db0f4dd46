package tasks

import (
	"regexp"
	"strings"
)

// ruleIDPattern is a rule's id.
var ruleIDPattern = regexp.MustCompile(`^R[1-9][0-9]{0,3}$`)

// rulePattern is a line that starts a rule: "R1. …", with list marks, emphasis or a
// heading's marks before the number, and ".", ":" or ")" after it.
var rulePattern = regexp.MustCompile(`^\s*(?:[-*+>#]+\s+)*(?:\*\*|__)?(R[1-9][0-9]{0,3})[.:)](?:\*\*|__)?(?:\s+(.*)|)$`)

// parseRules reads the numbered rules of a requirement. A rule goes on over the lines
// that follow, up to a blank line, a heading, the next rule or the canary.
func parseRules(requirement string) []Rule {
	var rules []Rule
	open := false
	for i, line := range strings.Split(requirement, "\n") {
		line = strings.TrimRight(line, "\r")
		text := strings.TrimSpace(line)
		match := rulePattern.FindStringSubmatch(line)
		switch {
		case match != nil:
			rules = append(rules, Rule{ID: match[1], Text: strings.TrimSpace(match[2]), Line: i + 1})
			open = true
		case text == "" || strings.HasPrefix(text, "#") || canaryPattern.MatchString(text):
			open = false
		case open:
			last := &rules[len(rules)-1]
			last.Text = strings.TrimSpace(last.Text + " " + text)
		}
	}
	return rules
}
