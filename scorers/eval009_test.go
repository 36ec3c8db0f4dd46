package scorers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/evals"
)

func TestEveryBuiltinEvalLoadsWithoutViolations(t *testing.T) {
	t.Parallel()
	list, err := evals.List(evals.Builtin(), Library{})
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, eval := range list {
		assert.Empty(t, eval.Violations, eval.ID)
		assert.NotEmpty(t, eval.ForbiddenWords, eval.ID)
		assert.NotEmpty(t, eval.Prompt, eval.ID)
		assert.Len(t, eval.Hash, 64, eval.ID)
		_, err := Plan(eval)
		assert.NoError(t, err, eval.ID)
	}
}

// The ids and names of checks are the keys by which results of different times are
// compared, so a change here is a break and never a correction.
func TestTheChecksOfTheCustomClaimsEvalKeepTheirIDsAndNames(t *testing.T) {
	t.Parallel()
	eval, err := evals.Find(evals.Builtin(), "build-docs-009-custom-claims-rbac", Library{})
	require.NoError(t, err)
	want := [][2]string{
		{"stack-running", "the local stack is running"},
		{"hook-enabled", "the access token hook is switched on for the local project"},
		{"token-carries-role", "the moderator's role travels in their token and a member's does not"},
		{"member-deletes-own-post", "a member can delete their own post"},
		{"member-cannot-delete-others", "a member cannot delete another member's post"},
		{"moderator-deletes-others", "a moderator can delete another member's post"},
		{"member-cannot-self-promote", "a member cannot make themselves a moderator"},
		{"guide-read", "the agent read the Custom Claims and RBAC guide the prompt referenced"},
	}
	var got [][2]string
	for _, spec := range eval.Checks {
		got = append(got, [2]string{spec.ID, spec.Name})
	}
	assert.Equal(t, want, got)
}
