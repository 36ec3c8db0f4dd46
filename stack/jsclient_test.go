package stack_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/stack"
)

// jsCalls is how many calls testdata/jsclient/calls.mjs makes at least.
const jsCalls = 60

// TestSupabaseJSGetsTheAnswersItExpects runs the public JavaScript clients, installed from npm, against a stack. The calls
// and the values that they must come back with are in testdata/jsclient/calls.mjs.
func TestSupabaseJSGetsTheAnswersItExpects(t *testing.T) {
	t.Parallel()
	dir := installJSClients(t)
	s := start(t, stack.Config{Workspace: dir})
	e := s.Endpoints()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "calls.mjs", e.APIURL, e.Keys.Anon, e.Keys.ServiceRole)
	node.Dir = dir
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	require.NoError(t, err, stderr.String())

	calls := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); calls++ {
		var call struct{ Name, Problem string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &call), lines.Text())
		t.Run(call.Name, func(t *testing.T) { assert.Empty(t, call.Problem) })
	}
	assert.GreaterOrEqual(t, calls, jsCalls)
}

// installJSClients copies testdata/jsclient, which is a workspace too, and installs the clients in it. Without node, npm or
// a registry it skips the test.
func installJSClients(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not there, so the JavaScript clients cannot run: %v", program, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "jsclient")
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/jsclient")))
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install the JavaScript clients: %v\n%s", err, out)
	}
	return dir
}
