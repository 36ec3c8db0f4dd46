package request

import (
	"slices"
	"strconv"
	"strings"
)

// String is the media type as the server writes it in messages and, with ContentType, in headers.
func (m MediaType) String() string {
	switch m.Kind {
	case MediaPlanJSON, MediaPlanText:
		out := "application/vnd.pgrst.plan+text"
		if m.Kind == MediaPlanJSON {
			out = "application/vnd.pgrst.plan+json"
		}
		if m.PlanFor != nil {
			out += `; for="` + m.PlanFor.String() + `"`
		}
		if len(m.PlanOptions) > 0 {
			out += "; options=" + strings.Join(m.PlanOptions, "|")
		}
		return out
	case MediaObject, MediaArray:
		if m.NullsStripped {
			return m.Name + ";nulls=stripped"
		}
	}
	return m.Name
}

// ContentType is the value of the Content-Type header of an answer of this type.
func (m MediaType) ContentType() string {
	if m.Kind == MediaOther || m.Kind == MediaBinary {
		return m.String()
	}
	return m.String() + "; charset=utf-8"
}

// JSONMedia is application/json.
func JSONMedia() MediaType { return MediaType{Kind: MediaJSON, Name: "application/json"} }

// simpleMedia are the types whose parameters mean nothing.
func simpleMedia(name string) (MediaKind, bool) {
	switch name {
	case "application/json":
		return MediaJSON, true
	case "application/geo+json":
		return MediaGeoJSON, true
	case "text/csv":
		return MediaCSV, true
	case "text/plain":
		return MediaText, true
	case "text/xml":
		return MediaXML, true
	case "application/openapi+json":
		return MediaOpenAPI, true
	case "application/x-www-form-urlencoded":
		return MediaForm, true
	case "application/octet-stream":
		return MediaBinary, true
	case "*/*":
		return MediaAny, true
	}
	return MediaOther, false
}

// ParseMediaType reads one media type with its parameters. What it does not know stays MediaOther with its whole text as Name.
func ParseMediaType(text string) MediaType {
	name, params, ok := splitMedia(text)
	if !ok {
		return MediaType{Name: text}
	}
	if kind, ok := simpleMedia(name); ok {
		return MediaType{Kind: kind, Name: name}
	}
	stripped := params["nulls"] == "stripped"
	switch name {
	case "application/vnd.pgrst.object+json", "application/vnd.pgrst.object":
		return MediaType{Kind: MediaObject, Name: "application/vnd.pgrst.object+json", NullsStripped: stripped}
	case "application/vnd.pgrst.array+json", "application/vnd.pgrst.array":
		if stripped {
			return MediaType{Kind: MediaArray, Name: "application/vnd.pgrst.array+json", NullsStripped: true}
		}
		return JSONMedia()
	case "application/vnd.pgrst.plan", "application/vnd.pgrst.plan+text":
		return planMedia(MediaPlanText, params)
	case "application/vnd.pgrst.plan+json":
		return planMedia(MediaPlanJSON, params)
	}
	return MediaType{Name: text}
}

// planMedia is the type of a query plan. PostgREST lists the options in its own order, whatever the client's was.
func planMedia(kind MediaKind, params map[string]string) MediaType {
	inner := JSONMedia()
	if text, ok := params["for"]; ok {
		inner = ParseMediaType(text)
		inner.PlanFor = nil // a plan of a plan is asked for by nobody, and must not nest without end
	}
	m := MediaType{Kind: kind, Name: "application/vnd.pgrst.plan", PlanFor: &inner}
	asked := strings.Split(params["options"], "|")
	for _, o := range []string{"analyze", "verbose", "settings", "buffers", "wal"} {
		if slices.Contains(asked, o) {
			m.PlanOptions = append(m.PlanOptions, o)
		}
	}
	return m
}

// splitMedia takes type/subtype; key=value; key="quoted" apart. Names come back in lower case.
func splitMedia(text string) (name string, params map[string]string, ok bool) {
	full, rest := text, ""
	if i := strings.IndexFunc(text, func(c rune) bool { return c == ';' || c == ' ' }); i >= 0 {
		full, rest = text[:i], text[i:]
	}
	main, sub, ok := strings.Cut(full, "/")
	if !ok || !madeOf(main, ".*") || !madeOf(sub, ".*+-") {
		return "", nil, false
	}
	params = map[string]string{}
	for {
		key, value, left, ok := nextParam(rest)
		if !ok {
			return strings.ToLower(main + "/" + sub), params, true
		}
		params[key], rest = value, left
	}
}

// nextParam reads one ;key=value off the front of text.
func nextParam(text string) (key, value, rest string, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimLeft(text, " \t"), ";")
	if !ok {
		return "", "", "", false
	}
	key, text, ok = strings.Cut(strings.TrimLeft(text, " \t"), "=")
	key = strings.TrimRight(key, " \t")
	if !ok || !madeOf(key, "-") {
		return "", "", "", false
	}
	text = strings.TrimLeft(text, " \t")
	if quoted, is := strings.CutPrefix(text, `"`); is {
		value, rest, ok = strings.Cut(quoted, `"`)
		return strings.ToLower(key), value, rest, ok
	}
	end := strings.IndexFunc(text, func(c rune) bool { return !isAlphanumeric(c) && !strings.ContainsRune("|-", c) })
	if end < 0 {
		end = len(text)
	}
	return strings.ToLower(key), text[:end], text[end:], end > 0
}

// isAlphanumeric is limited to ASCII, as media types are (RFC 9110, section 5.6.2).
func isAlphanumeric(c rune) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c)
}

// madeOf says whether a text has at least one character, and only letters, digits and the others.
func madeOf(text, others string) bool {
	return text != "" && strings.IndexFunc(text, func(c rune) bool {
		return !isAlphanumeric(c) && !strings.ContainsRune(others, c)
	}) < 0
}

// ParseAccept reads an Accept header, best type first: by quality, then the more specific (more parameters, fewer stars) first,
// then as written. Parameters after the quality are dropped.
func ParseAccept(header string) []MediaType {
	type ranked struct {
		text     string
		quality  float64
		specific int
	}
	var list []ranked
	for part := range strings.SplitSeq(header, ",") {
		part = strings.ReplaceAll(part, " ", "")
		text, after, _ := strings.Cut(part, ";q=")
		quality := 1.0
		digits, _, _ := strings.Cut(after, ";")
		if q, err := strconv.ParseFloat(digits, 64); err == nil {
			quality = q
		}
		list = append(list, ranked{text, quality, strings.Count(text, ";") - strings.Count(text, "*")})
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		switch {
		case a.quality > b.quality:
			return -1
		case a.quality < b.quality:
			return 1
		}
		return b.specific - a.specific
	})
	out := make([]MediaType, len(list))
	for i, r := range list {
		out[i] = ParseMediaType(r.text)
	}
	return out
}
