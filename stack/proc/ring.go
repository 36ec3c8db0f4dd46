package proc

import (
	"strings"
	"sync"
)

// ring keeps the last max bytes written to it. It is written by the goroutine
// that copies the child's output and read by anybody.
type ring struct {
	mu  sync.Mutex
	max int
	buf []byte
}

func newRing(maxBytes int) *ring { return &ring{max: maxBytes} }

// Write never fails and never blocks on a reader: a child that prints without
// end must neither fill the memory nor be slowed down.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf = append(r.buf, p...)
	// Cutting only at twice the size makes the copy cost constant per byte.
	if len(r.buf) > 2*r.max {
		r.buf = append(r.buf[:0], r.buf[len(r.buf)-r.max:]...)
	}
	return len(p), nil
}

// String is the kept output. When the beginning was lost it starts at the
// first whole line.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.buf
	if len(kept) <= r.max {
		return string(kept)
	}
	text := string(kept[len(kept)-r.max:])
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return text
}

// tail is the last n lines without the final line break.
func (r *ring) tail(n int) string {
	text := strings.TrimRight(r.String(), "\n")
	if text == "" || n <= 0 {
		return ""
	}
	lines := strings.Split(text, "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
