package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bodyValues are values in the spellings that JSON allows for them.
func bodyValues() []string {
	return []string{
		"null", "true", "false", "1", "-1", "0", "-0", "1.50", "-0.10", "1e3", "1E-2", "12345678901234567890", "0.1",
		`""`, `"a"`, `"true"`, `"12"`, `"1e3"`, `"a\"b\\c\/d\n"`, `"\u0041"`, `"\u0000"`, `"\ud800"`, `"é😀"`, `"null"`, `" 1 "`,
		`"2024-02-29"`, `"2024-02-29T12:00:00+02:00"`, `"12:30"`, `"a11ce000-0000-4000-8000-000000000001"`, `"10.0.0.1/8"`,
		`"{a,b}"`, `"{1,2}"`, `"{\"b\": 1}"`, `"so \"so\""`, `"(1,x)"`, `"\\xdeadbeef"`, `"more than thirty characters are in this text"`,
		`[]`, `[1, 2]`, `["a", null]`, `[[1,2],[3,4]]`, `[1e3]`, `{}`, `{"b" : 1.0, "a": [ ]}`, `{"a":1,"b":"x"}`, `{"b":1,"b":2}`,
		`[{"b":1,"a":"\u0041"}]`,
	}
}

// TestBodiesAreReadAsJSON sends values of all kinds to columns of all types. With columns= nothing is known of a body, so it is
// read as json; else often as jsonb. What is stored, or wrong, must be the same.
func TestBodiesAreReadAsJSON(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString(`create type public.mood as enum ('so "so"'); create domain public.positive as int check (value > 0);
		create domain public.short as varchar(10) not null; create domain public.filled as jsonb check (value <> '{}');
		create type public.pair as (a int, b text); create domain public.document as json;`)
	types := []string{"varchar(10)", "public.short", "public.filled", "bigint[]", "jsonb[]"}
	for typ := range typedValues() {
		types = append(types, typ)
	}
	for i, typ := range types {
		fmt.Fprintf(&script, "create table public.things_%d (value %s, other text);", i, typ)
	}
	a := serve(t, script.String())
	for i, typ := range types {
		t.Run(typ, func(t *testing.T) {
			path := fmt.Sprintf("/things_%d?select=value::text,other", i)
			stored := 0
			for _, value := range bodyValues() {
				for _, body := range []string{`{"value":` + value + `}`, `[{"other":"x","value":null},{"value":` + value + `,"other":""}]`} {
					send := func(path string) reply {
						got, err := a.try(t.Context(), as("service_role"), "POST", path, body, "Prefer: return=representation")
						require.NoError(t, err)
						return got
					}
					got, want := send(path), send(path+"&columns=value,other")
					assert.Equal(t, want.status, got.status, body)
					assert.Equal(t, want.body, got.body, body)
					if got.status == 201 {
						stored++
					}
				}
			}
			assert.Positive(t, stored, "some values are right")
		})
	}
}
