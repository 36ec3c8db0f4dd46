package schema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/supascore/supascore/stack/rest/schema"
)

// edges renders the relationships of a relation: "target cardinality by how".
func edges(snap *schema.Snapshot, origin string) []string {
	var out []string
	for _, r := range snap.Relationships(public(origin)) {
		how := r.Constraint
		switch {
		case r.Junction != nil:
			how = r.Junction.Table.Name + "(" + r.Junction.FromKey + "," + r.Junction.ToKey + ")"
		case r.Cardinality == schema.Computed:
			how = r.Function.Name
		default:
			for _, p := range r.Columns {
				how += " " + p.Column + "=" + p.Foreign
			}
		}
		out = append(out, r.Foreign.Name+" "+r.Cardinality.String()+" by "+how)
	}
	return out
}

func TestForeignKeysRelateBothWays(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.parents (id int primary key, code text unique);
		create table public.children (id int primary key, parent_id int constraint child_parent references public.parents (id));
		create table public.details (parent_id int primary key constraint detail_parent references public.parents (id));
		create table public.badges (id int primary key, code text unique constraint badge_code references public.parents (code));`)
	assert.Equal(t, []string{
		"badges one-to-one by badge_code code=code",
		"children one-to-many by child_parent id=parent_id",
		"details one-to-one by detail_parent id=parent_id",
	}, edges(snap, "parents"))
	assert.Equal(t, []string{"parents many-to-one by child_parent parent_id=id"}, edges(snap, "children"))
	assert.Equal(t, []string{"parents one-to-one by detail_parent parent_id=id"}, edges(snap, "details"))
}

func TestKeysOfSeveralColumnsKeepTheirPairs(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.a (x int, y int, primary key (x, y));
		create table public.b (id int primary key, p int, q int, constraint ab foreign key (q, p) references public.a (x, y));`)
	assert.Equal(t, []string{"a many-to-one by ab q=x p=y"}, edges(snap, "b"))
	assert.Equal(t, []string{"x", "y"}, table(t, snap, "a").PrimaryKey)
}

func TestATableWithTwoForeignKeysInItsKeyIsAJunction(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.films (id int primary key);
		create table public.actors (id int primary key);
		create table public.roles (film_id int constraint rf references public.films (id), actor_id int constraint ra references public.actors (id),
		  primary key (film_id, actor_id));
		create table public.votes (id int primary key, film_id int constraint vf references public.films (id), actor_id int constraint va references public.actors (id));`)
	assert.Equal(t, []string{
		"actors many-to-many by roles(rf,ra)",
		"roles one-to-many by rf id=film_id",
		"votes one-to-many by vf id=film_id",
	}, edges(snap, "films"))
}

func TestViewsInheritTheKeysTheyShow(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create schema hidden;
		create table public.parents (id int primary key, name text);
		create table hidden.children (id int primary key, parent_id int constraint child_parent references public.parents (id), note text);
		create view public.kids as select id as kid_id, parent_id as mum from hidden.children;
		create view public.grandkids as select mum as m, kid_id as k from public.kids;
		create view public.notes as select note from hidden.children;
		create view public.elders as select id, name from public.parents where name <> '';
		create materialized view public.saved as select parent_id, parent_id as again from hidden.children;
		create view public.joined as select c.id, p.id as pid from hidden.children c join public.parents p on p.id = c.parent_id;
		create view public.computed as select id + 1 as id from public.parents;`)
	assert.Equal(t, []string{"kid_id"}, table(t, snap, "kids").PrimaryKey)
	assert.Equal(t, []string{"k"}, table(t, snap, "grandkids").PrimaryKey)
	assert.Equal(t, []string{"id"}, table(t, snap, "elders").PrimaryKey)
	assert.ElementsMatch(t, []string{"id", "pid"}, table(t, snap, "joined").PrimaryKey)
	assert.Empty(t, table(t, snap, "notes").PrimaryKey)
	assert.Empty(t, table(t, snap, "computed").PrimaryKey)

	assert.Equal(t, []string{
		"elders many-to-one by child_parent mum=id",
		"joined many-to-one by child_parent mum=pid",
		"parents many-to-one by child_parent mum=id",
	}, edges(snap, "kids"))
	assert.Contains(t, edges(snap, "grandkids"), "parents many-to-one by child_parent m=id")
	assert.Contains(t, edges(snap, "parents"), "grandkids one-to-many by child_parent id=m")
	assert.Contains(t, edges(snap, "saved"), "parents many-to-one by child_parent parent_id=id")
	assert.Contains(t, edges(snap, "saved"), "parents many-to-one by child_parent again=id")
	assert.Empty(t, edges(snap, "notes"))
	for _, e := range edges(snap, "parents") {
		assert.NotContains(t, e, "children", "tables of hidden schemas cannot be reached")
	}
}

