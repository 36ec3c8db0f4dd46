package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/docker/go-units"
	"golang.org/x/sync/errgroup"
)

// unpackTree makes a folder from a pack. The work is system calls, four for a
// file, so it is spread over the processors; the data itself is little. (For
// the same reason nothing is gained by sharing blocks between files where the
// file system can.)
func unpackTree(ctx context.Context, pack, dst string, m *manifest, id identity) error {
	for _, dir := range m.Dirs {
		if err := id.mkdir(filepath.Join(dst, dir)); err != nil {
			return fmt.Errorf("copy cluster image: %w", explainDisk(err, dst))
		}
	}
	in, err := os.Open(pack)
	if err != nil {
		return fmt.Errorf("copy cluster image: %w: %w", errImageDamaged, err)
	}
	defer in.Close()
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range spans(m.Files, runtime.GOMAXPROCS(0)) {
		group.Go(func() error { return unpackSpan(ctx, in, dst, s, id) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("copy cluster image: %w", explainDisk(err, dst))
	}
	return nil
}

// span is a run of files that lie together in a pack.
type span struct {
	offset, size int64
	files        []packedFile
}

// spans divides files into at most n runs with about as many files each.
func spans(files []packedFile, n int) []span {
	var all []span
	var offset int64
	for each := (len(files) + n - 1) / n; len(files) > 0; {
		s := span{offset: offset, files: files[:min(each, len(files))]}
		for _, f := range s.files {
			s.size += f.Size
		}
		all = append(all, s)
		offset += s.size
		files = files[len(s.files):]
	}
	return all
}

func unpackSpan(ctx context.Context, pack io.ReaderAt, dst string, s span, id identity) error {
	in := bufio.NewReaderSize(io.NewSectionReader(pack, s.offset, s.size), 256<<10)
	table := castagnoli()
	var buf []byte
	for _, f := range s.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if int64(cap(buf)) < f.Size {
			buf = make([]byte, f.Size)
		}
		buf = buf[:f.Size]
		if _, err := io.ReadFull(in, buf); err != nil {
			return fmt.Errorf("%w: %s: %w", errImageDamaged, f.Path, err)
		}
		if crc32.Checksum(buf, table) != f.Sum {
			return fmt.Errorf("%w: %s has other content", errImageDamaged, f.Path)
		}
		if err := writeNew(filepath.Join(dst, f.Path), buf, id); err != nil {
			return err
		}
	}
	return nil
}

// writeNew makes a file of the server's user. It goes below package os, which
// would ask the kernel about each file whether it can be polled.
func writeNew(path string, data []byte, id identity) (err error) {
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_EXCL|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return &os.PathError{Op: "create", Path: path, Err: err}
	}
	defer func() { err = errors.Join(err, syscall.Close(fd)) }()
	for len(data) > 0 {
		n, err := syscall.Write(fd, data)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return &os.PathError{Op: "write", Path: path, Err: err}
		}
		data = data[max(n, 0):]
	}
	if id.cred == nil {
		return nil
	}
	return syscall.Fchown(fd, id.uid, id.gid)
}

// explainDisk turns "no space left on device" into something to act on.
func explainDisk(err error, path string) error {
	// PostgreSQL's own programs say it in words only, in their last output.
	words := strings.Contains(err.Error(), "No space left on device")
	if !words && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
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
