package token

import (
	"container/list"
	"sync"
)

// longestCached bounds the memory of one entry: a longer token is verified every time.
const longestCached = 8 << 10

// cache remembers tokens whose signature was verified, the most recently used ones. Verifying an ES256 signature
// takes longer than answering a small request, and a client sends the same token with every one.
type cache struct {
	mu      sync.Mutex
	size    int
	entries map[string]*list.Element
	recent  *list.List // of *entry, the most recent first
}

// entry is one remembered token.
type entry struct {
	encoded string
	known   *verified
}

// newCache makes a cache of at most size tokens; below one it remembers none.
func newCache(size int) *cache {
	return &cache{size: size, entries: map[string]*list.Element{}, recent: list.New()}
}

// get finds a token and makes it the most recent one.
func (c *cache) get(encoded string) (*verified, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[encoded]
	if !ok {
		return nil, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*entry).known, true
}

// put remembers a token and forgets the one that was not used for longest.
func (c *cache) put(encoded string, known *verified) {
	if c.size <= 0 || len(encoded) > longestCached {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[encoded]; ok {
		return
	}
	c.entries[encoded] = c.recent.PushFront(&entry{encoded, known})
	for c.recent.Len() > c.size {
		last := c.recent.Back()
		c.recent.Remove(last)
		delete(c.entries, last.Value.(*entry).encoded)
	}
}
