package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
)

const hookLog = `left over line without a head
2026-11-30 12:47:23.760 UTC [4524] state=00000 user= db= LOG:  database system is ready to accept connections
2026-11-30 12:47:24.001 UTC [4530] state=42501 user=supabase_auth_admin db=postgres ERROR:  permission denied for table user_roles
2026-11-30 12:47:24.001 UTC [4530] state=42501 user=supabase_auth_admin db=postgres CONTEXT:  SQL statement "select role from public.user_roles"
	PL/pgSQL function public.custom_access_token_hook(jsonb) line 6 at SQL statement
2026-11-30 12:47:24.001 UTC [4530] state=42501 user=supabase_auth_admin db=postgres STATEMENT:  select public.custom_access_token_hook($1)
2026-11-30 12:47:24.002 UTC [4531] state=P0001 user=postgres db=my db name ERROR:  first
	second
2026-11-30 12:47:24.002 UTC [4531] state=P0001 user=postgres db=my db name HINT:  try again
`

func TestParseLogGivesTheErrorBehindAFailedHook(t *testing.T) {
	t.Parallel()
	entries := postgres.ParseLog(hookLog)
	require.Len(t, entries, 3)
	assert.Equal(t, postgres.LogEntry{
		Time: time.Date(2026, 11, 30, 12, 47, 24, int(time.Millisecond), time.UTC), PID: 4530,
		State: "42501", User: "supabase_auth_admin", Database: "postgres", Severity: "ERROR",
		Message:   "permission denied for table user_roles",
		Context:   "SQL statement \"select role from public.user_roles\"\nPL/pgSQL function public.custom_access_token_hook(jsonb) line 6 at SQL statement",
		Statement: "select public.custom_access_token_hook($1)",
	}, entries[1])
	assert.Equal(t, "first\nsecond", entries[2].Message)
	assert.Equal(t, "my db name", entries[2].Database)
	assert.Equal(t, "try again", entries[2].Hint)
}

func TestParseLogLosesAnAdditionRatherThanGivingItToAnotherProcess(t *testing.T) {
	t.Parallel()
	lines := strings.SplitAfter(hookLog, "\n")
	entries := postgres.ParseLog(lines[2] + lines[6] + lines[5])
	require.Len(t, entries, 2)
	assert.Empty(t, entries[0].Statement)
	assert.Empty(t, entries[1].Statement)
}

func FuzzParseLog(f *testing.F) {
	f.Add(hookLog)
	f.Add("2026-11-30 12:47:24.001 UTC [99999999999999999999] state=42501 user= db= ERROR:  x\n\ty")
	f.Add("\tlost\n2026-99-99 12:47:24.001 UTC [1] state=42501 user= db= ERROR:  x\n\ty")
	f.Fuzz(func(t *testing.T, text string) {
		total := 0
		for _, e := range postgres.ParseLog(text) {
			assert.NotEmpty(t, e.Severity)
			assert.Len(t, e.State, 5)
			total += len(e.Message) + len(e.Detail) + len(e.Hint) + len(e.Context) + len(e.Statement)
		}
		assert.LessOrEqual(t, total, len(text), "nothing is made up")
	})
}
