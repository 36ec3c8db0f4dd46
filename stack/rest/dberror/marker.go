package dberror

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// Messages of the server (PostgreSQL documentation, "Message Formats"): a type byte, then the length of the rest, which counts
// itself. An ErrorResponse is a list of fields, each a type byte and a text ended by zero, closed by a zero.
const (
	headerSize    = 5
	errorResponse = 'E'
	fieldDetail   = 'D'
	fieldHint     = 'H'
)

// longestError bounds the message that is held to be looked at; a longer one passes unmarked. PostgreSQL's own texts are short,
// and a raised text of this size has no empty detail that anybody would miss.
const longestError = 1 << 20

// marker passes the server's messages on and marks empty details and hints in errors.
type marker struct {
	src     *bufio.Reader
	pass    int    // bytes of the current message still to be passed on
	pending []byte // a rewritten error still to be passed on
}

// newMarker reads from r through a buffer, since it has to look ahead at headers.
func newMarker(r io.Reader) *marker { return &marker{src: bufio.NewReaderSize(r, 16<<10)} }

// Read fills p with what is there; it blocks only for its first byte.
func (m *marker) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if n > 0 && m.src.Buffered() < headerSize && len(m.pending) == 0 {
			return n, nil
		}
		k, err := m.readSome(p[n:])
		n += k
		if err != nil || k == 0 {
			if n > 0 {
				return n, nil // the error comes again with the next Read
			}
			return n, err
		}
	}
	return n, nil
}

// readSome passes on a part of one message.
func (m *marker) readSome(p []byte) (int, error) {
	if len(m.pending) > 0 {
		n := copy(p, m.pending)
		m.pending = m.pending[n:]
		return n, nil
	}
	if m.pass == 0 {
		if err := m.next(); err != nil {
			return 0, err
		}
		if len(m.pending) > 0 {
			return m.readSome(p)
		}
	}
	n, err := m.src.Read(p[:min(len(p), m.pass)])
	m.pass -= n
	return n, err
}

// next looks at the header of the next message, and takes the whole message when it is an error.
func (m *marker) next() error {
	header, err := m.src.Peek(headerSize)
	if err != nil {
		return err
	}
	size := 1 + int(binary.BigEndian.Uint32(header[1:]))
	if header[0] != errorResponse || size > longestError || size < headerSize {
		m.pass = max(size, headerSize)
		return nil
	}
	message := make([]byte, size)
	if _, err := io.ReadFull(m.src, message); err != nil {
		return err
	}
	m.pending = mark(message)
	return nil
}

// mark puts the mark into empty details and hints of an ErrorResponse.
func mark(message []byte) []byte {
	out := append(make([]byte, 0, len(message)+2), message[:headerSize]...)
	fields := message[headerSize:]
	for len(fields) > 0 && fields[0] != 0 {
		end := bytes.IndexByte(fields, 0)
		if end < 0 {
			break
		}
		out = append(out, fields[:end]...)
		if end == 1 && (fields[0] == fieldDetail || fields[0] == fieldHint) {
			out = append(out, empty...)
		}
		out = append(out, 0)
		fields = fields[end+1:]
	}
	out = append(out, fields...)
	binary.BigEndian.PutUint32(out[1:], uint32(len(out)-1))
	return out
}
