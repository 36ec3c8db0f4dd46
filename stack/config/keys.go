package config

import (
	"fmt"
	"strings"
)

// maxProblems bounds the unknown keys that are reported, for files that are no configuration at all.
const maxProblems = 100

// checkKeys compares the keys of the file with the schema. The CLI fails on the first unknown key; all are reported here, each
// with the known key that it looks like. A section where a value belongs, or a value where a section belongs, is an error too:
// of the latter the CLI's reader logs a line and goes on without the value, which helps nobody.
func (c *Config) checkKeys() []*Problem {
	var problems []*Problem
	reported := map[string]bool{} // what is below these is not looked at
	c.tree.walk(nil, func(path []string, n *node) {
		key := strings.Join(path, ".")
		if reported[strings.Join(path[:len(path)-1], ".")] || len(problems) >= maxProblems {
			reported[key] = true
			return
		}
		typ, siblings, ok := lookupType(path)
		switch {
		case !ok:
			reported[key] = true
			problems = append(problems, c.unknownKey(path, siblings))
		case isTable(typ) && !n.isSection():
			reported[key] = true
			problems = append(problems, c.problemAt(n.source, key, key+" is a section, but a value is assigned to it",
				fmt.Sprintf("write [%s] and the settings below it", key)))
		case !isTable(typ) && n.isSection():
			reported[key] = true
			problems = append(problems, c.problemAt(n.source, key, key+" is a single value, but it is written as a section",
				fmt.Sprintf("write %s = … in the section above it", path[len(path)-1])))
		}
	})
	return problems
}

// unknownKey suggests the key that looks alike or, in a small section, lists those there are.
func (c *Config) unknownKey(path, siblings []string) *Problem {
	key, last := strings.Join(path, "."), path[len(path)-1]
	section := strings.Join(path[:len(path)-1], ".")
	message := "unknown key " + key
	remedy := "remove it"
	if near := closest(last, siblings); near != "" {
		full := near
		if section != "" {
			full = section + "." + near
		}
		remedy = fmt.Sprintf("did you mean %s?", full)
	} else if len(siblings) > 0 && len(siblings) <= 12 {
		remedy = fmt.Sprintf("the keys of %s are %s", nonEmpty(section, "the file"), strings.Join(siblings, ", "))
	}
	return c.problemAt(c.layout.source(path), key, message, remedy)
}

// problemAt makes a problem with the line of the file that it is about.
func (c *Config) problemAt(at Source, key, message, remedy string) *Problem {
	return &Problem{
		File: nonEmpty(at.File, configPath), Line: at.Line, Column: at.Column, Key: key,
		Message: message, Text: excerpt(c.layout.lines, at.Line), Remedy: remedy,
	}
}

func nonEmpty(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
