package scorers

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

const rbacID = "build-docs-009-custom-claims-rbac"

func rbac(t testing.TB) *evals.Eval {
	t.Helper()
	eval, err := evals.Find(evals.Builtin(), rbacID, Library{})
	require.NoError(t, err)
	return eval
}

const (
	posts       = "public.posts"
	memberRoles = "public.member_roles"
)

// person makes somebody who is signed in with a token of the given claims.
func person(id, claims string) *probes.PersonObservation {
	return &probes.PersonObservation{
		ID: id, Email: id + "-01234567@example.com",
		SignUp: &probes.AuthAttempt{Session: true, Answer: answer("POST", "/auth/v1/signup", 200)},
		Token:  &probes.TokenObservation{Algorithm: "HS256", Signature: probes.SignatureValid, Claims: json.RawMessage(claims)},
	}
}

func answer(method, path string, status int) probes.Answer {
	return probes.Answer{Method: method, Path: path, Status: status, Rows: -1}
}

func row(as string, verb probes.Verb, table string, before, after int) *probes.RowObservation {
	method, status := "DELETE", 204
	if verb == probes.VerbInsert {
		method, status = "POST", 201
	}
	sent := answer(method, "/rest/v1/"+table[len("public."):]+"?id=eq.1", status)
	return &probes.RowObservation{
		As: as, Verb: verb, Table: table, Before: before, After: after, Counted: true, Answer: &sent,
	}
}

// good is what a run on a workspace sees in which everything is right.
func good() *probes.Observations {
	claims := func(role string) string {
		return `{"role": "authenticated", "email": "x-01234567@example.com", "app_metadata": {"provider": "email"},
			"user_metadata": {"email": "x-01234567@example.com"}, "user_role": ` + role + `}`
	}
	refused := row("member", probes.VerbInsert, memberRoles, 0, 0)
	refused.Answer.Status, refused.Answer.Code = 403, "42501"
	refused.Answer.Message = "permission denied for table member_roles"
	moderator := person("moderator", claims(`"moderator"`))
	moderator.SignIns = []*probes.AuthAttempt{{Session: true, Answer: answer("POST", "/auth/v1/token", 200)}}
	return &probes.Observations{
		Version: probes.ObservationsVersion, Run: "01234567",
		Stack:  probes.StackState{Ready: true, Engine: "embedded", Detail: "postgres 15.18"},
		Before: &probes.Liveness{OK: true}, After: &probes.Liveness{OK: true},
		People: map[string]*probes.PersonObservation{
			"member": person("member", claims("null")), "stranger": person("stranger", claims("null")),
			"moderator": moderator,
		},
		Inserts: []probes.InsertObservation{{Table: memberRoles, For: "moderator", Present: true}},
		Rows: map[string]*probes.RowObservation{
			"member-deletes-own-post":     row("member", probes.VerbDelete, posts, 1, 0),
			"member-cannot-delete-others": row("member", probes.VerbDelete, posts, 1, 1),
			"moderator-deletes-others":    row("moderator", probes.VerbDelete, posts, 1, 0),
			"member-cannot-self-promote":  refused,
		},
		Hooks: map[string]*probes.HookObservation{accessTokenHook: {
			Config: probes.HookConfig{
				Enabled: true, State: "enabled", URI: "pg-functions://postgres/public/hook",
				Source: "supabase/config.toml:40:1", Schema: "public", Function: "hook",
			},
			Checked: true, Exists: true, Callable: true, SchemaUsage: true, Execute: true,
			Signatures: []string{"hook(event jsonb) returns jsonb"},
			Reads:      []probes.HookRead{{Table: memberRoles, Select: true, RLS: true, Policy: true}},
		}},
		Catalog: &probes.CatalogObservation{Tables: map[string]*probes.TableFacts{
			posts: {
				Exists: true, RLS: true, Owner: "postgres",
				Grants: map[string][]string{"authenticated": {"delete", "insert", "select"}},
				Policies: []probes.PolicyFacts{
					{Name: "read", Permissive: true, Command: "select", Roles: []string{"authenticated"}, Using: "true"},
					{Name: "own", Permissive: true, Command: "delete", Roles: []string{"authenticated"}, Using: "(author_id = ( SELECT auth.uid() AS uid))"},
					{Name: "any", Permissive: true, Command: "delete", Roles: []string{"authenticated"}, Using: "( SELECT authorize() AS authorize)"},
				},
			},
			memberRoles: {Exists: true, RLS: true, Owner: "postgres", Grants: map[string][]string{"authenticated": {}}},
		}},
	}
}

