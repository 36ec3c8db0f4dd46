package token

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// RolePath is a parsed jwt-role-claim-key: where in the claims the role is. The zero value finds nothing.
type RolePath struct{ steps []pathStep }

// DefaultRoleClaim is PostgREST's default of jwt-role-claim-key.
const DefaultRoleClaim = ".role"

// defaultRolePath is DefaultRoleClaim, parsed.
func defaultRolePath() RolePath { return RolePath{steps: []pathStep{{key: "role"}}} }

// pathStep is one of: .key, [index], [?(@ == "text")].
type pathStep struct {
	key     string
	index   int
	isIndex bool
	filter  func(string) bool
}

// ParseRolePath reads jwt-role-claim-key: .key, ."quoted key", [0], and at the end [?(@ op "text")] with op one of ==, !=, ^==
// (starts with), ==^ (ends with) and *== (contains), which takes the first string of an array that fits (PostgREST
// documentation, "JWT Role Extraction").
func ParseRolePath(text string) (RolePath, error) {
	p := rolePathParser{text: text}
	var path RolePath
	for p.pos < len(text) || path.steps == nil {
		step, err := p.step()
		if err != nil {
			return RolePath{}, fmt.Errorf("jwt-role-claim-key %q: column %d: %w", text, p.pos+1, err)
		}
		path.steps = append(path.steps, step)
	}
	return path, nil
}

// rolePathParser reads a path from left to right.
type rolePathParser struct {
	text string
	pos  int
}

// take consumes a prefix when it is there.
func (p *rolePathParser) take(prefix string) bool {
	if !strings.HasPrefix(p.text[p.pos:], prefix) {
		return false
	}
	p.pos += len(prefix)
	return true
}

// step reads one step of the path.
func (p *rolePathParser) step() (pathStep, error) {
	switch {
	case p.take("."):
		key, err := p.key()
		return pathStep{key: key}, err
	case p.take("[?("):
		return p.filter()
	case p.take("["):
		return p.index()
	}
	return pathStep{}, fmt.Errorf(`expected ".key", "[index]" or "[?(@ == \"text\")]"`)
}

// key reads what follows a dot.
func (p *rolePathParser) key() (string, error) {
	rest := p.text[p.pos:]
	if strings.HasPrefix(rest, `"`) {
		return p.quoted()
	}
	end := strings.IndexFunc(rest, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsNumber(c) && !strings.ContainsRune("_$@", c)
	})
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", fmt.Errorf("expected a key; write it in double quotes when it has other characters than letters, digits, _, $ and @")
	}
	p.pos += end
	return rest[:end], nil
}

// quoted reads a text in double quotes, in which there are no escapes.
func (p *rolePathParser) quoted() (string, error) {
	if !p.take(`"`) {
		return "", fmt.Errorf("expected a text in double quotes")
	}
	text, _, ok := strings.Cut(p.text[p.pos:], `"`)
	if !ok {
		return "", fmt.Errorf("the closing double quote is missing")
	}
	p.pos += len(text) + 1
	return text, nil
}

// index reads what follows an opening bracket.
func (p *rolePathParser) index() (pathStep, error) {
	digits, _, ok := strings.Cut(p.text[p.pos:], "]")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil {
		return pathStep{}, fmt.Errorf("expected an index such as [0]")
	}
	p.pos += len(digits) + 1
	return pathStep{index: int(n), isIndex: true}, nil
}

// blanks skips blanks, which are allowed around the operator of a filter.
func (p *rolePathParser) blanks() {
	p.pos = len(p.text) - len(strings.TrimLeftFunc(p.text[p.pos:], unicode.IsSpace))
}

// filter reads what follows [?( up to the end: only the last step can be a filter.
func (p *rolePathParser) filter() (pathStep, error) {
	if !p.take("@") {
		return pathStep{}, fmt.Errorf("expected @")
	}
	p.blanks()
	var fits func(text, want string) bool
	switch {
	case p.take("==^"):
		fits = strings.HasSuffix
	case p.take("=="):
		fits = func(text, want string) bool { return text == want }
	case p.take("!="):
		fits = func(text, want string) bool { return text != want }
	case p.take("^=="):
		fits = strings.HasPrefix
	case p.take("*=="):
		fits = strings.Contains
	default:
		return pathStep{}, fmt.Errorf("expected ==, !=, ^==, ==^ or *==")
	}
	p.blanks()
	want, err := p.quoted()
	if err != nil {
		return pathStep{}, err
	}
	if !p.take(")]") || p.pos < len(p.text) {
		return pathStep{}, fmt.Errorf("expected )] at the end")
	}
	return pathStep{filter: func(text string) bool { return fits(text, want) }}, nil
}

// find is the role in the claims. A value that is no string is taken as its JSON text, as PostgREST does: {"role": null} is the
// role "null".
func (p RolePath) find(claims map[string]json.RawMessage) (role string, found bool) {
	if claims == nil || len(p.steps) == 0 {
		return "", false
	}
	value, ok := claims[p.steps[0].key]
	if !ok || p.steps[0].isIndex || p.steps[0].filter != nil {
		return "", false
	}
	for _, step := range p.steps[1:] {
		if value, ok = step.apply(value); !ok {
			return "", false
		}
	}
	if json.Unmarshal(value, &role) == nil && string(value) != "null" {
		return role, true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return "", false
	}
	return compact.String(), true
}

// apply takes one step into a value; ok is false when it leads nowhere.
func (s pathStep) apply(value json.RawMessage) (json.RawMessage, bool) {
	if !s.isIndex && s.filter == nil {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return nil, false
		}
		v, ok := object[s.key]
		return v, ok
	}
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, false
	}
	if s.isIndex {
		if s.index >= len(list) {
			return nil, false
		}
		return list[s.index], true
	}
	for _, v := range list {
		var text string
		if string(v) != "null" && json.Unmarshal(v, &text) == nil && s.filter(text) {
			return v, true
		}
	}
	return nil, false
}
