package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/supascore/supascore/stack/postgres"
)

// hasExtension is the condition [extension:NAME]: PostgreSQL's installation has the
// extension's files.
func hasExtension(name string) (bool, error) {
	found, err := postgres.Inspect(context.Background(), postgres.Config{CacheDir: os.Getenv("SUPASCORE_CACHE_DIR")})
	if err != nil {
		return false, err
	}
	major, _, _ := strings.Cut(found.Version, ".")
	for _, dir := range []string{
		filepath.Join(found.BinDir, "..", "share", "postgresql"), filepath.Join(found.BinDir, "..", "share"),
		filepath.Join("/usr/share/postgresql", major), // Debian's
	} {
		if _, err := os.Stat(filepath.Join(dir, "extension", name+".control")); err == nil {
			return true, nil
		}
	}
	return false, nil
}
