package supascore_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/tasks"
)

// notesTask is a small sound task, with some files replaced.
func notesTask(t testing.TB, replaced map[string]string) *tasks.Task {
	t.Helper()
	files := map[string]string{
		"task.yaml":      "id: T900\ntitle: Notes\ntier: 1\ntags: [ownership]\ntraps: [no-rls]\ncreated: \"2026-11-30\"\ncanary: " + tasks.Canary + "\n",
		"requirement.md": "R1. Everybody reads their own notes.\nR2. Nobody writes notes for others.\n\n" + tasks.Canary + "\n",
		"schema.sql":     "create table notes (id int primary key, owner uuid, body text);",
		"seed.sql":       "insert into notes values (1, '00000000-0000-4000-8000-00000000000a', 'a'), (2, '00000000-0000-4000-8000-00000000000b', 'b');",
		"tests.yaml": `users:
  alice: {role: authenticated, sub: "00000000-0000-4000-8000-00000000000a"}
tests:
  - {id: t01, as: alice, rules: [R1], query: "select id from notes", expect: {rows: [[1]]}}
  - {id: t02, as: alice, rules: [R2], query: "insert into notes values (3, '00000000-0000-4000-8000-00000000000a', 'c')", expect: {affected: 1}}
  - {id: t03, as: alice, rules: [R2], query: "insert into notes (id, owner) values (3, '00000000-0000-4000-8000-00000000000b')", expect: {denied: true}}
  - {id: t04, as: anon, rules: [R1], query: "select id from notes", expect: {denied: true}}
`,
		"solution.sql": `alter table notes enable row level security;
create policy own on notes for select to authenticated using (owner = (select auth.uid()));
create policy add on notes for insert to authenticated with check (owner = (select auth.uid()));
grant select, insert on notes to authenticated;
`,
		"traps/no-rls.sql": "grant select, insert on notes to authenticated;",
		"traps/add-any.sql": `alter table notes enable row level security;
create policy own on notes for select to authenticated using (owner = (select auth.uid()));
create policy add on notes for insert to authenticated with check (true);
grant select, insert on notes to authenticated;
`,
	}
	for name, text := range replaced {
		files[name] = text
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys["T900-notes/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	task, err := tasks.Load(fsys, "T900-notes")
	require.NoError(t, err)
	return task
}

// unmet are the demands that a validation found not to be met, with their notes.
func unmet(v *supascore.Validation) map[string]string {
	notes := map[string]string{}
	for _, demand := range v.Demands {
		if !demand.Met {
			notes[demand.ID] = demand.Note
		}
	}
	return notes
}

func TestASoundTaskIsAcceptedWithAllItsMutantsCaught(t *testing.T) {
	t.Parallel()
	v, err := newGrader(t).Validate(t.Context(), notesTask(t, nil), supascore.ValidateOptions{MinKillRate: 1})
	require.NoError(t, err)
	assert.Empty(t, unmet(v))
	assert.True(t, v.Accepted)
	assert.Equal(t, []supascore.Caught{
		{Name: "add-any", Verdict: score.Leak, Tests: []string{"t03"}},
		{Name: "no-rls", Verdict: score.Leak, Tests: []string{"t01", "t03"}},
	}, v.Traps)
	assert.Greater(t, len(v.Mutants), 5)
	assert.InDelta(t, 1, v.KillRate, 0)
}

func TestMutantsThatProvablyChangeNothingAreNotHeldAgainstTheTests(t *testing.T) {
	t.Parallel()
	task := notesTask(t, map[string]string{"solution.sql": `alter table notes enable row level security;
revoke all on notes from anon;
create policy own on notes for select to authenticated using (owner = (select auth.uid()));
create policy add on notes for insert to authenticated with check (owner = (select auth.uid()));
create policy boss on notes for update to authenticated using (coalesce(auth.jwt() ->> 'boss', '') = 'yes');
grant select, insert, update (body) on notes to authenticated;
`})
	v, err := newGrader(t).Validate(t.Context(), task, supascore.ValidateOptions{})
	require.NoError(t, err)
	assert.True(t, v.Accepted, unmet(v))
	same, missed := map[string]string{}, []string{}
	for _, mutant := range v.Mutants {
		if mutant.Same != "" {
			same[mutant.Name] = mutant.Same
		}
		if mutant.Missed() {
			missed = append(missed, mutant.Name)
		}
	}
	assert.Equal(t, map[string]string{
		"drop-revoke notes":     "nothing differs but TRUNCATE, REFERENCES or TRIGGER, which no request can use",
		"open-check notes.boss": "nobody can change what the policy reads",
		"widen-role notes.boss": "no other role has the privilege that the policy is about",
	}, same)
	assert.ElementsMatch(t, []string{"drop-policy notes.boss", "negate-using notes.boss", "drop-grant update on notes"}, missed, "no test updates")
	assert.InDelta(t, 1-float64(len(missed))/float64(len(v.Mutants)-len(same)), v.KillRate, 1e-9)
}

func TestATaskIsNotAcceptedWhenADemandIsNotMet(t *testing.T) {
	t.Parallel()
	g := newGrader(t)
	for name, test := range map[string]struct {
		files  map[string]string
		demand string
		note   string
	}{
		"the reference fails": {
			map[string]string{"solution.sql": "alter table notes enable row level security;\ngrant select on notes to authenticated;"},
			"reference", "t01 by sql: block: missing rows: id=1",
		},
		"the reference does not run": {
			map[string]string{"solution.sql": "select nothing;"}, "reference", `column "nothing" does not exist`,
		},
		"the seed does not run": {
			map[string]string{"seed.sql": "insert into notes values (1), (1);"}, "reference", "seed.sql: duplicate key value",
		},
		"a trap passes": {
			map[string]string{"traps/harmless.sql": `alter table notes enable row level security;
				create policy own on notes to authenticated using (owner = (select auth.uid()));
				grant select, insert on notes to authenticated;`},
			"traps", "harmless passes every test",
		},
		"a trap does not run": {
			map[string]string{"traps/typo.sql": "grant select on noted to authenticated;"}, "traps", `relation "noted" does not exist`,
		},
		"everything allowed passes": {
			map[string]string{"tests.yaml": `tests: [{as: authenticated, rules: [R1, R2], query: select 1, expect: {count: 1}}]`},
			"allow-all", "passes every test",
		},
		"a rule is not tested": {
			map[string]string{"requirement.md": "R1. One.\nR2. Two.\nR3. Three.\n\n" + tasks.Canary + "\n"}, "structure", "R3",
		},
		"the order of the tests matters": {
			map[string]string{
				"schema.sql": "create table notes (id int primary key, owner uuid, body text); create sequence calls; grant usage on calls to authenticated;",
				"tests.yaml": `tests:
  - {as: authenticated, rules: [R1], query: "select nextval('calls')", expect: {rows: [[1]]}, skip_api: it counts}
  - {as: authenticated, rules: [R2], query: "select nextval('calls')", expect: {rows: [[2]]}, skip_api: it counts}`,
			}, "order-free", "pass",
		},
	} {
		v, err := g.Validate(t.Context(), notesTask(t, test.files), supascore.ValidateOptions{NoMutants: true})
		require.NoError(t, err, name)
		assert.False(t, v.Accepted, name)
		assert.Contains(t, unmet(v)[test.demand], test.note, name)
	}
}
