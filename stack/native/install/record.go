package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// recordName is the file that remembers what was installed.
const recordName = "install.lock"

// recordHeader tells whoever opens the file what it is.
const recordHeader = `# What "supascore stack install" has put into this folder. An archive or an executable
# whose SHA-256 is another one later is refused; remove its entry to accept it.

`

// record is the content of install.lock, in TOML so that people can read it.
type record struct {
	path string
	// Entries are sorted by name and version; one for each archive.
	Entries []entry `toml:"installed"`
}

// entry is what is known about one installation.
type entry struct {
	Name       string    `toml:"name"`
	Version    string    `toml:"version"`
	Asset      string    `toml:"asset"`
	URL        string    `toml:"url"`
	Archive    string    `toml:"archive_sha256"`
	Executable string    `toml:"executable_sha256"`
	Trust      Trust     `toml:"trust"`
	Time       time.Time `toml:"time"`
}

// readRecord reads install.lock of a folder; when there is none, nothing is known.
func readRecord(dir string) (*record, error) {
	r := &record{path: filepath.Join(dir, recordName)}
	text, err := os.ReadFile(r.path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(text, r); err != nil {
		var decode *toml.DecodeError
		if errors.As(err, &decode) {
			line, column := decode.Position()
			err = fmt.Errorf("%s:%d:%d: %w", r.path, line, column, err)
		} else {
			err = fmt.Errorf("%s: %w", r.path, err)
		}
		return nil, withHint(err, "mend the file, or remove it: then nothing is known about what was installed before")
	}
	return r, nil
}

// archive is the digest of an archive when it was installed last, empty when it never was.
func (r *record) archive(asset string) string {
	for _, e := range r.Entries {
		if e.Asset == asset {
			return e.Archive
		}
	}
	return ""
}

// of is what is known about an installed version.
func (r *record) of(name, version string) (entry, bool) {
	i := slices.IndexFunc(r.Entries, func(e entry) bool { return e.Name == name && e.Version == version })
	if i < 0 {
		return entry{}, false
	}
	return r.Entries[i], true
}

// add replaces what was known about the version and writes the file, at once or not at
// all.
func (r *record) add(e entry) error {
	r.Entries = slices.DeleteFunc(r.Entries, func(old entry) bool { return old.Name == e.Name && old.Version == e.Version })
	r.Entries = append(r.Entries, e)
	slices.SortFunc(r.Entries, func(a, b entry) int {
		return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version)
	})
	text, err := toml.Marshal(r)
	if err != nil {
		return err
	}
	return writeFile(r.path, append([]byte(recordHeader), text...))
}

// writeFile replaces a file by a complete one.
func writeFile(path string, content []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
