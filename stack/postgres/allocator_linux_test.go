package postgres_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres/postgrestest"
)

// TestQueriesUseTheMemoryOfThoseBeforeThem counts the pages that the kernel has to give to a session for queries that need
// some megabytes each. Reading JSON objects into rows is one: PostgreSQL makes a hash table for each object.
func TestQueriesUseTheMemoryOfThoseBeforeThem(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Shared(t)
	conn, err := pgx.Connect(t.Context(), srv.URL("postgres", "postgres"))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	pid := strconv.FormatUint(uint64(conn.PgConn().PID()), 10)
	maps, err := os.ReadFile("/proc/" + pid + "/maps")
	if err != nil || !strings.Contains(string(maps), "libc.so.6") {
		t.Skip("not the GNU C library")
	}
	body := "[" + strings.Repeat(`{"n": 1, "name": "x"},`, 1000) + `{"n": 1, "name": "x"}]`
	read := func() {
		var n, distinct int
		err := conn.QueryRow(t.Context(), `select count(*), count(distinct (n, name, repeat(name, 3000)))
			from json_to_recordset($1::json) as _(n int, name text)`, body).Scan(&n, &distinct)
		require.NoError(t, err)
		require.Equal(t, []int{1001, 1}, []int{n, distinct})
	}
	const queries = 10
	for range queries {
		read() // so that what is made once is made
	}
	before := pageFaults(t, pid)
	for range queries {
		read()
	}
	assert.Less(t, pageFaults(t, pid)-before, 50*queries, "a query needs some hundred pages")
}

// pageFaults is the number of pages that a process was given so far.
func pageFaults(t *testing.T, pid string) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	require.NoError(t, err)
	_, numbers, _ := strings.Cut(string(stat), ") ")
	faults, err := strconv.Atoi(strings.Fields(numbers)[7]) // minflt, proc_pid_stat(5)
	require.NoError(t, err)
	return faults
}
