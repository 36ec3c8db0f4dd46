package request

import (
	"net/http"
	"strings"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	row := `{"id":1,"title":"some title","year":1999,"tags":["a","b"],"note":null}`
	for name, c := range map[string]struct{ method, target, body string }{
		"by key":      {"GET", "/films?id=eq.1&select=id,title", ""},
		"embeds":      {"GET", "/films?select=id,title,crew:people!inner(name,city(name)),roles(*)&crew.age=gt.30&order=year.desc,id&limit=100&or=(year.gt.1990,title.ilike.*star*)", ""},
		"insert":      {"POST", "/films", row},
		"insert 1000": {"POST", "/films", "[" + strings.Repeat(row+",", 999) + row + "]"},
		"call":        {"POST", "/rpc/find", `{"a":1,"b":"x"}`},
	} {
		b.Run(name, func(b *testing.B) {
			in := input(c.method, c.target)
			in.Header = http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}, "Prefer": {"count=exact"}}
			in.Body = []byte(c.body)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
