package request

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// FuzzParse looks for panics, for errors of another type and for texts that mean different things each time.
func FuzzParse(f *testing.F) {
	for _, r := range recordings(f)[:60] {
		for _, s := range r.Steps {
			if s.Request != nil {
				in := s.input(r.schemas())
				f.Add(in.Method, in.Path, in.RawQuery, in.Header.Get("Content-Type"), in.Header.Get("Prefer"), in.Body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, prefer string, body []byte) {
		in := Input{
			Method: method, Path: path, RawQuery: query, Body: body, Settings: Settings{Schemas: []string{"public"}},
			Header: http.Header{"Content-Type": {contentType}, "Prefer": {prefer}, "Accept": {contentType}, "Range": {prefer}},
		}
		one, err := Parse(in)
		two, again := Parse(in)
		assert.Equal(t, one, two)
		assert.Equal(t, err, again)
		if err == nil {
			return
		}
		e, ok := err.(*apierror.Error)
		if !ok || e.Status < 400 || e.Status > 599 {
			t.Fatalf("%T %v", err, err)
		}
		if e.Code == "PGRST100" && !strings.Contains(e.Message, "failed to parse") {
			t.Fatalf("no place in %q", e.Message)
		}
	})
}

// FuzzScannerModes makes sure that reading without failures and with them are the same grammar.
func FuzzScannerModes(f *testing.F) {
	for _, s := range []string{
		"*,a:b!c!inner(d->>e::text,...f(count())),g.sum()", "and(a.eq.1,not.or(b.in.(1,2),c.is.null))", "a.desc.nullslast,b(c)", "not.eq(any).{1}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same := func(name string, p func(*scan) bool) {
			fast, slow := &scan{src: text}, &scan{src: text, track: true}
			okFast, okSlow := p(fast), p(slow)
			if okFast != okSlow || okFast && fast.pos != slow.pos {
				t.Fatalf("%s: %v at %d without failures, %v at %d with", name, okFast, fast.pos, okSlow, slow.pos)
			}
			if !okSlow && slow.err.none() {
				t.Fatalf("%s: failed without saying why", name)
			}
		}
		same("select", func(s *scan) bool { _, ok := selectList(s); return ok })
		same("filter", func(s *scan) bool { _, ok := filterValue(s); return ok })
		same("logic", func(s *scan) bool { _, ok := logicTree(s); return ok })
		same("order", func(s *scan) bool { _, ok := orderTerms(s); return ok })
		same("columns", func(s *scan) bool { _, ok := columnNames(s); return ok })
	})
}

// FuzzJSONKeys compares the walk over bodies with decoding them.
func FuzzJSONKeys(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"]}"}]}`, `[{"a":1},{"a":2}]`, `[{}, 1]`, ` {"\u0061" : null , "a":1 } `, `[[]]`, `"x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := jsonPayload(body)
		var object map[string]json.RawMessage
		var list []map[string]json.RawMessage
		switch {
		case err != nil:
			return
		case json.Unmarshal(body, &object) == nil && object != nil:
			assert.Len(t, p.Keys, len(object))
			for _, k := range p.Keys {
				assert.Contains(t, object, k)
			}
		case json.Unmarshal(body, &list) == nil && list != nil:
			for _, o := range list {
				assert.Len(t, p.Keys, len(o))
			}
		default:
			assert.Equal(t, "[]", string(p.Raw))
		}
	})
}

func FuzzPrefer(f *testing.F) {
	f.Add("return=minimal, count=exact,handling=strict")
	f.Add("max-affected=1,timezone=UTC,=,,")
	f.Fuzz(func(t *testing.T, header string) {
		s := Settings{KnownTimezone: func(string) bool { return true }, AllowTxOverride: true}
		p := ParsePrefer([]string{header}, s)
		again := ParsePrefer([]string{p.Applied()}, s)
		// What is applied is understood, and asks for the same.
		p.Invalid, again.Invalid = nil, nil
		if p.Handling != HandlingStrict {
			p.MaxAffected = nil
		}
		assert.Equal(t, p, again)
	})
}

func FuzzRange(f *testing.F) {
	for _, s := range []string{"0-9", "10-", "-", "9-0", "0-99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		w := parseRange(header)
		if w.lower < 0 {
			t.Fatalf("%q begins at %d", header, w.lower)
		}
		if r := w.asRange(); r.Limit != nil && *r.Limit != w.upper-w.lower+1 {
			t.Fatalf("%q has %d rows", header, *r.Limit)
		}
	})
}
