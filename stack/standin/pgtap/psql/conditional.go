package psql

import (
	"slices"
	"strings"
)

// branch is where a script is between an \if and its \endif.
type branch struct {
	live bool // the lines here are run
	done bool // some branch was run, or none is to be
	last bool // \else was there
}

// live reports whether lines are run.
func (f *file) live() bool { return len(f.branches) == 0 || f.branches[len(f.branches)-1].live }

// isConditional reports whether a command is one of \if's, which count where lines are not run, too.
func isConditional(name string) bool {
	return slices.Contains([]string{"if", "elif", "else", "endif"}, name)
}

// conditional follows an \if, \elif, \else or \endif.
func (f *file) conditional(c command) error {
	if c.name == "if" {
		b := branch{done: true}
		if f.live() {
			b.live = f.truth(c)
			b.done = b.live
		}
		f.branches = append(f.branches, b)
		return f.output
	}
	if len(f.branches) == 0 {
		return f.complain(`\%s: no matching \if`, c.name)
	}
	b := &f.branches[len(f.branches)-1]
	switch {
	case c.name == "endif":
		f.branches = f.branches[:len(f.branches)-1]
	case b.last && c.name == "elif":
		return f.complain(`\elif: cannot occur after \else`)
	case b.last:
		return f.complain(`\else: cannot occur after \else`)
	case c.name == "else":
		b.live, b.done, b.last = !b.done, true, true
	case b.done:
		b.live = false
	default:
		b.live = f.truth(c)
		b.done = b.live
	}
	return f.output
}

// truth reads the condition of a branch. What is neither true nor false is said, and false, but ends no script, as in psql.
func (f *file) truth(c command) bool {
	value := strings.ToLower(strings.Join(c.args, " "))
	for word, is := range map[string]bool{"true": true, "yes": true, "on": true, "1": true, "false": false, "no": false, "off": false, "0": false} {
		// A word may be cut short, as long as it stays different from others.
		if value != "" && strings.HasPrefix(word, value) && value != "o" {
			return is
		}
	}
	f.printf(f.cfg.Stderr, "psql:%s:%d: error: unrecognized value \"%s\" for \"\\%s expression\": Boolean expected\n",
		f.place.path, f.place.line, strings.Join(c.args, " "), c.name)
	return false
}
