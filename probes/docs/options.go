package docs

import (
	"slices"
	"strings"
)

// options are the arguments of curl or wget.
type options struct {
	// names are the options in order, without dashes, with their values.
	names  []string
	values []string
	// rest are the arguments that are no options.
	rest []string
}

// readOptions reads arguments as getopt does: short options may stand together, and
// the value of one that takes a value is what is left of the word, or the next one.
// withValue lists the options that take one.
func readOptions(words []string, withValue []string) options {
	var read options
	for i := 0; i < len(words); i++ {
		word := words[i]
		next := func() string {
			if i+1 < len(words) {
				i++
				return words[i]
			}
			return ""
		}
		switch {
		case word == "--":
			read.rest = append(read.rest, words[i+1:]...)
			return read
		case strings.HasPrefix(word, "--"):
			name, value, given := strings.Cut(word[2:], "=")
			if !given && slices.Contains(withValue, name) {
				value = next()
			}
			read.add(name, value)
		case strings.HasPrefix(word, "-") && len(word) > 1:
			read.short(word[1:], withValue, next)
		default:
			read.rest = append(read.rest, word)
		}
	}
	return read
}

func (o *options) short(letters string, withValue []string, next func() string) {
	for i := range len(letters) {
		name := letters[i : i+1]
		if !slices.Contains(withValue, name) {
			o.add(name, "")
			continue
		}
		value := letters[i+1:]
		if value == "" {
			value = next()
		}
		o.add(name, value)
		return
	}
}

func (o *options) add(name, value string) {
	o.names, o.values = append(o.names, name), append(o.values, value)
}

func (o options) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(o.names, name) })
}

// is reports whether one of the options is given with the value.
func (o options) is(value string, names ...string) bool {
	for i, name := range o.names {
		if o.values[i] == value && slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// addresses are the web addresses among the arguments, the option --url included.
func (o options) addresses() []string {
	var found []string
	for i, name := range o.names {
		if name == "url" && isAddress(o.values[i]) {
			found = append(found, o.values[i])
		}
	}
	for _, word := range o.rest {
		if isAddress(word) {
			found = append(found, word)
		}
	}
	return found
}

// curlValues are curl's options that take a value, as `curl --help all` of version
// 8 lists them. One that is missing here would have its value taken for an
// argument, which matters for addresses only.
func curlValues() []string {
	short := strings.Split("AbcCdDeEFHKmoPQrtTuUwxXyYz", "")
	return append(short, "cacert", "capath", "cert", "config", "connect-timeout", "connect-to", "cookie", "cookie-jar",
		"data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "dns-servers", "doh-url", "dump-header", "form",
		"form-string", "header", "interface", "json", "key", "limit-rate", "max-filesize", "max-redirs", "max-time",
		"noproxy", "output", "output-dir", "preproxy", "proxy", "proxy-header", "range", "referer", "request", "resolve",
		"retry", "retry-delay", "retry-max-time", "stderr", "trace", "trace-ascii", "upload-file", "url", "url-query",
		"user", "user-agent", "write-out")
}

// wgetValues are wget's options that take a value.
func wgetValues() []string {
	short := strings.Split("aAbBDeGiIlloOPQRtTUwX", "")
	return append(short, "header", "input-file", "output-document", "output-file", "post-data", "referer", "timeout",
		"tries", "user-agent", "wait")
}
