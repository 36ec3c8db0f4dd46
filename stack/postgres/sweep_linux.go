package postgres

import (
	"context"
	"os"
	"strconv"
)

// runsOn says that the process is a server of the data folder: PostgreSQL's
// working directory is its data folder.
func runsOn(_ context.Context, pid int, data string) bool {
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && cwd == data
}