func TestFunctionsFromRowToRowAreRelationships(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.farms (id int primary key);
		create table public.cows (id int primary key, farm_id int constraint cf references public.farms (id));
		create function public.best(public.farms) returns setof public.cows rows 1 language sql stable as $$ select * from public.cows limit 1 $$;
		create function public.all_cows(public.farms) returns setof public.cows language sql stable as $$ select * from public.cows $$;
		create function public.farm(public.cows) returns public.farms language sql stable as $$ select f from public.farms f limit 1 $$;
		create function public.farms(public.cows) returns setof public.farms language sql stable as $$ select * from public.farms $$;
		create function public.label(public.farms) returns text language sql stable as $$ select 'x' $$;`)
	assert.Equal(t, []string{
		"cows one-to-many by cf id=farm_id", "cows computed by all_cows", "cows computed by best",
	}, edges(snap, "farms"))
	// A function named like the table replaces the key to it.
	assert.Equal(t, []string{"farms computed by farm", "farms computed by farms"}, edges(snap, "cows"))
	for _, r := range snap.Relationships(public("farms")) {
		assert.Equal(t, r.Function.Name == "best", r.ToOne(), r.Function.Name)
	}
}

func TestATableCanRelateToItself(t *testing.T) {
	t.Parallel()
	snap := load(t, `create table public.people (id int primary key, boss int constraint boss_key references public.people (id));`)
	rs := snap.Relationships(public("people"))
	assert.Len(t, rs, 2)
	for _, r := range rs {
		assert.True(t, r.Self)
	}
	assert.Equal(t, []string{"people one-to-many by boss_key id=boss", "people many-to-one by boss_key boss=id"}, edges(snap, "people"))
}

func TestPartitionsDoNotRepeatTheKeysOfTheirParent(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create table public.targets (id int primary key);
		create table public.events (id int, target_id int constraint event_target references public.targets (id)) partition by range (id);
		create table public.events_1 partition of public.events for values from (0) to (10);`)
	assert.Equal(t, []string{"events one-to-many by event_target id=target_id"}, edges(snap, "targets"))
}

// PostgREST forgets a many-to-many relationship whose junction is not exposed, and still counts the relation among those
// that something starts from, so it suggests no other name (PostgREST, SchemaCache.removeInternal and noRelBetweenHint).
func TestAHiddenJunctionRelatesNothingAndSuggestsNothing(t *testing.T) {
	t.Parallel()
	snap := load(t, `
		create schema hidden;
		create table public.end_1 (id int primary key);
		create table public.end_2 (id int primary key);
		create table public.second_1 (id int primary key, next int references public.second_1 (id));
		create table hidden.pairs (a int references public.end_1 (id), b int references public.end_2 (id), primary key (a, b));
		create table public.end_9 (id int primary key);`)
	assert.Empty(t, snap.Relationships(public("end_1")))
	_, _, ok := snap.SuggestEmbed(public("end_1"), "end_2")
	assert.False(t, ok)
	better, wrong, ok := snap.SuggestEmbed(public("end_9"), "end_2")
	assert.True(t, ok, "nothing starts from this one, so a name like it is suggested")
	assert.Equal(t, "end_9", wrong)
	assert.Equal(t, "end_1", better)
}
