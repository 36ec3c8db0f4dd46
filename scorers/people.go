package scorers

import (
	"fmt"
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// accessTokenHook is the hook that runs whenever a token is issued, so that its
// failures break every sign-up and sign-in.
const accessTokenHook = "custom_access_token"

// peopleReady returns the verdict of a check whose people could not be made ready;
// nil when they could. A sign-up that the stack answers with an error is the
// candidate's doing and fails the check as a block, whatever the check states:
// somebody lost access. One without an answer is trouble.
func peopleReady(seen *probes.Observations, expected string, ids ...string) *verdict {
	for _, id := range ids {
		person := seen.People[id]
		last := person.Last()
		switch {
		case person != nil && person.Withheld != "":
			said := unmeasured("not tried: %s was not signed up, because %s", id, person.Withheld)
			return &said
		case last == nil:
			said := notObserved(id + "'s sign-up")
			return &said
		case last.Trouble != "":
			said := broken("not measured: %s could not sign in: %s", id, excerpt(last.Trouble))
			return &said
		case person.Token == nil:
			said := failed(evals.ClassBlock, expected, noSession(id, person), noSessionCause(seen, last))
			return &said
		}
	}
	return rowsReady(seen, expected, ids)
}

// rowsReady does the same for the rows that the owner writes for people.
func rowsReady(seen *probes.Observations, expected string, ids []string) *verdict {
	for _, id := range ids {
		for _, insert := range seen.Inserts {
			if insert.For != id || insert.Present {
				continue
			}
			var said verdict
			switch {
			case insert.Withheld != "":
				said = unmeasured("not tried: %s's row in %s was not written, because %s", id, insert.Table, insert.Withheld)
			case insert.Trouble != "":
				said = broken("not measured: %s's row in %s could not be written: %s", id, insert.Table, excerpt(insert.Trouble))
			case insert.Failed != nil:
				said = failed(evals.ClassBlock, expected,
					fmt.Sprintf("the owner of the database could not write %s's row in %s: %s", id, insert.Table, excerpt(insert.Failed.Error())),
					insertCause(insert))
			default:
				said = failed(evals.ClassBlock, expected,
					fmt.Sprintf("%s's row in %s was not there after the owner wrote it", id, insert.Table),
					"a trigger or a rule on the table drops or changes it")
			}
			return &said
		}
	}
	return nil
}

func insertCause(insert probes.InsertObservation) string {
	switch insert.Failed.SQLState {
	case "42P01", "3F000":
		return fmt.Sprintf("a migration dropped or renamed %s, which the starting schema has", insert.Table)
	case "42703":
		return fmt.Sprintf("a migration dropped or renamed a column of %s", insert.Table)
	case "22P02":
		return "a migration changed a column's type, or a label of its enum"
	default:
		return ""
	}
}

// noSession says how a person came to have no session.
func noSession(id string, person *probes.PersonObservation) string {
	what, attempt := "sign up", person.SignUp
	if last := person.Last(); last != attempt {
		what, attempt = "sign in again", last
	}
	if attempt.Answer.OK() && !attempt.Session {
		return fmt.Sprintf("%s could %s but got no session", id, what)
	}
	said := fmt.Sprintf("%s could not %s: %s", id, what, answerText(&attempt.Answer))
	if behind := logText(attempt.Logs); behind != "" && !repeats(attempt) {
		said += "; behind it: " + behind
	}
	return said
}

// repeats reports whether the log says nothing of a failure that the answer does
// not say itself: Auth passes some errors of hooks on.
func repeats(attempt *probes.AuthAttempt) bool {
	for _, entry := range attempt.Logs {
		if entry.Error == "" {
			continue
		}
		text, _, _ := strings.Cut(strings.TrimPrefix(entry.Error, "ERROR: "), " (SQLSTATE")
		return strings.Contains(attempt.Answer.Message, text) &&
			(entry.SQLState == "" || entry.SQLState == attempt.Answer.Code)
	}
	return false
}

// answerText describes an HTTP answer: request, status, code and message.
func answerText(answer *probes.Answer) string {
	path, _, _ := strings.Cut(answer.Path, "?")
	text := fmt.Sprintf("%s %s answered %d", answer.Method, path, answer.Status)
	if answer.Code != "" {
		text += " " + excerpt(answer.Code)
	}
	if answer.Message != "" {
		text += " " + quoted(answer.Message)
	}
	return text
}

// logText quotes the first logged line that tells more than the answer did: the
// error that Postgres raised, or a hook's.
func logText(logs []probes.LogEntry) string {
	for _, entry := range logs {
		text := entry.Error
		if text == "" {
			continue
		}
		if entry.SQLState != "" && !strings.Contains(text, entry.SQLState) {
			text += " (SQLSTATE " + entry.SQLState + ")"
		}
		return quoted(text)
	}
	return ""
}

// noSessionCause is the likeliest cause of a missing session.
func noSessionCause(seen *probes.Observations, attempt *probes.AuthAttempt) string {
	if attempt.Answer.OK() {
		return "e-mail confirmations are switched on ([auth.email] enable_confirmations), and nobody can confirm"
	}
	switch attempt.Answer.Code {
	case "signup_disabled":
		return "sign-ups are switched off ([auth] enable_signup)"
	case "email_provider_disabled":
		return "e-mail sign-ups are switched off ([auth.email] enable_signup)"
	case "email_not_confirmed":
		return "e-mail confirmations are switched on ([auth.email] enable_confirmations), and nobody can confirm"
	case "weak_password":
		return "the configuration demands stronger passwords ([auth] minimum_password_length, password_requirements)"
	}
	hook := seen.Hooks[accessTokenHook]
	if hook == nil || !hook.Config.Enabled {
		return triggerCause(attempt.Logs)
	}
	if cause := hookBreaks(hook); cause != "" {
		return cause
	}
	return hookRaises(hook, attempt)
}

// triggerCause explains a failing sign-up when no hook is on.
func triggerCause(logs []probes.LogEntry) string {
	if logText(logs) == "" {
		return ""
	}
	return "a trigger or a constraint that the migrations put on auth.users or on a table it writes to"
}

// hookRaises explains the failures of a hook that can be called: what it does when
// it runs.
func hookRaises(hook *probes.HookObservation, attempt *probes.AuthAttempt) string {
	name := hookName(hook)
	if cause := stateCause(hook, sqlState(attempt)); cause != "" {
		return cause
	}
	message := attempt.Answer.Message
	switch {
	case strings.Contains(message, "do not conform"):
		return fmt.Sprintf("%s returns claims that lack a required one or change its type; it has to return the event with its full claims", name)
	case strings.Contains(message, "claims field is missing"):
		return fmt.Sprintf("%s does not return an object with the key claims", name)
	case hook.Config.Function == "":
		return fmt.Sprintf("the hook at %s failed", excerpt(hook.Config.URI))
	case attempt.Answer.Code == "unexpected_failure":
		return fmt.Sprintf("%s fails when it runs", name)
	default:
		return fmt.Sprintf("%s answers with an error instead of claims", name)
	}
}

// sqlState is the first SQLSTATE that was logged while somebody failed to sign in.
func sqlState(attempt *probes.AuthAttempt) string {
	for _, entry := range attempt.Logs {
		if entry.SQLState != "" {
			return entry.SQLState
		}
	}
	return ""
}

// stateCause explains a hook's failure by its SQLSTATE; empty for states that say
// too little.
func stateCause(hook *probes.HookObservation, state string) string {
	name := hookName(hook)
	switch state {
	case "57014":
		return fmt.Sprintf("%s runs longer than the 2 s that Auth gives a hook", name)
	case "42501":
		if denied := hookDenied(hook); denied != "" {
			return denied
		}
		return fmt.Sprintf("%s does something that supabase_auth_admin, the role that runs it, may not do", name)
	case "P0001":
		return fmt.Sprintf("%s raises an exception", name)
	case "42P01", "42703", "42883":
		return fmt.Sprintf("%s names something that does not exist, or that its search_path does not find", name)
	default:
		return ""
	}
}
