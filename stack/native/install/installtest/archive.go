package installtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/ulikunitz/xz"
)

// Entry is one entry of an archive.
type Entry struct {
	// Name is written as it is, however bad.
	Name string
	// Type is one of tar's; the zero value is a plain file.
	Type byte
	// Content is that of a plain file, and Link what a link leads to.
	Content, Link string
	// Size claims another size of a plain file than its content's; 0 does not.
	Size int64
}

// Executable is a small shell script that says who it is.
func Executable(name, version string) string {
	return fmt.Sprintf("#!/bin/sh\necho %s %s\n", name, version)
}

// Tar packs entries. It panics where archive/tar cannot write one.
func Tar(entries ...Entry) []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, e := range entries {
		h := &tar.Header{Name: e.Name, Typeflag: e.Type, Linkname: e.Link, Mode: 0o644, Format: tar.FormatGNU}
		if e.Type == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(e.Content))
		}
		if e.Size != 0 {
			h.Size = e.Size
		}
		check(w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg {
			_, err := io.WriteString(w, e.Content)
			check(err)
		}
		if e.Size != 0 {
			return buf.Bytes() // what follows could not be written
		}
	}
	check(w.Close())
	return buf.Bytes()
}

// Gzip compresses.
func Gzip(content []byte) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write(content)
	check(err)
	check(w.Close())
	return buf.Bytes()
}

// Xz compresses.
func Xz(content []byte) []byte {
	var buf bytes.Buffer
	w, err := xz.NewWriter(&buf)
	check(err)
	_, err = w.Write(content)
	check(err)
	check(w.Close())
	return buf.Bytes()
}

// Release is the archive of a release as upstream packs it: Auth's with a link by its old
// name and with migrations, PostgREST's with nothing else.
func Release(name, version string) []byte {
	return ReleaseOf(name, Executable(name, version))
}

// ReleaseOf is Release with an executable of one's own.
func ReleaseOf(name, executable string) []byte {
	if name != "auth" {
		return Xz(Tar(Entry{Name: name, Content: executable}))
	}
	return Gzip(Tar(
		Entry{Name: name, Content: executable},
		Entry{Name: "gotrue", Type: tar.TypeSymlink, Link: "auth"},
		Entry{Name: "migrations/", Type: tar.TypeDir},
		Entry{Name: "migrations/20171026211738_create_users.up.sql", Content: strings.Repeat("-- one of many\n", 20)},
	))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
