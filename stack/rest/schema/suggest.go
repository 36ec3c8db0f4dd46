package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Hints are found by fuzzy search over all names of a schema, whoever may use them, so they tell names. PostgREST 14.6
// made that harmless enough by a higher score for tables and functions; the recordings errors/paths show both sides.
const (
	nameScore     = 0.75 // least similarity of suggested tables and functions
	embedScore    = 0.33 // least similarity of suggested relations to embed and of parameter lists
	maxSuggesting = 500  // tables of a schema above which PostgREST makes no suggestions
)

// suggester finds the most similar of a set of names.
type suggester struct{ names []string }

// best returns the name most similar to want, when it is similar enough. Similarity is one minus the edit distance over
// the length of the longer name, ignoring case. Names that share three neighbouring letters with it come before those that
// share two, and the others do not count, as in the library fuzzyset that PostgREST searches with.
func (s *suggester) best(want string, least float64) (string, bool) {
	if s == nil {
		return "", false
	}
	want = strings.ToLower(want)
	for _, size := range []int{3, 2} {
		var found string
		var top float64
		for _, name := range s.names {
			lower := strings.ToLower(name)
			if score := similarity(want, lower); score >= least && score > top && shareGram(want, lower, size) {
				found, top = name, score
			}
		}
		if found != "" {
			return found, true
		}
	}
	return "", false
}

// similarity is 1 for equal texts and 0 for those that have nothing in common.
func similarity(a, b string) float64 {
	longest := max(len([]rune(a)), len([]rune(b)))
	if longest == 0 {
		return 0
	}
	return 1 - float64(levenshtein.ComputeDistance(a, b))/float64(longest)
}

// shareGram reports whether some neighbouring characters of a, its ends counted as characters, are neighbours in b. Only
// letters, digits, blanks and commas count, so brackets and underscores make nothing alike.
func shareGram(a, b string, size int) bool {
	letters, b := []rune("-"+bare(a)+"-"), "-"+bare(b)+"-"
	for i := 0; i+size <= len(letters); i++ {
		if strings.Contains(b, string(letters[i:i+size])) {
			return true
		}
	}
	return false
}

// bare is a text without what does not count for grams.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSpace(r) || r == ',' {
			return r
		}
		return -1
	}, text)
}

// newSuggester sorts names so that of equally similar ones the first in the alphabet wins.
func newSuggester(names []string) *suggester {
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return &suggester{names: names}
}

// tableSuggester knows the tables of a schema.
func (s *Snapshot) tableSuggester(schema string) *suggester {
	tables := s.Tables(schema)
	if len(tables) >= maxSuggesting {
		return nil
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name.Name
	}
	return newSuggester(names)
}

// SuggestTable returns the table of name's schema whose name is close to name.
func (s *Snapshot) SuggestTable(name Name) (string, bool) {
	get, ok := s.suggesters[name.Schema]
	if !ok {
		return "", false
	}
	return get().best(name.Name, nameScore)
}

// SuggestFunction returns the function of name's schema whose name is close to name.
func (s *Snapshot) SuggestFunction(name Name) (string, bool) {
	var names []string
	for _, n := range s.FunctionNames(name.Schema) {
		names = append(names, n.Name)
	}
	return newSuggester(names).best(name.Name, nameScore)
}

// SuggestParams returns the parameter list, as "(a, b)" with sorted names, of the overload that is closest to the
// given names.
func SuggestParams(overloads []*Function, given []string) (string, bool) {
	lists := make([]string, len(overloads))
	for i, f := range overloads {
		names := make([]string, len(f.Params))
		for j, p := range f.Params {
			names[j] = p.Name
		}
		lists[i] = paramList(names)
	}
	return newSuggester(lists).best(paramList(given), embedScore)
}

// paramList writes names as one text that can be compared, whatever order they came in.
func paramList(names []string) string {
	return "(" + strings.Join(slices.Sorted(slices.Values(names)), ", ") + ")"
}

// SuggestEmbed returns a better name for an embed that was not found: of the origin when nothing starts there,
// otherwise of the target. wrong is the name to replace.
func (s *Snapshot) SuggestEmbed(origin Name, target string) (better, wrong string, ok bool) {
	rs, known := s.relationships[origin]
	if !known {
		var names []string
		for n := range s.relationships {
			if n.Schema == origin.Schema {
				names = append(names, n.Name)
			}
		}
		better, ok = newSuggester(names).best(origin.Name, embedScore)
		return better, origin.Name, ok
	}
	var names []string
	for _, r := range rs {
		if r.Foreign.Name == target {
			return "", "", false // the name is right, its hint is wrong
		}
		names = append(names, r.Foreign.Name)
	}
	better, ok = newSuggester(names).best(target, embedScore)
	return better, target, ok
}
