package stack_test

import (
	"bytes"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
)

func TestALogBookRemembersLinesWithTheirServiceAndAttributes(t *testing.T) {
	t.Parallel()
	var book stack.LogBook
	log := book.Logger("auth", nil).With("hook", "pg-functions://postgres/public/f").WithGroup("db")
	log.Error("Hook errored out", "sqlstate", "42501")
	log.Debug("not remembered")
	entries := book.Entries()
	if assert.Len(t, entries, 1) {
		e := entries[0]
		assert.Equal(t, "auth", e.Service)
		assert.Equal(t, "error", e.Level)
		assert.Equal(t, "Hook errored out", e.Message)
		assert.Equal(t, map[string]string{"hook": "pg-functions://postgres/public/f", "db.sqlstate": "42501"}, e.Attrs)
		assert.False(t, e.Time.IsZero())
	}
}

func TestALogBookPassesLinesOnToTheNextHandler(t *testing.T) {
	t.Parallel()
	var book stack.LogBook
	var out bytes.Buffer
	next := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
	log := book.Logger("rest", next).With("a", 1).WithGroup("g")
	log.Debug("detail", "b", 2)
	log.Warn("trouble")
	assert.Contains(t, out.String(), "msg=detail service=rest a=1 g.b=2")
	assert.Contains(t, out.String(), "msg=trouble service=rest a=1")
	assert.Len(t, book.Entries(), 1, "debug lines are passed on, not remembered")
}

func TestALogBookForgetsTheOldestLinesAndSaysHowMany(t *testing.T) {
	t.Parallel()
	var book stack.LogBook
	log := book.Logger("rest", nil)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			for range 1_200 {
				log.Info("line")
			}
		})
	}
	group.Wait()
	assert.Equal(t, 12_000, len(book.Entries())+book.Dropped())
	assert.LessOrEqual(t, len(book.Entries()), 10_000)
	assert.Positive(t, book.Dropped())
}

func TestALogBookIsReadOnWhereTheLastLookEnded(t *testing.T) {
	t.Parallel()
	book := &stack.LogBook{}
	logger := book.Logger("auth", nil)
	first, next := book.Since(0)
	assert.Empty(t, first)
	logger.Info("one")
	logger.Info("two")
	lines, next := book.Since(next)
	require.Len(t, lines, 2)
	assert.Equal(t, "two", lines[1].Message)
	for range 12_000 { // more than a book remembers
		logger.Info("more")
	}
	lines, end := book.Since(next)
	assert.Equal(t, 12_002, end)
	assert.Len(t, lines, len(book.Entries()), "the forgotten ones are not made up for")
	none, _ := book.Since(end)
	assert.Empty(t, none)
	none, _ = book.Since(end + 100)
	assert.Empty(t, none)
}
