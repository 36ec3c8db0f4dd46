package tasks

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Finding is a canary in a text.
type Finding struct {
	// File is the file's path.
	File string `json:"file"`
	// Line counts from 1.
	Line int `json:"line"`
	// Canary is the canary as found.
	Canary string `json:"canary"`
}

// Scanner looks for canaries in texts of any size, such as training corpora.
type Scanner struct {
	// Canaries are further strings to look for, beside everything that has the form of
	// a canary (a name in capitals, "-CANARY-" and 16 hex digits). Default none.
	Canaries []string
	// Found is called for each finding, in the order of the text. An error ends the
	// scan and is returned.
	Found func(Finding) error
}

// Scanned counts what a scan went through.
type Scanned struct {
	// Files is how many files were read, Bytes how much text they held, compressed
	// files unpacked, and Findings how many canaries.
	Files, Findings int
	Bytes           int64
	// Skipped are files that could not be read, with the reasons, joined; nil when
	// none.
	Skipped error
}

const (
	// scanChunk is how much of a text is looked at at once.
	scanChunk = 256 << 10
	// maxCanary bounds the length of a canary, form and further strings alike: that
	// much of a chunk is kept for the next, so that none is cut in two.
	maxCanary = 256
)

// Path scans a file or all files below a folder. Symbolic links below a folder are not
// followed. Files that are gzip are unpacked. A file that cannot be read is skipped
// and named in the result; the error is for a path that is not there, for the
// context's end, and for what Found returns.
func (s Scanner) Path(ctx context.Context, path string) (Scanned, error) {
	scan, err := s.start()
	if err != nil {
		return Scanned{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Scanned{}, fmt.Errorf("scan: %w", err)
	}
	if !info.IsDir() {
		err := scan.file(ctx, path)
		return scan.total, err
	}
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			scan.skip(err)
		case entry.Type().IsRegular():
			return scan.file(ctx, name)
		}
		return ctx.Err()
	})
	return scan.total, err
}

// Reader scans a text, unpacked when it is gzip. name is the text's name in findings.
// The error is for a text that cannot be read to its end, for the context's end, and
// for what Found returns.
func (s Scanner) Reader(ctx context.Context, name string, r io.Reader) (Scanned, error) {
	scan, err := s.start()
	if err != nil {
		return Scanned{}, err
	}
	err = scan.stream(ctx, name, r)
	return scan.total, err
}

// start checks the scanner's strings and begins a scan.
func (s Scanner) start() (*scan, error) {
	run := &scan{found: s.Found, needles: [][]byte{[]byte("-CANARY-")}}
	source := canaryPattern.String()
	for _, canary := range s.Canaries {
		if canary == "" || len(canary) > maxCanary {
			return nil, fmt.Errorf("scan: a canary has 1 to %d bytes, %q has %d", maxCanary, canary, len(canary))
		}
		source += "|" + regexp.QuoteMeta(canary)
		run.needles = append(run.needles, []byte(canary))
	}
	var err error
	if run.pattern, err = regexp.Compile(source); err != nil {
		return nil, fmt.Errorf("scan: %w", err)
	}
	return run, nil
}

// scan is one run of a Scanner.
type scan struct {
	found   func(Finding) error
	pattern *regexp.Regexp
	// needles are strings of which every match holds one. Looking for them is many
	// times faster than the pattern, and most chunks have none.
	needles [][]byte
	total   Scanned
}

func (s *scan) skip(err error) { s.total.Skipped = errors.Join(s.total.Skipped, err) }

// unreadableError is a text that could not be read to its end.
type unreadableError struct{ cause error }

func (e *unreadableError) Error() string { return e.cause.Error() }

func (e *unreadableError) Unwrap() error { return e.cause }

// file scans one file; one that cannot be read is noted and passed over.
func (s *scan) file(ctx context.Context, name string) error {
	file, err := os.Open(name)
	if err != nil {
		s.skip(err)
		return ctx.Err()
	}
	defer file.Close()
	err = s.stream(ctx, name, file)
	if unreadable := (*unreadableError)(nil); errors.As(err, &unreadable) {
		s.skip(err)
		return ctx.Err()
	}
	return err
}

// stream unpacks a text if need be and scans it.
func (s *scan) stream(ctx context.Context, name string, r io.Reader) error {
	s.total.Files++
	text := &scannedText{scan: s, name: name, line: 1}
	buffered := bufio.NewReader(r)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return text.read(ctx, buffered)
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return &unreadableError{fmt.Errorf("scan %s: %w", name, err)}
	}
	return text.read(ctx, unpacked)
}

// scannedText is the text that is being scanned.
type scannedText struct {
	*scan
	name string
	// line is the line of the window's first byte.
	line int
}

// read scans chunk by chunk. What begins within the last maxCanary bytes of a window
// may go on in the next chunk and is left for the next window.
func (t *scannedText) read(ctx context.Context, r io.Reader) error {
	window := make([]byte, 0, scanChunk+maxCanary)
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("scan %s: %w", t.name, err)
		}
		n, err := io.ReadFull(r, window[len(window):cap(window)])
		window = window[:len(window)+n]
		t.total.Bytes += int64(n)
		// ReadFull tells a source's own early end from the window's with the same
		// error; both mean that there is no more.
		last := err != nil
		safe := max(0, len(window)-maxCanary)
		if last {
			safe = len(window)
		}
		done, foundErr := t.matches(window, safe)
		switch {
		case foundErr != nil:
			return foundErr
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF) && !truncated(r):
			return nil
		case last:
			return &unreadableError{fmt.Errorf("scan %s: %w", t.name, err)}
		}
		window = window[:copy(window, window[done:])]
	}
}

// truncated reports whether a source ended before its end: gzip says so with the error
// that ReadFull has for an end within the window, again when asked again.
func truncated(r io.Reader) bool {
	_, err := r.Read(make([]byte, 1))
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// matches reports the matches that begin before safe, and returns how much of the
// window is done with: up to safe, or to the end of a match that reaches beyond.
func (t *scannedText) matches(window []byte, safe int) (int, error) {
	done := 0
	holds := func(needle []byte) bool { return bytes.Contains(window, needle) }
	for slices.ContainsFunc(t.needles, holds) && done < safe {
		match := t.pattern.FindIndex(window[done:])
		if match == nil || done+match[0] >= safe {
			break
		}
		start, end := done+match[0], done+match[1]
		t.count(window[done:start])
		t.total.Findings++
		if t.found != nil {
			if err := t.found(Finding{File: t.name, Line: t.line, Canary: string(window[start:end])}); err != nil {
				return 0, err
			}
		}
		t.count(window[start:end])
		done = end
	}
	if done < safe {
		t.count(window[done:safe])
		done = safe
	}
	return done, nil
}

// count moves the line past a part of the window.
func (t *scannedText) count(part []byte) { t.line += bytes.Count(part, []byte{'\n'}) }

// CanariesOf lists the canaries of tasks, each once, sorted.
func CanariesOf(list []*Task) []string {
	var canaries []string
	for _, task := range list {
		if task.Canary != "" {
			canaries = append(canaries, task.Canary)
		}
	}
	slices.Sort(canaries)
	return slices.Compact(canaries)
}
