package auth_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// notified switches all notifications on.
func notified(env map[string]string) map[string]string {
	for _, name := range []string{
		"PASSWORD_CHANGED", "EMAIL_CHANGED", "PHONE_CHANGED", "IDENTITY_LINKED", "MFA_FACTOR_ENROLLED", "MFA_FACTOR_UNENROLLED",
	} {
		env["GOTRUE_MAILER_NOTIFICATIONS_"+name+"_ENABLED"] = "true"
	}
	return env
}

// kinds are the kinds of the mails to an address.
func (s *site) kinds(to string) string {
	var kinds []string
	for _, m := range s.server.Mailbox().List(to) {
		kinds = append(kinds, m.Kind)
	}
	return strings.Join(kinds, " ")
}

func TestUsersAreToldWhatHappensToTheirAccount(t *testing.T) {
	t.Parallel()
	env := mfaEnv()
	env["GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"] = "false"
	env["GOTRUE_EXTERNAL_PHONE_ENABLED"] = "true"
	s := newSite(t, notified(env))
	token := s.signUp("a@example.com")
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"password": "another-horse-2"}).status)
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"phone": "+15551234567"}).status)
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"phone": "+15557654321"}).status)
	assert.Equal(t, "password_changed_notification identity_linked_notification phone_changed_notification", s.kinds("a@example.com"))
	assert.Contains(t, s.lastMail("a@example.com").Text, "from 15551234567 to 15557654321")

	require.Equal(t, 200, s.send("PUT", "/user", token, in{"email": "b@example.com"}).status)
	s.follow(s.lastMail("b@example.com"))
	news := s.lastMail("a@example.com")
	assert.Equal(t, "email_changed_notification", news.Kind, "the old address is told")
	assert.Equal(t, "email_change", s.kinds("b@example.com"), "the new one is not")

	factor, secret := s.totpFactor(token, "app")
	got := s.send("POST", factor+"/verify", token, in{"challenge_id": s.challenge(token, factor), "code": s.codeOf(secret)})
	require.Equal(t, 200, got.status)
	again := s.send("POST", factor+"/verify", token, in{"challenge_id": s.challenge(token, factor), "code": s.codeOf(secret)})
	require.Equal(t, 200, again.status)
	require.Equal(t, 200, s.send("DELETE", factor, token, nil).status)
	assert.Equal(t, "email_change mfa_factor_enrolled_notification mfa_factor_unenrolled_notification", s.kinds("b@example.com"))
}

func TestNobodyIsToldWhereNotificationsAreOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	token := s.signUp("a@example.com")
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"password": "another-horse-2"}).status)
	assert.Empty(t, s.server.Mailbox().List(""))
}

func TestTheMailHookGetsNotificationsToo(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, `create table public.mails (data jsonb); grant all on public.mails to supabase_auth_admin;
		create function public.send_email(event jsonb) returns jsonb language plpgsql as
		$$ begin insert into public.mails values (event->'email_data'); return '{}'; end $$`,
		notified(map[string]string{
			"GOTRUE_HOOK_SEND_EMAIL_ENABLED": "true", "GOTRUE_HOOK_SEND_EMAIL_URI": "pg-functions://postgres/public/send_email",
		}))
	token := s.signUp("a@example.com")
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"password": "another-horse-2"}).status)
	assert.JSONEq(t, `{"token":"","token_hash":"","token_new":"","token_hash_new":"","old_email":"","old_phone":"","provider":"",
		"factor_type":"","email_action_type":"password_changed_notification","redirect_to":"http://127.0.0.1:3000",
		"site_url":"http://127.0.0.1:54321/auth/v1"}`, s.queryText(`select data::text from public.mails`))
	assert.Empty(t, s.server.Mailbox().List(""))
}
