package supascore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/docs"
)

// TranscriptError is a transcript file that cannot be opened or is none.
type TranscriptError struct {
	// Path is the file as the user named it.
	Path string
	// Err is why it cannot be read.
	Err error
}

// Error names the file and the reason.
func (e *TranscriptError) Error() string { return fmt.Sprintf("transcript %s: %s", e.Path, e.Err) }

// Unwrap is the reason.
func (e *TranscriptError) Unwrap() error { return e.Err }

// Hint says which files can be read; empty when the file could not be opened.
func (e *TranscriptError) Hint() string {
	var hinted interface{ Hint() string }
	if errors.As(e.Err, &hinted) {
		return hinted.Hint()
	}
	return ""
}

// readTranscript reads the documentation look-ups in the agent's transcript; nil
// without a transcript.
func (r *run) readTranscript() (*probes.DocsObservation, error) {
	if r.cfg.Transcript == "" {
		return nil, nil
	}
	file, err := os.Open(r.cfg.Transcript)
	if err != nil {
		return nil, &TranscriptError{Path: r.cfg.Transcript, Err: bare(err)}
	}
	defer file.Close()
	var hosts []string
	if r.plan.Docs != nil {
		hosts = r.plan.Docs.Hosts
	}
	sum := sha256.New()
	seen, err := docs.Read(io.TeeReader(file, sum), docs.Config{Hosts: hosts})
	if err != nil {
		return nil, &TranscriptError{Path: r.cfg.Transcript, Err: err}
	}
	r.result.Hashes.Transcript = hex.EncodeToString(sum.Sum(nil))
	return seen, nil
}

// bare is an error of the file system without the path, which is said already.
func bare(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// unpackTranscript writes a fixture's transcript into dir and returns its path;
// empty when the fixture has none.
func unpackTranscript(fixture fixtures.Fixture, dir string) (path string, err error) {
	source, err := fixture.Transcript()
	if source == nil || err != nil {
		return "", err
	}
	defer source.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, source); err != nil {
		return "", fmt.Errorf("read the transcript of fixture %s: %w", fixture.Name, err)
	}
	path = filepath.Join(dir, "transcript.jsonl")
	return path, os.WriteFile(path, text.Bytes(), 0o600)
}
