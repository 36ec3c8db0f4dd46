package scorers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/probes"
)

// memberRole is the database role of everybody who is signed in.
const memberRole = "authenticated"

// notADenial says why an answer's error does not show that access was denied;
// empty when it does: rows filtered by a policy (2xx), insufficient privilege, or
// an exception that the workspace raises. Anything else is a request that never got
// as far as the question (a missing column, a timeout, a policy that fails).
func notADenial(answer *probes.Answer) string {
	code := answer.Code
	switch {
	case answer.OK(), code == "42501", code == "P0001", strings.HasPrefix(code, "PT"):
		return ""
	case code == "":
		return fmt.Sprintf("the answer %d does not say that access was denied", answer.Status)
	default:
		return fmt.Sprintf("the error %s is no denial, so the request was never decided", excerpt(code))
	}
}

// blockCause is the likeliest cause of a request without effect that should have
// had one.
func (k rowScorer) blockCause(seen *probes.Observations, row *probes.RowObservation) string {
	if text := logText(row.Logs); text != "" && row.Answer.Status >= 500 {
		return "an error in the database: " + text
	}
	if seen.Catalog == nil || seen.Catalog.Tables[k.Table] == nil {
		return answerCause(row.Answer)
	}
	table := seen.Catalog.Tables[k.Table]
	if !table.Exists {
		return fmt.Sprintf("%s does not exist any more", k.Table)
	}
	for _, privilege := range k.privileges() {
		if !table.Granted(memberRole, privilege) {
			return fmt.Sprintf("the role %s has no %s privilege on %s: grant %s on %s to %s",
				memberRole, strings.ToUpper(privilege), k.Table, privilege, k.Table, memberRole)
		}
	}
	// Policies that are false filter rows without an error.
	if cause := answerCause(row.Answer); cause != "" || !row.Answer.OK() {
		return cause
	}
	return k.policyCause(seen, table, row)
}

// privileges lists what the verb needs: finding a row by its key is reading.
func (k rowScorer) privileges() []string {
	switch k.verb {
	case probes.VerbInsert:
		return []string{"insert"}
	case probes.VerbRead:
		return []string{"select"}
	default:
		return []string{string(k.verb), "select"}
	}
}

// policyCommand is the policy command that decides the verb.
func (k rowScorer) policyCommand() string {
	if k.verb == probes.VerbRead {
		return "select"
	}
	return string(k.verb)
}

// policyCause explains by the table's policies why a row was filtered.
func (k rowScorer) policyCause(seen *probes.Observations, table *probes.TableFacts, row *probes.RowObservation) string {
	if !table.RLS {
		return ""
	}
	if hidden := k.hiddenCause(table, row); hidden != "" {
		return hidden
	}
	policies := policiesFor(table, k.policyCommand())
	if len(policies) == 0 {
		cause := fmt.Sprintf("no policy lets %s %s on %s", memberRole, k.verb, k.Table)
		if len(restrictionsFor(table, k.policyCommand())) > 0 {
			cause += " (there are restrictive policies, which only take away)"
		}
		return cause
	}
	cause := fmt.Sprintf("no policy of %s is true for %s: %s", k.Table, k.As, policyTexts(policies))
	if restrictions := restrictionsFor(table, k.policyCommand()); len(restrictions) > 0 {
		cause = fmt.Sprintf("a restrictive policy of %s is false for %s, or no other is true: %s",
			k.Table, k.As, policyTexts(append(restrictions, policies...)))
	}
	for _, insert := range seen.Inserts {
		if insert.For != k.As {
			continue
		}
		hook := seen.Hooks[accessTokenHook]
		if hook != nil && !hook.Config.Enabled {
			return cause + "; the access token hook is off, so a role in the token is never there"
		}
		if sees := hookSees(hook, insert.Table); sees != "" {
			return cause + "; " + sees
		}
	}
	return cause
}

// hiddenCause explains a row that the person cannot see: deleting and updating
// look for it first, and find nothing. Empty when they can, or need not.
func (k rowScorer) hiddenCause(table *probes.TableFacts, row *probes.RowObservation) string {
	const why = "and a row that cannot be seen cannot be found"
	policies := policiesFor(table, "select")
	switch {
	case k.verb == probes.VerbInsert:
		return ""
	case len(policies) == 0:
		return fmt.Sprintf("no policy lets %s read %s, %s", memberRole, k.Table, why)
	case row.Visible != nil && !*row.Visible:
		policies = append(restrictionsFor(table, "select"), policies...)
		return fmt.Sprintf("%s cannot read the row, %s: %s", k.As, why, policyTexts(policies))
	default:
		return ""
	}
}

