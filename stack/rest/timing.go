package rest

import (
	"net/http"
	"strconv"
	"time"
)

// stage is a part of answering a request.
type stage int

// The stages in their order.
const (
	stageToken stage = iota
	stageParse
	stagePlan
	stageTransaction
	stageResponse
	stageCount
)

// stages measures what each stage of a request took, for the header Server-Timing (PostgREST documentation,
// "server-timing-enabled"). A nil one measures nothing.
type stages struct {
	since time.Time
	took  [stageCount]time.Duration
}

// newStages measures from now on, if that is configured.
func newStages(c *Config) *stages {
	if !c.ServerTiming {
		return nil
	}
	return &stages{since: time.Now()}
}

// skip leaves out what was done since the last stage, such as waiting for the client.
func (s *stages) skip() {
	if s != nil {
		s.since = time.Now()
	}
}

// done ends a stage. The next one begins.
func (s *stages) done(which stage) {
	if s == nil {
		return
	}
	now := time.Now()
	s.took[which] += now.Sub(s.since)
	s.since = now
}

// header adds the header: milliseconds with one digit after the point, zero for a stage that the request did not need.
func (s *stages) header(h http.Header) {
	if s == nil {
		return
	}
	var text []byte
	for i, name := range [stageCount]string{"jwt", "parse", "plan", "transaction", "response"} {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = append(append(text, name...), ";dur="...)
		text = strconv.AppendFloat(text, s.took[i].Seconds()*1000, 'f', 1, 64)
	}
	h.Set("Server-Timing", string(text))
}
