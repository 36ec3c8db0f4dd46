package native

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The oldest versions whose behaviour the rest of a stack relies on: PostgREST 14 is what
// the Supabase CLI starts, and Auth 2.180 has every setting that a configuration renders.
const (
	oldestPostgREST = "14"
	oldestAuth      = "2.180"
)

// versionText finds a version in what a server says of itself: "v2.196.0",
// "postgrest/14.17", "14.0 (abc1234)".
var versionText = regexp.MustCompile(`\d+(?:\.\d+)+`)

// versionOf is the version in a text, empty for none.
func versionOf(text string) string { return versionText.FindString(text) }

// warnOld says what is wrong with a version; empty for nothing.
func warnOld(title, version, oldest string) string {
	if version == "" {
		return fmt.Sprintf("%s does not tell its version; %s or later is needed", title, oldest)
	}
	if older(version, oldest) {
		return fmt.Sprintf("%s %s is too old: results can differ from those of %s or later", title, version, oldest)
	}
	return ""
}

// older compares versions number by number; missing numbers are 0.
func older(a, b string) bool {
	x, y := numbers(a), numbers(b)
	for i := range max(len(x), len(y)) {
		if p, q := at(x, i), at(y, i); p != q {
			return p < q
		}
	}
	return false
}

func at(list []int, i int) int {
	if i < len(list) {
		return list[i]
	}
	return 0
}

func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		list = append(list, n)
	}
	return list
}
