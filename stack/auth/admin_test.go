package auth_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// emails are the addresses of a list of users.
func (r reply) emails() []string {
	out := []string{}
	members, _ := r.body.(map[string]any)
	users, _ := members["users"].([]any)
	for _, u := range users {
		user, _ := u.(map[string]any)
		email, _ := user["email"].(string)
		out = append(out, email)
	}
	return out
}

func TestListingUsers(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for i := range 5 {
		got := s.send("POST", "/admin/users", serviceRole, in{
			"email": fmt.Sprintf("u%d@example.com", i), "user_metadata": in{"full_name": fmt.Sprintf("User Nr %d", i)},
		})
		require.Equal(t, http.StatusOK, got.status, got.body)
		s.clock.pass(time.Second)
	}
	cases := map[string]struct {
		query, total, link string
		emails             []string
	}{
		"the latest first": {
			"", "5", `</admin/users?page=1>; rel="last"`,
			[]string{"u4@example.com", "u3@example.com", "u2@example.com", "u1@example.com", "u0@example.com"},
		},
		"a page": {
			"?page=2&per_page=2", "5", `</admin/users?page=3&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last"`,
			[]string{"u2@example.com", "u1@example.com"},
		},
		"the last page":     {"?page=3&per_page=2", "5", `</admin/users?page=3&per_page=2>; rel="last"`, []string{"u0@example.com"}},
		"beyond the last":   {"?page=9&per_page=2", "5", `</admin/users?page=3&per_page=2>; rel="last"`, []string{}},
		"the oldest first":  {"?sort=created_at+asc&per_page=1", "5", `</admin/users?page=2&per_page=1&sort=created_at+asc>; rel="next", </admin/users?page=5&per_page=1&sort=created_at+asc>; rel="last"`, []string{"u0@example.com"}},
		"by address":        {"?filter=u3@", "1", `</admin/users?filter=u3%40&page=1>; rel="last"`, []string{"u3@example.com"}},
		"by name":           {"?filter=nr+2", "1", `</admin/users?filter=nr+2&page=1>; rel="last"`, []string{"u2@example.com"}},
		"with huge numbers": {"?page=18446744073709551615&per_page=18446744073709551615", "5", `</admin/users?page=1&per_page=18446744073709551615>; rel="last"`, []string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := s.send("GET", "/admin/users"+c.query, serviceRole, nil)
			require.Equal(t, http.StatusOK, got.status, got.body)
			assert.Equal(t, c.emails, got.emails())
			assert.Equal(t, c.total, got.header.Get("X-Total-Count"))
			assert.Equal(t, c.link, got.header.Get("Link"))
			assert.Equal(t, "authenticated", got.text("aud"))
		})
	}
	for query, message := range map[string]string{
		"?page=x":                      `Bad Pagination Parameters: strconv.ParseUint: parsing "x": invalid syntax`,
		"?per_page=-1":                 `Bad Pagination Parameters: strconv.ParseUint: parsing "-1": invalid syntax`,
		"?sort=email":                  `Bad Sort Parameters: bad field for sort 'email'`,
		"?sort=created_at+up":          `Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed`,
		"?sort=created_at+asc&sort=id": `Bad Sort Parameters: bad field for sort 'id'`,
	} {
		got := s.send("GET", "/admin/users"+query, serviceRole, nil)
		assert.Equal(t, http.StatusBadRequest, got.status, query)
		assert.Equal(t, message, got.text("msg"), query)
	}
}

func TestTheAuditLogTellsWhatHappened(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	user := s.join("a@example.com")
	s.clock.pass(time.Second)
	s.send("POST", "/logout", user.access, nil)
	actions := func(query string) []string {
		got := s.send("GET", "/admin/audit"+query, serviceRole, nil)
		require.Equal(t, http.StatusOK, got.status, got.body)
		out := []string{}
		entries, _ := got.body.([]any)
		for _, e := range entries {
			out = append(out, reply{body: e}.text("payload.action"))
		}
		return out
	}
	assert.ElementsMatch(t, []string{"logout", "login", "user_signedup"}, actions(""))
	assert.Equal(t, "logout", actions("?per_page=1")[0])
	assert.Equal(t, []string{"user_signedup"}, actions("?query=type:team"))
	assert.Equal(t, []string{"login"}, actions("?query=action:login"))
	assert.Len(t, actions("?query=author:a@example"), 3)
	assert.Empty(t, actions("?query=author:nobody"))
	got := s.send("GET", "/admin/audit?query=nonsense", serviceRole, nil)
	assert.Equal(t, "Invalid query scope: nonsense", got.text("msg"))
}

func TestHashesOfOtherSystemsSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	hashes := map[string]struct {
		hash, password string
		created        int
	}{
		"argon2i":                   {"$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g", "test", 200},
		"argon2id":                  {"$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk", "test", 200},
		"argon2d":                   {"$argon2d$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g", "", 500},
		"argon2 without version":    {"$argon2id$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7", "", 500},
		"argon2 that costs a lot":   {"$argon2id$v=19$m=32,t=300,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7", "", 500},
		"argon2 without parameters": {"$argon2id$v=19$m=32$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7", "", 500},
		// The example of Firebase's own description of its scrypt.
		"fbscrypt": {
			"$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==" +
				"$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
			"user1password", 200,
		},
		"fbscrypt of version 2": {"$fbscrypt$v=2,n=14,r=8,p=1$C0sHCg9ek77hsg==$aGFzaA==", "", 500},
	}
	for name, c := range hashes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			email := fmt.Sprintf("%d@example.com", time.Now().UnixNano())
			got := s.send("POST", "/admin/users", serviceRole, in{"email": email, "email_confirm": true, "password_hash": c.hash})
			require.Equal(t, c.created, got.status, got.body)
			if c.created != http.StatusOK {
				return
			}
			if c.password != "" {
				got = s.post("/token?grant_type=password", in{"email": email, "password": c.password})
				assert.Equal(t, http.StatusOK, got.status, got.body)
			}
			got = s.post("/token?grant_type=password", in{"email": email, "password": "wrong"})
			assert.Equal(t, "invalid_credentials", got.code())
		})
	}
}

