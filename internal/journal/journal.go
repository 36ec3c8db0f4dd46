// Package journal keeps results that must outlive the program that made them: a file of
// JSON lines that is only ever appended to, by one program at a time. What was appended
// is in the file when Append returns, so a killed program loses at most the line that
// it was writing, and that line is told from a whole one. It does not know what the
// lines say, and does not promise to survive a power cut.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/gofrs/flock"
)

// MaxSize bounds the size of a journal that is read, in bytes: a thousand times what a
// large benchmark needs, and less than what would exhaust a machine's memory.
const MaxSize = 1 << 30

// LockedError says that another program holds the journal.
type LockedError struct{ Path string }

// Error names the journal.
// Error names the journal.
func (e *LockedError) Error() string { return e.Path + " is being written by another run" }

// Hint says what to do about it.
func (e *LockedError) Hint() string { return "wait for it to end, or name another file" }

// LineError is a line that is no entry.
type LineError struct {
	// File and Line, from 1, say where it is.
	File string
	Line int
	// Err says what is wrong with it.
	Err error
}

// Error is the place, then the problem.
// Error names the place and what is wrong there.
func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// Journal is an open journal of entries of type T. It may be used by several goroutines.
type Journal[T any] struct {
	mu   sync.Mutex
	file *os.File
	lock *flock.Flock
}

// Open opens the journal at path, which it makes if need be, for this program alone, and
// returns the entries that it has. A last line that was cut off in the middle is taken
// out of the file. The error is a *LockedError when another program has the journal, and
// a *LineError when a line other than a cut-off last one is no entry.
func Open[T any](path string) (*Journal[T], []T, error) {
	// The lock is on the journal itself: it needs no file of its own, and ends with
	// the program however that ends.
	lock := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, nil, fmt.Errorf("lock journal %s: %w", path, err)
	}
	if !locked {
		return nil, nil, &LockedError{Path: path}
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open journal: %w", err), lock.Close())
	}
	journal := &Journal[T]{file: file, lock: lock}
	entries, err := journal.load(path)
	if err != nil {
		return nil, nil, errors.Join(err, journal.Close())
	}
	return journal, entries, nil
}

// load reads the entries and mends the end of the file.
func (j *Journal[T]) load(path string) ([]T, error) {
	entries, whole, err := read[T](path, j.file)
	if err != nil {
		return nil, err
	}
	info, err := j.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	if whole == info.Size() {
		return entries, nil
	}
	// A whole entry without its line feed is kept: somebody may have edited the file.
	if whole > info.Size() {
		_, err = j.file.WriteString("\n")
	} else {
		err = j.file.Truncate(whole)
	}
	if err != nil {
		return nil, fmt.Errorf("mend journal %s: %w", path, err)
	}
	return entries, nil
}

// Append adds an entry.
func (j *Journal[T]) Append(entry T) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(entry); err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	// One write: a line of this program is never inside of another.
	if _, err := j.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	return nil
}

// Close lets go of the journal.
func (j *Journal[T]) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.file.Close(), j.lock.Close())
}

// Read reads the entries of a journal, or of JSON lines from elsewhere, without locking
// or mending anything. Blank lines are skipped, and so is a last line that was cut off
// in the middle. name is the file's name for messages; the error is a *LineError for
// every other line that is no entry.
func Read[T any](name string, r io.Reader) ([]T, error) {
	entries, _, err := read[T](name, r)
	return entries, err
}

// read is Read, and returns how long the text is up to the last whole entry with its
// line feed, which is one more than the text's length when only that is missing.
func read[T any](name string, r io.Reader) (entries []T, whole int64, err error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > MaxSize {
		return nil, 0, fmt.Errorf("read %s: larger than %d bytes", name, MaxSize)
	}
	for number := 1; len(text) > 0; number++ {
		line, rest, complete := bytes.Cut(text, []byte{'\n'})
		text = rest
		if len(bytes.TrimSpace(line)) > 0 {
			var entry T
			if err := json.Unmarshal(line, &entry); err != nil {
				if !complete && cutOff(line) {
					return entries, whole, nil
				}
				return nil, 0, &LineError{File: name, Line: number, Err: err}
			}
			entries = append(entries, entry)
		}
		whole += int64(len(line)) + 1
	}
	return entries, whole, nil
}

// cutOff reports whether a line fails to be JSON for want of its end and nothing else.
// The decoder for streams tells that apart, json.Unmarshal does not.
func cutOff(line []byte) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&value), io.ErrUnexpectedEOF)
}