// statuses maps each check's id to its status.
func statuses(checks []evals.Check) map[string]evals.Status {
	got := map[string]evals.Status{}
	for _, check := range checks {
		got[check.ID] = check.Status
	}
	return got
}

// vector is the expected statuses in the eval's order, one letter each: pass, fail,
// blocked, unmeasured, error.
func vector(checks []evals.Check) string {
	var letters string
	for _, check := range checks {
		letters += string(check.Status[:1])
	}
	return letters
}

func judge(t testing.TB, seen *probes.Observations) []evals.Check {
	t.Helper()
	checks, err := Judge(rbac(t), seen)
	require.NoError(t, err)
	return checks
}

func byID(t testing.TB, checks []evals.Check, id string) evals.Check {
	t.Helper()
	for _, check := range checks {
		if check.ID == id {
			return check
		}
	}
	require.Fail(t, "no such check", id)
	return evals.Check{}
}

// failSignUps makes every sign-up of a run fail with an answer.
func failSignUps(seen *probes.Observations, status int, code, message string, logs ...probes.LogEntry) {
	for id, person := range seen.People {
		sent := answer("POST", "/auth/v1/signup", status)
		sent.Code, sent.Message = code, message
		*person = probes.PersonObservation{
			Email:  person.Email,
			SignUp: &probes.AuthAttempt{Answer: sent, Logs: logs},
		}
		seen.People[id] = person
	}
	seen.Inserts = []probes.InsertObservation{{Table: memberRoles, For: "moderator", Skipped: "moderator has not signed up"}}
	for _, row := range seen.Rows {
		*row = probes.RowObservation{As: row.As, Verb: row.Verb, Table: row.Table, Person: row.As, Unready: row.As + " has no session"}
	}
}

func hookOff(seen *probes.Observations) {
	hook := seen.Hooks[accessTokenHook]
	hook.Config = probes.HookConfig{State: "section missing", Cause: "supabase/config.toml has no section auth.hook.custom_access_token, so the hook is off"}
	hook.Checked, hook.Exists, hook.Reads = false, false, nil
	seen.People["moderator"].Token.Claims = json.RawMessage(`{"role": "authenticated", "app_metadata": {"provider": "email"}}`)
	seen.Rows["moderator-deletes-others"].After = 1
}

func TestWhatARunSawDecidesEveryCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		// change makes something wrong in what a good run saw.
		change func(seen *probes.Observations)
		// want is the vector of statuses.
		want string
		// notes maps checks to texts that their notes hold.
		notes map[string][]string
		// classes maps checks to classes other than declared.
		classes map[string]evals.Class
		vacuous []string
	}{
		{
			name: "everything is right", change: func(*probes.Observations) {}, want: "pppppppu",
			notes: map[string][]string{
				"stack-running":      {"every service answered", "postgres 15.18"},
				"hook-enabled":       {"pg-functions://postgres/public/hook", "supabase/config.toml:40:1"},
				"token-carries-role": {"moderator's token carries it at user_role", "that of member does not"},
				"guide-read":         {"no transcript", "--transcript"},
			},
		},
		{
			name: "the hook is off", change: hookOff, want: "pffppfpu",
			notes: map[string][]string{
				"hook-enabled":             {"section missing", "has no section auth.hook.custom_access_token"},
				"token-carries-role":       {"carries it nowhere", "the access token hook is off"},
				"moderator-deletes-others": {"answered 204", "still there", `"any"`, "hook is off"},
			},
		},
		{
			name: "a function looks in the table, and there is no hook",
			change: func(seen *probes.Observations) {
				hookOff(seen)
				seen.Rows["moderator-deletes-others"].After = 0
				seen.Catalog.Functions = []probes.FunctionFacts{
					{Schema: "public", Name: "hook", Returns: "jsonb", Mentions: []string{memberRoles}},
					{Schema: "public", Name: "is_moderator", Returns: "boolean", Mentions: []string{memberRoles}},
				}
			},
			want: "pffppppu", notes: map[string][]string{"token-carries-role": {"public.is_moderator looks in public.member_roles instead of the token"}},
		},
		{
			name: "the workspace does not boot",
			change: func(seen *probes.Observations) {
				*seen = probes.Observations{Stack: probes.StackState{
					Phase: "migrations", Error: "supabase/migrations/2.sql:13: invalid input value (SQLSTATE 22P02)",
					Hint: "correct the statement", Fault: probes.FaultWorkspace,
				}}
			},
			want: "fbbbbbbu",
			notes: map[string][]string{
				"stack-running":      {"2.sql:13", "22P02", "correct the statement", "phase migrations"},
				"token-carries-role": {"not tried", "needs stack-running (the local stack is running), which is red"},
			},
		},
		{
			name: "the machine cannot boot the stack",
			change: func(seen *probes.Observations) {
				*seen = probes.Observations{Stack: probes.StackState{Phase: "postgres", Error: "no space left on device", Fault: probes.FaultInfrastructure}}
			},
			want:  "eeeeeeeu",
			notes: map[string][]string{"stack-running": {"no space left"}},
		},
		{
			name:   "nobody says whose fault it is that there is no stack",
			change: func(seen *probes.Observations) { *seen = probes.Observations{} },
			want:   "eeeeeeeu",
		},
		{
			name: "the stack does not answer the first probe",
			change: func(seen *probes.Observations) {
				*seen = probes.Observations{
					Stack:  probes.StackState{Ready: true},
					Before: &probes.Liveness{Postgres: "connection refused"},
				}
			},
			want: "eeeeeeeu", notes: map[string][]string{"stack-running": {"postgres: connection refused"}},
		},
		{
			name: "postgres dies before the last two requests",
			change: func(seen *probes.Observations) {
				seen.After = &probes.Liveness{Postgres: "connection refused"}
				seen.Rows["moderator-deletes-others"].Trouble = "postgres is gone: connection refused"
				seen.Rows["member-cannot-self-promote"] = nil
			},
			want:  "eppppeeu",
			notes: map[string][]string{"stack-running": {"gone after the last probe"}, "moderator-deletes-others": {"not measured", "postgres is gone"}},
		},
		{
			name: "the hook may not be executed",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "unexpected_failure", "Error running hook URI: pg-functions://postgres/public/hook",
					probes.LogEntry{Message: "Hook errored out", Error: "ERROR: permission denied for function hook (SQLSTATE 42501)", SQLState: "42501"})
				seen.Hooks[accessTokenHook].Execute = false
			},
			want: "ppfffffu",
			notes: map[string][]string{
				"hook-enabled":               {"the hook is on", "no EXECUTE on public.hook"},
				"token-carries-role":         {"moderator could not sign up", "answered 500 unexpected_failure", "Error running hook URI", "permission denied for function hook (SQLSTATE 42501)", "no EXECUTE on public.hook"},
				"member-cannot-self-promote": {"member could not sign up", "permission denied for function hook"},
			},
			// A person who cannot sign in is a block, also where a leak is looked for.
			classes: map[string]evals.Class{"member-cannot-delete-others": evals.ClassBlock, "member-cannot-self-promote": evals.ClassBlock},
		},
		{
			name: "the hook reads what it may not",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "unexpected_failure", "Error running hook URI: x",
					probes.LogEntry{Error: "permission denied for table member_roles", SQLState: "42501"})
				seen.Hooks[accessTokenHook].Reads[0].Select = false
			},
			want: "ppfffffu",
			notes: map[string][]string{
				"member-deletes-own-post": {"permission denied for table member_roles (SQLSTATE 42501)", "reads public.member_roles, on which supabase_auth_admin", "no SELECT"},
			},
		},
		{
			name: "the hook runs too long",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "unexpected_failure", "Error running hook URI: x",
					probes.LogEntry{Error: "canceling statement due to statement timeout", SQLState: "57014"})
			},
			want: "ppfffffu", notes: map[string][]string{"token-carries-role": {"statement timeout", "longer than the 2 s"}},
		},
		{
			name: "the hook returns no claims",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "unexpected_failure", "output claims do not conform to the expected schema: - (root): aud is required")
			},
			want: "ppfffffu", notes: map[string][]string{"token-carries-role": {"aud is required", "full claims"}},
		},
		{
			name: "the hook raises, and Auth passes it on",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "P0001", "no role for this person",
					probes.LogEntry{Error: "ERROR: no role for this person (SQLSTATE P0001)", SQLState: "P0001"})
			},
			want:  "ppfffffu",
			notes: map[string][]string{"token-carries-role": {`answered 500 P0001 "no role for this person"; likely cause: the hook public.hook raises an exception`}},
		},
		{
			name: "the hook refuses with an error of its own",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 403, "unknown", "moderators only", probes.LogEntry{Error: "moderators only"})
			},
			want:  "ppfffffu",
			notes: map[string][]string{"token-carries-role": {`403 unknown "moderators only"; likely cause`, "answers with an error instead of claims"}},
		},
		{
			name: "a trigger on auth.users breaks sign-ups, with the hook off",
			change: func(seen *probes.Observations) {
				hookOff(seen)
				seen.Hooks[accessTokenHook].Others = []string{"before_user_created"}
				failSignUps(seen, 500, "unexpected_failure", "Database error saving new user",
					probes.LogEntry{Error: "ERROR: relation \"profile\" does not exist (SQLSTATE 42P01)", SQLState: "42P01"})
			},
			want: "pffffffu",
			notes: map[string][]string{
				"hook-enabled":       {"what is on is before_user_created"},
				"token-carries-role": {"Database error saving new user", "does not exist (SQLSTATE 42P01)", "a trigger or a constraint"},
			},
		},
		{
			name: "the hook's function does not exist",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 500, "unexpected_failure", "Error running hook URI: x")
				hook := seen.Hooks[accessTokenHook]
				hook.Exists, hook.Similar = false, []string{"public.hooks"}
			},
			want:  "ppfffffu",
			notes: map[string][]string{"hook-enabled": {"public.hook, which does not exist (there is public.hooks)"}, "token-carries-role": {"does not exist"}},
		},
		{
			name: "confirmations are on, so that nobody gets a session",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 200, "", "")
			},
			want: "ppfffffu", notes: map[string][]string{"token-carries-role": {"could sign up but got no session", "enable_confirmations"}},
		},
		{
			name: "sign-ups are off",
			change: func(seen *probes.Observations) {
				failSignUps(seen, 422, "signup_disabled", "Signups not allowed for this instance")
			},
			want: "ppfffffu", notes: map[string][]string{"member-deletes-own-post": {"422 signup_disabled", "enable_signup"}},
		},
		{
			name: "only the moderator cannot sign in again",
			change: func(seen *probes.Observations) {
				moderator := seen.People["moderator"]
				failed := answer("POST", "/auth/v1/token?grant_type=password", 500)
				moderator.SignIns = []*probes.AuthAttempt{{Answer: failed}}
				moderator.Token = nil
			},
			want:  "ppfppfpu",
			notes: map[string][]string{"token-carries-role": {"moderator could not sign in again: POST /auth/v1/token answered 500"}},
		},
		{
			name: "an answer never came",
			change: func(seen *probes.Observations) {
				seen.People["member"].SignUp.Trouble = "connection reset"
				seen.People["member"].Token = nil
			},
			want: "ppeeepeu", notes: map[string][]string{"token-carries-role": {"not measured", "connection reset"}},
		},
		{
			name: "the table of roles is gone",
			change: func(seen *probes.Observations) {
				refused := &probes.SQLError{SQLState: "42P01", Message: `relation "public.member_roles" does not exist`}
				seen.Inserts[0] = probes.InsertObservation{Table: memberRoles, For: "moderator", Failed: refused}
				seen.Rows["member-cannot-self-promote"].Failed = refused
			},
			want:  "ppfppffu",
			notes: map[string][]string{"moderator-deletes-others": {"could not write moderator's row", "42P01", "dropped or renamed public.member_roles"}},
		},
		{
			name: "a trigger drops the moderator's row",
			change: func(seen *probes.Observations) {
				seen.Inserts[0].Present = false
			},
			want: "ppfppfpu", notes: map[string][]string{"token-carries-role": {"was not there after the owner wrote it"}},
		},
		{
			name: "the moderator's row met a broken connection",
			change: func(seen *probes.Observations) {
				seen.Inserts[0] = probes.InsertObservation{Table: memberRoles, For: "moderator", Trouble: "broken pipe"}
			},
			want: "ppeppepu",
		},
		{
			name: "the role is in both tokens",
			change: func(seen *probes.Observations) {
				seen.People["member"].Token.Claims = json.RawMessage(`{"roles": ["Moderator"]}`)
			},
			want: "ppfppppu", notes: map[string][]string{"token-carries-role": {"member's token carries it at roles[0]"}},
			classes: map[string]evals.Class{"token-carries-role": evals.ClassLeak},
		},
		{
			name: "the claim is null for both",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Claims = json.RawMessage(`{"user_role": null}`)
				seen.Rows["moderator-deletes-others"].After = 1
			},
			want: "ppfppfpu", notes: map[string][]string{"token-carries-role": {"user_role = null", "does not find the role"}},
		},
		{
			name: "the hook reads another table",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Claims = json.RawMessage(`{"user_role": null}`)
				seen.Hooks[accessTokenHook].Reads = []probes.HookRead{{Table: "public.user_roles", Select: true}}
				seen.Rows["moderator-deletes-others"].After = 1
			},
			want:  "ppfppfpu",
			notes: map[string][]string{"token-carries-role": {"reads public.user_roles, but roles are recorded in public.member_roles"}, "moderator-deletes-others": {"reads public.user_roles"}},
		},
		{
			name: "row level security hides the roles from the hook",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Claims = json.RawMessage(`{"user_role": null}`)
				seen.Hooks[accessTokenHook].Reads[0].Policy = false
				seen.Rows["moderator-deletes-others"].After = 1
			},
			want: "ppfppfpu", notes: map[string][]string{"token-carries-role": {"no policy lets supabase_auth_admin read it"}},
		},
		{
			name: "a claim merely contains the role",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Claims = json.RawMessage(`{"title": "forum-moderator"}`)
			},
			want: "ppfppppu", notes: map[string][]string{"token-carries-role": {`title = "forum-moderator"`}},
		},
		{
			name: "the role is in the standard claim",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Claims = json.RawMessage(`{"role": "moderator"}`)
			},
			want: "ppfppppu", notes: map[string][]string{"token-carries-role": {"the standard claim role"}},
		},
		{
			name: "a token is not this stack's",
			change: func(seen *probes.Observations) {
				seen.People["moderator"].Token.Signature = probes.SignatureInvalid
			},
			want: "ppeppppu",
		},
		{
			name: "deleting is open to everybody who is signed in",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-delete-others"].After = 0
			},
			want: "ppppfppu",
			notes: map[string][]string{
				"member-cannot-delete-others": {"expected that member cannot delete the row from public.posts", "the row is gone", "one is enough", `"own" using`},
			},
		},
		{
			name: "row level security is off",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-delete-others"].After = 0
				seen.Catalog.Tables[posts].RLS = false
			},
			want: "ppppfppu", notes: map[string][]string{"member-cannot-delete-others": {"row level security is off for public.posts"}},
		},
		{
			name: "members can make themselves moderators",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-self-promote"] = row("member", probes.VerbInsert, memberRoles, 0, 1)
			},
			want: "ppppppfu", notes: map[string][]string{"member-cannot-self-promote": {"answered 201", "the row is there"}},
		},
		{
			name: "everybody is a moderator before asking",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-self-promote"].Before, seen.Rows["member-cannot-self-promote"].After = 1, 1
			},
			want: "ppppppfu", notes: map[string][]string{"member-cannot-self-promote": {"was there before member asked"}},
		},
		{
			name: "there is no delete policy",
			change: func(seen *probes.Observations) {
				seen.Rows["member-deletes-own-post"].After = 1
				seen.Rows["moderator-deletes-others"].After = 1
				seen.Catalog.Tables[posts].Policies = seen.Catalog.Tables[posts].Policies[:1]
			},
			want: "pppfpfpu",
			notes: map[string][]string{
				"member-deletes-own-post":     {"answered 204", "still there", "no policy lets authenticated delete on public.posts"},
				"member-cannot-delete-others": {"vacuous", "control member-deletes-own-post is fail"},
			},
			vacuous: []string{"member-cannot-delete-others"},
		},
		{
			name: "deleting is not granted",
			change: func(seen *probes.Observations) {
				for _, id := range []string{"member-deletes-own-post", "moderator-deletes-others", "member-cannot-delete-others"} {
					seen.Rows[id].After = 1
					seen.Rows[id].Answer.Status, seen.Rows[id].Answer.Code = 403, "42501"
					seen.Rows[id].Answer.Message = "permission denied for table posts"
				}
				seen.Catalog.Tables[posts].Grants["authenticated"] = []string{"insert", "select"}
			},
			want:    "pppfpfpu",
			notes:   map[string][]string{"member-deletes-own-post": {"403 42501", "permission denied for table posts", "no DELETE privilege on public.posts"}},
			vacuous: []string{"member-cannot-delete-others"},
		},
		{
			name: "posts cannot be read, so they cannot be found",
			change: func(seen *probes.Observations) {
				seen.Rows["member-deletes-own-post"].After = 1
				seen.Catalog.Tables[posts].Policies = seen.Catalog.Tables[posts].Policies[1:]
			},
			want: "pppfpppu", notes: map[string][]string{"member-deletes-own-post": {"no policy lets authenticated read public.posts"}},
			vacuous: []string{"member-cannot-delete-others"},
		},
		{
			name: "posts are hidden from the moderator only",
			change: func(seen *probes.Observations) {
				seen.Rows["moderator-deletes-others"].After = 1
				seen.Rows["moderator-deletes-others"].Visible = new(bool)
			},
			want: "pppppfpu", notes: map[string][]string{"moderator-deletes-others": {"moderator cannot read the row", `"read" using true`}},
		},
		{
			name: "a policy recurses",
			change: func(seen *probes.Observations) {
				for _, id := range []string{"member-deletes-own-post", "moderator-deletes-others", "member-cannot-delete-others"} {
					seen.Rows[id].After = 1
					seen.Rows[id].Answer.Status, seen.Rows[id].Answer.Code = 500, "42P17"
				}
			},
			want: "pppfpfpu", notes: map[string][]string{
				"member-deletes-own-post":     {"500 42P17", "recurses"},
				"member-cannot-delete-others": {"vacuous: the error 42P17 is no denial"},
			},
			vacuous: []string{"member-cannot-delete-others"},
		},
		{
			name: "a request that nobody decided proves nothing",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-self-promote"].Answer.Code = "PGRST204"
			},
			want: "pppppppu", vacuous: []string{"member-cannot-self-promote"},
			notes: map[string][]string{"member-cannot-self-promote": {"PGRST204 is no denial"}},
		},
		{
			name: "not even the owner can write the row that a member may not",
			change: func(seen *probes.Observations) {
				seen.Rows["member-cannot-self-promote"].OwnerRefused = &probes.SQLError{SQLState: "23514", Message: "violates check constraint"}
			},
			want: "pppppppu", vacuous: []string{"member-cannot-self-promote"},
			notes: map[string][]string{"member-cannot-self-promote": {"the owner of the database cannot write such a row either", "23514"}},
		},
		{
			name: "a request was prepared and never counted",
			change: func(seen *probes.Observations) {
				seen.Rows["member-deletes-own-post"].Counted = false
			},
			want: "pppepppu",
			// Nothing is known of the control, so the refusals prove nothing.
			vacuous: []string{"member-cannot-delete-others"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			test.change(seen)
			checks := judge(t, seen)
			assert.Equal(t, test.want, vector(checks), "%+v", checks)
			for id, parts := range test.notes {
				for _, part := range parts {
					assert.Contains(t, byID(t, checks, id).Note, part)
				}
			}
			for id, class := range test.classes {
				assert.Equal(t, class, byID(t, checks, id).Class, id)
			}
			var vacuous []string
			for _, check := range checks {
				assert.NotEmpty(t, check.Note, check.ID)
				if check.Vacuous {
					vacuous = append(vacuous, check.ID)
				}
			}
			assert.Equal(t, test.vacuous, vacuous)
		})
	}
}

