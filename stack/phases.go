package stack

import (
	"slices"
	"sync"
	"time"
)

// Phase is one named, timed step of a start.
type Phase struct {
	// Name is a short kebab-case name, such as "migrations".
	Name string
	// Started is when it began; Elapsed how long it took.
	Started time.Time
	Elapsed time.Duration
	// Err is how it failed; nil when it did not.
	Err error
}

// phases records the phases of one start. Phases may overlap.
type phases struct {
	mu      sync.Mutex
	list    []Phase
	onStart func(name string)
}

// run times fn as the phase name and passes its error through.
func (p *phases) run(name string, fn func() error) error {
	p.mu.Lock()
	onStart := p.onStart
	p.mu.Unlock()
	if onStart != nil {
		onStart(name)
	}
	began := time.Now()
	err := fn()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, Phase{Name: name, Started: began, Elapsed: time.Since(began), Err: err})
	return err
}

// tell has the beginnings of phases told to somebody else until the returned function
// is called.
func (p *phases) tell(onStart func(name string)) (undo func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.onStart
	p.onStart = onStart
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.onStart = before
	}
}

func (p *phases) all() []Phase {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}
