package rest

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATransactionBehindASavepointBeginsAndEndsByGoingBackToIt(t *testing.T) {
	t.Parallel()
	nested := &transaction{begin: begin("", true), savepoint: `a"b`, rollback: true}
	require.NoError(t, nested.nest())
	assert.Equal(t, `ROLLBACK TO SAVEPOINT "a""b"`, nested.begin)
	assert.Equal(t, []step{{sql: "SET CONSTRAINTS ALL IMMEDIATE"}, {sql: `ROLLBACK TO SAVEPOINT "a""b"`}}, nested.end(true))

	alone := &transaction{begin: begin("serializable", true), rollback: true}
	require.NoError(t, alone.nest())
	assert.Equal(t, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY", alone.begin)
	assert.Equal(t, []step{{sql: "SET CONSTRAINTS ALL IMMEDIATE"}, {sql: "ROLLBACK"}}, alone.end(true))
}

func TestAStricterIsolationLevelCannotBeHadBehindASavepoint(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]string{
		"repeatable read": "cannot begin isolation level repeatable read read write", "serializable": "cannot begin isolation level serializable read write",
	} {
		nested := &transaction{begin: begin(level, false), savepoint: "a"}
		assert.ErrorContains(t, nested.nest(), want)
	}
}

func TestASavepointNeedsASessionWhoseRequestsAreUndone(t *testing.T) {
	t.Parallel()
	session := func(context.Context) (*pgx.Conn, error) { return nil, errors.New("not asked") }
	for _, c := range []Config{
		{Savepoint: "a", DatabaseURI: "postgres://localhost", TxEnd: TxEnd{Rollback: true}},
		{Savepoint: "a", Session: session, ChannelDisabled: true},
		{Savepoint: "a", Session: session, ChannelDisabled: true, TxEnd: TxEnd{Rollback: true, Override: true}},
	} {
		assert.ErrorContains(t, c.withDefaults().validate(), "can have a Savepoint")
	}
	good := Config{Savepoint: "a", Session: session, ChannelDisabled: true, TxEnd: TxEnd{Rollback: true}}
	assert.NoError(t, good.withDefaults().validate())
}