// leakCause is the likeliest cause of a request with effect that should have had
// none.
func (k rowScorer) leakCause(seen *probes.Observations, row *probes.RowObservation) string {
	if k.verb == probes.VerbInsert && row.Before > 0 {
		return fmt.Sprintf("the row was there before %s asked for it: something else writes it", k.As)
	}
	if seen.Catalog == nil || seen.Catalog.Tables[k.Table] == nil {
		return ""
	}
	table := seen.Catalog.Tables[k.Table]
	if !table.RLS {
		return fmt.Sprintf("row level security is off for %s, so its policies mean nothing", k.Table)
	}
	policies := policiesFor(table, k.policyCommand())
	if len(policies) == 0 {
		return "the row was changed by something else than a policy: a trigger, or another request"
	}
	return "one of these policies lets it through, and one is enough: " + policyTexts(policies)
}

// policiesFor lists the permissive policies for a command and everybody who is
// signed in: one of them has to be true.
func policiesFor(table *probes.TableFacts, command string) []probes.PolicyFacts {
	return filterPolicies(table, command, true)
}

// restrictionsFor lists the restrictive ones: all of them have to be true.
func restrictionsFor(table *probes.TableFacts, command string) []probes.PolicyFacts {
	return filterPolicies(table, command, false)
}

func filterPolicies(table *probes.TableFacts, command string, permissive bool) []probes.PolicyFacts {
	var policies []probes.PolicyFacts
	for _, policy := range table.Policies {
		if policy.Permissive == permissive && policy.For(command, memberRole) {
			policies = append(policies, policy)
		}
	}
	return policies
}

func policyTexts(policies []probes.PolicyFacts) string {
	texts := make([]string, 0, len(policies))
	for _, policy := range policies {
		text := fmt.Sprintf("%q", policy.Name)
		if policy.Using != "" {
			text += " using " + policy.Using
		}
		if policy.Check != "" {
			text += " with check " + policy.Check
		}
		texts = append(texts, text)
	}
	return excerpt(list(texts))
}

// answerCause explains an error answer by its code; empty when it tells nothing
// that the note does not already hold.
func answerCause(answer *probes.Answer) string {
	switch answer.Code {
	case "57014":
		return "a policy or a trigger runs longer than the statement timeout of the role"
	case "42P17":
		return "a policy reads the table that it guards, which recurses without end"
	case "42501":
		// Not the table's own privileges, which were looked at before.
		return "a policy, a trigger or a function it calls touches something that the caller may not: " + quoted(answer.Message)
	case "22023":
		return "the claim role of the person's token names a database role that cannot be taken on"
	case "PGRST301", "PGRST302", "PGRST303":
		return "the REST API does not accept the person's token"
	case "42883", "42703", "42P01":
		return "a policy or a trigger names something that does not exist"
	default:
		return ""
	}
}

// policyAdvice says what could be better about the policies of a table that works.
func policyAdvice(seen *probes.Observations, table string) []string {
	if seen.Catalog == nil || seen.Catalog.Tables[table] == nil {
		return nil
	}
	var advice []string
	for _, policy := range seen.Catalog.Tables[table].Policies {
		expressions := policy.Using + " " + policy.Check
		if calls := unwrapped(expressions); len(calls) > 0 {
			advice = append(advice, fmt.Sprintf(
				"policy %q on %s calls %s for every row: write (select %s) to call it once a statement",
				policy.Name, table, list(calls), calls[0]))
		}
		if strings.Contains(expressions, "user_metadata") {
			advice = append(advice, fmt.Sprintf(
				"policy %q on %s trusts user_metadata, which users can write themselves", policy.Name, table))
		}
	}
	return advice
}

// unwrapped lists the auth functions that an expression calls outside of a
// sub-select. Postgres prints a wrapped call as "( SELECT auth.uid() AS uid)".
func unwrapped(expression string) []string {
	var calls []string
	for _, call := range []string{"auth.jwt()", "auth.uid()", "auth.role()"} {
		rest := expression
		for {
			before, after, found := strings.Cut(rest, call)
			if !found {
				break
			}
			if !strings.HasSuffix(strings.TrimRight(before, "( "), "SELECT") && !slices.Contains(calls, call) {
				calls = append(calls, call)
			}
			rest = after
		}
	}
	return calls
}
