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
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() error {
			c := copier{src: src, dst: dst, id: id}
			for i := w; i < len(m.Files); i += workers {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				if err := c.copy(m.Files[i]); err != nil {
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

// copier copies files one after the other with one buffer.
type copier struct {
	src, dst string
	id       identity
	buf      []byte
}

// copy copies one file, which must have the size that the manifest says.
func (c *copier) copy(f manifestFile) (err error) {
	in, err := os.Open(filepath.Join(c.src, f.Path))
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
	if info.Size() != f.Size {
		return fmt.Errorf("%w: %s has %d bytes, not %d", errImageDamaged, in.Name(), info.Size(), f.Size)
	}
	out, cloned, err := createClone(in, filepath.Join(c.dst, f.Path))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if !cloned {
		if err := c.fill(out, in, f.Size); err != nil {
			return err
		}
	}
	if c.id.cred == nil {
		return nil
	}
	return out.Chown(c.id.uid, c.id.gid)
}

// fill copies the data. The files are small, so one read and one write do for
// nearly all of them.
func (c *copier) fill(out io.Writer, in io.Reader, size int64) error {
	const most = 1 << 20
	if need := min(size, most); int64(len(c.buf)) < need {
		c.buf = make([]byte, need)
	}
	for size > 0 {
		n := min(size, int64(len(c.buf)))
		if _, err := io.ReadFull(in, c.buf[:n]); err != nil {
			return err
		}
		if _, err := out.Write(c.buf[:n]); err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// createEmpty makes a file that must not exist.
func createEmpty(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
		"free some space, or set SUPASCORE_CACHE_DIR and SUPASCORE_RUN_DIR to folders on another disk")
}
