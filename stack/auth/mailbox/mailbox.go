// Package mailbox keeps the mails and text messages that a stack's Auth server
// would send, in memory, so that a test can follow their links. It owns the
// list, its bound and the JSON view of it over HTTP. It promises that readers
// never see a message half written and that the list does not grow without
// end. It does not send anything, and it is not the place where texts are
// made.
package mailbox

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Message is a mail or a text message.
type Message struct {
	// ID counts from 1 in the order of arrival.
	ID int64 `json:"id"`
	// SentAt is when it was handed over, in UTC.
	SentAt time.Time `json:"sent_at"`
	// To is an address, or a phone number in digits.
	To string `json:"to"`
	// Kind is what it asks for: signup, recovery, invite, magiclink,
	// email_change, reauthentication or sms.
	Kind    string `json:"kind"`
	Subject string `json:"subject,omitempty"`
	// Text is the whole message as plain text.
	Text string `json:"text"`
	// Code is the one-time code, Link the address to follow. A message has at
	// least one of them.
	Code string `json:"code"`
	Link string `json:"link,omitempty"`
	// TokenHash is the token in the link, and RedirectTo where it leads.
	TokenHash  string `json:"token_hash,omitempty"`
	RedirectTo string `json:"redirect_to,omitempty"`
}

// Config bounds a Box.
type Config struct {
	// Limit is how many messages are kept, default 1000. The oldest go first.
	Limit int
	// Now is the clock, default time.Now.
	Now func() time.Time
}

func (c Config) withDefaults() Config {
	if c.Limit <= 0 {
		c.Limit = 1000
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Box keeps messages. Safe for concurrent use.
type Box struct {
	cfg Config

	mu       sync.RWMutex
	messages []Message
	last     int64
}

// New makes an empty box.
func New(cfg Config) *Box { return &Box{cfg: cfg.withDefaults()} }

// Add keeps a message and returns it with its ID and time.
func (b *Box) Add(m Message) Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	m.ID, m.SentAt = b.last, b.cfg.Now().UTC()
	b.messages = append(b.messages, m)
	if extra := len(b.messages) - b.cfg.Limit; extra > 0 {
		// A copy, so that the dropped messages can be collected.
		b.messages = slices.Clone(b.messages[extra:])
	}
	return m
}

// List returns the messages to an address or number in any case of letters,
// or all of them for "", the oldest first.
func (b *Box) List(to string) []Message {
	b.mu.RLock()
	defer b.mu.RUnlock()
	found := []Message{}
	for _, m := range b.messages {
		if to == "" || strings.EqualFold(m.To, to) {
			found = append(found, m)
		}
	}
	return found
}

// Clear forgets all messages. IDs go on counting.
func (b *Box) Clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.messages = nil
}
