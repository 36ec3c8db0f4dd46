package restreplay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// answerTimeout bounds one request; the slowest recorded answer takes a second.
const answerTimeout = 30 * time.Second

// answer is what a server sent back.
type answer struct {
	status int
	reason string
	header http.Header
	body   []byte
}

// send writes a step's request as bytes, because net/http would tidy up what the recordings are about: paths such as //a,
// methods in lower case, headers with blanks around their values.
func send(ctx context.Context, base string, s Step) (answer, error) {
	u, err := url.Parse(base)
	if err != nil {
		return answer{}, fmt.Errorf("base URL: %w", err)
	}
	request, err := s.wire(u.EscapedPath(), time.Now())
	if err != nil {
		return answer{}, err
	}
	var dialer interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	} = &net.Dialer{}
	if u.Scheme == "https" {
		dialer = &tls.Dialer{}
	}
	conn, err := dialer.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return answer{}, fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return answer{}, err
	}
	if _, err := conn.Write(request); err != nil {
		return answer{}, fmt.Errorf("send: %w", err)
	}
	return receive(conn, s.Request.Method)
}

// wire is the whole request to a server whose root is at a path, which has no slash at its end.
func (s Step) wire(root string, now time.Time) ([]byte, error) {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\r\n", args...) }
	line("%s %s%s HTTP/1.1", s.Request.Method, root, s.Request.Path)
	line("Host: localhost:3000")
	line("Connection: close")
	for _, name := range slices.Sorted(maps.Keys(s.Request.Headers)) {
		for _, value := range s.Request.Headers[name] {
			line("%s: %s", name, value)
		}
	}
	value, sent, err := s.authorization(now)
	if err != nil {
		return nil, err
	}
	if sent {
		line("Authorization: %s", value)
	}
	if s.Request.Body != nil {
		line("Content-Length: %d", len(*s.Request.Body))
	}
	line("")
	if s.Request.Body != nil {
		b.WriteString(*s.Request.Body)
	}
	return b.Bytes(), nil
}

// receive reads the answer. The method matters: HEAD has a length and no body.
func receive(r io.Reader, method string) (answer, error) {
	res, err := http.ReadResponse(bufio.NewReader(r), &http.Request{Method: method})
	if err != nil {
		return answer{}, fmt.Errorf("read answer: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return answer{}, fmt.Errorf("read answer: %w", err)
	}
	_, reason, _ := strings.Cut(res.Status, " ")
	return answer{res.StatusCode, reason, res.Header, body}, nil
}