func TestFeaturesThatAreNotThereSayThatTheyAreOff(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	user := s.join("a@example.com")
	cases := []struct {
		method, path, token string
		body                any
		status              int
		code                string
	}{
		{"GET", "/authorize?provider=github", "", nil, 400, "validation_failed"},
		{"GET", "/authorize?provider=nobody", "", nil, 400, "validation_failed"},
		{"POST", "/sso", "", in{}, 404, "saml_provider_disabled"},
		{"GET", "/sso/saml/metadata", "", nil, 404, "saml_provider_disabled"},
		{"POST", "/passkeys/authentication/options", "", in{}, 404, "passkey_disabled"},
		{"GET", "/oauth/authorize", "", nil, 404, "feature_disabled"},
		{"GET", "/admin/oauth/clients", serviceRole, nil, 404, "feature_disabled"},
		{"GET", "/admin/oauth/clients", user.access, nil, 403, "not_admin"},
		{"GET", "/user/identities/authorize", user.access, nil, 404, "manual_linking_disabled"},
		{"POST", "/token?grant_type=web3", "", in{}, 422, "web3_provider_disabled"},
		{"POST", "/token?grant_type=id_token", "", in{}, 400, ""},
		{"POST", "/token?grant_type=id_token", "", in{"id_token": "x", "provider": "google"}, 400, "provider_disabled"},
		{"POST", "/token?grant_type=id_token", "", in{"id_token": "x", "provider": "nobody"}, 400, "validation_failed"},
		{"GET", "/user/nothing", user.access, nil, 404, ""},
		{"GET", "/user/nothing", "", nil, 401, "no_authorization"},
		{"GET", "/admin/nothing", "", nil, 401, "no_authorization"},
		{"HEAD", "/settings", "", nil, 405, ""},
	}
	for _, c := range cases {
		got := s.send(c.method, c.path, c.token, c.body)
		assert.Equal(t, c.status, got.status, "%s %s", c.method, c.path)
		assert.Equal(t, c.code, got.code(), "%s %s", c.method, c.path)
	}
	got := s.send("GET", "/callback?state=x", "", nil)
	assert.Equal(t, http.StatusSeeOther, got.status)
	assert.Contains(t, got.header.Get("Location"), "error_code=bad_oauth_state")
}

func TestAnAdministratorTakesPasskeysAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("a@example.com")
	path := "/admin/users/" + s.queryText(`select id::text from auth.users`) + "/passkeys"
	none := s.send("GET", path, serviceRole, nil)
	require.Equal(t, http.StatusOK, none.status, none.body)
	assert.Equal(t, []any{}, none.body)

	s.sql(`insert into auth.webauthn_credentials (id, user_id, credential_id, public_key, friendly_name, created_at)
		select '9d5b9c6a-3b0e-4d2c-8f7d-0a3b5c7d9e1f', id, '\x01', '\x02', 'laptop', '2026-01-02T03:04:05Z' from auth.users`)
	assert.Equal(t, []any{map[string]any{
		"id": "9d5b9c6a-3b0e-4d2c-8f7d-0a3b5c7d9e1f", "friendly_name": "laptop", "created_at": "2026-01-02T03:04:05Z",
	}}, s.send("GET", path, serviceRole, nil).body)

	for _, id := range []string{"x", "11111111-3b0e-4d2c-8f7d-0a3b5c7d9e1f"} {
		got := s.send("DELETE", path+"/"+id, serviceRole, nil)
		assert.Equal(t, http.StatusNotFound, got.status, id)
		assert.Equal(t, "Passkey not found", got.text("msg"), id)
	}
	assert.Equal(t, http.StatusNoContent, s.send("DELETE", path+"/9d5b9c6a-3b0e-4d2c-8f7d-0a3b5c7d9e1f", serviceRole, nil).status)
	assert.Equal(t, []any{}, s.send("GET", path, serviceRole, nil).body)
	assert.Equal(t, "passkey_deleted user service_role", s.queryText(`select concat_ws(' ', payload->>'action',
		payload->>'log_type', payload->>'actor_username') from auth.audit_log_entries where payload->>'action' = 'passkey_deleted'`))
}

func TestALinkThatTheDatabaseRefusesHasNoWords(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.signUp("a@example.com")
	s.sql(`create function public.refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
		create trigger refuse before update on auth.users for each row execute function public.refuse()`)
	for _, body := range []in{
		{"type": "recovery", "email": "a@example.com"},
		{"type": "email_change_new", "email": "a@example.com", "new_email": "b@example.com"},
	} {
		got := s.send("POST", "/admin/generate_link", serviceRole, body)
		assert.Equal(t, http.StatusInternalServerError, got.status)
		assert.Equal(t, map[string]any{
			"code": 500.0, "error_code": "unexpected_failure",
			"msg": "Unexpected failure, please check server logs for more information",
		}, got.body)
		assert.Empty(t, got.code())
	}
	assert.Equal(t, "not now", s.post("/recover", in{"email": "a@example.com"}).text("message"), "a mail's failure has words")
}
