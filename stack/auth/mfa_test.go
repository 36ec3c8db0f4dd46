package auth_test

import (
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func mfaEnv() map[string]string {
	return map[string]string{
		"GOTRUE_MFA_TOTP_ENROLL_ENABLED": "true", "GOTRUE_MFA_TOTP_VERIFY_ENABLED": "true",
		"GOTRUE_MFA_PHONE_ENROLL_ENABLED": "true", "GOTRUE_MFA_PHONE_VERIFY_ENABLED": "true",
		"GOTRUE_MFA_MAX_ENROLLED_FACTORS": "2",
	}
}

// totpFactor enrols a TOTP factor and returns its path and secret.
func (s *site) totpFactor(token, name string) (path, secret string) {
	s.t.Helper()
	got := s.send("POST", "/factors", token, in{"factor_type": "totp", "friendly_name": name})
	require.Equal(s.t, 200, got.status, got.body)
	return "/factors/" + got.text("id"), got.text("totp.secret")
}

func (s *site) challenge(token, factor string) string {
	s.t.Helper()
	got := s.send("POST", factor+"/challenge", token, in{})
	require.Equal(s.t, 200, got.status, got.body)
	return got.text("id")
}

func (s *site) codeOf(secret string) string {
	s.t.Helper()
	code, err := totp.GenerateCode(secret, s.clock.Now())
	require.NoError(s.t, err)
	return code
}

func TestOneOfManyRightCodesUsesTheChallengeUp(t *testing.T) {
	t.Parallel()
	s := newSite(t, mfaEnv())
	token := s.signUp("a@example.com")
	factor, secret := s.totpFactor(token, "app")
	id, code := s.challenge(token, factor), s.codeOf(secret)

	var wg sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		wg.Go(func() {
			statuses[i] = s.send("POST", factor+"/verify", token, in{"challenge_id": id, "code": code}).status
		})
	}
	wg.Wait()
	won := 0
	for _, status := range statuses {
		if status == 200 {
			won++
		} else {
			assert.Equal(t, 422, status)
		}
	}
	assert.Equal(t, 1, won, "%v", statuses)
}

func TestAChallengeRunsOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, mfaEnv())
	token := s.signUp("a@example.com")
	factor, secret := s.totpFactor(token, "app")
	id := s.challenge(token, factor)
	s.clock.pass(5*time.Minute + time.Second)
	got := s.send("POST", factor+"/verify", token, in{"challenge_id": id, "code": s.codeOf(secret)})
	assert.Equal(t, "mfa_challenge_expired", got.code())
}

func TestACodeOfTheStepBeforeIsRight(t *testing.T) {
	t.Parallel()
	s := newSite(t, mfaEnv())
	token := s.signUp("a@example.com")
	factor, secret := s.totpFactor(token, "app")
	id, code := s.challenge(token, factor), s.codeOf(secret)
	s.clock.pass(30 * time.Second)
	assert.Equal(t, 200, s.send("POST", factor+"/verify", token, in{"challenge_id": id, "code": code}).status)
}

func TestFactorsHaveTheirLimits(t *testing.T) {
	t.Parallel()
	s := newSite(t, mfaEnv())
	token := s.signUp("a@example.com")
	s.totpFactor(token, "one")
	s.totpFactor(token, "two")
	got := s.send("POST", "/factors", token, in{"factor_type": "totp", "friendly_name": "three"})
	assert.Equal(t, "too_many_enrolled_mfa_factors", got.code())
	s.clock.pass(6 * time.Minute)
	s.totpFactor(token, "three") // the others were never used and are old
	other := s.signUp("b@example.com")
	factor, _ := s.totpFactor(other, "app")
	assert.Equal(t, 404, s.send("POST", factor+"/challenge", token, in{}).status, "a factor of somebody else")
}

const sendSMS = `create table public.sms (code text, kind text);
	grant all on public.sms to supabase_auth_admin;
	create function public.send_sms(event jsonb) returns jsonb language plpgsql as $$ begin
		insert into public.sms values (event->'sms'->>'otp', event->'sms'->>'sms_type'); return '{}'; end $$;
	create function public.mfa_hook(event jsonb) returns jsonb language sql as
		$$ select case when event->>'valid' = 'false' then '{"decision":"reject"}' else '{"decision":"continue"}' end::jsonb $$;
	create view public.codes as select code from public.sms;
	grant select on public.codes to supabase_auth_admin;`

