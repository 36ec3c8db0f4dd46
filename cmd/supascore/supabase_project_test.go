package main

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/supascore/supascore/internal/cachedir"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/postgres"
)

// localProjects NAME… sets for each name $NAME to a project id that nobody else uses,
// and $NAME_API and $NAME_DB to free ports. When the script ends, however it ends, the
// projects are stopped and their data is deleted.
func localProjects(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: projects NAME…")
	}
	for _, name := range args {
		id := "script-" + strings.ToLower(rand.Text()[:12])
		ts.Setenv(name, id)
		ts.Setenv(name+"_API", freePort(ts))
		ts.Setenv(name+"_DB", freePort(ts))
		cache := ts.Getenv("SUPASCORE_CACHE_DIR")
		ts.Defer(func() {
			_, stopErr := detached.StopProject(context.Background(), cache, id)
			if errors.Is(stopErr, detached.ErrNotRunning) {
				stopErr = nil
			}
			_, err := postgres.RemoveKept(context.Background(), postgres.Config{CacheDir: cache}, id)
			if err := errors.Join(stopErr, err, forgetProject(cache, id)); err != nil {
				ts.Logf("clean up %s: %v", id, err)
			}
		})
	}
}

// forgetProject removes the lock of a project that will never run again.
func forgetProject(cache, id string) error {
	root, err := cachedir.Root(cache)
	if err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(root, "projects", id+".stack.lock"))
}

func freePort(ts *testscript.TestScript) string {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// handOut EVAL DIR writes the workspace that an eval hands to an agent into a folder.
func handOut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: handout EVAL DIR")
	}
	local := filepath.Join("..", "..", "evals", "docs", args[0], "local")
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(local)))
}
