package postgres

import (
	"os"

	"golang.org/x/sys/unix"
)

// createClone makes a file at path, with the blocks of in where the file
// system can share them (APFS); cloned says whether it did.
func createClone(in *os.File, path string) (out *os.File, cloned bool, err error) {
	if unix.Fclonefileat(int(in.Fd()), unix.AT_FDCWD, path, 0) == nil {
		out, err = os.OpenFile(path, os.O_WRONLY, 0)
		return out, err == nil, err
	}
	out, err = createEmpty(path)
	return out, false, err
}
