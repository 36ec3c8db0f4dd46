package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack/postgres"
)

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		s, err := postgres.Start(b.Context(), postgres.Config{})
		require.NoError(b, err)
		require.NoError(b, s.Stop(b.Context()))
	}
}
