package proc

import (
	"strconv"
	"strings"
)

// parseLsof reads lsof's field output (-Fpc): a line "p4711" and a line
// "cpostgres" for each process; the first counts.
func parseLsof(out string) (Owner, error) {
	var owner Owner
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "p"):
			if owner.PID != 0 {
				return owner, nil
			}
			pid, err := strconv.Atoi(line[1:])
			if err != nil {
				return Owner{}, ErrNoListener
			}
			owner.PID = pid
		case strings.HasPrefix(line, "c"):
			owner.Name = line[1:]
		}
	}
	if owner.PID == 0 {
		return Owner{}, ErrNoListener
	}
	return owner, nil
}
