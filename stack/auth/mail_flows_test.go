package auth_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// confirmations makes addresses wait for their confirmation.
func confirmations() map[string]string {
	return map[string]string{"GOTRUE_MAILER_AUTOCONFIRM": "false"}
}

func TestASignUpIsConfirmedByTheLinkOfItsMail(t *testing.T) {
	t.Parallel()
	s := newSite(t, confirmations())
	got := s.post("/signup?redirect_to=http://127.0.0.1:3000/welcome", in{"email": "a@example.com", "password": goodPassword})
	require.Equal(t, 200, got.status)
	require.Empty(t, got.text("access_token"))
	mail := s.lastMail("a@example.com")
	assert.Equal(t, "signup", mail.Kind)
	assert.Regexp(t, `^\d{6}$`, mail.Code)
	assert.Contains(t, mail.Text, mail.Code)
	assert.Contains(t, mail.Text, mail.Link)

	target := s.follow(mail)
	assert.Equal(t, "/welcome", target.Path)
	token := fragment(t, target).Get("access_token")
	assert.Equal(t, 200, s.send("GET", "/user", token, nil).status)
	assert.Equal(t, "otp_expired", fragment(t, s.follow(mail)).Get("error_code"), "a link works once")
}

func TestACodeRunsOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, confirmations())
	s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	mail := s.lastMail("a@example.com")
	s.clock.pass(time.Hour + time.Second)
	assert.Equal(t, "otp_expired", s.post("/verify", in{"type": "signup", "email": "a@example.com", "token": mail.Code}).code())
	assert.Equal(t, "otp_expired", s.post("/verify", in{"type": "signup", "token_hash": mail.TokenHash}).code())
}

func TestMailsOfAKindKeepTheirDistance(t *testing.T) {
	t.Parallel()
	env := confirmations()
	env["GOTRUE_SMTP_MAX_FREQUENCY"] = "1m"
	s := newSite(t, env)
	s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	s.clock.pass(20 * time.Second)
	got := s.post("/resend", in{"type": "signup", "email": "a@example.com"})
	assert.Equal(t, 429, got.status)
	assert.Equal(t, "over_email_send_rate_limit", got.code())
	assert.Equal(t, "For security purposes, you can only request this after 40 seconds.", got.text("msg"))
	s.clock.pass(40 * time.Second)
	assert.Equal(t, 200, s.post("/resend", in{"type": "signup", "email": "a@example.com"}).status)
	assert.Len(t, s.server.Mailbox().List("a@example.com"), 2)
}

func TestAServerSendsSoManyMailsAnHour(t *testing.T) {
	t.Parallel()
	env := confirmations()
	env["GOTRUE_RATE_LIMIT_EMAIL_SENT"] = "2"
	s := newSite(t, env)
	signUp := func(email string) reply { return s.post("/signup", in{"email": email, "password": goodPassword}) }
	assert.Equal(t, 200, signUp("a@example.com").status)
	assert.Equal(t, 200, signUp("b@example.com").status)
	refused := signUp("c@example.com")
	assert.Equal(t, 429, refused.status)
	assert.Equal(t, "email rate limit exceeded", refused.text("msg"))
	s.clock.pass(30 * time.Minute)
	assert.Equal(t, 200, signUp("c@example.com").status, "half an hour is one more")
	assert.Equal(t, 429, signUp("d@example.com").status)
}

func TestAPasswordIsRecoveredByMail(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("a@example.com")
	require.Equal(t, 200, s.post("/recover", in{"email": "a@example.com"}).status)
	mail := s.lastMail("a@example.com")
	assert.Equal(t, "recovery", mail.Kind)
	got := s.post("/verify", in{"type": "recovery", "email": "a@example.com", "token": mail.Code})
	require.Equal(t, 200, got.status)
	changed := s.send("PUT", "/user", got.text("access_token"), in{"password": "another-horse-2"})
	require.Equal(t, 200, changed.status, changed.body)
	login := func(password string) int {
		return s.post("/token?grant_type=password", in{"email": "a@example.com", "password": password}).status
	}
	assert.Equal(t, 200, login("another-horse-2"))
	assert.Equal(t, 400, login(goodPassword))
}

func TestAChangeOfAddressWaitsForBothMails(t *testing.T) {
	t.Parallel()
	s := newSite(t, confirmations())
	s.post("/signup", in{"email": "old@example.com", "password": goodPassword})
	token := fragment(t, s.follow(s.lastMail("old@example.com"))).Get("access_token")
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"email": "new@example.com"}).status)
	toOld, toNew := s.lastMail("old@example.com"), s.lastMail("new@example.com")
	require.Equal(t, "email_change", toOld.Kind)
	require.Equal(t, "email_change", toNew.Kind)

	first := fragment(t, s.follow(toNew))
	assert.Equal(t, "Confirmation link accepted. Please proceed to confirm link sent to the other email", first.Get("message"))
	assert.Equal(t, "old@example.com", s.send("GET", "/user", token, nil).text("email"))
	assert.Equal(t, "otp_expired", fragment(t, s.follow(toNew)).Get("error_code"), "one mail does not count twice")
	assert.NotEmpty(t, fragment(t, s.follow(toOld)).Get("access_token"))
	assert.Equal(t, "new@example.com", s.send("GET", "/user", token, nil).text("email"))
}

