package ground

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

//go:embed sql
var files embed.FS

func script(name string) (string, error) {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return "", fmt.Errorf("ground: %w", err)
	}
	return string(text), nil
}

// fact is something that is so in the database.
type fact struct {
	// Kind and Name are what it is about, State how that is.
	Kind, Name, State string
	// Parent is the object that it goes with; empty for none.
	Parent string
	// Undo is SQL after which it is not so any more, Redo SQL after which it is again;
	// empty when there is none.
	Undo, Redo string
	// Rank is when it has its turn, the lower ones first.
	Rank int
}

// Ranks of facts that are about what was made rather than about how it is.
const (
	rankBound  = 1 // policies, triggers, rules: on a table, and made again from their text
	rankRest   = 2
	rankSchema = 3
	rankOwn    = 7 // roles and databases
)

func (f fact) key() string { return f.Kind + "\x00" + f.Name + "\x00" + f.State }

// about is what the fact is about, however that is.
func (f fact) about() string { return f.Kind + "\x00" + f.Name }

// thing says that the fact is that there is something, not how it is.
func (f fact) thing() bool {
	return f.Rank <= rankSchema || f.Rank == rankOwn
}

// String is the fact for people.
func (f fact) String() string {
	text := f.Kind + " " + f.Name
	if f.State != "" && !f.thing() {
		text += ": " + f.State
	}
	return text
}

// facts are all that is so, by key.
type facts map[string]fact

// readFacts reads the state of the database that it has to have again, rows aside.
func readFacts(ctx context.Context, conn *pgx.Conn) (facts, error) {
	return readSome(ctx, conn, "objects", "states", "privileges", sharedFacts)
}

// sharedFacts are the facts that all databases of the server share.
const sharedFacts = "shared"

// readSome reads facts of some kinds.
func readSome(ctx context.Context, conn *pgx.Conn, kinds ...string) (facts, error) {
	all := facts{}
	batch := &pgx.Batch{}
	batch.Queue("set local search_path = pg_catalog, pg_temp")
	for _, name := range kinds {
		query, err := script(name)
		if err != nil {
			return nil, err
		}
		batch.Queue(query).Query(func(rows pgx.Rows) error {
			list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fact])
			for _, f := range list {
				all[f.key()] = f
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("look at the database: %w", err)
	}
	return all, nil
}

// difference is in what two states of a database differ: what there is too much, and
// what is gone.
type difference struct{ extra, gone []fact }

func (d difference) none() bool { return len(d.extra)+len(d.gone) == 0 }

// difference is what happened since before. Parts of what is new are not listed.
func (before facts) difference(now facts) difference {
	var d difference
	fresh := map[string]bool{}
	known := before.things()
	for key, f := range now {
		if _, was := before[key]; !was && f.thing() && !known[f.about()] {
			fresh[f.Name] = true
		}
	}
	lost := map[string]bool{}
	still := now.things()
	for key, f := range before {
		if _, is := now[key]; !is && f.thing() && !still[f.about()] {
			lost[f.Name] = true
		}
	}
	for key, f := range now {
		if _, was := before[key]; !was && !fresh[f.Parent] {
			d.extra = append(d.extra, f)
		}
	}
	for key, f := range before {
		if _, is := now[key]; !is && !lost[f.Parent] {
			d.gone = append(d.gone, f)
		}
	}
	d.sort()
	return d
}

// things are what there is, by what the facts are about.
func (all facts) things() map[string]bool {
	things := map[string]bool{}
	for _, f := range all {
		if f.thing() {
			things[f.about()] = true
		}
	}
	return things
}

func (d *difference) sort() {
	order := func(a, b fact) int { return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.key(), b.key())) }
	slices.SortFunc(d.extra, order)
	slices.SortFunc(d.gone, order)
}

// statements is the SQL that brings a database back from a difference: what takes away
// comes first. Of what was there before nothing is dropped that cannot be made again.
func (before facts) statements(d difference) []string {
	known := before.things()
	var list []string
	for _, f := range d.extra {
		if f.Undo != "" && (!f.thing() || f.Rank == rankBound || !known[f.about()]) {
			list = append(list, f.Undo)
		}
	}
	for _, f := range d.gone {
		if f.Redo != "" {
			list = append(list, f.Redo)
		}
	}
	return list
}

// words are the facts of a difference for people.
func (d difference) words() []string {
	var words []string
	for _, f := range d.extra {
		words = append(words, f.String()+" is new")
	}
	for _, f := range d.gone {
		words = append(words, f.String()+" is gone")
	}
	return words
}

// attempts is how often in a row the same difference may be left: what services do at the
// same moment can be in the way of a statement.
const attempts = 3

// restore brings the database back to what it was before, apart from what is left for
// later. What cannot be brought back is an *UndoError.
func (before facts) restore(ctx context.Context, conn *pgx.Conn, later func(fact) bool) error {
	was := before.without(later)
	var last []string
	var failed error
	for same := 0; ; {
		now, err := readFacts(ctx, conn)
		if err != nil {
			return err
		}
		d := was.difference(now.without(later))
		if d.none() {
			return nil
		}
		if words := d.words(); !slices.Equal(words, last) {
			same, last = 0, words
		} else if same++; same >= attempts {
			return &UndoError{Left: words, Err: failed}
		}
		if failed = execAll(ctx, conn, was.statements(d)); ctx.Err() != nil {
			return &UndoError{Left: d.words(), Err: context.Cause(ctx)}
		}
	}
}

// execAll runs statements: together, so that whoever listens for changes hears of one, or
// else one by one. The error is the last one; what fails may have been done already by
// another statement.
func execAll(ctx context.Context, conn *pgx.Conn, statements []string) (failed error) {
	if _, err := conn.Exec(ctx, strings.Join(statements, ";\n"), pgx.QueryExecModeSimpleProtocol); err == nil {
		return nil
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			failed = err
		}
	}
	return failed
}

// without leaves out facts that somebody does not want to know of.
func (all facts) without(unwanted func(fact) bool) facts {
	kept := maps.Clone(all)
	maps.DeleteFunc(kept, func(_ string, f fact) bool { return unwanted(f) })
	return kept
}
