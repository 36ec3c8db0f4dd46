package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// createClone makes a file at path, with the blocks of in where the file
// system can share them (btrfs, xfs, bcachefs); cloned says whether it did.
func createClone(in *os.File, path string) (out *os.File, cloned bool, err error) {
	out, err = createEmpty(path)
	if err != nil {
		return nil, false, err
	}
	return out, unix.IoctlFileClone(int(out.Fd()), int(in.Fd())) == nil, nil
}