// A saved result is judged again from its file, so the file must hold all that
// judging needs.
func TestObservationsJudgeTheSameAfterJSON(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*probes.Observations){
		"good": func(*probes.Observations) {}, "hook off": hookOff,
		"no sign-ups": func(seen *probes.Observations) {
			failSignUps(seen, 500, "unexpected_failure", "x", probes.LogEntry{Error: "e", SQLState: "42501"})
		},
		"with a transcript": func(seen *probes.Observations) {
			yes := true
			seen.Docs = &probes.DocsObservation{Format: "codex", Lines: 3, Calls: []probes.DocsCall{{
				Source: "shell_fetch", HasContent: &yes,
				Pages: []probes.DocsPage{{URL: guideURL}},
			}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			change(seen)
			data, err := json.Marshal(seen)
			require.NoError(t, err)
			var again probes.Observations
			require.NoError(t, json.Unmarshal(data, &again))
			want := judge(t, seen)
			assert.Equal(t, want, judge(t, &again))
			assert.Equal(t, want, judge(t, seen), "judging twice gives the same")
			after, err := json.Marshal(seen)
			require.NoError(t, err)
			assert.Equal(t, string(data), string(after), "judging changes nothing")
		})
	}
}

// A saved result is input from outside: whatever it holds, judging it ends, and
// gives every check a status that this version knows.
func FuzzJudgeASavedRun(f *testing.F) {
	for _, change := range []func(*probes.Observations){func(*probes.Observations) {}, hookOff} {
		seen := good()
		change(seen)
		data, err := json.Marshal(seen)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"stack": {"ready": true}, "people": {"member": {"sign_ins": [null]}, "moderator": null}, "rows": {"member-deletes-own-post": null}}`))
	f.Add([]byte(`{"stack": {"ready": true}, "hooks": {"custom_access_token": null}, "catalog": {"tables": {"public.posts": null}}}`))
	eval := rbac(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var seen probes.Observations
		if json.Unmarshal(data, &seen) != nil {
			return
		}
		checks, err := Judge(eval, &seen)
		if err != nil || len(checks) != len(eval.Checks) {
			t.Fatalf("%d checks and error %v", len(checks), err)
		}
		for _, check := range checks {
			if !check.Status.Valid() || !check.Class.Valid() || check.Note == "" {
				t.Fatalf("bad check %+v", check)
			}
		}
	})
}

func TestARunWithoutObservationsIsInError(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "eeeeeeeu", vector(judge(t, nil)))
}

func TestAnUnmeasuredNeedLeavesACheckUnmeasured(t *testing.T) {
	t.Parallel()
	eval := rbac(t)
	for i := range eval.Checks {
		if eval.Checks[i].ID == "hook-enabled" {
			eval.Checks[i].Needs = []string{"guide-read"}
		}
	}
	checks, err := Judge(eval, good())
	require.NoError(t, err)
	assert.Equal(t, evals.StatusUnmeasured, statuses(checks)["hook-enabled"])
}

func TestThePlanSaysWhatTheChecksWantToKnow(t *testing.T) {
	t.Parallel()
	plan, err := Plan(rbac(t))
	require.NoError(t, err)
	var people, rows []string
	for _, person := range plan.People {
		people = append(people, person.ID)
		assert.Equal(t, evals.DefaultPassword, person.Password)
	}
	for _, row := range plan.Rows {
		rows = append(rows, row.ID)
	}
	assert.Equal(t, []string{"member", "stranger", "moderator"}, people)
	assert.Equal(t, []string{"member-deletes-own-post", "member-cannot-delete-others", "moderator-deletes-others", "member-cannot-self-promote"}, rows)
	assert.Equal(t, []string{accessTokenHook}, plan.Hooks)
	assert.Equal(t, []string{memberRoles, posts}, plan.AllTables())
	assert.Equal(t, []string{"supabase.com"}, plan.Docs.Hosts)
	require.Len(t, plan.Steps, 3)
	assert.Equal(t, &probes.RowInsert{
		Table: memberRoles, For: "moderator", Own: true,
		Row: probes.Row{"member_id": {Person: "moderator", Field: "id"}, "role": {Literal: "moderator"}},
	}, plan.Steps[1].Insert)
	data, err := json.Marshal(plan)
	require.NoError(t, err)
	assert.NotContains(t, string(data), evals.DefaultPassword, "a plan is written to results, passwords are not")
}

// library loads an eval with one check of the kind and parameters.
func library(t *testing.T, check string) error {
	t.Helper()
	text := "title: x\npeople: [{id: member}]\nchecks:\n  - id: a\n    name: a\n    class: leak\n" + check
	_, err := evals.Load(fstest.MapFS{"e/eval.yaml": {Data: []byte(text)}}, "e", Library{})
	return err
}

func TestAKindRefusesParametersThatItCannotUse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, check, want, hint string }{
		{"a parameter where there is none", "    uses: stack-ready\n    with: {x: 1}\n", "e/eval.yaml:8:15: x: unknown parameter", "takes no parameters"},
		{"an unknown parameter", "    uses: auth-hook-enabled\n    with: {hok: x}\n", "hok: unknown parameter", `did you mean "hook"?`},
		{"a missing parameter", "    uses: auth-hook-enabled\n", "hook: is missing", "custom_access_token"},
		{"a parameter of the wrong type", "    uses: auth-hook-enabled\n    with: {hook: [x]}\n", "e/eval.yaml:8:18: hook: is a array, should be a text", ""},
		{"a token check without a value", "    uses: token-carries-value\n    with: {in: [member]}\n", "value: is missing", ""},
		{"a token check that cannot fail", "    uses: token-carries-value\n    with: {value: x, not-in: [member]}\n", "in: is missing", ""},
		{"a token check of nobody", "    uses: token-carries-value\n    with: {value: x, in: [membre]}\n", `in: there is no person "membre"`, `did you mean "member"?`},
		{"a row without a person", "    uses: can-delete-row\n    with: {table: public.x, row: {a: 1}}\n", "as: is missing", ""},
		{"a row of an unknown person", "    uses: can-delete-row\n    with: {as: x, table: public.x, row: {a: 1}}\n", `as: there is no person "x"`, ""},
		{"a row without a schema", "    uses: can-delete-row\n    with: {as: member, table: x, row: {a: 1}}\n", `table: "x" is not written as schema.table`, ""},
		{"a row without columns", "    uses: can-delete-row\n    with: {as: member, table: public.x}\n", "row: is missing", ""},
		{"a row that refers to nobody", "    uses: can-delete-row\n    with: {as: member, table: public.x, row: {a: \"${x.id}\"}}\n", `e/eval.yaml:8:50: row.a: there is no person "x"`, ""},
		{"an update of nothing", "    uses: cannot-update-row\n    with: {as: member, table: public.x, row: {a: 1}}\n", "set: is missing", ""},
		{"a delete that changes columns", "    uses: cannot-delete-row\n    with: {as: member, table: public.x, row: {a: 1}, set: {a: 2}}\n", "set: only an update changes columns", ""},
		{"a control of a positive check", "    control: b\n    uses: stack-ready\n  - id: b\n    name: b\n    class: leak\n    uses: stack-ready\n", "has no use for a control", ""},
		{"a page without hosts", "    uses: docs-page-read\n    with: {title: x, paths: [/a]}\n", "hosts: is missing", ""},
		{"a page without paths", "    uses: docs-page-read\n    with: {title: x, hosts: [a]}\n", "paths: is missing", ""},
		{"a page without a title", "    uses: docs-page-read\n    with: {paths: [/a], hosts: [a]}\n", "title: is missing", ""},
		{"a page with a relative path", "    uses: docs-page-read\n    with: {title: x, paths: [a], hosts: [a]}\n", `paths: "a" does not begin with a slash`, ""},
		{"an unknown kind", "    uses: can-drop-row\n", `unknown check kind "can-drop-row"`, `did you mean "can-read-row"?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := library(t, test.check)
			require.ErrorContains(t, err, test.want)
			if test.hint != "" {
				var hinted interface{ Hint() string }
				require.ErrorAs(t, err, &hinted)
				assert.Contains(t, hinted.Hint(), test.hint)
			}
		})
	}
}

func TestEveryKindIsDocumented(t *testing.T) {
	t.Parallel()
	docs := Library{}.Docs()
	assert.Len(t, docs, len(Library{}.Names()))
	for _, kind := range docs {
		assert.NotEmpty(t, kind.Doc, kind.Name)
	}
}
