package request

import (
	"math"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// window is a range of row numbers, both ends included. Unlike Range it can be empty or begin below zero, because only the
// window that is left at the end is judged.
type window struct{ lower, upper int64 }

// noUpper is the upper end of a window without one.
const noUpper = math.MaxInt64

// everything is the window of a request that asks for no range.
func everything() window { return window{0, noUpper} }

// empty says that no row can be in it.
func (w window) empty() bool { return w.upper < w.lower }

// zero says whether the window is the one that limit=0 makes; it is the only empty one that is allowed.
func (w window) zero() bool { return w.upper == -1 }

// intersect is the rows in both.
func (w window) intersect(o window) window {
	return window{max(w.lower, o.lower), min(w.upper, o.upper)}
}

// size is the number of rows; ok is false without an upper end.
func (w window) size() (n int64, ok bool) {
	if w.upper == noUpper {
		return 0, false
	}
	return w.upper - w.lower + 1, true
}

// asRange is the window as offset and limit.
func (w window) asRange() Range {
	r := Range{Offset: w.lower}
	if n, ok := w.size(); ok {
		r.Limit = &n
	}
	return r
}

// readWindows collects limit and offset parameters by the name of the limit parameter, such as "limit" and "rel.limit". The
// last of a name counts. What is not an integer limits nothing, except that an offset next to it finds no rows.
func readWindows(pairs []pair) map[string]window {
	limits, offsets := map[string]window{}, map[string]window{}
	for _, p := range pairs {
		n, isNumber := integer(p.value)
		switch lastWord(p.key) {
		case "limit":
			w := everything()
			if isNumber {
				w.upper = n - 1
			}
			limits[p.key] = w
		case "offset":
			w := everything()
			if isNumber {
				w.lower = n
			}
			offsets[strings.TrimSuffix(p.key, "offset")+"limit"] = w
		}
	}
	for key, o := range offsets {
		l, ok := limits[key]
		if !ok {
			limits[key] = o
			continue
		}
		n, _ := l.size()
		limits[key] = window{o.lower, o.lower + n - 1}
	}
	return limits
}

// integer reads a decimal number with blanks around it. Numbers too great for 63 bits become the greatest half of them, which
// is beyond any table and still leaves room for sums.
func integer(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if limit := int64(math.MaxInt64 / 2); err != nil || n > limit || n < -limit {
		if digits != text {
			return -limit, true
		}
		return limit, true
	}
	return n, true
}

// parseRange reads a Range header such as 0-9 or 10-. Anything else asks for everything.
func parseRange(header string) window {
	from, to, ok := strings.Cut(header, "-")
	lower, isNumber := unsigned(from)
	if !ok || !isNumber {
		return everything()
	}
	if to == "" {
		return window{lower, noUpper}
	}
	upper, isNumber := unsigned(to)
	if !isNumber {
		return everything()
	}
	return window{lower, upper}
}

// unsigned reads digits alone, as in a Range header.
func unsigned(text string) (int64, bool) {
	if text == "" || text[0] < '0' || text[0] > '9' || text != strings.TrimSpace(text) {
		return 0, false
	}
	return integer(text)
}

// rootWindow joins the Range header (of GET only) with the root's limit and offset.
func rootWindow(method string, header window, limit window) (window, *apierror.Error) {
	if method != "GET" {
		header = everything()
	}
	w := header.intersect(limit)
	switch {
	case limit.zero():
		w = window{0, -1}
	case header.empty():
		return w, rangeError("The lower boundary must be lower than or equal to the upper boundary in the Range header.")
	case w.empty():
		return w, rangeError("Limit should be greater than or equal to zero.")
	}
	if method == "PUT" && w != everything() {
		return w, apierror.New(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
	}
	return w, nil
}

// rangeError is PGRST103.
func rangeError(details string) *apierror.Error {
	return apierror.New(416, "PGRST103", "Requested range not satisfiable").WithDetails(details)
}
