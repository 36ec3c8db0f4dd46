package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAgentsAreRecognizedByTheirEnvironment(t *testing.T) {
	t.Parallel()
	is := func(choice string, env ...string) bool {
		c := &cobra.Command{}
		c.Flags().String("agent", choice, "")
		agent, err := (&app{env: env}).isAgent(c)
		require.NoError(t, err)
		return agent
	}
	assert.NotEmpty(t, agentSigns())
	for _, name := range agentSigns() {
		assert.True(t, is("auto", name+"=1"), name)
		assert.False(t, is("auto", name+"="), name)
		assert.False(t, is("no", name+"=1"), name)
	}
	assert.False(t, is("auto", "HOME=/root"))
	assert.True(t, is("yes"))
}
