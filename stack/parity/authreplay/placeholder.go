package authreplay

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// placeholder is how recordings write a volatile value: <uuid>, <token:name>,
// <seconds:3600>. Kinds that are not known are text.
var placeholder = regexp.MustCompile(
	`<(uuid|timestamp|jwt|token|otp|svg|base64|int|bytes|string|seconds|unixtime)(?::([^<>]*))?>`)

// placeholderPattern is the form of a kind's values. Tokens are of several
// kinds: refresh tokens, hashes, TOTP secrets, hashes of deleted addresses.
func placeholderPattern(kind string) string {
	switch kind {
	case "uuid":
		return `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`
	case "timestamp":
		return `\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?`
	case "jwt":
		return `[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*`
	case "token":
		return `[A-Za-z0-9_-]+=*`
	case "otp":
		return `\d{6}`
	case "svg":
		return `(?s:.*<svg.*</svg>\s*)`
	case "base64":
		return `[A-Za-z0-9+/]+=*`
	case "string":
		return `(?s:.*)`
	case "bytes":
		return `\d+(?: \d+)*`
	}
	return `-?\d+` // int, seconds, unixtime
}

// matcher compares recorded texts with observed ones.
type matcher struct {
	// vars are the captured texts, those of the step itself included.
	vars map[string]string
	// iat is the claim iat of the token being compared, nil outside of one.
	iat any
}

// text compares a recorded text, which may contain placeholders, with an
// observed one. The answer is empty when they agree and a reason otherwise.
func (m matcher) text(want, got string) string {
	// Regular expressions are UTF-8. What is not shows as in JSON.
	want, got = strings.ToValidUTF8(want, "\uFFFD"), strings.ToValidUTF8(got, "\uFFFD")
	marks := placeholder.FindAllStringSubmatch(want, -1)
	if marks == nil {
		if want != got {
			return "texts differ"
		}
		return ""
	}
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	rest := want
	for _, mark := range marks {
		before, after, _ := strings.Cut(rest, mark[0])
		pattern.WriteString(regexp.QuoteMeta(before))
		pattern.WriteString("(" + placeholderPattern(mark[1]) + ")")
		rest = after
	}
	pattern.WriteString(regexp.QuoteMeta(rest) + `\z`)
	// Patterns hold recorded text, so they differ from call to call and are not
	// worth keeping.
	re, err := regexp.Compile(pattern.String())
	if err != nil {
		return err.Error()
	}
	values := re.FindStringSubmatch(got)
	if values == nil {
		return "form differs"
	}
	for i, mark := range marks {
		if reason := m.identity(mark[1], mark[2], values[i+1]); reason != "" {
			return reason
		}
	}
	return ""
}

// identity checks what a placeholder says beyond the value's form: a named one
// equals the variable, an unnamed one equals none.
func (m matcher) identity(kind, name, value string) string {
	switch kind {
	case "string":
		if n, err := strconv.Atoi(name); err != nil || len([]rune(value)) != n {
			return fmt.Sprintf("%d characters instead of %s", len([]rune(value)), name)
		}
	case "seconds":
		return secondsWithin(name, value)
	case "unixtime":
		if offset, ok := strings.CutPrefix(name, "iat"); ok {
			return m.unixAfterIssue(offset, value)
		}
	case "uuid", "token", "otp", "jwt":
		return m.sameVariable(kind, name, value)
	}
	return ""
}

func (m matcher) sameVariable(kind, name, value string) string {
	if name != "" {
		captured, ok := m.vars[name]
		switch {
		case !ok:
			return fmt.Sprintf("variable %q is not set", name)
		case captured != value:
			return fmt.Sprintf("is not the captured %q, %s", name, captured)
		}
		return ""
	}
	// JWTs are compared within their own step only.
	if kind == "jwt" {
		return ""
	}
	for other, captured := range m.vars {
		if captured == value {
			return fmt.Sprintf("is the captured %q and should not be", other)
		}
	}
	return ""
}

// secondsWithin accepts the recorded number or up to 30 less: time passes
// between two readings of the clock.
func secondsWithin(want, got string) string {
	w, errWant := strconv.ParseInt(want, 10, 64)
	g, errGot := strconv.ParseInt(got, 10, 64)
	if errWant != nil || errGot != nil || g > w || g < w-30 {
		return fmt.Sprintf("is not within %s seconds, up to 30 less", want)
	}
	return ""
}

func (m matcher) unixAfterIssue(offset, got string) string {
	iat, errIat := strconv.ParseInt(fmt.Sprint(m.iat), 10, 64)
	add, errAdd := strconv.ParseInt(offset, 10, 64)
	g, errGot := strconv.ParseInt(got, 10, 64)
	if errIat != nil || errAdd != nil || errGot != nil || g != iat+add {
		return fmt.Sprintf("is not iat (%v) %s", m.iat, offset)
	}
	return ""
}

// number tells whether a placeholder stands for a JSON number.
func isNumberPlaceholder(want string) bool {
	mark := placeholder.FindStringSubmatch(want)
	return mark != nil && mark[0] == want && slices.Contains([]string{"seconds", "unixtime", "int"}, mark[1])
}
