package scorers

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/probes"
)

func TestAValueIsFoundAtAnyNameAndDepthOutsideTheStandardClaims(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, claims string
		want         []string
	}{
		{"at the top", `{"user_role": "moderator"}`, []string{"user_role"}},
		{"under any name", `{"anything": "moderator"}`, []string{"anything"}},
		{"in another case", `{"r": "MODerator"}`, []string{"r"}},
		{"nested", `{"app_metadata": {"forum": {"role": "moderator"}}}`, []string{"app_metadata.forum.role"}},
		{"in a list", `{"app_metadata": {"roles": ["member", "moderator"]}}`, []string{"app_metadata.roles[1]"}},
		{"in a list of lists", `{"x": [[["moderator"]]]}`, []string{"x[0][0][0]"}},
		{"in objects of a list", `{"x": [{"r": "moderator"}, {"r": "moderator"}]}`, []string{"x[0].r", "x[1].r"}},
		{"under an address", `{"https://x/role": "moderator"}`, []string{`["https://x/role"]`}},
		{"under an empty name", `{"x": {"": "moderator"}}`, []string{`x[""]`}},
		{"in standard claims only", `{"role": "moderator", "email": "moderator", "phone": "moderator", "sub": "moderator",
			"iss": "moderator", "aud": ["moderator"], "jti": "moderator", "aal": "moderator", "session_id": "moderator",
			"amr": [{"method": "moderator"}], "exp": "moderator", "iat": "moderator", "nbf": "moderator", "is_anonymous": "moderator"}`, nil},
		{"under a standard name that is nested", `{"app_metadata": {"role": "moderator"}}`, []string{"app_metadata.role"}},
		{"as part of a text", `{"x": "not-a-moderator", "y": "moderators", "z": " moderator"}`, nil},
		{"in an address of the person", `{"user_metadata": {"email": "moderator-01234567@example.com"}}`, nil},
		{"as a name", `{"moderator": true}`, nil},
		{"not at all", `{"x": null, "y": 3, "z": false}`, nil},
		{"no claims", `{}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := findValue(json.RawMessage(test.claims), "moderator")
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestClaimsThatAreNoObjectAreAnError(t *testing.T) {
	t.Parallel()
	for _, claims := range []string{``, `[]`, `"moderator"`, `{`} {
		_, err := findValue(json.RawMessage(claims), "moderator")
		assert.Error(t, err, claims)
	}
}

func TestARoleInUserMetadataAloneIsWorthAdvice(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, claims string
		advised      bool
	}{
		{"only there", `{"user_metadata": {"role": "moderator"}}`, true},
		{"there and elsewhere", `{"user_metadata": {"role": "moderator"}, "user_role": "moderator"}`, false},
		{"elsewhere", `{"app_metadata": {"role": "moderator"}}`, false},
		{"under a name that merely begins so", `{"user_metadata_role": "moderator"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			seen := good()
			seen.People["moderator"].Token.Claims = json.RawMessage(test.claims)
			check := byID(t, judge(t, seen), "token-carries-role")
			assert.Equal(t, "pass", string(check.Status), "advice never changes the verdict")
			if test.advised {
				require.Len(t, check.Advice, 1)
				assert.Contains(t, check.Advice[0], "only in user_metadata")
			} else {
				assert.Empty(t, check.Advice)
			}
		})
	}
}

func TestPoliciesAndFunctionsThatWorkGetAdvice(t *testing.T) {
	t.Parallel()
	seen := good()
	seen.Catalog.Tables[posts].Policies = append(seen.Catalog.Tables[posts].Policies,
		probes.PolicyFacts{Name: "slow", Permissive: true, Command: "delete", Roles: []string{"public"}, Using: "((auth.jwt() ->> 'user_role'::text) = 'moderator'::text)"},
		probes.PolicyFacts{Name: "trusting", Permissive: true, Command: "delete", Roles: []string{"public"}, Using: "(( SELECT (auth.jwt() -> 'user_metadata'::text)) IS NOT NULL)"})
	seen.Catalog.Functions = []probes.FunctionFacts{
		{Schema: "public", Name: "authorize", Definer: true, SearchPath: true},
		{Schema: "public", Name: "is_moderator", Arguments: "who uuid", Definer: true},
		{Schema: "public", Name: "plain"},
	}
	checks := judge(t, seen)
	assert.Equal(t, "pppppppu", vector(checks))
	advice := strings.Join(byID(t, checks, "member-deletes-own-post").Advice, "\n")
	assert.Contains(t, advice, `policy "slow" on public.posts calls auth.jwt() for every row`)
	assert.Contains(t, advice, `policy "trusting" on public.posts trusts user_metadata`)
	assert.NotContains(t, advice, `"own"`)
	assert.Empty(t, byID(t, checks, "moderator-deletes-others").Advice, "the same advice is given once")
	advice = strings.Join(byID(t, checks, "hook-enabled").Advice, "\n")
	assert.Contains(t, advice, "public.is_moderator(who uuid) is SECURITY DEFINER without a search_path")
	assert.NotContains(t, advice, "authorize")
}

func TestForeignTextInANoteIsOneLineAndCut(t *testing.T) {
	t.Parallel()
	seen := &probes.Observations{Stack: probes.StackState{
		Error: "a\n\tb\x00" + strings.Repeat("é", 5000), Fault: probes.FaultWorkspace,
	}}
	note := byID(t, judge(t, seen), "stack-running").Note
	assert.Less(t, len([]rune(note)), 500)
	assert.NotContains(t, note, "\n")
	assert.Contains(t, note, "a b")
}

func FuzzFindValue(f *testing.F) {
	f.Add([]byte(`{"app_metadata": {"roles": ["member", "Moderator"]}}`), "moderator")
	f.Add([]byte(`{"role": "moderator"}`), "moderator")
	f.Add([]byte(`{"x": {"": ["a", {"b": null}]}}`), "a")
	f.Add([]byte(strings.Repeat(`{"a":`, 200)+`"x"`+strings.Repeat(`}`, 200)), "x")
	f.Fuzz(func(t *testing.T, claims []byte, value string) {
		paths, err := findValue(claims, value)
		if err != nil && paths != nil {
			t.Fatalf("paths %v beside the error %v", paths, err)
		}
		again, _ := findValue(claims, value)
		if strings.Join(paths, "\n") != strings.Join(again, "\n") {
			t.Fatalf("found %v and then %v", paths, again)
		}
		for _, path := range paths {
			top, _, _ := strings.Cut(path, ".")
			for _, name := range standardClaims() {
				if top == name {
					t.Fatalf("found in the standard claim %s: %s", name, path)
				}
			}
		}
		nearMisses(claims, value)
		ownClaims(claims)
	})
}
