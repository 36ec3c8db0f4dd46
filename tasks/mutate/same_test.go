package mutate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/tasks/mutate"
)

// sameAs maps the mutants of a kind to why they change nothing.
func sameAs(t *testing.T, kind mutate.Kind, solution string, state mutate.State) map[string]string {
	t.Helper()
	mutants, err := mutate.Mutants(schema, solution)
	require.NoError(t, err)
	why := map[string]string{}
	for _, mutant := range mutants {
		if mutant.Kind == kind {
			why[mutant.Name] = mutant.Same(state, mutate.State{Fingerprint: "another", Requests: "another"})
		}
	}
	return why
}

func right(role, verb string, columns ...string) mutate.Right {
	return mutate.Right{Table: "public.notes", Role: role, Verb: verb, Columns: columns}
}

func TestAMutantWithTheSameCatalogsIsTheSame(t *testing.T) {
	t.Parallel()
	mutants, err := mutate.Mutants(schema, "revoke all on notes from anon")
	require.NoError(t, err)
	require.Len(t, mutants, 1)
	one := mutate.State{Fingerprint: "one", Requests: "one"}
	assert.Equal(t, "the policies and privileges are the same", mutants[0].Same(one, one))
	assert.Contains(t, mutants[0].Same(one, mutate.State{Fingerprint: "other", Requests: "one"}), "no request can use")
	assert.Empty(t, mutants[0].Same(one, mutate.State{Fingerprint: "other", Requests: "other"}))
}

func TestAPolicyForMoreRolesIsTheSameWhenTheyHaveNoPrivilege(t *testing.T) {
	t.Parallel()
	const solution = "create policy p on notes for select to authenticated using (true)"
	for name, test := range map[string]struct {
		rights []mutate.Right
		same   bool
	}{
		"nobody else has any":      {[]mutate.Right{right("authenticated", "select")}, true},
		"another has another":      {[]mutate.Right{right("authenticated", "select"), right("anon", "insert")}, true},
		"another has it":           {[]mutate.Right{right("anon", "select")}, false},
		"another has it elsewhere": {[]mutate.Right{{Table: "private.notes", Role: "anon", Verb: "select"}}, true},
	} {
		why := sameAs(t, mutate.WidenRole, solution, mutate.State{Rights: test.rights})["widen-role notes.p"]
		assert.Equal(t, test.same, why != "", "%s: %s", name, why)
	}
}

func TestAnOpenCheckIsTheSameWhenNobodyCanChangeWhatIsRead(t *testing.T) {
	t.Parallel()
	const own = "create policy p on notes for update to authenticated using (owner = auth.uid());"
	for name, test := range map[string]struct {
		solution string
		state    mutate.State
		same     bool
	}{
		"other columns":          {own, mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}}, true},
		"the column":             {own, mutate.State{Rights: []mutate.Right{right("authenticated", "update", "owner")}}, false},
		"the column by another":  {own, mutate.State{Rights: []mutate.Right{right("anon", "update", "owner")}}, true},
		"a trigger":              {own, mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}, Triggered: []string{"public.notes"}}, false},
		"claims alone":           {"create policy p on notes for update to authenticated using (auth.role() = 'x');", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "owner", "body")}}, true},
		"the whole row":          {"create policy p on notes for update to authenticated using (f(notes));", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}}, false},
		"another policy":         {own + "create policy q on notes for update to public using (true) with check (body = 'x');", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}}, false},
		"another policy like it": {own + "create policy q on notes for update to public using (editor = auth.uid());", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}}, true},
		"inserts":                {"create policy p on notes to authenticated using (owner = auth.uid());", mutate.State{Rights: []mutate.Right{right("authenticated", "insert"), right("authenticated", "update", "body")}}, false},
		"no inserts":             {"create policy p on notes to authenticated using (owner = auth.uid());", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "body")}}, true},
		"a policy that changes":  {own + "alter policy p on notes using (body = 'x');", mutate.State{Rights: []mutate.Right{right("authenticated", "update", "editor")}}, false},
		"a check of its own": {
			"create policy p on notes for update to authenticated using (owner = auth.uid()) with check (body = 'x');",
			mutate.State{Rights: []mutate.Right{right("authenticated", "update", "id")}},
			false,
		},
	} {
		why := sameAs(t, mutate.OpenCheck, test.solution, test.state)["open-check notes.p"]
		assert.Equal(t, test.same, why != "", "%s: %s", name, why)
	}
}

func TestLeavingSecurityOffIsTheSameWhereEverythingIsAllowed(t *testing.T) {
	t.Parallel()
	const on = "alter table notes enable row level security;"
	for name, test := range map[string]struct {
		solution string
		rights   []mutate.Right
		same     bool
	}{
		"nobody has a privilege": {on, nil, true},
		"somebody has":           {on, []mutate.Right{right("anon", "select")}, false},
		"and is allowed":         {on + "create policy p on notes for select using (true);", []mutate.Right{right("anon", "select")}, true},
		"and is allowed some":    {on + "create policy p on notes for select using (id is null);", []mutate.Right{right("anon", "select")}, false},
		"and another is allowed": {on + "create policy p on notes for select to authenticated using (true);", []mutate.Right{right("anon", "select")}, false},
		"and something else is":  {on + "create policy p on notes for select using (true);", []mutate.Right{right("anon", "delete")}, false},
		"and something is taken": {
			on + "create policy p on notes using (true); create policy q on notes as restrictive using (id is null);",
			[]mutate.Right{right("anon", "select")},
			false,
		},
	} {
		why := sameAs(t, mutate.LeaveOff, test.solution, mutate.State{Rights: test.rights})["leave-off notes"]
		assert.Equal(t, test.same, why != "", "%s: %s", name, why)
	}
}
