package auth_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func linking(more map[string]string) map[string]string {
	env := map[string]string{
		"GOTRUE_SECURITY_MANUAL_LINKING_ENABLED":                "true",
		"GOTRUE_MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED": "true",
	}
	for name, value := range more {
		env[name] = value
	}
	return env
}

// linkSQL gives every user an identity of GitHub, later than the others; %s is its data.
func (s *site) link(data string) {
	s.t.Helper()
	s.sql(`insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
		select 'gh-' || id, id, '` + data + `', 'github', now() + interval '1 hour', now() from auth.users`)
}

func (s *site) identity(provider string) string {
	s.t.Helper()
	return s.queryText(`select id::text from auth.identities where provider = '` + provider + `'`)
}

func TestTheLastIdentityStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, linking(nil))
	token := s.signUp("a@example.com")
	got := s.send("DELETE", "/user/identities/"+s.identity("email"), token, nil)
	assert.Equal(t, 422, got.status)
	assert.Equal(t, "single_identity_not_deletable", got.code())
	assert.Equal(t, "User must have at least 1 identity after unlinking", got.text("msg"))

	s.link(`{"sub":"1"}`)
	unknown := s.send("DELETE", "/user/identities/9d5b9c6a-3b0e-4d2c-8f7d-0a3b5c7d9e1f", token, nil)
	assert.Equal(t, 422, unknown.status)
	assert.Equal(t, "identity_not_found", unknown.code())
	assert.Equal(t, "Identity doesn't exist", unknown.text("msg"))
	malformed := s.send("DELETE", "/user/identities/x", token, nil)
	assert.Equal(t, 404, malformed.status)
	assert.Equal(t, "identity_id must be an UUID", malformed.text("msg"))
	assert.Equal(t, "2", s.queryText(`select count(*)::text from auth.identities`))
}

func TestUnlinkingIsOffByDefault(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	token := s.signUp("a@example.com")
	got := s.send("DELETE", "/user/identities/"+s.identity("email"), token, nil)
	assert.Equal(t, 404, got.status)
	assert.Equal(t, "manual_linking_disabled", got.code())
}

func TestUnlinkingAnotherProviderKeepsTheAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, linking(nil))
	token := s.signUp("a@example.com")
	s.link(`{"sub":"1","email":"other@example.com","email_verified":true}`)
	got := s.send("DELETE", "/user/identities/"+s.identity("github"), token, nil)
	require.Equal(t, 200, got.status, got.body)
	assert.Equal(t, map[string]any{}, got.body)
	assert.Equal(t, "a@example.com", s.queryText(`select email from auth.users`))
	assert.JSONEq(t, `{"provider":"email","providers":["email"]}`, s.queryText(`select raw_app_meta_data::text from auth.users`))
	assert.Equal(t, "identity_unlinked user github", s.queryText(`select concat_ws(' ', payload->>'action', payload->>'log_type',
		payload->'traits'->>'provider') from auth.audit_log_entries where payload->>'action' = 'identity_unlinked'`))
	assert.Equal(t, "identity_unlinked_notification", s.lastMail("a@example.com").Kind)
}

func TestUnlinkingTheAddressMovesToThatOfAnotherProvider(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		data, autoconfirm, email string
		confirmed                string
	}{
		"a verified one stays confirmed": {`{"sub":"1","email":"other@example.com","email_verified":true}`, "false", "other@example.com", "true"},
		"an unverified one is not":       {`{"sub":"1","email":"other@example.com"}`, "false", "other@example.com", "false"},
		"where nothing is confirmed":     {`{"sub":"1","email":"other@example.com"}`, "true", "other@example.com", "true"},
		"none is none":                   {`{"sub":"1"}`, "true", "none", "false"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, linking(map[string]string{"GOTRUE_MAILER_AUTOCONFIRM": c.autoconfirm}))
			s.post("/signup", in{"email": "a@example.com", "password": goodPassword})
			s.sql(`update auth.users set email_confirmed_at = now(), recovery_token = 'pending'`)
			token := s.signIn("a@example.com").text("access_token")
			s.link(c.data)
			got := s.send("DELETE", "/user/identities/"+s.identity("email"), token, nil)
			require.Equal(t, 200, got.status, got.body)
			assert.Equal(t, c.email, s.queryText(`select coalesce(email, 'none') from auth.users`))
			assert.Equal(t, c.confirmed, s.queryText(`select (email_confirmed_at is not null)::text from auth.users`))
			assert.Empty(t, s.queryText(`select recovery_token from auth.users`))
			assert.JSONEq(t, `{"provider":"github","providers":["github"]}`, s.queryText(`select raw_app_meta_data::text from auth.users`))
			assert.Equal(t, "identity_unlinked_notification", s.lastMail("a@example.com").Kind)
		})
	}
}

