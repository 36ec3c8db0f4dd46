// Package docs reads the transcript that a coding agent's command line tool leaves
// behind and finds the look-ups of documentation in it: which pages were reached,
// how, and whether their text came back. It understands Claude Code's stream-json,
// Codex's exec --json and opencode's run --format json, and tells them apart
// itself. It records and never judges, reads from an io.Reader and nothing else,
// and treats a transcript as hostile input: a line that is no JSON is noted and
// skipped, and everything that is kept has a limit.
package docs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/supascore/supascore/probes"
)

// The formats, as probes.DocsObservation.Format names them.
const (
	FormatClaudeCode = "claude-code"
	FormatCodex      = "codex"
	FormatOpenCode   = "opencode"
)

// ErrUnknownFormat is returned, wrapped with what was found instead, when no line
// is an event of a format that this package reads.
var ErrUnknownFormat = errors.New("not a transcript of a known format")

// formatError is ErrUnknownFormat with the first thing that is odd.
type formatError struct{ problem string }

func (e *formatError) Error() string { return ErrUnknownFormat.Error() + ": " + e.problem }

func (e *formatError) Unwrap() error { return ErrUnknownFormat }

// Hint says which files can be read.
func (e *formatError) Hint() string {
	return "give the output of claude --print --verbose --output-format stream-json, codex exec --json, or opencode run --format json"
}

// Config says what counts as documentation and how much of a transcript is read.
// The zero value is usable.
type Config struct {
	// Hosts are the exact names of the hosts that serve documentation. A subdomain
	// is another host. Default: supabase.com.
	Hosts []string
	// MaxLine is the length in bytes from which a line is skipped. Default 16 MiB:
	// agents cut their tools' results long before.
	MaxLine int
	// MaxSize is how many bytes are read. Default 256 MiB.
	MaxSize int64
	// MaxCalls is how many tool calls that may be look-ups are kept. Default 20,000.
	MaxCalls int
	// MaxErrors is how many bad lines are listed; the rest is counted. Default 100.
	MaxErrors int
}

func (c Config) withDefaults() Config {
	if len(c.Hosts) == 0 {
		c.Hosts = []string{"supabase.com"}
	}
	c.Hosts = slices.Clone(c.Hosts)
	for i := range c.Hosts {
		c.Hosts[i] = strings.ToLower(strings.TrimSpace(c.Hosts[i]))
	}
	setDefault(&c.MaxLine, 16<<20)
	setDefault(&c.MaxSize, 256<<20)
	setDefault(&c.MaxCalls, 20_000)
	setDefault(&c.MaxErrors, 100)
	return c
}

func setDefault[N int | int64](value *N, fallback N) {
	if *value == 0 {
		*value = fallback
	}
}

func (c Config) validate() error {
	if c.MaxLine < 0 || c.MaxSize < 0 || c.MaxCalls < 0 || c.MaxErrors < 0 {
		return errors.New("docs: a limit is negative")
	}
	for _, host := range c.Hosts {
		if host == "" || strings.ContainsAny(host, "/:@ ") {
			return fmt.Errorf("docs: %q is no host name; write it without scheme, port and path", host)
		}
	}
	return nil
}

// Read reads a transcript and returns the look-ups in it, in transcript order.
// Lines that cannot be read are part of the observation. The error is a wrong
// Config, an ErrUnknownFormat, or what r returned.
func Read(r io.Reader, cfg Config) (*probes.DocsObservation, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	reading := &transcript{cfg: cfg, seen: &probes.DocsObservation{}, byID: map[string]*call{}}
	if err := reading.read(r); err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	if reading.parse == nil {
		return nil, fmt.Errorf("read transcript: %w", reading.unknownFormat())
	}
	finder := finder{hosts: cfg.Hosts}
	reading.seen.Calls = []probes.DocsCall{}
	for _, call := range reading.calls {
		if found, ok := finder.find(call); ok {
			reading.seen.Calls = append(reading.seen.Calls, found)
		}
	}
	return reading.seen, nil
}