func TestALinkWithPKCEIsExchangedOnce(t *testing.T) {
	t.Parallel()
	const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	s := newSite(t, map[string]string{"GOTRUE_SMTP_MAX_FREQUENCY": "1ms"})
	s.signUp("a@example.com")
	link := func() string {
		got := s.post("/otp", in{"email": "a@example.com", "code_challenge": challenge, "code_challenge_method": "s256"})
		require.Equal(t, 200, got.status, got.body)
		target := s.follow(s.lastMail("a@example.com"))
		require.Empty(t, target.Fragment, "tokens do not go into a link's address")
		return target.Query().Get("code")
	}
	exchange := func(code string) reply {
		return s.post("/token?grant_type=pkce", in{"auth_code": code, "code_verifier": verifier})
	}

	code := link()
	var wg sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		wg.Go(func() { statuses[i] = exchange(code).status })
	}
	wg.Wait()
	won := 0
	for _, status := range statuses {
		if status == 200 {
			won++
		} else {
			assert.Equal(t, 404, status)
		}
	}
	assert.Equal(t, 1, won, "%v", statuses)

	s.clock.pass(time.Second)
	late := link()
	s.clock.pass(6 * time.Minute)
	assert.Equal(t, "flow_state_expired", exchange(late).code())
}

func TestAnOldSessionNeedsANonceForANewPassword(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION": "true", "GOTRUE_JWT_EXP": "604800"})
	token := s.signUp("a@example.com")
	change := func(nonce, password string) string {
		return s.send("PUT", "/user", token, in{"password": password, "nonce": nonce}).code()
	}
	require.Empty(t, change("", "new-horse-1"), "a fresh session needs none")
	s.clock.pass(25 * time.Hour)
	assert.Equal(t, "reauthentication_needed", change("", "new-horse-2"))
	require.Equal(t, 200, s.send("GET", "/reauthenticate", token, nil).status)
	mail := s.lastMail("a@example.com")
	assert.Empty(t, mail.Link)
	assert.Equal(t, "reauthentication_not_valid", change("000000", "new-horse-2"))
	assert.Empty(t, change(mail.Code, "new-horse-2"))
	assert.Equal(t, "reauthentication_not_valid", change(mail.Code, "new-horse-3"), "a nonce works once")
}

func TestACodeForNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	assert.Equal(t, "otp_disabled", s.post("/otp", in{"email": "a@example.com", "create_user": false}).code())
	assert.Equal(t, "otp_disabled", s.post("/otp", in{"email": "nope", "create_user": false}).code())
	assert.Equal(t, "validation_failed", s.post("/otp", in{}).code())
	assert.Equal(t, "validation_failed", s.post("/otp", in{"email": "a@example.com", "channel": "sms"}).code())
	assert.Equal(t, "phone_provider_disabled", s.post("/otp", in{"phone": "15551234567"}).code())
	assert.Empty(t, s.server.Mailbox().List(""))

	require.Equal(t, 200, s.post("/otp", in{"email": "a@example.com", "data": in{"first_name": "Ada"}}).status)
	mail := s.lastMail("a@example.com")
	assert.Equal(t, "magiclink", mail.Kind, "the user is made and confirmed, so the link is a sign-in")
	got := s.post("/verify", in{"type": "email", "email": "a@example.com", "token": mail.Code})
	require.Equal(t, 200, got.status)
	assert.Equal(t, "Ada", got.text("user.user_metadata.first_name"))
}

func TestANumberWithAFixedCode(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GOTRUE_SMS_AUTOCONFIRM": "false", "GOTRUE_SMS_TEST_OTP": "15551234567:123456",
	})
	got := s.post("/otp", in{"phone": "+1 555 1234567"})
	require.Equal(t, 200, got.status, got.body)
	assert.Equal(t, "validation_failed", s.post("/verify", in{"type": "sms", "phone": "x", "token": "123456"}).code())
	assert.Equal(t, "otp_expired", s.post("/verify", in{"type": "sms", "phone": "15551234567", "token": "654321"}).code())
	assert.Equal(t, 200, s.post("/verify", in{"type": "sms", "phone": "15551234567", "token": "123456"}).status)

	refused := s.post("/otp", in{"phone": "15557654321"})
	assert.Equal(t, 500, refused.status)
	assert.Equal(t, "Unable to get SMS provider", refused.text("msg"))
}

func TestAFailingMailHookUndoesTheSignUp(t *testing.T) {
	t.Parallel()
	env := confirmations()
	env["GOTRUE_HOOK_SEND_EMAIL_ENABLED"] = "true"
	env["GOTRUE_HOOK_SEND_EMAIL_URI"] = "pg-functions://postgres/public/send_email"
	s := hookedSite(t, `create function public.send_email(event jsonb) returns jsonb language plpgsql as
		$$ begin raise exception 'no mail today'; end $$`, env)
	got := s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
	assert.Equal(t, 500, got.status)
	assert.Equal(t, "no mail today", got.text("message"))
	s.sql(`create or replace function public.send_email(event jsonb) returns jsonb language sql as $$ select '{}'::jsonb $$`)
	assert.Equal(t, 200, s.post("/signup", in{"email": "a@example.com", "password": goodPassword}).status)
	assert.Empty(t, s.server.Mailbox().List(""), "the hook takes the mails")
}
