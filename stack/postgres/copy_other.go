//go:build unix && !linux

package postgres

import (
	"errors"
	"os"
)

// reflink is not available for open files on this platform.
func reflink(_, _ *os.File) error { return errors.ErrUnsupported }
