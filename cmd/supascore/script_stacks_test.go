package main

import (
	"context"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/supascore/supascore/stack/detached"
)

// stopStacks stops what a script that failed half way left running in its folder. One
// that went well has stopped its stacks itself.
func stopStacks(work string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	// What cannot be read or stopped is not what the script is about.
	_ = filepath.WalkDir(work, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "stack.json" {
			return nil
		}
		// <workspace>/supabase/.temp/supascore/stack.json
		workspace := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(path))))
		_, _ = detached.Stop(ctx, workspace)
		return nil
	})
}
