package mutate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/pgparse"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/mutate"
)

const schema = `create table notes (
  id uuid primary key, owner uuid, editor uuid not null, readers uuid[], body text
);`

// changed maps each mutant's name to the statement that stands where the only
// statement of the solution stood.
func changed(t *testing.T, statement string) map[string]string {
	t.Helper()
	mutants, err := mutate.Mutants(schema, "-- before\nselect 0;\n"+statement+";\nselect 1;")
	require.NoError(t, err)
	got := map[string]string{}
	for _, mutant := range mutants {
		before, rest, _ := strings.Cut(mutant.SQL, "select 0;\n")
		assert.Equal(t, "-- before\n", before, "what is not changed stays as it is")
		middle, after, _ := strings.Cut(rest, ";\nselect 1;")
		assert.Empty(t, after)
		got[mutant.Name] = middle
		assert.True(t, strings.HasPrefix(mutant.Name, string(mutant.Kind)+" "))
		_, err := pgparse.Parse(mutant.SQL)
		require.NoError(t, err, mutant.SQL)
	}
	require.Len(t, got, len(mutants), "names are unique")
	return got
}

func TestAPolicyIsChangedInEveryWay(t *testing.T) {
	t.Parallel()
	const head = "CREATE POLICY own ON public.notes FOR UPDATE TO "
	assert.Equal(t, map[string]string{
		"drop-policy notes.own":   "",
		"drop-check notes.own":    head + "anon USING (owner = auth.uid())",
		"open-check notes.own":    head + "anon USING (owner = auth.uid()) WITH CHECK (true)",
		"negate-using notes.own":  head + "anon USING (NOT owner = auth.uid()) WITH CHECK (editor = (SELECT auth.uid()))",
		"negate-check notes.own":  head + "anon USING (owner = auth.uid()) WITH CHECK (NOT editor = (SELECT auth.uid()))",
		"null-safe notes.own":     head + "anon USING (owner IS NOT DISTINCT FROM auth.uid()) WITH CHECK (editor = (SELECT auth.uid()))",
		"swap-column notes.own":   head + "anon USING (id = auth.uid()) WITH CHECK (editor = (SELECT auth.uid()))",
		"swap-column notes.own 2": head + "anon USING (editor = auth.uid()) WITH CHECK (editor = (SELECT auth.uid()))",
		"swap-column notes.own 3": head + "anon USING (owner = auth.uid()) WITH CHECK (id = (SELECT auth.uid()))",
		"swap-column notes.own 4": head + "anon USING (owner = auth.uid()) WITH CHECK (owner = (SELECT auth.uid()))",
	}, changed(t, "create policy own on public.notes for update to anon using (owner = auth.uid()) with check (editor = (select auth.uid()))"))
}

func TestChangesThatChangeNothingAreNotMade(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string][]string{
		// The same check twice: leaving one out leaves the other.
		"create policy p on notes for update to authenticated using (owner = auth.uid()) with check (owner = auth.uid())": {
			"drop-policy", "open-check", "negate-using", "negate-check", "swap-column", "swap-column", "swap-column", "swap-column",
		},
		// Everybody else has no id.
		"create policy p on notes for select to authenticated using (body = 'x' and (select auth.uid()) = owner)": {
			"drop-policy", "negate-using", "swap-column", "swap-column",
		},
		"create policy p on notes for select to authenticated using (exists (select 1 from m where m.note = notes.id and m.member = auth.uid()))": {
			"drop-policy", "negate-using",
		},
		"create policy p on notes for select to authenticated using (auth.uid() in (select member from m))": {"drop-policy", "negate-using"},
		// A fallback asks for nobody.
		"create policy p on notes for select to authenticated using (coalesce(auth.uid(), owner) = owner)": {"drop-policy", "widen-role", "negate-using"},
		// A part of an alternative asks for nobody.
		"create policy p on notes for select to authenticated using (owner = auth.uid() or body = 'public')": {
			"drop-policy", "widen-role", "negate-using", "swap-column", "swap-column",
		},
		// A function may do anything.
		"create policy p on notes for select to authenticated using (mine(owner))": {"drop-policy", "widen-role", "negate-using"},
		// A restrictive policy takes from the roles it is widened to.
		"create policy p on notes as restrictive for select to authenticated using (auth.jwt() ->> 'aal' = 'aal2')": {
			"drop-policy", "widen-role", "negate-using",
		},
		// What cannot be null is the same under both ways of comparing.
		"create policy p on notes for select using (editor = auth.uid())": {"drop-policy", "negate-using", "swap-column", "swap-column"},
		"create policy p on notes for insert to public with check (true)": {"drop-policy", "negate-check"},
		// A constant is no null either, but for "not" null is not false.
		"create policy p on notes for select using ((auth.jwt() ->> 'aal') = 'aal2')":     {"drop-policy", "negate-using"},
		"create policy p on notes for select using (not (auth.jwt() ->> 'aal') = 'aal2')": {"drop-policy", "negate-using", "null-safe"},
		"create policy p on notes using (not (body = 'x'))":                               {"drop-policy", "open-check", "negate-using"},
	} {
		mutants, err := mutate.Mutants(schema, policy)
		require.NoError(t, err)
		var kinds []string
		for _, mutant := range mutants {
			kinds = append(kinds, string(mutant.Kind))
		}
		assert.Equal(t, want, kinds, policy)
	}
}

