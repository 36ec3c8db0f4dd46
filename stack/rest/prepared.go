package rest

import (
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
)

// maxPrepared is the number of statements that a connection keeps prepared.
const maxPrepared = 256

// preparedKey is the place of a connection's prepared statements in its custom data.
const preparedKey = "supascore.prepared"

// statementKey names a prepared statement. It belongs to one role: PostgreSQL before 15.9 and 16.5 could go on using the
// policies of the role that prepared it (CVE-2024-10976).
type statementKey struct{ role, sql string }

// prepared are the statements that a connection knows. Preparing saves PostgreSQL the parsing, not the planning: plans
// are made anew for each execution, with its values, under its role. Texts depend on the shape of requests alone, so few
// statements serve many requests; those that are not used again give way to new ones.
type prepared struct {
	names map[statementKey]string
	order []statementKey // oldest first
	made  int            // names given so far; they are never used again
}

// preparedOf finds the statements of a connection. They live in its custom data, so they are gone when it is.
func preparedOf(conn *pgconn.PgConn) *prepared {
	if p, ok := conn.CustomData()[preparedKey].(*prepared); ok {
		return p
	}
	p := &prepared{names: make(map[statementKey]string)}
	conn.CustomData()[preparedKey] = p
	return p
}

// newName is a name for another statement.
func (p *prepared) newName() string {
	p.made++
	return "s" + strconv.Itoa(p.made)
}

// add remembers a statement that the server has prepared.
func (p *prepared) add(key statementKey, name string) {
	p.names[key] = name
	p.order = append(p.order, key)
}

// evict forgets the oldest statement when there are too many, and returns its name.
func (p *prepared) evict() (name string, ok bool) {
	if len(p.order) < maxPrepared {
		return "", false
	}
	oldest := p.order[0]
	p.order = p.order[1:]
	name = p.names[oldest]
	delete(p.names, oldest)
	return name, true
}
