package config

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxDepth bounds the number of parts of a key; the deepest key that the schema knows has seven.
const maxDepth = 32

// place is where a key stands in the file.
type place struct {
	line, column int    // 1-based; column in bytes
	spelled      string // the key's path as written, before lower-casing
	table        bool   // a [header] rather than a key with a value
}

// layout is what the text of a TOML file tells beyond its values: where each key stands and which lines are inside a string.
type layout struct {
	lines  []string
	starts []int // offset of each line
	places map[string]place
	inside map[int]bool // lines after the first of a multi-line string, 1-based
	clash  []*Problem
	file   string
}

// newLayout walks a document that is known to be valid TOML.
func newLayout(file string, text []byte) *layout {
	l := &layout{file: file, places: map[string]place{}, inside: map[int]bool{}}
	l.splitLines(text)
	var p unstable.Parser
	p.Reset(text)
	var section []string
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = l.record(nil, e.Key(), true)
		case unstable.KeyValue:
			l.keyValue(section, e)
		}
	}
	return l
}

func (l *layout) splitLines(text []byte) {
	offset := 0
	for line := range strings.Lines(string(text)) {
		l.starts = append(l.starts, offset)
		offset += len(line)
		l.lines = append(l.lines, strings.TrimRight(line, "\r\n"))
	}
}

// position turns an offset into a line and a column by binary search, so that a file of many keys stays cheap.
func (l *layout) position(offset uint32) (line, column int) {
	line = sort.SearchInts(l.starts, int(offset)+1)
	if line == 0 {
		return 1, 1
	}
	return line, int(offset) - l.starts[line-1] + 1
}

func (l *layout) line(n int) string {
	if n < 1 || n > len(l.lines) {
		return ""
	}
	return l.lines[n-1]
}

func (l *layout) keyValue(section []string, e *unstable.Node) {
	l.value(l.record(section, e.Key(), false), e.Value())
}

func (l *layout) value(path []string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			l.keyValue(path, it.Node())
		}
	case unstable.Array:
		for it := v.Children(); it.Next(); {
			l.value(path, it.Node())
		}
	case unstable.String:
		first, _ := l.position(v.Raw.Offset)
		last, _ := l.position(v.Raw.Offset + max(v.Raw.Length, 1) - 1)
		for n := first + 1; n <= last; n++ {
			l.inside[n] = true
		}
	}
}

// record notes the place of every part of a key and returns the whole path as spelled. Two spellings of one path that differ
// in case are two keys to TOML and one to the CLI, which keeps either at random: they are refused.
func (l *layout) record(section []string, key unstable.Iterator, table bool) []string {
	path := append([]string(nil), section...)
	for key.Next() {
		node := key.Node()
		path = append(path, string(node.Data))
		line, column := l.position(node.Raw.Offset)
		if len(path) > maxDepth {
			l.problem(place{line: line, column: column}, "", fmt.Sprintf("key has more than %d parts", maxDepth))
			return path[:maxDepth]
		}
		spelled := strings.Join(path, ".")
		lower := strings.ToLower(spelled)
		known, ok := l.places[lower]
		if ok && known.spelled != spelled {
			l.problem(place{line: line, column: column}, lower,
				fmt.Sprintf("%s and %s (line %d) are one key to the CLI, which ignores case and keeps either", spelled, known.spelled, known.line))
		}
		last := key.IsLast()
		if !ok || (last && !known.table) {
			l.places[lower] = place{line: line, column: column, spelled: spelled, table: table && last}
		}
	}
	return path
}

func (l *layout) problem(at place, key, message string) {
	l.clash = append(l.clash, &Problem{
		File: l.file, Line: at.line, Column: at.column, Key: key, Message: message, Text: excerpt(l.lines, at.line),
	})
}

// source gives the place of a key as the source of its value. A key without a place of its own, such as one that an override
// added, has the place of the nearest section around it.
func (l *layout) source(path []string) Source {
	for n := len(path); n > 0; n-- {
		if p, ok := l.places[strings.Join(path[:n], ".")]; ok {
			return Source{Kind: SourceFile, File: l.file, Line: p.line, Column: p.column}
		}
	}
	return Source{Kind: SourceFile, File: l.file}
}
