package postgres

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/xi2/xz"
)

// unpack writes a .tar.xz into a new folder. Nothing in the archive can make
// it write outside: os.Root refuses paths and links that lead out.
func unpack(ctx context.Context, archive io.Reader, dir string) error {
	decompressed, err := xz.NewReader(archive, 0)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	// Open to other users: root's server runs as one. The umask may say
	// otherwise.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	left := int64(maxUnpacked)
	for reader := tar.NewReader(decompressed); ; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if left -= header.Size; left < 0 {
			return fmt.Errorf("more than %d bytes unpacked", int64(maxUnpacked))
		}
		if err := unpackEntry(root, header, reader); err != nil {
			return fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

func unpackEntry(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.Clean(header.Name)
	if name == "." {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(header.Linkname, name)
	case tar.TypeReg:
		// Executable or not is all that the archive's modes say.
		mode := os.FileMode(0o644) | os.FileMode(header.Mode)&0o111
		out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, content)
		return errors.Join(err, out.Chmod(mode), out.Close())
	default:
		return fmt.Errorf("unexpected kind of file %q", header.Typeflag)
	}
}
