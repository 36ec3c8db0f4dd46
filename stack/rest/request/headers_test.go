package request

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThePreferenceThatComesFirstWins(t *testing.T) {
	t.Parallel()
	s := Settings{KnownTimezone: func(n string) bool { return n == "Europe/Berlin" }, AllowTxOverride: true}
	got := ParsePrefer([]string{
		"count=exact ,return=minimal, count=planned,timezone=Mars/Base", "return=representation, timezone=Europe/Berlin,colour=red",
		"missing=default, resolution=merge-duplicates, tx=rollback, max-affected=4, handling=lenient, max-affected=x, plain",
	}, s)
	assert.Equal(t, Preferences{
		Return: ReturnMinimal, Count: CountExact, Resolution: ResolutionMerge, Missing: MissingDefault, Handling: HandlingLenient,
		Tx: TxRollback, Timezone: "Europe/Berlin", MaxAffected: new(int64(4)), Invalid: []string{"timezone=Mars/Base", "colour=red", "plain"},
	}, got)
	assert.Equal(t, "resolution=merge-duplicates, missing=default, return=minimal, count=exact, tx=rollback, handling=lenient, "+
		"timezone=Europe/Berlin", got.Applied(), "max-affected counts with strict handling only")
	require.NoError(t, got.CheckHandling())

	got.Handling = HandlingStrict
	assert.ErrorContains(t, got.CheckHandling(), "PGRST122: Invalid preferences given with handling=strict")
	assert.Contains(t, got.Applied(), "max-affected=4")
}

func TestTheEndOfATransactionIsNotTheClientsToChooseByDefault(t *testing.T) {
	t.Parallel()
	got := ParsePrefer([]string{"tx=rollback, handling=strict, return=nothing"}, Settings{})
	assert.Empty(t, got.Tx)
	assert.Equal(t, []string{"return=nothing"}, got.Invalid)
	assert.Empty(t, ParsePrefer(nil, Settings{}).Applied())
}

func TestRangesAreJoined(t *testing.T) {
	t.Parallel()
	limited := func(offset, n int64) Range { return Range{Offset: offset, Limit: &n} }
	for _, c := range []struct {
		query, header string
		want          Range
	}{
		{"", "", Range{}},
		{"limit=5", "", limited(0, 5)},
		{"offset=3", "", Range{Offset: 3}},
		{"limit=5&offset=3", "", limited(3, 5)},
		{"limit=5&limit=2", "", limited(0, 2)},
		{"limit=0", "", limited(0, 0)},
		{"", "2-4", limited(2, 3)},
		{"", "2-", Range{Offset: 2}},
		{"limit=5&offset=1", "3-9", limited(3, 3)},
		{"limit=ten", "", Range{}},
		{"limit=%205%20", "", limited(0, 5)},
		{"limit=0", "5-9", limited(0, 0)},
		{"", "bytes=0-1", Range{}},
		{"", "0-x", Range{}},
		{"", "-5", Range{}},
		{"limit=99999999999999999999", "", limited(0, (1<<63-1)/2)},
	} {
		in := input("GET", "/t?"+c.query)
		if c.header != "" {
			in.Header.Set("Range", c.header)
		}
		assert.Equal(t, c.want, mustParse(t, in).Read.Range, "%q %q", c.query, c.header)
	}
}

