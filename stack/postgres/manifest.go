package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// manifest lists what an image consists of. The contents of its files lie one
// after the other in the image's pack: one big file is read many times faster
// than a thousand small ones, and can be checked while it is read.
type manifest struct {
	// Dirs are folders in the order to make them, relative to the data folder.
	Dirs []string `json:"dirs"`
	// Files are regular files in the order in which they lie in the pack.
	Files []packedFile `json:"files"`
}

// packedFile is one file of an image.
type packedFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Sum is the content's CRC-32C. It finds damage, not malice: who can write
	// to the cache can do worse.
	Sum uint32 `json:"sum"`
}

// castagnoli is the polynomial that processors compute in hardware.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// packTree writes the folder's files into one and lists them.
func packTree(data, pack string) (m *manifest, err error) {
	out, err := os.OpenFile(pack, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	m = &manifest{}
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(data, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			m.Dirs = append(m.Dirs, rel)
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		f, err := packFile(path, out)
		f.Path = rel
		m.Files = append(m.Files, f)
		return err
	})
	return m, err
}

func packFile(path string, out io.Writer) (packedFile, error) {
	in, err := os.Open(path)
	if err != nil {
		return packedFile{}, err
	}
	defer in.Close()
	sum := crc32.New(castagnoli())
	n, err := io.Copy(io.MultiWriter(out, sum), in)
	return packedFile{Size: n, Sum: sum.Sum32()}, err
}

// write puts the manifest on disk as the last act of a build.
func (m *manifest) write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// readManifest reads it and compares the pack's size with it; every way to
// fail means that there is no usable image.
func readManifest(path, pack string) (*manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errImageDamaged, err)
	}
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errImageDamaged, path, err)
	}
	if len(m.Files) == 0 {
		return nil, fmt.Errorf("%w: %s lists no files", errImageDamaged, path)
	}
	info, err := os.Stat(pack)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errImageDamaged, err)
	}
	var size int64
	for _, f := range m.Files {
		if f.Size < 0 || !filepath.IsLocal(f.Path) {
			return nil, fmt.Errorf("%w: %s lists %q with %d bytes", errImageDamaged, path, f.Path, f.Size)
		}
		size += f.Size
	}
	if info.Size() != size {
		return nil, fmt.Errorf("%w: %s has %d bytes, not %d", errImageDamaged, pack, info.Size(), size)
	}
	return m, nil
}
