package postgres

import (
	"context"
	"path/filepath"
)

// Inspection is what Start would work with on this machine.
type Inspection struct {
	// BinDir is the folder of the executables that would be used, Version their
	// version. Both are empty when there is a Problem before they are found.
	BinDir  string
	Version string
	// CacheDir is the cache folder, RunDir where the clusters of running servers
	// would be.
	CacheDir, RunDir string
	// ServerUser is the user that servers run as.
	ServerUser string
	// ImageReady is true when the cluster image is there; otherwise the next start
	// builds it first.
	ImageReady bool
	// Clusters is how many folders of clusters there are: those of running servers,
	// and what killed processes left, which the next start sweeps.
	Clusters int
}

// Inspect looks at what Start would use, without starting anything. When no
// PostgreSQL is installed it downloads one, as Start would. The error is the one
// that Start would fail with, with its hint; what was found before it is returned
// too.
func Inspect(ctx context.Context, cfg Config) (Inspection, error) {
	var out Inspection
	cfg, err := cfg.withDefaults()
	if err != nil {
		return out, err
	}
	id, err := serverIdentity()
	if err != nil {
		return out, err
	}
	out.ServerUser = id.name
	c, err := openCache(cfg.CacheDir, id)
	if err != nil {
		return out, err
	}
	out.CacheDir = c.root
	run, err := runDir(cfg, c, id)
	if err != nil {
		return out, err
	}
	out.RunDir = run
	for _, dir := range runDirs(c, run) {
		locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
		if err != nil {
			return out, err
		}
		out.Clusters += len(locks)
	}
	found, err := discover(ctx, cfg, c, id)
	if err != nil {
		return out, err
	}
	out.BinDir, out.Version = found.binDir, found.version
	image := newImage(c, found, id, cfg)
	_, err = readManifest(image.manifestPath(), image.packPath())
	out.ImageReady = err == nil
	return out, nil
}
