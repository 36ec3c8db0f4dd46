package main

import (
	"fmt"
	"sync"
	"time"
)

// progress is the line that shows what a run is doing. On a terminal it is redrawn
// in place; elsewhere nothing is shown, since the result says it all.
type progress struct {
	out   *printer
	title string
	began time.Time

	mu      sync.Mutex
	current string
	done    chan struct{}
	drawn   sync.WaitGroup
	stopped bool
}

// redraw is how often the elapsed time on the line moves.
const redraw = 100 * time.Millisecond

func (p *printer) progress(title string) *progress {
	live := &progress{out: p, title: title, began: time.Now(), done: make(chan struct{})}
	if p.live && !p.verbose {
		live.drawn.Go(live.draw)
	}
	return live
}

// phase says what the run does now; with --verbose that is a line for each phase.
func (l *progress) phase(name string) {
	if l.out.verbose {
		l.out.note("%s: %s", l.title, name)
	}
	l.mu.Lock()
	l.current = name
	l.mu.Unlock()
}

func (l *progress) draw() {
	tick := time.NewTicker(redraw)
	defer tick.Stop()
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	for i := 0; ; i++ {
		select {
		case <-l.done:
			fmt.Fprint(l.out.stderr, "\r\x1b[K")
			return
		case <-tick.C:
			l.mu.Lock()
			fmt.Fprintf(l.out.stderr, "\r\x1b[K%c %s: %s %.1fs", frames[i%len(frames)], l.title, l.current, time.Since(l.began).Seconds())
			l.mu.Unlock()
		}
	}
}

// interrupt takes the line away while show writes lines of its own.
func (l *progress) interrupt(show func()) {
	l.mu.Lock() // the line is not redrawn meanwhile
	defer l.mu.Unlock()
	if l.out.live && !l.out.verbose {
		fmt.Fprint(l.out.stderr, "\r\x1b[K")
	}
	show()
}

// stop takes the line away. It may be called more than once.
func (l *progress) stop() {
	l.mu.Lock()
	again := l.stopped
	l.stopped = true
	l.mu.Unlock()
	if !again {
		close(l.done)
	}
	l.drawn.Wait()
}
