package postbox

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"net/url"
	"regexp"
	"strings"

	"github.com/supascore/supascore/stack/auth/mailbox"
)

// kind is a mail of Auth: the name of its template, the end of its template's variable,
// the kind that the mailbox knows it by, and the text that we give it. Without a text
// Auth's own is used: notifications have neither code nor link.
type kind struct{ template, variable, kind, body string }

// The texts are marked where the code and the link are; see read.
const (
	codeText = `<p>Your code: <code>{{ .Token }}</code></p>`
	linkText = codeText + `<p><a href="{{ .ConfirmationURL }}">Or follow this link</a></p>`
)

// kinds are the mails that ask for something, by upstream's names
// (internal/mailer/templatemailer and EmailContentConfiguration of supabase/auth).
func kinds() []kind {
	return []kind{
		{"confirmation", "CONFIRMATION", "signup", linkText},
		{"invite", "INVITE", "invite", linkText},
		{"recovery", "RECOVERY", "recovery", linkText},
		{"magic_link", "MAGIC_LINK", "magiclink", linkText},
		{"email_change", "EMAIL_CHANGE", "email_change", linkText},
		{"reauthentication", "REAUTHENTICATION", "reauthentication", codeText},
		{"reauthenticate", "", "reauthentication", ""}, // what the header says for the one before
	}
}

// serveTemplate answers with the text of the mail that the path names.
func serveTemplate(w http.ResponseWriter, r *http.Request) {
	for _, k := range kinds() {
		if k.body != "" && r.URL.Path == "/"+k.template {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			// A client that hangs up has no use for an error.
			_, _ = io.WriteString(w, k.body)
			return
		}
	}
	http.NotFound(w, r)
}

var (
	codeMark = regexp.MustCompile(`<code>([^<]*)</code>`)
	linkMark = regexp.MustCompile(`<a href="([^"]*)"`)
	tagMark  = regexp.MustCompile(`<[^>]*>`)
)

// read makes a message of a mail. Its address is that of the envelope, which the caller
// knows.
func read(text []byte) (mailbox.Message, error) {
	parsed, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return mailbox.Message{}, fmt.Errorf("not a mail: %w", err)
	}
	body, err := bodyOf(parsed)
	if err != nil {
		return mailbox.Message{}, fmt.Errorf("the body of the mail: %w", err)
	}
	m := mailbox.Message{Subject: decoded(parsed.Header.Get("Subject")), Kind: kindOf(parsed.Header.Get(kindHeader))}
	if code := codeMark.FindStringSubmatch(body); code != nil {
		m.Code = html.UnescapeString(code[1])
	}
	if link := linkMark.FindStringSubmatch(body); link != nil {
		m.Link = html.UnescapeString(link[1])
		follow(&m)
	}
	m.Text = textOf(m, body)
	return m, nil
}

// follow reads what the link itself says.
func follow(m *mailbox.Message) {
	link, err := url.Parse(m.Link)
	if err != nil {
		return
	}
	query := link.Query()
	m.TokenHash, m.RedirectTo = query.Get("token"), query.Get("redirect_to")
	if kind := query.Get("type"); kind != "" {
		m.Kind = kind // a recovery and a magic link can share a template
	}
}

// kindOf is the mailbox's name for a template's; the names of notifications are the same.
func kindOf(template string) string {
	for _, k := range kinds() {
		if k.template == template {
			return k.kind
		}
	}
	return template
}

// textOf is the message as plain text, as the embedded Auth writes it.
func textOf(m mailbox.Message, body string) string {
	if m.Code == "" && m.Link == "" {
		return strings.TrimSpace(html.UnescapeString(tagMark.ReplaceAllString(body, "")))
	}
	text := m.Subject + "\n"
	if m.Code != "" {
		text += "\nYour code: " + m.Code + "\n"
	}
	if m.Link != "" {
		text += "Or follow this link: " + m.Link + "\n"
	}
	return text
}

// bodyOf undoes the encoding of a body.
func bodyOf(m *mail.Message) (string, error) {
	var r io.Reader = m.Body
	switch strings.ToLower(m.Header.Get("Content-Transfer-Encoding")) {
	case "quoted-printable":
		r = quotedprintable.NewReader(m.Body)
	case "base64":
		r = base64.NewDecoder(base64.StdEncoding, m.Body)
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// decoded undoes RFC 2047; what it cannot read stays as it is.
func decoded(header string) string {
	text, err := new(mime.WordDecoder).DecodeHeader(header)
	if err != nil {
		return header
	}
	return html.UnescapeString(text)
}
