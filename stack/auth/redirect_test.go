package auth

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/auth/api"
	"github.com/supascore/supascore/stack/auth/apierr"
)

func redirecting(t testing.TB, allow ...string) *Server {
	t.Helper()
	cfg := Config{SiteURL: "https://app.example.com:8443/home", URIAllowList: allow, Now: time.Now}
	out, err := newOutgoing(cfg)
	require.NoError(t, err)
	return &Server{cfg: cfg, outgoing: out}
}

func TestWhereLinksMayLead(t *testing.T) {
	t.Parallel()
	s := redirecting(t, "https://*.preview.example.com/**", "https://one.example.org", "com.example.app://**", "https://x.example.net/?id")
	tests := map[string]bool{
		"https://app.example.com:8443/anything?x=1": true,
		"https://app.example.com/":                  false, // another port
		"http://app.example.com:8443/":              false, // another scheme
		"https://evil.example.com:8443/":            false,
		"https://a.preview.example.com/p/q":         true,
		"https://a.b.preview.example.com/":          false, // a star ends at a dot
		"https://one.example.org":                   true,
		"https://one.example.org/":                  false, // no star, no more
		"https://one.example.org#fragment":          true,
		"com.example.app://callback/x":              true,
		"https://x.example.net/1id":                 true,
		"https://x.example.net//id":                 false,
		"http://127.0.0.1:9/":                       true, // this machine
		"http://[::1]:9/":                           true,
		"http://10.0.0.1/":                          false,
		"http://2130706433/":                        false, // 127.0.0.1 as a number
		"https://a_b.preview.example.com/":          false, // no usual host
		"":                                          false,
		"://":                                       false,
		"/relative":                                 false,
	}
	for address, allowed := range tests {
		assert.Equal(t, allowed, s.mayRedirectTo(address), address)
	}
}

func TestTheRequestSaysWhereItsLinkLeads(t *testing.T) {
	t.Parallel()
	s := redirecting(t, "https://one.example.org")
	request := func(query, header, referer string) string {
		r := httptest.NewRequest("GET", "/verify?"+query, nil)
		r.Header.Set("redirect_to", header)
		r.Header.Set("Referer", referer)
		return s.referrer(r)
	}
	const one, evil = "https://one.example.org", "https://evil.example.org"
	assert.Equal(t, one, request("redirect_to="+one, "", ""))
	assert.Equal(t, one, request("redirect_to="+evil, one, ""), "the header goes first")
	assert.Equal(t, one, request("redirect_to="+evil, "", one), "where it comes from is second")
	assert.Equal(t, "https://app.example.com:8443/home", request("redirect_to="+evil, "", evil))
}

func TestABadPatternStopsTheStart(t *testing.T) {
	t.Parallel()
	_, err := newOutgoing(Config{URIAllowList: []string{"https://["}, Now: time.Now})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "GOTRUE_URI_ALLOW_LIST")
}

func TestALinkKeepsTheQueryOfItsRedirect(t *testing.T) {
	t.Parallel()
	s := redirecting(t)
	s.cfg.ExternalURL = "http://127.0.0.1:54321/auth/v1"
	for _, redirect := range []string{"http://127.0.0.1:3000", "http://127.0.0.1:3000/a?b=c&d=e#f"} {
		for path, want := range map[string]string{
			"/verify": "http://127.0.0.1:54321/verify", "http://mail.example.com/go": "http://mail.example.com/go",
		} {
			link, err := s.actionLink(path, "abc", "signup", redirect)
			require.NoError(t, err)
			u, err := url.Parse(link)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(link, want+"?"), link)
			assert.Equal(t, redirect, u.Query().Get("redirect_to"))
			assert.Equal(t, "abc", u.Query().Get("token"))
		}
	}
}

func TestALimiterRefillsEvenly(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := newLimiter(Rate{Events: 2, Over: time.Hour}, func() time.Time { return now })
	assert.True(t, l.allow())
	assert.True(t, l.allow())
	assert.False(t, l.allow())
	now = now.Add(29 * time.Minute)
	assert.False(t, l.allow())
	now = now.Add(time.Minute)
	assert.True(t, l.allow())
	now = now.Add(100 * time.Hour)
	assert.True(t, l.allow())
	assert.True(t, l.allow())
	assert.False(t, l.allow(), "no more than a burst is saved")
}

// FuzzVerify checks that what passes the checks names a user in exactly one way.
func FuzzVerify(f *testing.F) {
	f.Add("signup", "123456", "", "a@example.com", "", "")
	f.Add("sms", "1", "", "", "+1 555 1234567", "")
	f.Add("email", "", "00", "", "", "")
	f.Add("email_change", "x", "y", "a@b", "1", "http://x")
	f.Fuzz(func(t *testing.T, kind, token, hash, email, phone, redirect string) {
		q, err := checkVerify(&api.VerifyParams{
			Type: kind, Token: token, TokenHash: hash, Email: email, Phone: phone, RedirectTo: redirect,
		})
		if err != nil {
			if status := apierr.Status(err); status < 400 || status >= 500 {
				t.Fatalf("status %d: %v", status, err)
			}
			return
		}
		if q.kind == "" || q.hash == "" || (q.code != "" && (q.email == "") == (q.phone == "")) {
			t.Fatalf("accepted: %+v", q)
		}
	})
}

// FuzzRedirect checks that a link never leads to a host that is not allowed, however it is written.
func FuzzRedirect(f *testing.F) {
	for _, seed := range []string{
		"https://app.example.com:8443@evil.example.org/", "https://one.example.org.evil.org", "//evil.example.org",
		"https:evil.example.org", "https://one.example.org\\@evil.org", "javascript:alert(1)",
	} {
		f.Add(seed)
	}
	s := redirecting(f, "https://one.example.org/**")
	f.Fuzz(func(t *testing.T, address string) {
		if !s.mayRedirectTo(address) {
			return
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatalf("allowed and no address: %q", address)
		}
		host := u.Hostname()
		if host != "app.example.com" && host != "one.example.org" && !isThisMachine(host) {
			t.Fatalf("allowed %q, which is at %q", address, host)
		}
		for _, flow := range []flow{flowImplicit, flowPKCE} {
			target, err := errorRedirect(address, apierr.Forbidden(apierr.OTPExpired, "x"), flow)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := url.Parse(target); err != nil || got.Hostname() != host {
				t.Fatalf("%q leads to %q", address, target)
			}
		}
	})
}
