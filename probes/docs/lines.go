package docs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line without its end.
type line struct {
	text    []byte
	tooLong bool
}

// trimmed is the line without white space around it and without the byte-order
// mark that some tools put at the start of a file.
func (l line) trimmed() []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(l.text, []byte("\xef\xbb\xbf")))
}

// lineReader reads lines of any length and never holds more than maxLine bytes of
// one: bufio.Scanner would stop for good at the first line that is too long.
type lineReader struct {
	r       *bufio.Reader
	maxLine int
	maxSize int64
	size    int64
	// cut is set when maxSize ended the reading.
	cut bool
}

func newBuffer(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, 64<<10) }

// next returns the next line, or io.EOF. A last line without a line end counts.
func (l *lineReader) next() (line, error) {
	var current line
	for started := false; ; started = true {
		piece, err := l.r.ReadSlice('\n')
		l.size += int64(len(piece))
		if l.size > l.maxSize {
			l.cut = true
			return line{}, io.EOF
		}
		switch {
		case current.tooLong:
		case len(current.text)+len(piece) > l.maxLine:
			current = line{tooLong: true}
		default:
			current.text = append(current.text, piece...)
		}
		switch {
		case err == nil:
			return current, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && (started || len(piece) > 0):
			return current, nil
		default:
			return line{}, err
		}
	}
}
