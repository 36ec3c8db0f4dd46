package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/docker/go-units"
	"golang.org/x/sync/errgroup"
)

// copyTree copies the files of the manifest from src to dst. Where the file
// system can share blocks between files the copy costs no data at all.
func copyTree(ctx context.Context, src, dst string, m *manifest, id identity) error {
	for _, dir := range m.Dirs {
		if err := id.mkdir(filepath.Join(dst, dir)); err != nil {
			return fmt.Errorf("copy cluster image: %w", explainDisk(err, dst))
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	// More workers than processors: the work is mostly waiting in the kernel.
	workers := 2 * runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			for i := w; i < len(m.Files); i += workers {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				f := m.Files[i]
				if err := copyFile(filepath.Join(src, f.Path), filepath.Join(dst, f.Path), f.Size, id); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("copy cluster image: %w", explainDisk(err, dst))
	}
	return nil
}

// copyFile copies one file that must have the given size.
func copyFile(src, dst string, size int64, id identity) (err error) {
	in, err := os.Open(src)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", errImageDamaged, err)
		}
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if info.Size() != size {
		return fmt.Errorf("%w: %s has %d bytes, not %d", errImageDamaged, src, info.Size(), size)
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if size > 0 && reflink(out, in) != nil {
		if _, err := io.Copy(out, in); err != nil {
			return err
		}
	}
	if id.cred == nil {
		return nil
	}
	return out.Chown(id.uid, id.gid)
}

// explainDisk turns "no space left on device" into something to act on.
func explainDisk(err error, path string) error {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	free := "an unknown amount"
	var fsStat syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(path), &fsStat) == nil {
		free = units.BytesSize(float64(fsStat.Bavail) * float64(fsStat.Bsize))
	}
	return withHint(fmt.Errorf("disk is full, %s left at %s: %w", free, filepath.Dir(path), err),
		"free some space, or set SUPASCORE_CACHE_DIR to a folder on another disk")
}
