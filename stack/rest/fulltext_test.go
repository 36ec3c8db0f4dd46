package rest_test

import "testing"

// Columns of other types are searched as vectors; vectors, domains over them and functions of the row are searched as they
// are (PostgREST documentation, "Full-text search"; Plan.resolveTypeOrUnknown).
func TestFullTextSearchMakesVectorsOnlyOfColumns(t *testing.T) {
	t.Parallel()
	a := serve(t, `
		create domain public.words as tsvector check (value is not null);
		create domain public.more_words as public.words check (value <> '');
		create table public.texts (id int primary key, body text, doc jsonb, vec tsvector, dom public.words default '', deep public.more_words default '.');
		insert into public.texts values
		  (1, 'the lazy dogs', '{"a": "lazy cat"}', to_tsvector('english', 'lazy cows'), to_tsvector('simple', 'lazy'), to_tsvector('simple', 'lazy')),
		  (2, 'busy bees', '{"a": "bees"}', to_tsvector('english', 'bees'), to_tsvector('simple', 'busy'), to_tsvector('simple', 'busy'));
		create function public.computed(t public.texts) returns tsvector language sql immutable as $$ select to_tsvector('simple', t.body) $$;
		create function public.all_texts() returns setof public.texts language sql stable as $$ select * from public.texts $$;`)
	for name, filter := range map[string]string{
		"text":                   "body=fts(english).dog",
		"text, default language": "body=plfts.lazy%20dogs",
		"JSON":                   "doc=fts(english).cat",
		"vector":                 "vec=fts(english).cow",
		"domain over a vector":   "dom=fts(simple).lazy",
		"domain over a domain":   "deep=fts(simple).lazy",
		"function of the row":    "computed=fts(simple).lazy",
		"negated":                "body=not.phfts(english).busy%20bee",
		"web search":             "body=wfts(english).%22lazy%20dogs%22%20-bees",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.get(nobody(), "/texts?select=id&"+filter).answers(200, `[{"id":1}]`)
			a.get(nobody(), "/rpc/all_texts?select=id&"+filter).answers(200, `[{"id":1}]`)
		})
	}
}
