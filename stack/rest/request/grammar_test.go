package request

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func field(name string, path ...JSONStep) Field { return Field{Name: name, Path: path} }

func TestSelectItems(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]SelectField{
		"id":                       {Field: field("id")},
		"*":                        {Field: field("*")},
		" id ":                     {Field: field("id")},
		"two words":                {Field: field("two words")},
		"a-b":                      {Field: field("a-b")},
		`"a,b""`:                   {},
		`"a.b:c"`:                  {Field: field("a.b:c")},
		`"say \"hi\" \\"`:          {Field: field(`say "hi" \`)},
		"n:id":                     {Field: field("id"), Alias: "n"},
		"id::text":                 {Field: field("id"), Cast: "text"},
		"n:data->a->>b::int":       {Field: field("data", JSONStep{Key: "a"}, JSONStep{Text: true, Key: "b"}), Alias: "n", Cast: "int"},
		"data->0->>-1":             {Field: field("data", JSONStep{Index: "0", IsIndex: true}, JSONStep{Text: true, Index: "-1", IsIndex: true})},
		"data->0x":                 {Field: field("data", JSONStep{Key: "0x"})},
		`data->"k.1"`:              {Field: field("data", JSONStep{Key: "k.1"})},
		"data->a-b":                {Field: field("data", JSONStep{Key: "a-b"})},
		"count()":                  {Field: Field{}, Aggregate: AggregateCount},
		"n:count()::text":          {Aggregate: AggregateCount, Alias: "n", AggregateCast: "text"},
		"price.sum()":              {Field: field("price"), Aggregate: AggregateSum},
		"p:price::int.avg()::text": {Field: field("price"), Alias: "p", Cast: "int", Aggregate: AggregateAvg, AggregateCast: "text"},
		"x.min()":                  {Field: field("x"), Aggregate: AggregateMin},
		"x.max()":                  {Field: field("x"), Aggregate: AggregateMax},
		"x.count()":                {Field: field("x"), Aggregate: AggregateCount},
		"count":                    {Field: field("count")},
	} {
		items, err := read(text, "select", selectList)
		if want.Field.Name == "" && want.Aggregate == "" {
			assert.NotNil(t, err, text)
			continue
		}
		require.Nil(t, err, text)
		require.Len(t, items, 1, text)
		assert.Equal(t, want, *items[0].Field, text)
	}
}

func TestEmbeds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Node{
		"rel(id)":               {Name: "rel"},
		"a:rel!hint!inner(id)":  {Name: "rel", Alias: "a", Hint: "hint", Join: JoinInner},
		"rel!left!hint(id)":     {Name: "rel", Hint: "hint", Join: JoinLeft},
		"...rel!h(id)":          {Name: "rel", Spread: true, Hint: "h"},
		"rel!one!two(id)":       {Name: "rel", Hint: "one"},
		`"odd name"!"h.1"(id)`:  {Name: "odd name", Hint: "h.1"},
		"rel!leftover(id)":      {},
		"rel!inner!left(id)":    {Name: "rel", Join: JoinInner},
		" rel(id)":              {Name: "rel"},
		"rel!hint!inner!x(id)":  {},
		"counter!count_fk(id)":  {Name: "counter", Hint: "count_fk"},
		"rel.count(id)":         {},
		"count(id)":             {},
		"a:...rel(id)":          {},
		"rel->x(id)":            {},
		"rel(id":                {},
		"rel(id))extra ignored": {Name: "rel"},
	} {
		items, err := read(text, "select", selectList)
		if want.Name == "" {
			assert.NotNil(t, err, text)
			continue
		}
		require.Nil(t, err, text)
		require.NotNil(t, items[0].Embed, text)
		got := *items[0].Embed
		require.Len(t, got.Select, 1, text)
		assert.Equal(t, "id", got.Select[0].Field.Field.Name, text)
		got.Select = nil
		assert.Equal(t, want, got, text)
	}
	empty, err := read("id,rel()", "select", selectList)
	require.Nil(t, err)
	assert.Empty(t, empty[1].Embed.Select)
}

func TestFilterOperators(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Filter{
		"eq.a.b":               {Operator: OpEq, Value: "a.b"},
		"eq.":                  {Operator: OpEq},
		"not.eq.1":             {Operator: OpEq, Value: "1", Negated: true},
		"gte.1":                {Operator: OpGte, Value: "1"},
		"gt.1":                 {Operator: OpGt, Value: "1"},
		"neq.1":                {Operator: OpNeq, Value: "1"},
		"like(any).{a*,b*}":    {Operator: OpLike, Quantifier: QuantifierAny, Value: "{a*,b*}"},
		"eq(all).{1}":          {Operator: OpEq, Quantifier: QuantifierAll, Value: "{1}"},
		"in.(a,b)":             {Operator: OpIn, List: []string{"a", "b"}},
		"in.()":                {Operator: OpIn, List: []string{""}},
		`in.("a,b","c)",d")`:   {Operator: OpIn, List: []string{"a,b", "c)", `d"`}},
		`in.("a"b,c)`:          {Operator: OpIn, List: []string{`"a"b`, "c"}},
		`in.("a\"b")`:          {Operator: OpIn, List: []string{`a"b`}},
		"not.in.( a , b )":     {Operator: OpIn, Negated: true, List: []string{"a ", " b "}},
		"is.NULL":              {Operator: OpIs, Is: IsNull},
		"is.not_null":          {Operator: OpIs, Is: IsNotNull},
		"not.is.Unknown":       {Operator: OpIs, Is: IsUnknown, Negated: true},
		"isdistinct.5":         {Operator: OpIsDistinct, Value: "5"},
		"fts(english).cat":     {Operator: OpFullText, Language: "english", Value: "cat"},
		"plfts.the cat":        {Operator: OpFullTextPlain, Value: "the cat"},
		"wfts(simple).a or -b": {Operator: OpFullTextWebsite, Language: "simple", Value: "a or -b"},
		"phfts.x":              {Operator: OpFullTextPhrase, Value: "x"},
		"cs.{a}":               {Operator: OpContains, Value: "{a}"},
		"cd.{a}":               {Operator: OpContained, Value: "{a}"},
		"ov.[1,2]":             {Operator: OpOverlap, Value: "[1,2]"},
		"sl.(1,2)":             {Operator: OpStrictlyLeft, Value: "(1,2)"},
		"sr.x":                 {Operator: OpStrictlyRight, Value: "x"},
		"nxr.x":                {Operator: OpNotExtendsRight, Value: "x"},
		"nxl.x":                {Operator: OpNotExtendsLeft, Value: "x"},
		"adj.x":                {Operator: OpAdjacent, Value: "x"},
		"match(any).{^a}":      {Operator: OpMatch, Quantifier: QuantifierAny, Value: "{^a}"},
	} {
		got, err := read(text, "filter", filterValue)
		require.Nil(t, err, text)
		assert.Equal(t, want, got, text)
	}
}

// Cases that no recording has. Source of the words: the examples in PostgREST's module ApiRequest.QueryParams.
func TestWhatIsWrongIsSaidInTheServersWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, message, details string }{
		{"select", "name!hint", `(line 1, column 5)`, `unexpected '!' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`},
		{"select", "id,clients(name[])", `(line 1, column 16)`, `unexpected '[' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`},
		{"select", "name::", `(line 1, column 7)`, `unexpected end of input expecting letter or digit`},
		{"select", "data->>-78xy", `(line 1, column 11)`, `unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`},
		{"select", "data->>--34", `(line 1, column 9)`, `unexpected "-" expecting digit`},
		{"id", "fts().value", `(line 1, column 5)`, `unexpected ")" expecting operator (eq, gt, ...)`},
		{"id", "eq().value", `(line 1, column 4)`, `unexpected ")" expecting operator (eq, gt, ...)`},
		{"id", "is().value", `(line 1, column 3)`, `unexpected "(" expecting operator (eq, gt, ...)`},
		{"order", "clients(name,id)", `(line 1, column 8)`, `unexpected '(' expecting letter, digit, "-", "->>", "->", delimiter (.), "," or end of input`},
		{"order", "id.descc", `(line 1, column 8)`, `unexpected 'c' expecting delimiter (.), "," or end of input`},
		{"order", "id.asc.nlsfst", `(line 1, column 8)`, `unexpected "l" expecting "nullsfirst" or "nullslast"`},
		{"order", "id.nullslasttt", `(line 1, column 13)`, `unexpected 't' expecting "," or end of input`},
		{"or", "(id.in.1,2,id.eq.3)", `(line 1, column 10)`, `unexpected "1" expecting "("`},
		{"or", ")(", `(line 1, column 3)`, `unexpected ")" expecting "("`},
		{"and", "(ord(id.eq.1,id.eq.1),id.eq.2)", `(line 1, column 7)`, `unexpected "d" expecting "("`},
		{"or", "(id.eq.1,not.xor(id.eq.2,id.eq.3))", `(line 1, column 16)`, `unexpected "x" expecting logic operator (and, or)`},
		{"columns", ":", `(line 1, column 1)`, `unexpected ":" expecting field name (* or [a..z0..9_$])`},
	} {
		_, err := readQuery([]pair{{c.key, c.value}}, false)
		require.NotNil(t, err, c.value)
		assert.Contains(t, err.Message, c.message, c.value)
		assert.Equal(t, c.details, err.Details, c.value)
	}
}