func TestImpossibleRangesAreRefused(t *testing.T) {
	t.Parallel()
	const (
		negative = "Limit should be greater than or equal to zero."
		crossed  = "The lower boundary must be lower than or equal to the upper boundary in the Range header."
	)
	for _, c := range []struct{ query, header, want string }{
		{"limit=-1", "", negative},
		{"offset=20&limit=0", "", negative},
		{"offset=1&limit=x", "", negative},
		{"limit=2", "5-9", negative},
		{"", "9-5", crossed},
	} {
		in := input("GET", "/t?"+c.query)
		if c.header != "" {
			in.Header.Set("Range", c.header)
		}
		e := parseError(t, in)
		assert.Equal(t, 416, e.Status, c.query)
		assert.Equal(t, "PGRST103", e.Code, c.query)
		assert.Equal(t, c.want, e.Details, "%q %q", c.query, c.header)
	}
	in := input("PUT", "/t?limit=1")
	in.Body = []byte("{}")
	assert.Equal(t, "PGRST114", parseError(t, in).Code)
	in = input("HEAD", "/t")
	in.Header.Set("Range", "9-5")
	assert.True(t, mustParse(t, in).Read.Range.All(), "the header counts for GET only")
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"application/json":                                                           "application/json",
		"Application/JSON; charset=utf-8":                                            "application/json",
		"application/vnd.pgrst.object+json":                                          "application/vnd.pgrst.object+json",
		"application/vnd.pgrst.object":                                               "application/vnd.pgrst.object+json",
		"application/vnd.pgrst.object+json;nulls=stripped":                           "application/vnd.pgrst.object+json;nulls=stripped",
		"application/vnd.pgrst.array;NULLS=stripped":                                 "application/vnd.pgrst.array+json;nulls=stripped",
		"application/vnd.pgrst.array":                                                "application/json",
		"application/vnd.pgrst.plan":                                                 `application/vnd.pgrst.plan+text; for="application/json"`,
		`application/vnd.pgrst.plan+json ; for="text/csv" ; options=buffers|analyze`: `application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|buffers`,
		"image/PNG;q=1":                                                              "image/PNG;q=1",
		"nonsense":                                                                   "nonsense",
		"*/*":                                                                        "*/*",
		"text/*":                                                                     "text/*",
	} {
		assert.Equal(t, want, ParseMediaType(text).String(), text)
	}
	assert.Equal(t, "application/json; charset=utf-8", JSONMedia().ContentType())
	assert.Equal(t, "application/octet-stream", ParseMediaType("application/octet-stream").ContentType())
	assert.Equal(t, "image/png", ParseMediaType("image/png").ContentType())
}

func TestTheBestAcceptedTypeComesFirst(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]string{
		"text/csv, application/json":         {"text/csv", "application/json"},
		"text/csv;q=0.5, application/json":   {"application/json", "text/csv"},
		"*/*, text/csv":                      {"text/csv", "*/*"},
		"a/b;q=0.1;x=1, */*;q=0.8, c/d":      {"c/d", "*/*", "a/b"},
		"text/csv;q=often , application/xml": {"text/csv", "application/xml"},
	} {
		var got []string
		for _, m := range ParseAccept(header) {
			got = append(got, m.String())
		}
		assert.Equal(t, want, got, header)
	}
}

func TestBodiesAreReadByTheirType(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method, target, contentType, body string
		want                              Payload
	}{
		"object":          {"POST", "/t", "", `{"b":1,"a":{"x":[1,"]}"]}}`, Payload{Kind: PayloadJSON, Keys: []string{"a", "b"}, Plain: true, Nested: []string{"a"}}},
		"array":           {"POST", "/t", "application/json", ` [ {"a":1,"b":"\"}"} , {"b":2,"a":3} ] `, Payload{Kind: PayloadJSON, Keys: []string{"a", "b"}, Plain: true}},
		"escaped key":     {"POST", "/t", "", `[{"\u0061":1},{"a":2}]`, Payload{Kind: PayloadJSON, Keys: []string{"a"}}},
		"no objects":      {"POST", "/t", "", `[]`, Payload{Kind: PayloadJSON, Plain: true}},
		"empty object":    {"POST", "/t", "", `{}`, Payload{Kind: PayloadJSON, Plain: true}},
		"raw by columns":  {"POST", "/t?columns=b,a,b", "", `not read`, Payload{Kind: PayloadRawJSON, Keys: []string{"a", "b"}}},
		"put reads it":    {"PUT", "/t?columns=b", "", `{"a":1}`, Payload{Kind: PayloadJSON, Keys: []string{"a"}, Plain: true}},
		"call, no body":   {"POST", "/rpc/f", "", ``, Payload{Kind: PayloadJSON, Plain: true}},
		"call, text":      {"POST", "/rpc/f", "text/plain", `{`, Payload{Kind: PayloadText}},
		"call, xml":       {"POST", "/rpc/f", "text/xml", `<a/>`, Payload{Kind: PayloadXML}},
		"call, bytes":     {"POST", "/rpc/f", "application/octet-stream", "\xff", Payload{Kind: PayloadBinary}},
		"call, form":      {"POST", "/rpc/f", "application/x-www-form-urlencoded", "a=1&b&a=+x", Payload{Kind: PayloadForm, Keys: []string{"a", "b"}, Args: []Arg{{"a", "1"}, {"b", ""}, {"a", " x"}}}},
		"deletes have no": {"DELETE", "/t", "image/png", `x`, Payload{}},
		"calls by GET":    {"GET", "/rpc/f", "image/png", `x`, Payload{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(c.method, c.target)
			in.Body = []byte(c.body)
			if c.contentType != "" {
				in.Header.Set("Content-Type", c.contentType)
			}
			got := mustParse(t, in).Payload
			if got.Kind != PayloadNone && c.body != "" {
				assert.Equal(t, c.body, string(got.Raw), "as it was sent")
			}
			got.Raw = nil
			assert.Equal(t, c.want, got)
		})
	}
}

func TestRowsAndFieldsBecomeJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body, want string }{
		"csv":                  {"text/csv", "a,b\r\n1,\"x \"\"y\"\"\"\nNULL,\n", `[{"a":"1","b":"x \"y\""},{"a":null,"b":""}]`},
		"csv without rows":     {"text/csv", "a,b\n", `[]`},
		"csv of blank lines":   {"text/csv", "\n", `[]`},
		"a row that is longer": {"text/csv", "a\n1,2\n", `[{"a":"1"}]`},
		"form":                 {"application/x-www-form-urlencoded", "b=2&a=1&b=%33", `{"a":"1","b":"3"}`},
		"a bare value":         {"application/json", "12", `[]`},
	} {
		in := input("POST", "/t")
		in.Header.Set("Content-Type", c.contentType)
		in.Body = []byte(c.body)
		assert.Equal(t, c.want, string(mustParse(t, in).Payload.Raw), name)
	}
	for body, want := range map[string]string{
		"a,b\n1\n1,2\n": "All lines must have same number of fields",
		"a,b":           `parse error (not enough input) at ""`,
		"a\n\"x":        `parse error (line 2, column 3: extraneous or missing " in quoted-field)`,
	} {
		in := input("POST", "/t")
		in.Header.Set("Content-Type", "text/csv")
		in.Body = []byte(body)
		e := parseError(t, in)
		assert.Equal(t, "PGRST102", e.Code)
		assert.Equal(t, want, e.Message)
	}
}

func TestBodiesTellWhatJSONAndJSONBTreatDifferently(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 200)
	for value, plain := range map[string]bool{
		`1`: true, `-1`: true, `0`: true, `0.0`: true, `-0.10`: true, `1.50`: true, `"1e5"`: true, `"-0"`: true, `"a\"\n\/b"`: true,
		`null`: true, `true`: true, `""`: true, `"` + long + `"`: true, `[1, {"x": 1.0}]`: true,
		`1e5`: false, `1E-5`: false, `-0`: false, `-0.00`: false, `"\u0041"`: false, long: false, `[[1e5]]`: false, `{"\u0041": 1}`: false,
	} {
		for shape, body := range map[string]string{
			"object": `{"a":` + value + `}`, "rows": `[{"a":null},{"a": ` + value + ` , "a":1}]`, "last": `[{"b":1 ,"a":` + value + `}]`,
		} {
			p, err := jsonPayload([]byte(body))
			require.Nil(t, err, body)
			assert.Equal(t, plain, p.Plain, "%s %s", shape, body)
			assert.Equal(t, strings.ContainsAny(value[:1], "[{"), len(p.Nested) == 1, "%s %s", shape, body)
		}
	}
	p, err := jsonPayload([]byte(`[{"\u0062":[1],"a":{},"c":1}]`))
	require.Nil(t, err)
	assert.Equal(t, []string{"a", "b"}, p.Nested)
}
