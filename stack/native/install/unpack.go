package install

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/docker/go-units"
	"github.com/xi2/xz"
)

// archive is an upstream archive that is unpacked: a tar file with one executable among
// other files. Auth's has a link and migrations, which the executable has inside as well
// since 2.165.0.
type archive struct {
	// name is the executable's.
	name   string
	limits limits
}

// extract writes the executable to a new file and returns its SHA-256. compressed tells
// by its suffix how the archive is packed. Nothing but the one file is ever written, so
// no name in the archive can lead anywhere; names that try to are refused all the same,
// because upstream has none.
func (a archive) extract(ctx context.Context, compressed string, in io.Reader, to string) (string, error) {
	unpacked, err := decompress(compressed, in)
	if err != nil {
		return "", err
	}
	bounded := &bound{ctx: ctx, r: unpacked, left: a.limits.unpacked}
	reader := tar.NewReader(bounded)
	digest, entries, others := "", 0, []string{}
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		if entries++; entries > a.limits.entries {
			return "", fmt.Errorf("more than %d files", a.limits.entries)
		}
		is, err := a.wanted(header)
		switch {
		case err != nil:
			return "", fmt.Errorf("%q: %w", header.Name, err)
		case !is:
			others = append(others, header.Name)
			continue
		case digest != "":
			return "", fmt.Errorf("two files %q", a.name)
		}
		if digest, err = a.write(reader, to); err != nil {
			return "", err
		}
	}
	if digest == "" {
		return "", fmt.Errorf("no file %q in the archive; it has %s", a.name, some(others))
	}
	return digest, nil
}

// wanted reports whether an entry is the executable, and refuses what has no place in an
// archive of upstream's.
func (a archive) wanted(header *tar.Header) (bool, error) {
	name := path.Clean(header.Name)
	if !filepath.IsLocal(name) || strings.ContainsAny(header.Name, "\\\x00") {
		return false, errors.New("the path leads out of the archive")
	}
	switch header.Typeflag {
	case tar.TypeReg, tar.TypeGNUSparse:
		return name == a.name, nil
	case tar.TypeDir, tar.TypeXGlobalHeader:
	case tar.TypeSymlink, tar.TypeLink:
		// Others are left out: Auth's archive has its old name as a link.
	default:
		return false, fmt.Errorf("unexpected kind of file %q", header.Typeflag)
	}
	if name == a.name {
		return false, errors.New("the executable is no plain file")
	}
	return false, nil
}

// write makes the executable. Its size in the archive's header is not believed: a sparse
// file can be much larger than what it takes in the archive.
func (a archive) write(in io.Reader, to string) (string, error) {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, hash), io.LimitReader(in, a.limits.unpacked+1))
	if err == nil && n > a.limits.unpacked {
		err = tooMuch(a.limits.unpacked)
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("the file %q is empty", a.name)
	}
	// The umask may have taken something away.
	if err = errors.Join(err, out.Chmod(0o755), out.Sync(), out.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// decompress opens the outer layer of an archive by the suffix of its name.
func decompress(name string, in io.Reader) (io.Reader, error) {
	switch {
	case strings.HasSuffix(name, ".tar.xz"):
		return xz.NewReader(in, xz.DefaultDictMax)
	case strings.HasSuffix(name, ".tar.gz"):
		return gzip.NewReader(in)
	default:
		return nil, fmt.Errorf("%s is neither .tar.xz nor .tar.gz", name)
	}
}

// bound ends a decompression that yields too much, and one that nobody waits for.
type bound struct {
	ctx  context.Context //nolint:containedctx // a reader has no other way to get one
	r    io.Reader
	left int64
}

func (b *bound) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("it unpacks to far more than a server has")
	}
	return n, err
}

func tooMuch(limit int64) error {
	return fmt.Errorf("the executable is larger than %s", units.BytesSize(float64(limit)))
}

// some names a few files.
func some(names []string) string {
	const enough = 5
	switch {
	case len(names) == 0:
		return "no files"
	case len(names) > enough:
		return fmt.Sprintf("%q and %d more", names[:enough], len(names)-enough)
	default:
		return fmt.Sprintf("%q", names)
	}
}
