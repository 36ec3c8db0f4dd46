package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/stack/native/nativetest"
)

// TestMain lets the test binary be the program: a script's `supascore` is this
// binary, started as a process of its own, whose main is the real one. So is
// `supabase`, another name for it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"supascore": main, "supabase": main,
		// Programs that speak like the real servers.
		"fake-postgrest": func() { nativetest.Play("postgrest") },
		"fake-auth":      func() { nativetest.Play("auth") },
		"frail-auth":     func() { nativetest.Play("auth", nativetest.CrashOnRequest) },
	})
}

// TestScripts runs testdata/script: the program as a person at a shell sees it.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               setupScript,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"fixture":  unpackFixture,
			"match":    match,
			"await":    await,
			"endpoint": endpoint,
			"releases": releases,
			"projects": localProjects,
			"handout":  handOut,
		},
	})
}

// setupScript gives a script the cluster images of the machine, so that not every
// script builds its own, and nothing else of the surroundings.
func setupScript(env *testscript.Env) error {
	env.Setenv("SUPASCORE_CACHE_DIR", os.Getenv("SUPASCORE_CACHE_DIR"))
	if os.Getenv("SUPASCORE_CACHE_DIR") == "" && os.Geteuid() != 0 {
		dir, err := os.UserCacheDir()
		if err != nil {
			return err
		}
		env.Setenv("SUPASCORE_CACHE_DIR", filepath.Join(dir, "supascore"))
	}
	env.Setenv("PATH", os.Getenv("PATH"))
	// Whatever is installed here; the scripts about other engines say so.
	env.Setenv(engineVariable, "embedded")
	env.Defer(func() { stopStacks(env.WorkDir) })
	// A cache of the script's own, for those that want one. The server's user has to
	// be able to enter it, which the folders of tests do not allow.
	fresh, err := os.MkdirTemp("/tmp", "supascore-script-")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(fresh) })
	env.Setenv("FRESH_CACHE", fresh)
	if err := os.Chmod(fresh, 0o755); err != nil { //nolint:gosec // see above
		return err
	}
	env.Setenv("NO_COLOR", "")
	return nil
}

// condition adds [root], true for the superuser, and [extension:NAME], true where
// PostgreSQL's installation has the extension.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	if extension, ok := strings.CutPrefix(name, "extension:"); ok {
		return hasExtension(extension)
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// exits CODE command… runs a command and checks its exit code; its output is there
// for stdout and stderr afterwards.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [arg…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		code = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// unpackFixture FIXTURE DIR writes a fixture's workspace into a folder.
func unpackFixture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fixture NAME DIR")
	}
	f, err := fixtures.Get(demoEval, args[0])
	ts.Check(err)
	ts.Check(f.Unpack(ts.MkAbs(args[1])))
}

// match FILE PATTERN… checks that each pattern occurs in the file; with ! that none does.
func match(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: match FILE PATTERN…")
	}
	text := ts.ReadFile(args[0])
	for _, pattern := range args[1:] {
		if found := regexp.MustCompile(`(?m)` + pattern).MatchString(text); found == neg {
			ts.Fatalf("%s: %q found: %v\n%s", args[0], pattern, found, text)
		}
	}
}

// awaitTimeout is how long a script waits for what a background process does. It is
// long because the machine may be busy, and never waited out when all is well.
const awaitTimeout = 2 * time.Minute

// await FILE PATTERN waits until the pattern is in the file.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern := regexp.MustCompile(`(?m)` + args[1])
	for deadline := time.Now().Add(awaitTimeout); ; {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s never had %q; it has:\n%s", args[0], args[1], text)
		}
		time.Sleep(20 * time.Millisecond) // between two looks, not for luck
	}
}
