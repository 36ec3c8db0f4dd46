package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSupabaseJSWorksOnTheStandIn does what somebody does who follows a quickstart: init, a migration, start, and an
// application that uses supabase-js from npm.
func TestSupabaseJSWorksOnTheStandIn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "js-"+uuid.NewString()[:8])
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "jsclient"))))
	npmInstall(t, dir)
	env := append(os.Environ(), "SUPABASE_API_PORT="+port(t), "SUPABASE_DB_PORT="+port(t))
	t.Cleanup(func() {
		standIn(context.Background(), t, dir, env, "", "stop", "--no-backup")
		assert.NoError(t, forgetProject("", filepath.Base(dir)))
	})
	standIn(t.Context(), t, dir, env, "", "init")
	notes, err := os.ReadFile(filepath.Join(dir, "notes.sql"))
	require.NoError(t, err)
	standIn(t.Context(), t, dir, env, string(notes), "migration", "new", "notes")
	standIn(t.Context(), t, dir, env, "", "start")
	status := standIn(t.Context(), t, dir, env, "", "status", "-o", "env")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "session.mjs")
	node.Dir, node.Env = dir, env
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		node.Env = append(node.Env, name+"="+strings.Trim(value, `"`))
	}
	out, err := node.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, "every answer was the expected one\n", string(out))
}

// npmInstall installs what a folder's package.json names. Without node, npm or a registry it skips the test.
func npmInstall(t *testing.T, dir string) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not there, so supabase-js cannot run: %v", program, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install supabase-js: %v\n%s", err, out)
	}
}

// standIn runs a command of the stand-in in a folder and returns what it prints.
func standIn(ctx context.Context, t *testing.T, dir string, env []string, stdin string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(ctx, "supabase", args...)
	c.Dir, c.Env, c.Stdin = dir, env, strings.NewReader(stdin)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, "%q: %s", args, stderr.String())
	return string(out)
}

func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	addr, ok := l.Addr().(*net.TCPAddr)
	require.True(t, ok)
	return strconv.Itoa(addr.Port)
}
