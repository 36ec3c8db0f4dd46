package postgres

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// manifest lists what an image consists of. It is checked while copying: a
// file of another size, or a missing one, is damage. Contents are not hashed,
// because that would cost more than the copy; a server that refuses to start
// from a copy is the second net.
type manifest struct {
	// Dirs are folders in the order to make them, relative to the data folder.
	Dirs []string `json:"dirs"`
	// Files are regular files.
	Files []manifestFile `json:"files"`
}

type manifestFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// takeManifest lists the folder.
func takeManifest(data string) (*manifest, error) {
	m := &manifest{}
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(data, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			m.Dirs = append(m.Dirs, rel)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is neither a file nor a folder", path)
		}
		m.Files = append(m.Files, manifestFile{Path: rel, Size: info.Size()})
		return nil
	})
	return m, err
}

// write puts the manifest on disk as the last act of a build.
func (m *manifest) write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// readManifest reads it; every way to fail means that there is no usable
// image.
func readManifest(path string) (*manifest, error) {
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
	return m, nil
}

// verify compares the folder with the manifest by names and sizes.
func (m *manifest) verify(data string) error {
	for _, f := range m.Files {
		info, err := os.Lstat(filepath.Join(data, f.Path))
		if err != nil {
			return fmt.Errorf("%w: %w", errImageDamaged, err)
		}
		if info.Size() != f.Size {
			return fmt.Errorf("%w: %s has %d bytes, not %d", errImageDamaged, f.Path, info.Size(), f.Size)
		}
	}
	return nil
}