func TestGrantsAreLeftOutInParts(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]string{
		"drop-grant notes to anon":          "GRANT select (id, body), update ON notes TO authenticated",
		"drop-grant notes to authenticated": "GRANT select (id, body), update ON notes TO anon",
		"drop-grant select on notes":        "GRANT update ON notes TO anon, authenticated",
		"drop-grant update on notes":        "GRANT select (id, body) ON notes TO anon, authenticated",
	}, changed(t, "grant select (id, body), update on notes to anon, authenticated"))
	assert.Equal(t, map[string]string{"drop-grant f()": ""}, changed(t, "grant execute on function public.f(int) to anon"))
	assert.Equal(t, map[string]string{"drop-grant api": ""}, changed(t, "grant usage on schema api to anon"))
	assert.Equal(t, map[string]string{"drop-revoke notes": ""}, changed(t, "revoke all on notes from anon, public"))
	assert.Equal(t, map[string]string{
		"drop-grant notes to public": "GRANT ALL ON notes TO anon", "drop-grant notes to anon": "GRANT ALL ON notes TO public",
	}, changed(t, "grant all on notes to public, anon"))
}

func TestRowLevelSecurityIsLeftOff(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]string{"leave-off notes": ""}, changed(t, "alter table public.notes enable row level security"))
	assert.Equal(t, map[string]string{"leave-off api.notes": "ALTER TABLE api.notes FORCE ROW LEVEL SECURITY"},
		changed(t, "alter table api.notes enable row level security, force row level security"))
	assert.Empty(t, changed(t, "alter table notes add column x int"))
}

func TestMutantsComeInTheSameOrderEveryTime(t *testing.T) {
	t.Parallel()
	list, err := tasks.List(tasks.Builtin())
	require.NoError(t, err)
	for _, task := range list {
		first, err := mutate.Mutants(task.Schema, task.Solution)
		require.NoError(t, err, task.ID)
		assert.NotEmpty(t, first, task.ID)
		again, err := mutate.Mutants(task.Schema, task.Solution)
		require.NoError(t, err)
		assert.Equal(t, first, again)
		for _, mutant := range first {
			assert.NotEqual(t, task.Solution, mutant.SQL, mutant.Name)
		}
	}
}

func TestWhatIsNoSQLIsNamed(t *testing.T) {
	t.Parallel()
	_, err := mutate.Mutants("create tabel x", "select 1")
	require.ErrorContains(t, err, "schema: ")
	_, err = mutate.Mutants(schema, "create polcy x")
	require.ErrorContains(t, err, "solution: ")
}

func FuzzMutants(f *testing.F) {
	f.Add("create policy own on notes to anon using (owner = auth.uid()) with check (true); grant select on notes to anon, public")
	f.Add("alter table notes enable row level security, force row level security; revoke all on all tables in schema public from anon")
	f.Fuzz(func(t *testing.T, solution string) {
		mutants, err := mutate.Mutants(schema, solution)
		if err != nil {
			return
		}
		for _, mutant := range mutants {
			if _, err := pgparse.Parse(mutant.SQL); err != nil {
				t.Fatalf("%s: %v\n%s", mutant.Name, err, mutant.SQL)
			}
		}
	})
}
