package rls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// cell brings a value to the one form in which values of its type are compared. typ is
// PostgreSQL's internal name of the column's type, empty when not known. value is nil,
// PostgreSQL's text, or what JSON and YAML have. Two values are the same when their
// cells are; null is the same as null only.
//
// Numbers are compared by value, uuids without regard to case, points in time in UTC,
// JSON by structure, arrays element by element. A text column's value is never a
// number: '5' is not 5.
func cell(typ string, value any) string {
	if value == nil {
		return "null"
	}
	if element, isArray := strings.CutPrefix(typ, "_"); isArray {
		return arrayCell(element, value)
	}
	switch typ {
	case "bool":
		return boolCell(value)
	case "int2", "int4", "int8", "oid", "numeric", "float4", "float8", "money":
		return numberCell(value)
	case "json", "jsonb":
		return jsonCell(value)
	case "uuid":
		return "text " + strings.ToLower(fmt.Sprint(value))
	case "timestamptz", "timestamp":
		return timeCell(value)
	case "":
		return anyCell(value)
	case "bytea":
		return "text " + strings.ToLower(fmt.Sprint(value))
	}
	if text, isText := value.(string); isText {
		return "text " + text
	}
	return anyCell(value)
}

// anyCell is the cell of a value whose type is not known: what it looks like.
func anyCell(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "bool " + strconv.FormatBool(v)
	case string:
		return "text " + v
	case json.Number, int, int64, uint64, float64:
		return numberCell(v)
	default:
		return jsonCell(v)
	}
}

func boolCell(value any) string {
	switch v := value.(type) {
	case bool:
		return "bool " + strconv.FormatBool(v)
	case string:
		switch v {
		case "t", "true":
			return "bool true"
		case "f", "false":
			return "bool false"
		}
	}
	return anyCell(value)
}

// numberCell is the number in lowest terms. A text that is a number stands for it,
// since clients return numeric as text.
func numberCell(value any) string {
	var text string
	switch v := value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case int, int64, uint64:
		text = fmt.Sprint(v)
	default:
		return anyOther(value)
	}
	if len(text) > 400 || exponent(text) > 400 {
		return "number " + text // not worth the memory of an exact fraction
	}
	if n, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "/_xXoObBpP") {
		return "number " + n.RatString()
	}
	return "text " + text // NaN, Infinity
}

// exponent is the size of a number's exponent.
func exponent(text string) int {
	_, e, found := strings.Cut(strings.ToLower(text), "e")
	if !found {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimLeft(e, "+-"))
	if err != nil {
		return 401
	}
	return n
}

func anyOther(value any) string {
	switch value.(type) {
	case bool, string:
		return anyCell(value)
	}
	return jsonCell(value)
}

// jsonCell is JSON with sorted members and numbers in lowest terms.
func jsonCell(value any) string {
	if text, isText := value.(string); isText {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var parsed any
		if dec.Decode(&parsed) == nil && !dec.More() {
			return "json " + canonical(parsed)
		}
	}
	return "json " + canonical(value)
}

func canonical(value any) string {
	switch v := value.(type) {
	case map[string]any:
		members := map[string]json.RawMessage{}
		for key, item := range v {
			members[key] = json.RawMessage(canonical(item))
		}
		return marshal(members)
	case []any:
		items := make([]json.RawMessage, len(v))
		for i, item := range v {
			items[i] = json.RawMessage(canonical(item))
		}
		return marshal(items)
	case json.Number, int, int64, uint64, float64:
		return marshal(numberCell(v))
	default:
		return marshal(v)
	}
}

func marshal(value any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// timeCell is a point in time in UTC. A value without a zone is in UTC, as sessions
// are.
func timeCell(value any) string {
	text := strings.TrimSpace(fmt.Sprint(value))
	for _, layout := range []string{
		"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999",
		"2006-01-02",
	} {
		if at, err := time.Parse(layout, text); err == nil {
			return "time " + at.UTC().Format("2006-01-02T15:04:05.999999999Z")
		}
	}
	return "text " + text // infinity
}

// arrayCell compares arrays by element, whether PostgreSQL wrote them or JSON.
func arrayCell(element string, value any) string {
	items, isList := value.([]any)
	if text, isText := value.(string); isText {
		items, isList = parseArray(text)
	}
	if !isList {
		return anyCell(value)
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if nested, isNested := item.([]any); isNested {
			parts[i] = arrayCell(element, nested)
			continue
		}
		parts[i] = cell(element, item)
	}
	return "array " + marshal(parts)
}

// parseArray reads an array in PostgreSQL's text form (documentation, "Array Input and
// Output Syntax"): elements are texts, nil or arrays.
func parseArray(text string) ([]any, bool) {
	if at := strings.Index(text, "={"); at >= 0 && strings.HasPrefix(text, "[") {
		text = text[at+1:] // bounds
	}
	p := &arrayParser{text: text}
	items, ok := p.array()
	return items, ok && p.at == len(text)
}

type arrayParser struct {
	text string
	at   int
}

func (p *arrayParser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *arrayParser) array() ([]any, bool) {
	if p.peek() != '{' {
		return nil, false
	}
	p.at++
	items := []any{}
	for p.peek() != '}' {
		if p.at >= len(p.text) {
			return nil, false
		}
		item, ok := p.item()
		if !ok {
			return nil, false
		}
		items = append(items, item)
		if p.peek() == ',' {
			p.at++
		} else if p.peek() != '}' {
			return nil, false
		}
	}
	p.at++
	return items, true
}

func (p *arrayParser) item() (any, bool) {
	switch p.peek() {
	case '{':
		return p.array()
	case '"':
		var b strings.Builder
		for p.at++; p.at < len(p.text) && p.text[p.at] != '"'; p.at++ {
			if p.text[p.at] == '\\' {
				p.at++
			}
			if p.at < len(p.text) {
				b.WriteByte(p.text[p.at])
			}
		}
		p.at++
		return b.String(), p.at <= len(p.text)
	}
	end := strings.IndexAny(p.text[p.at:], ",}")
	if end < 0 {
		return nil, false
	}
	word := p.text[p.at : p.at+end]
	p.at += end
	if word == "NULL" {
		return nil, true
	}
	return word, true
}
