package proc

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLsofsFirstProcessCounts(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]Owner{
		"p4711\ncpostgres\nf7\np4712\ncother\n": {PID: 4711, Name: "postgres"},
		"p4711\n":                               {PID: 4711},
		"":                                      {},
		"pnonsense\n":                           {},
	} {
		got, err := parseLsof(out)
		assert.Equal(t, want, got, out)
		if want.PID == 0 {
			assert.ErrorIs(t, err, ErrNoListener, out)
		} else {
			assert.NoError(t, err, out)
		}
	}
	assert.Equal(t, "postgres (process 4711)", Owner{PID: 4711, Name: "postgres"}.String())
	assert.Equal(t, "process 4711", Owner{PID: 4711}.String())
}

func FuzzParseLsof(f *testing.F) {
	f.Add("p4711\ncpostgres\n")
	f.Fuzz(func(t *testing.T, out string) {
		if owner, err := parseLsof(out); err == nil {
			assert.NotZero(t, owner.PID)
		}
	})
}
