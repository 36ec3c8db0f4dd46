package auth

import (
	"sync"
	"time"
)

// limiter lets so many events pass within a time, with bursts of as many. It is what bounds mails
// and text messages for the whole server, not for one address.
type limiter struct {
	rate Rate
	now  func() time.Time

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

func newLimiter(rate Rate, now func() time.Time) *limiter {
	return &limiter{rate: rate, now: now, tokens: rate.Events, last: now()}
}

// allow takes one event, or tells that there is none left.
func (l *limiter) allow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	// Time that a clock was set back by does not count twice.
	if elapsed := now.Sub(l.last); elapsed > 0 && l.rate.Over > 0 {
		l.tokens = min(l.rate.Events, l.tokens+l.rate.Events*elapsed.Seconds()/l.rate.Over.Seconds())
		l.last = now
	}
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}
