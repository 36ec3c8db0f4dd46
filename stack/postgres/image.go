package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/supascore/supascore/stack/bootstrap"
)

// imageFormat is part of every image's key. It is raised when the code that
// builds images makes something else from the same scripts.
const imageFormat = "3"

// image is a stopped, bootstrapped cluster, packed, that servers are copied
// from. It is built once for a PostgreSQL version and a list of scripts.
type image struct {
	dir     string
	install install
	id      identity
	scripts []bootstrap.Script
	log     *slog.Logger
}

func newImage(c cache, found install, id identity, cfg Config) *image {
	key := imageKey(found, id, cfg.Scripts)
	return &image{
		dir: filepath.Join(c.images(), key), install: found, id: id,
		scripts: cfg.Scripts, log: cfg.Log.With("image", key),
	}
}

// imageKey names everything that shapes an image. The installation is in it
// because the collation and extension files of two builds of one version may
// differ, the user because the files belong to them.
func imageKey(found install, id identity, scripts []bootstrap.Script) string {
	h := sha256.New()
	field := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	field(imageFormat)
	field(found.version)
	field(found.binDir)
	field(fmt.Sprint(id.uid))
	for _, s := range scripts {
		field(s.Name)
		field(s.SQL)
	}
	return "pg" + found.version + "-" + hex.EncodeToString(h.Sum(nil))[:16]
}

func (im *image) manifestPath() string { return filepath.Join(im.dir, manifestName) }
func (im *image) packPath() string     { return filepath.Join(im.dir, packName) }
func (im *image) lockPath() string     { return im.dir + ".lock" }
func (im *image) buildDir() string     { return im.dir + ".tmp" }

// The two files of an image.
const (
	packName     = "pack"
	manifestName = "manifest.json"
)

// errImageDamaged means that an image is missing, unfinished or not what its
// manifest says.
var errImageDamaged = errors.New("cluster image is damaged")

// copyTo makes dst a copy of the image's data, building the image when it is
// not there and building it again, once, when the copy finds it damaged.
func (im *image) copyTo(ctx context.Context, dst string) error {
	for attempt := 0; ; attempt++ {
		seen := im.generation()
		err := im.tryCopy(ctx, dst)
		if err == nil || attempt > 0 || !errors.Is(err, errImageDamaged) {
			return err
		}
		if rmErr := os.RemoveAll(dst); rmErr != nil {
			return fmt.Errorf("copy cluster image: %w", rmErr)
		}
		if err := im.replace(ctx, seen, err); err != nil {
			return err
		}
	}
}

// tryCopy copies while holding the shared lock, so that nobody rebuilds or
// prunes the image meanwhile.
func (im *image) tryCopy(ctx context.Context, dst string) error {
	lock, err := lockFile(ctx, im.lockPath(), true)
	if err != nil {
		return err
	}
	defer lock.Close()
	m, err := readManifest(im.manifestPath(), im.packPath())
	if err != nil {
		return err
	}
	// The manifest's time is when the image was last used; see prune.
	now := time.Now()
	if err := os.Chtimes(im.manifestPath(), now, now); err != nil {
		im.log.Debug("cluster image's time of use not kept", "error", err)
	}
	return unpackTree(ctx, im.packPath(), dst, m, im.id)
}

// generation tells builds of one image apart. It is empty when there is none.
func (im *image) generation() string {
	info, err := os.Stat(im.packPath())
	if err != nil {
		return ""
	}
	// The pack is written once, so its time is the build's.
	return info.ModTime().String()
}

// replace builds the image unless somebody else has replaced the seen
// generation by the time the lock is ours.
func (im *image) replace(ctx context.Context, seen string, why error) error {
	lock, err := lockFile(ctx, im.lockPath(), false)
	if err != nil {
		return err
	}
	defer lock.Close()
	if im.generation() != seen {
		return nil
	}
	if _, err := os.Lstat(im.dir); err == nil {
		im.log.Warn("cluster image is rebuilt", "why", why)
	}
	start := time.Now()
	if err := im.build(ctx); err != nil {
		return err
	}
	im.log.Info("cluster image built", "took", time.Since(start).Round(time.Millisecond))
	if err := prune(filepath.Dir(im.dir)); err != nil {
		im.log.Debug("old cluster images not pruned", "error", err)
	}
	return nil
}

// build makes the image in a folder beside its place and moves it there when
// it is complete.
func (im *image) build(ctx context.Context) (err error) {
	tmp := im.buildDir()
	if err := errors.Join(os.RemoveAll(tmp), os.RemoveAll(im.dir)); err != nil {
		return fmt.Errorf("build cluster image: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("build cluster image: %w", explainDisk(err, tmp)), os.RemoveAll(tmp))
		}
	}()
	if err := im.id.mkdir(tmp); err != nil {
		return err
	}
	data := filepath.Join(tmp, "data")
	if err := im.initdb(ctx, data); err != nil {
		return err
	}
	if err := im.bootstrap(ctx, tmp, data); err != nil {
		return err
	}
	m, err := packTree(data, filepath.Join(tmp, packName))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	// The manifest is the flag that says "complete", so it is written last.
	if err := m.write(filepath.Join(tmp, manifestName)); err != nil {
		return err
	}
	return os.Rename(tmp, im.dir)
}
