package postbox

import (
	"context"
	"io"
	"net/http"
	"net/smtp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/mailbox"
)

func open(t *testing.T) (*mailbox.Box, map[string]string) {
	t.Helper()
	box := mailbox.New(mailbox.Config{})
	s, err := Listen(t.Context(), box, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Stop(context.Background())) })
	return box, s.Env("admin@example.com")
}

func post(env map[string]string, to []string, text string) error {
	text = strings.ReplaceAll(text, "\n", "\r\n")
	return smtp.SendMail(env["GOTRUE_SMTP_HOST"]+":"+env["GOTRUE_SMTP_PORT"], nil, env["GOTRUE_SMTP_ADMIN_EMAIL"], to, []byte(text))
}

func TestAMailIsReadWithItsCodeAndItsLink(t *testing.T) {
	t.Parallel()
	box, env := open(t)
	require.NoError(t, post(env, []string{"A@Example.com"}, `From: admin@example.com
To: A@Example.com
Subject: =?UTF-8?q?Best=C3=A4tigen?=
X-Message-Type: magic_link
Content-Type: text/html; charset=UTF-8
Content-Transfer-Encoding: quoted-printable

<p>Your code: <code>123456</code></p><p><a href=3D"http://127.0.0.1:1/verify?t=
oken=3Dabc&amp;type=3Dmagiclink&amp;redirect_to=3Dhttp://127.0.0.1:3000/x?y=3D1=
">Or follow this link</a></p>
`))
	list := box.List("a@example.com")
	require.Len(t, list, 1)
	m := list[0]
	m.SentAt = m.SentAt.UTC().Truncate(0)
	assert.Equal(t, mailbox.Message{
		ID: 1, SentAt: m.SentAt, To: "A@Example.com", Kind: "magiclink", Subject: "Bestätigen", Code: "123456",
		Link:      "http://127.0.0.1:1/verify?token=abc&type=magiclink&redirect_to=http://127.0.0.1:3000/x?y=1",
		TokenHash: "abc", RedirectTo: "http://127.0.0.1:3000/x?y=1",
		Text: "Bestätigen\n\nYour code: 123456\nOr follow this link: " +
			"http://127.0.0.1:1/verify?token=abc&type=magiclink&redirect_to=http://127.0.0.1:3000/x?y=1\n",
	}, m)
}

func TestMailsWithoutLinkOrWithoutBoth(t *testing.T) {
	t.Parallel()
	box, env := open(t)
	require.NoError(t, post(env, []string{"a@example.com"}, "Subject: 654321 is your code\nX-Message-Type: reauthenticate\n\n<p>Your code: <code>654321</code></p>\n"))
	require.NoError(t, post(env, []string{"a@example.com", "b@example.com"},
		"Subject: s\nX-Message-Type: password_changed_notification\nContent-Transfer-Encoding: base64\n\nPHA+WW91ciBwYXNzd29yZCAmYW1wOyBtb3JlPC9wPg==\n"))
	list := box.List("")
	require.Len(t, list, 3)
	assert.Equal(t, "reauthentication", list[0].Kind)
	assert.Equal(t, "654321", list[0].Code)
	assert.Empty(t, list[0].Link)
	assert.Equal(t, "password_changed_notification", list[1].Kind)
	assert.Equal(t, "Your password & more", list[1].Text)
	assert.Equal(t, "b@example.com", list[2].To)
}

func TestManySendersLoseNoMail(t *testing.T) {
	t.Parallel()
	box, env := open(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			for range 5 {
				assert.NoError(t, post(env, []string{"a@example.com"}, "Subject: s\n\nx\n"))
			}
		})
	}
	group.Wait()
	assert.Len(t, box.List(""), 100)
}

func TestWhatIsNoMailIsRefusedAndTooLargeOnesToo(t *testing.T) {
	t.Parallel()
	box, env := open(t)
	assert.ErrorContains(t, post(env, []string{"a@example.com"}, "no header at all"), "554")
	assert.ErrorContains(t, post(env, []string{"a@example.com"}, "Subject: s\n\n"+strings.Repeat("x\n", maxMessage)), "552")
	assert.Empty(t, box.List(""))
}

func TestEveryMailThatAsksForSomethingHasATemplate(t *testing.T) {
	t.Parallel()
	_, env := open(t)
	for variable, mark := range map[string]string{
		"CONFIRMATION": ".ConfirmationURL", "INVITE": ".ConfirmationURL", "RECOVERY": ".ConfirmationURL",
		"MAGIC_LINK": ".ConfirmationURL", "EMAIL_CHANGE": ".ConfirmationURL", "REAUTHENTICATION": ".Token",
	} {
		address := env["GOTRUE_MAILER_TEMPLATES_"+variable]
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err, variable)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		assert.Contains(t, string(text), mark, variable)
		assert.Contains(t, string(text), ".Token")
	}
	assert.Equal(t, `{"X-Message-Type":["$messageType"]}`, env["GOTRUE_SMTP_HEADERS"])
}

func TestAStoppedServerTakesNothing(t *testing.T) {
	t.Parallel()
	s, err := Listen(t.Context(), mailbox.New(mailbox.Config{}), nil)
	require.NoError(t, err)
	env := s.Env("a@example.com")
	require.NoError(t, s.Stop(context.Background()))
	require.NoError(t, s.Stop(context.Background()), "stopping again is no error")
	assert.Error(t, post(env, []string{"a@example.com"}, "Subject: s\n\nx\n"))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("Subject: s\n\nx"))
	f.Add([]byte("Subject: =?x?\nX-Message-Type: invite\nContent-Transfer-Encoding: base64\n\n!!"))
	f.Add([]byte("a: b\n\n<code>1</code><a href=\"http://x/?token=%zz\">"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := read(text)
		if err != nil && m != (mailbox.Message{}) {
			t.Fatal("a message and an error")
		}
	})
}
