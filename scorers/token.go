package scorers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// tokenCarries is the kind "token-carries-value".
type tokenCarries struct {
	// Value is the text to look for, at any claim name and depth, ignoring case.
	Value string `json:"value"`
	// In are the people whose latest token has to carry it.
	In []string `json:"in"`
	// NotIn are those whose token must not.
	NotIn []string `json:"not-in"`
}

func decodeTokenCarries(eval *evals.Eval, spec evals.CheckSpec) (scorer, error) {
	var params tokenCarries
	if err := decodeParams(spec, &params); err != nil {
		return nil, err
	}
	if params.Value == "" {
		return nil, missing("value", "name the text to look for")
	}
	// Without somebody who has the value, an empty token would pass.
	if len(params.In) == 0 {
		return nil, missing("in", "name the people whose token carries the value")
	}
	if err := checkPeople(eval, "in", params.In...); err != nil {
		return nil, err
	}
	return params, checkPeople(eval, "not-in", params.NotIn...)
}

func (tokenCarries) plan(*probes.Plan) {}

func (k tokenCarries) judge(seen *probes.Observations) verdict {
	expected := fmt.Sprintf("%q in the access token of %s", k.Value, list(k.In))
	if len(k.NotIn) > 0 {
		expected += " and not in that of " + list(k.NotIn)
	}
	everybody := append(append([]string{}, k.In...), k.NotIn...)
	if said := peopleReady(seen, expected, everybody...); said != nil {
		return *said
	}
	where := map[string][]string{}
	for _, id := range everybody {
		paths, said := k.scan(seen, id)
		if said != nil {
			return *said
		}
		where[id] = paths
	}
	for _, id := range k.NotIn {
		if len(where[id]) > 0 {
			return failed(evals.ClassLeak, expected, fmt.Sprintf("%s's token carries it at %s", id, list(where[id])),
				"whatever issues the role does not look at who signs in")
		}
	}
	var found []string
	for _, id := range k.In {
		if len(where[id]) == 0 {
			return failed("", expected, k.absent(seen, id), k.absentCause(seen, id))
		}
		found = append(found, fmt.Sprintf("%s's token carries it at %s", id, list(where[id])))
	}
	note := strings.Join(found, ", ")
	if len(k.NotIn) > 0 {
		note += fmt.Sprintf("; that of %s does not", list(k.NotIn))
	}
	said := passed("%s", note)
	said.advice = k.advice(where)
	return said
}

// scan looks for the value in one person's token.
func (k tokenCarries) scan(seen *probes.Observations, id string) ([]string, *verdict) {
	token := seen.People[id].Token
	if token.Signature == probes.SignatureInvalid {
		said := broken("not measured: %s's access token is not signed by this stack's keys: %s", id, excerpt(token.Problem))
		return nil, &said
	}
	paths, err := findValue(token.Claims, k.Value)
	if err != nil {
		said := broken("not measured: %s's access token cannot be read: %s", id, excerpt(err.Error()))
		return nil, &said
	}
	return paths, nil
}

// absent describes a token that lacks the value.
func (k tokenCarries) absent(seen *probes.Observations, id string) string {
	claims := seen.People[id].Token.Claims
	observed := fmt.Sprintf("%s's token carries it nowhere", id)
	if near := nearMisses(claims, k.Value); len(near) > 0 {
		return observed + " (only similar: " + excerpt(strings.Join(near, ", ")) + ")"
	}
	if own := ownClaims(claims); own != "" {
		observed += " (its own claims: " + own + ")"
	}
	return observed
}

// absentCause is the likeliest cause of a missing value, first what is certain.
func (k tokenCarries) absentCause(seen *probes.Observations, id string) string {
	hook := seen.Hooks[accessTokenHook]
	if hook == nil {
		return ""
	}
	if !hook.Config.Enabled {
		cause := "the access token hook is off, so nothing adds to the token"
		if hook.Config.Late() {
			cause += ": " + tooLate
		} else if hook.Config.Cause != "" {
			cause += ": " + excerpt(hook.Config.Cause)
		}
		return cause + tableLookup(seen, id)
	}
	for _, insert := range seen.Inserts {
		if insert.For != id {
			continue
		}
		if cause := hookSees(hook, insert.Table); cause != "" {
			return cause
		}
	}
	if len(nearMisses(seen.People[id].Token.Claims, k.Value)) > 0 {
		return "the hook writes something else than the role's own name, or writes it where the database role stands"
	}
	cause := "the hook does not find the role, or does not write it into the claims it returns"
	if running := hook.Config.Running; running != nil && !running.Known {
		cause += "; or Auth was started before the hook was switched on"
	}
	return cause
}

// tableLookup says that functions look up in a table what the token should carry;
// empty when none does, or when what they look up is not known.
func tableLookup(seen *probes.Observations, id string) string {
	if seen.Catalog == nil {
		return ""
	}
	for _, insert := range seen.Inserts {
		for _, function := range seen.Catalog.Functions {
			// The hook's own function looks there by right.
			if insert.For == id && function.Returns == "boolean" && slices.Contains(function.Mentions, insert.Table) {
				return fmt.Sprintf("; %s.%s looks in %s instead of the token", function.Schema, function.Name, insert.Table)
			}
		}
	}
	return ""
}

// advice warns of values that the token's subject can write.
func (k tokenCarries) advice(where map[string][]string) []string {
	for _, id := range k.In {
		for _, path := range where[id] {
			if !within(path, "user_metadata") {
				return nil
			}
		}
	}
	return []string{fmt.Sprintf(
		"%q sits only in user_metadata, which users can write themselves: anyone can make themselves one; use a claim of its own or app_metadata",
		k.Value)}
}