func hookedMFA() map[string]string {
	env := mfaEnv()
	for name, function := range map[string]string{"SEND_SMS": "send_sms", "MFA_VERIFICATION_ATTEMPT": "mfa_hook"} {
		env["GOTRUE_HOOK_"+name+"_ENABLED"] = "true"
		env["GOTRUE_HOOK_"+name+"_URI"] = "pg-functions://postgres/public/" + function
	}
	return env
}

func TestAPhoneIsASecondFactor(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, sendSMS, hookedMFA())
	token := s.signUp("a@example.com")
	assert.Equal(t, "validation_failed", s.send("POST", "/factors", token, in{"factor_type": "phone"}).code())
	got := s.send("POST", "/factors", token, in{"factor_type": "phone", "friendly_name": "mine", "phone": "+15551234567"})
	require.Equal(t, 200, got.status, got.body)
	factor := "/factors/" + got.text("id")
	id := s.challenge(token, factor)
	assert.Equal(t, "over_sms_send_rate_limit", s.send("POST", factor+"/challenge", token, in{}).code())

	code := s.queryText(`select code from public.sms where kind = 'mfa'`)
	verified := s.send("POST", factor+"/verify", token, in{"challenge_id": id, "code": code})
	require.Equal(t, 200, verified.status, verified.body)
	amr := s.queryText(`select string_agg(authentication_method, ' ' order by authentication_method) from auth.mfa_amr_claims`)
	assert.Equal(t, "mfa/phone password", amr)
	assert.Equal(t, "aal2", s.queryText(`select aal::text from auth.sessions`))
}

func TestARejectedSecondFactorEndsAllSessions(t *testing.T) {
	t.Parallel()
	s := hookedSite(t, sendSMS, hookedMFA())
	token := s.signUp("a@example.com")
	factor, _ := s.totpFactor(token, "app")
	got := s.send("POST", factor+"/verify", token, in{"challenge_id": s.challenge(token, factor), "code": "000000"})
	assert.Equal(t, 403, got.status)
	assert.Equal(t, "mfa_verification_rejected", got.code())
	assert.Equal(t, "Further MFA verification attempts will be rejected.", got.text("msg"))
	assert.Equal(t, "0", s.queryText(`select count(*)::text from auth.sessions`))
}

func TestAnAdministratorChangesFactors(t *testing.T) {
	t.Parallel()
	s := newSite(t, mfaEnv())
	token := s.signUp("a@example.com")
	factor, secret := s.totpFactor(token, "app")
	id := s.challenge(token, factor)
	require.Equal(t, 200, s.send("POST", factor+"/verify", token, in{"challenge_id": id, "code": s.codeOf(secret)}).status)
	user := s.queryText(`select id::text from auth.users`)
	path := "/admin/users/" + user + factor

	assert.Equal(t, 403, s.send("PUT", path, token, in{"friendly_name": "x"}).status, "a user may not")
	renamed := s.send("PUT", path, serviceRole, in{"friendly_name": "renamed"})
	require.Equal(t, 200, renamed.status, renamed.body)
	assert.Equal(t, "renamed", renamed.text("friendly_name"))
	require.Equal(t, 200, s.send("DELETE", path, serviceRole, nil).status)
	assert.Equal(t, "aal1", s.queryText(`select aal::text from auth.sessions`))
	assert.Equal(t, 404, s.send("DELETE", path, serviceRole, nil).status)
}

func TestCodesToPhonesHaveSettingsOfTheirOwn(t *testing.T) {
	t.Parallel()
	env := hookedMFA()
	env["GOTRUE_MFA_PHONE_OTP_LENGTH"], env["GOTRUE_MFA_PHONE_MAX_FREQUENCY"] = "8", "5s"
	env["GOTRUE_SMS_OTP_LENGTH"], env["GOTRUE_SMS_MAX_FREQUENCY"] = "6", "1h"
	s := hookedSite(t, sendSMS, env)
	token := s.signUp("a@example.com")
	got := s.send("POST", "/factors", token, in{"factor_type": "phone", "friendly_name": "mine", "phone": "+15551234567"})
	factor := "/factors/" + got.text("id")
	s.challenge(token, factor)
	refused := s.send("POST", factor+"/challenge", token, in{})
	assert.Equal(t, 429, refused.status)
	assert.Equal(t, "For security purposes, you can only request this after 5 seconds.", refused.text("msg"))
	s.clock.pass(6 * time.Second)
	s.challenge(token, factor)
	assert.Equal(t, "8,8", s.queryText(`select string_agg(length(code)::text, ',') from public.sms where kind = 'mfa'`))
}