func TestUnlinkingEndsWhereSomebodyElseHasTheAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t, linking(nil))
	token := s.signUp("a@example.com")
	s.link(`{"sub":"1","email":"b@example.com","email_verified":true}`)
	require.Equal(t, 200, s.send("POST", "/admin/users", serviceRole, in{"email": "c@example.com"}).status)
	s.sql(`update auth.users set email = 'b@example.com' where email = 'c@example.com'`)
	mine := s.queryText(`select i.id::text from auth.identities i join auth.users u on u.id = user_id
		where provider = 'email' and u.email = 'a@example.com'`)
	got := s.send("DELETE", "/user/identities/"+mine, token, nil)
	assert.Equal(t, 422, got.status)
	assert.Equal(t, "email_conflict_identity_not_deletable", got.code())
	assert.Equal(t, "Unable to unlink identity due to email conflict", got.text("msg"))
	assert.Equal(t, mine, s.queryText(`select id::text from auth.identities where id = '`+mine+`'`), "the unlinking is undone")
}

func TestUnlinkingAPhoneTakesTheNumberAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, linking(nil))
	token := s.signUp("a@example.com")
	require.Equal(t, 200, s.send("PUT", "/user", token, in{"phone": "15551234567"}).status)
	got := s.send("DELETE", "/user/identities/"+s.identity("phone"), token, nil)
	require.Equal(t, 200, got.status, got.body)
	assert.Equal(t, "true", s.queryText(`select (phone is null and phone_confirmed_at is null)::text from auth.users`))
	assert.Equal(t, "a@example.com", s.queryText(`select email from auth.users`))
}

func TestAFirstPasswordIsAnIdentityWhereTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	const setting = "GOTRUE_EXPERIMENTAL_CREATE_EMAIL_IDENTITY_ON_PASSWORD_SET_ENABLED"
	for on, providers := range map[string]string{"true": "github,email", "false": "github"} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, map[string]string{setting: on})
			token := s.signUp("a@example.com")
			s.link(`{"sub":"1","email":"a@example.com"}`)
			s.sql(`delete from auth.identities where provider = 'email'; update auth.users set encrypted_password = null;
				update auth.identities set created_at = now() - interval '1 hour'`)
			got := s.send("PUT", "/user", token, in{"password": "another-horse-2"})
			require.Equal(t, 200, got.status, got.body)
			assert.Equal(t, providers, s.queryText(`select string_agg(provider, ',' order by created_at) from auth.identities`))
			if on == "true" {
				assert.JSONEq(t, `{"provider":"github","providers":["github","email"]}`, s.queryText(`select raw_app_meta_data::text from auth.users`))
				assert.Equal(t, "true", s.queryText(`select identity_data->>'email_verified' from auth.identities where provider = 'email'`))
			}
			// An administrator's first password is one as well.
			s.sql(`delete from auth.identities where provider = 'email'; update auth.users set encrypted_password = ''`)
			path := "/admin/users/" + s.queryText(`select id::text from auth.users`)
			require.Equal(t, 200, s.send("PUT", path, serviceRole, in{"password": "another-horse-3"}).status)
			assert.Equal(t, providers, s.queryText(`select string_agg(provider, ',' order by created_at) from auth.identities`))
		})
	}
}
