package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// finish unpacks an archive whose digest is the right one, and gives the executable its
// name. What is recorded comes before: an installation that ends in between has left a
// digest to compare with, and nothing that could be found.
func (in *installation) finish(ctx context.Context, file partial, got expectation, known *record) (_ Installed, err error) {
	staging := filepath.Join(in.dir, ".partial", in.release.name+"-"+in.release.version+".new")
	if err := os.RemoveAll(staging); err != nil {
		return Installed{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	if err := errors.Join(os.Mkdir(staging, 0o755), os.Chmod(staging, 0o755)); err != nil { //nolint:gosec // see makeDirs
		return Installed{}, err
	}
	executable, err := in.extract(ctx, file.path, filepath.Join(staging, in.release.name))
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, syscall.ENOSPC) { // then the same archive will do as little next time
			err = errors.Join(err, file.discard())
		}
		return Installed{}, err
	}
	if err := known.add(entry{
		Name: in.release.name, Version: in.release.version, Asset: in.release.asset, URL: redacted(in.release.url(in.cfg.BaseURL)),
		Archive: got.sha256, Executable: executable, Trust: got.trust, Time: time.Now().UTC().Truncate(time.Second),
	}); err != nil {
		return Installed{}, err
	}
	target := filepath.Dir(in.path())
	if err := os.Rename(staging, target); err != nil {
		if errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) || errors.Is(err, syscall.ENOTDIR) {
			return Installed{}, withHint(fmt.Errorf("%s is in the way: it has no executable %q", target, in.release.name), "remove it and install again")
		}
		return Installed{}, err
	}
	return Installed{
		Name: in.release.name, Version: in.release.version, Path: in.path(),
		Asset: in.release.asset, SHA256: got.sha256, Trust: got.trust,
	}, file.discard()
}

// extract takes the executable out of the archive.
func (in *installation) extract(ctx context.Context, path, to string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest, err := archive{name: in.release.name, limits: in.cfg.limits}.extract(ctx, in.release.asset, file, to)
	if err != nil {
		return "", fmt.Errorf("unpack %s: %w", in.release.asset, ended(ctx, err))
	}
	return digest, nil
}

// already describes an executable that is there, after comparing it with what is known
// about it.
func (in *installation) already() (Installed, error) {
	installed := Installed{
		Name: in.release.name, Version: in.release.version, Path: in.path(), Trust: TrustByHand, Already: true,
	}
	known, err := readRecord(in.dir)
	if err != nil {
		return Installed{}, err
	}
	e, ok := known.of(in.release.name, in.release.version)
	if !ok {
		return installed, nil
	}
	got, err := digestOf(installed.Path)
	if err != nil {
		return Installed{}, err
	}
	if got != e.Executable {
		return Installed{}, withHint(
			fmt.Errorf("%s is not what was installed: SHA-256 is %s, but %s has %s", installed.Path, got, known.path, e.Executable),
			"remove %s and install again, or, when it was changed for a reason, remove its entry from %s",
			filepath.Dir(installed.Path), known.path)
	}
	if pin, ok := in.cfg.pinned(e.Asset); ok && pin != e.Archive {
		return Installed{}, withHint(
			fmt.Errorf("%s came in %s with SHA-256 %s, but %s is pinned in this program", installed.Path, e.Asset, e.Archive, pin),
			"remove %s, and its entry in %s, and install again", filepath.Dir(installed.Path), known.path)
	}
	installed.Asset, installed.SHA256, installed.Trust = e.Asset, e.Archive, e.Trust
	return installed, nil
}
