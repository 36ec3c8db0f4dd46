package dberror

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func encode(t testing.TB, messages ...pgproto3.BackendMessage) []byte {
	t.Helper()
	var out []byte
	for _, m := range messages {
		var err error
		out, err = m.Encode(out)
		require.NoError(t, err)
	}
	return out
}

func receive(t testing.TB, r io.Reader) []pgproto3.BackendMessage {
	t.Helper()
	f := BuildFrontend(r, io.Discard)
	var out []pgproto3.BackendMessage
	for {
		m, err := f.Receive()
		if err != nil {
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			return out
		}
		if e, ok := m.(*pgproto3.ErrorResponse); ok {
			c := *e
			m = &c
		}
		out = append(out, m)
	}
}

func errorWith(fields string) []byte {
	body := "SERROR\x00CP0001\x00Mno\x00" + fields + "\x00"
	return append([]byte{'E', 0, 0, 0, byte(4 + len(body))}, body...)
}

func TestAnEmptyDetailIsToldFromNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields        string
		details, hint *string
	}{
		"none":           {"", nil, nil},
		"both empty":     {"D\x00H\x00", new(""), new("")},
		"an empty hint":  {"Dwhy\x00H\x00", new("why"), new("")},
		"both with text": {"Dwhy\x00Hdo\x00", new("why"), new("do")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages := receive(t, bytes.NewReader(errorWith(c.fields)))
			require.Len(t, messages, 1)
			e := messages[0].(*pgproto3.ErrorResponse)
			got := Raised(&pgconn.PgError{Code: e.Code, Message: e.Message, Detail: e.Detail, Hint: e.Hint})
			assert.Equal(t, "P0001", got.SQLState)
			assert.Equal(t, "no", got.Message)
			assert.Equal(t, c.details, got.Details)
			assert.Equal(t, c.hint, got.Hint)
		})
	}
}

func TestOtherMessagesPassUnchangedHoweverTheyArrive(t *testing.T) {
	t.Parallel()
	sent := append(encode(t, &pgproto3.ParseComplete{}, &pgproto3.DataRow{Values: [][]byte{bytes.Repeat([]byte("ED\x00"), 20000), nil}}),
		errorWith("D\x00")...)
	sent = append(sent, encode(t, &pgproto3.ReadyForQuery{TxStatus: 'I'})...)
	want, err := io.ReadAll(newMarker(bytes.NewReader(sent)))
	require.NoError(t, err)
	assert.Len(t, want, len(sent)+len(empty))
	for name, r := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(bytes.NewReader(sent)),
		"in halves":    iotest.HalfReader(bytes.NewReader(sent)),
	} {
		got, err := io.ReadAll(newMarker(r))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func FuzzMarkerKeepsTheStream(f *testing.F) {
	f.Add(errorWith("D\x00H\x00"), uint8(3))
	f.Add([]byte{'Z', 0, 0, 0, 5, 'I'}, uint8(1))
	f.Add([]byte{'E', 0xff, 0xff, 0xff, 0xff}, uint8(9))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		m := newMarker(bytes.NewReader(stream))
		p := make([]byte, int(size)+1)
		read := 0
		for {
			n, err := m.Read(p)
			read += n
			if err != nil {
				break
			}
			if read > len(stream)+len(stream)/headerSize*2 {
				t.Fatalf("%d bytes came out of %d", read, len(stream))
			}
		}
	})
}
