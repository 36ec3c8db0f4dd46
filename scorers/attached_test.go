package scorers

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// runningHook is a hook of an Auth that was started at another time.
func runningHook(known bool, from string) *probes.RunningHook {
	return &probes.RunningHook{
		Known: known, From: from, FileEnabled: true, FileURI: "pg-functions://postgres/public/hook",
		FileSource: "supabase/config.toml:40:1",
	}
}

func TestTheRunningAuthIsJudgedAndTheFileOnlyWhereNothingElseIsKnown(t *testing.T) {
	t.Parallel()
	const inspect = "docker inspect supabase_auth_forum"
	for _, test := range []struct {
		name   string
		change func(hook *probes.HookConfig)
		want   evals.Status
		note   string
	}{
		{
			"as the file says", func(h *probes.HookConfig) { h.Running = runningHook(true, inspect) }, evals.StatusPass,
			"the hook is on and calls pg-functions://postgres/public/hook, by supabase/config.toml:40:1; so the running Auth was started (docker inspect supabase_auth_forum)",
		},
		{
			"switched on too late", func(h *probes.HookConfig) { h.Enabled, h.Running = false, runningHook(true, inspect) }, evals.StatusFail,
			"expected [auth.hook.custom_access_token] with enabled = true and a uri when Auth is started; " +
				"observed that supabase/config.toml:40:1 has it on, but the running Auth was started without it (docker inspect supabase_auth_forum); " +
				"likely cause: it was switched on too late: Auth reads its configuration once, at its start; stop and start the stack",
		},
		{
			"off in both", func(h *probes.HookConfig) {
				h.Enabled, h.URI, h.State, h.Cause, h.Running = false, "", "section missing", "there is no section", runningHook(true, inspect)
				h.Running.FileEnabled = false
			}, evals.StatusFail,
			"expected [auth.hook.custom_access_token] with enabled = true and a uri when Auth is started; observed section missing, by supabase/config.toml:40:1; " +
				"likely cause: there is no section; so the running Auth was started (docker inspect supabase_auth_forum)",
		},
		{
			"switched off since", func(h *probes.HookConfig) {
				h.Source, h.Running = "", runningHook(true, inspect)
				h.Running.FileEnabled, h.Running.FileCause = false, "enabled is false"
			}, evals.StatusPass,
			"the hook is on and calls pg-functions://postgres/public/hook; so the running Auth was started (docker inspect supabase_auth_forum), " +
				"but the next start will be without it: enabled is false",
		},
		{
			"another function since", func(h *probes.HookConfig) {
				h.Source, h.Running = "", runningHook(true, inspect)
				h.Running.FileURI = "pg-functions://postgres/public/new"
			}, evals.StatusPass,
			"the hook is on and calls pg-functions://postgres/public/hook; so the running Auth was started (docker inspect supabase_auth_forum), " +
				"but the file by now names pg-functions://postgres/public/new",
		},
		{
			"nobody knows, and the file has it on", func(h *probes.HookConfig) {
				h.Running = &probes.RunningHook{From: "there is no program docker in PATH"}
			}, evals.StatusPass,
			"the hook is on and calls pg-functions://postgres/public/hook, by supabase/config.toml:40:1; the running Auth could not be asked what it was started with " +
				"(there is no program docker in PATH), so this is what the file says",
		},
		{
			"nobody knows, and the file has it off", func(h *probes.HookConfig) {
				h.Enabled, h.State, h.Running = false, "enabled is false", &probes.RunningHook{From: "no record"}
			}, evals.StatusFail,
			"expected [auth.hook.custom_access_token] with enabled = true and a uri when Auth is started; observed enabled is false, by supabase/config.toml:40:1; " +
				"likely cause: the hook was never switched on in supabase/config.toml; the running Auth could not be asked what it was started with (no record), so this is what the file says",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			test.change(&seen.Hooks[accessTokenHook].Config)
			check := byID(t, judge(t, seen), "hook-enabled")
			assert.Equal(t, test.want, check.Status)
			assert.Equal(t, test.note, check.Note)
		})
	}
}

func TestATokenWithoutTheRoleIsExplainedByALateHook(t *testing.T) {
	t.Parallel()
	late := good()
	hookOff(late)
	late.Hooks[accessTokenHook].Config = probes.HookConfig{State: "enabled", URI: "x", Running: runningHook(true, "its record")}
	checks := judge(t, late)
	assert.Equal(t, "pffppfpu", vector(checks))
	assert.Contains(t, byID(t, checks, "token-carries-role").Note, "the access token hook is off, so nothing adds to the token: it was switched on too late")

	unknown := good()
	hookOff(unknown)
	config := &unknown.Hooks[accessTokenHook].Config
	*config = probes.HookConfig{Enabled: true, State: "enabled", URI: "x", Running: &probes.RunningHook{From: "no record"}}
	checks = judge(t, unknown)
	assert.Equal(t, "ppfppfpu", vector(checks))
	assert.Contains(t, byID(t, checks, "token-carries-role").Note, "or Auth was started before the hook was switched on")
}

func TestWhatWasWithheldIsUnmeasuredAndNeverPassed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(seen *probes.Observations)
		want   string
		id     string
		note   string
	}{
		{
			"a request", func(seen *probes.Observations) {
				seen.Rows["member-cannot-self-promote"] = &probes.RowObservation{Withheld: "the row is everybody's"}
			}, "ppppppuu", "member-cannot-self-promote", "not tried: the row is everybody's",
		},
		{
			// A refusal whose control was not tried proves nothing.
			"a control", func(seen *probes.Observations) {
				seen.Rows["member-deletes-own-post"] = &probes.RowObservation{Withheld: "the row is everybody's"}
			}, "pppupppu", "member-cannot-delete-others", "vacuous: its control member-deletes-own-post is unmeasured",
		},
		{
			"a row that somebody depends on", func(seen *probes.Observations) {
				seen.Inserts[0] = probes.InsertObservation{Table: memberRoles, For: "moderator", Withheld: "it is everybody's"}
			}, "ppuppupu", "moderator-deletes-others", "not tried: moderator's row in public.member_roles was not written, because it is everybody's",
		},
		{
			"people", func(seen *probes.Observations) {
				for id := range seen.People {
					seen.People[id] = &probes.PersonObservation{Withheld: "they would get mail"}
				}
			}, "ppuuuuuu", "member-cannot-delete-others", "not tried: member was not signed up, because they would get mail",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			test.change(seen)
			checks := judge(t, seen)
			assert.Equal(t, test.want, vector(checks))
			assert.Contains(t, byID(t, checks, test.id).Note, test.note)
		})
	}
}