func TestLogicTrees(t *testing.T) {
	t.Parallel()
	got, err := read(`and(a.eq.1,not.or(b.not.is.null,c->>d.in.(1,2)),e.eq."x,)",f.cs.{1,2}, g.eq.v )`, "logic tree", logicTree)
	require.Nil(t, err)
	leaf := func(f Filter) Logic { return Logic{Filter: &f} }
	assert.Equal(t, Logic{Operator: LogicAnd, Nodes: []Logic{
		leaf(Filter{Field: field("a"), Operator: OpEq, Value: "1"}),
		{Operator: LogicOr, Negated: true, Nodes: []Logic{
			leaf(Filter{Field: field("b"), Negated: true, Operator: OpIs, Is: IsNull}),
			leaf(Filter{Field: field("c", JSONStep{Text: true, Key: "d"}), Operator: OpIn, List: []string{"1", "2"}}),
		}},
		leaf(Filter{Field: field("e"), Operator: OpEq, Value: "x,)"}),
		leaf(Filter{Field: field("f"), Operator: OpContains, Value: "{1,2}"}),
		leaf(Filter{Field: field("g"), Operator: OpEq, Value: "v "}),
	}}, got)
	for key, want := range map[string]logicKey{
		"or":            {nil, "or"},
		"not.and":       {nil, "not.and"},
		"rel.or":        {[]string{"rel"}, "or"},
		"a.b.not.or":    {[]string{"a", "b"}, "not.or"},
		"a.not.b.or":    {[]string{"a", "b"}, "not.or"},
		`"x.y".not.and`: {[]string{"x.y"}, "not.and"},
	} {
		got, err := read(key, "logic path", logicPath)
		require.Nil(t, err, key)
		assert.Equal(t, want.operator, got.operator, key)
		assert.ElementsMatch(t, want.path, got.path, key)
	}
}

func TestOrderTerms(t *testing.T) {
	t.Parallel()
	got, err := read("a,b.desc.nullsfirst, c->x.asc,rel(d->>e).desc,f.nullslast", "order", orderTerms)
	require.Nil(t, err)
	assert.Equal(t, []OrderTerm{
		{Field: field("a")},
		{Field: field("b"), Direction: DirectionDesc, Nulls: NullsFirst},
		{Field: field("c", JSONStep{Key: "x"}), Direction: DirectionAsc},
		{Relation: "rel", Field: field("d", JSONStep{Text: true, Key: "e"}), Direction: DirectionDesc},
		{Field: field("f"), Nulls: NullsLast},
	}, got)
}
