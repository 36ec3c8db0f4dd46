package native

import (
	"bytes"
	"strings"
	"sync"
)

// maxLine bounds a line of a log in bytes; a longer one is cut into several.
const maxLine = 32 << 10

// tailLines is how many lines an error quotes.
const tailLines = 20

// lines cuts what a child prints into lines, takes its secrets out, remembers the last
// ones and hands each on. Write is called by one goroutine, tail by any.
type lines struct {
	hide func(string) string
	each func(line string)
	part []byte

	mu   sync.Mutex
	last []string
}

// Write never fails: what a child prints cannot stop it.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		text, rest, whole := bytes.Cut(p, []byte("\n"))
		if room := maxLine - len(l.part); len(text) > room {
			text, rest, whole = p[:room], p[room:], true
		}
		l.part = append(l.part, text...)
		if whole {
			l.flush()
		}
		p = rest
	}
	return n, nil
}

// flush hands the line on that has no end yet. It is called after the last Write.
func (l *lines) flush() {
	text := strings.TrimRight(string(l.part), "\r\n\t ")
	l.part = l.part[:0]
	if text == "" {
		return
	}
	text = l.hide(text)
	l.mu.Lock()
	l.last = append(l.last, text)
	if len(l.last) > 2*tailLines {
		l.last = append(l.last[:0], l.last[len(l.last)-tailLines:]...)
	}
	l.mu.Unlock()
	l.each(text)
}

// tail is the end of the log, without its secrets.
func (l *lines) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.last[max(0, len(l.last)-tailLines):], "\n")
}
