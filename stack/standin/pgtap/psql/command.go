package psql

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// command is one backslash command.
type command struct {
	name string
	args []string
	err  string // why it cannot be read, "" when it can
}

// parse reads the command at the beginning of a text, and returns what follows it: after the line, or the next command in it.
func (s *session) parse(text string) (command, string) {
	rest := text[1:]
	n := strings.IndexAny(rest, " \t\n\r\f\v\\")
	if n < 0 {
		n = len(rest)
	}
	c := command{name: rest[:n]}
	rest = rest[n:]
	for {
		rest = strings.TrimLeft(rest, " \t\r\f\v")
		switch {
		case rest == "":
			return c, ""
		case rest[0] == '\n':
			return c, rest[1:]
		case strings.HasPrefix(rest, `\\`):
			return c, rest[2:]
		case rest[0] == '\\':
			return c, rest
		}
		arg, length, problem := s.argument(rest)
		if problem != "" {
			c.err = problem
			_, after, _ := strings.Cut(rest, "\n")
			return c, after
		}
		c.args = append(c.args, arg)
		rest = rest[length:]
	}
}

// argument reads one argument and returns its value, its length in the text, and what is wrong with it.
func (s *session) argument(text string) (value string, length int, problem string) {
	var b strings.Builder
	for length < len(text) {
		switch c := text[length]; {
		case strings.IndexByte(" \t\n\r\f\v\\", c) >= 0:
			return b.String(), length, ""
		case c == '\'':
			part, n, ok := unquote(text[length:])
			if !ok {
				return "", 0, "unterminated quoted string"
			}
			b.WriteString(part)
			length += n
		case c == '"':
			end := strings.IndexAny(text[length+1:], "\"\n")
			if end < 0 || text[length+1+end] == '\n' {
				return "", 0, "unterminated quoted string"
			}
			b.WriteString(text[length : length+end+2]) // the quotes stay, as in psql
			length += end + 2
		case c == '`':
			return "", 0, "programs are not run by supascore's stand-in for psql"
		case c == ':':
			part, n := s.variable(text[length:])
			if n == 0 {
				part, n = ":", 1
			}
			b.WriteString(part)
			length += n
		default:
			b.WriteByte(c)
			length++
		}
	}
	return b.String(), length, ""
}

// unquote reads a string in single quotes, in which backslashes escape as in C.
func unquote(text string) (value string, length int, ok bool) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' && strings.HasPrefix(text[i+1:], "'"):
			b.WriteByte('\'')
			i++
		case c == '\'':
			return b.String(), i + 1, true
		case c == '\\' && i+1 < len(text):
			i++
			escape := strings.IndexByte("ntbrf", text[i])
			if escape >= 0 {
				b.WriteByte("\n\t\b\r\f"[escape])
			} else {
				b.WriteByte(text[i])
			}
		case c == '\n':
			return "", 0, false
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// command runs a backslash command. It reports whether the query before it is done with.
func (f *file) command(ctx context.Context, c command, query string) (done bool, err error) {
	if c.err != "" {
		return false, f.refuse(`\%s: %s`, c.name, c.err)
	}
	switch c.name {
	case "set":
		return false, f.set(c.args)
	case "unset":
		if len(c.args) == 0 {
			return false, f.complain(`\unset: missing required argument`)
		}
		delete(f.vars, c.args[0])
	case "echo", "qecho":
		f.echo(c.args, false)
	case "warn":
		f.echo(c.args, true)
	case "i", "include", "ir", "include_relative":
		return false, f.include(ctx, c)
	case "g", "gset", "gexec":
		return true, f.send(ctx, c, query)
	case "r", "reset":
		return true, nil
	case "if", "elif", "else", "endif":
		return false, f.conditional(c)
	case "q", "quit":
		f.quit = true
	default:
		if !f.isFormat(c) {
			return false, f.refuse(`\%s is not supported by supascore's stand-in for psql`, strings.Join(append([]string{c.name}, c.args...), " "))
		}
	}
	return false, f.output
}

// set sets a variable to the rest of the arguments, without spaces between them, as psql does.
func (f *file) set(args []string) error {
	if len(args) == 0 {
		for _, name := range slices.Sorted(maps.Keys(f.vars)) {
			f.printf(f.cfg.Stdout, "%s = '%s'\n", name, f.vars[name])
		}
		return f.output
	}
	name, value := args[0], strings.Join(args[1:], "")
	switch {
	case name == "" || nameLength(name) != len(name):
		return f.complain("invalid variable name: %q", name)
	case len(args) == 1 && slices.Contains([]string{"ON_ERROR_STOP", "ON_ERROR_ROLLBACK", "QUIET"}, name):
		value = "on"
	case name == "AUTOCOMMIT" && !strings.EqualFold(value, "on"), name == "ECHO" && value != "none" && value != "",
		name == "SINGLELINE" && value != "off", name == "FETCH_COUNT" && value != "0":
		return f.refuse(`\set %s %s is not supported by supascore's stand-in for psql`, name, value)
	}
	f.vars[name] = value
	return nil
}

func (f *file) echo(args []string, warn bool) {
	end, out := "\n", f.cfg.Stdout
	if len(args) > 0 && args[0] == "-n" {
		args, end = args[1:], ""
	}
	if warn {
		out = f.cfg.Stderr
	}
	f.printf(out, "%s%s", strings.Join(args, " "), end)
}

// include runs another file: \ir finds it beside the file that names it, \i in the working folder.
func (f *file) include(ctx context.Context, c command) error {
	if len(c.args) == 0 {
		return f.complain(`\%s: missing required argument`, c.name)
	}
	path, base := c.args[0], f.cfg.Dir
	if strings.Contains(c.name, "r") && !filepath.IsAbs(path) { // ir, include_relative
		path = filepath.Join(filepath.Dir(f.place.path), path)
	}
	text, err := f.read(base, path)
	if err != nil {
		return f.complain("%s", err)
	}
	return f.script(ctx, path, text)
}

// send sends the query before a \g, \gset or \gexec.
func (f *file) send(ctx context.Context, c command, query string) error {
	switch {
	case strings.TrimSpace(query) == "":
		return nil
	case c.name == "g" && len(c.args) > 0:
		return f.refuse(`\g with an argument is not supported by supascore's stand-in for psql`)
	case c.name == "g":
		return f.query(ctx, query, f.show)
	case c.name == "gset":
		prefix := strings.Join(c.args, "")
		return f.query(ctx, query, func(t table) error { return f.gset(prefix, t) })
	}
	var statements []string
	err := f.query(ctx, query, func(t table) error {
		for _, row := range t.rows {
			for _, cell := range row {
				if cell != nil {
					statements = append(statements, *cell)
				}
			}
		}
		return nil
	})
	for _, sql := range statements {
		if err != nil {
			return err
		}
		err = f.query(ctx, sql, f.show)
	}
	return err
}

// gset keeps the one row of a result in variables. NULL unsets.
func (f *file) gset(prefix string, t table) error {
	switch {
	case len(t.columns) == 0:
		return nil
	case len(t.rows) == 0:
		return f.complain(`no rows returned for \gset`)
	case len(t.rows) > 1:
		return f.complain(`more than one row returned for \gset`)
	}
	for i, column := range t.columns {
		name := prefix + column
		switch value := t.rows[0][i]; {
		case nameLength(name) != len(name):
			return f.complain("invalid variable name: %q", name)
		case value == nil:
			delete(f.vars, name)
		default:
			f.vars[name] = *value
		}
	}
	return nil
}

// isFormat reports whether a command asks for the output to look as it does anyway.
func (f *file) isFormat(c command) bool {
	args := append(slices.Clone(c.args), "", "")
	value := strings.ToLower(args[1])
	on := slices.Contains([]string{"on", "true", "yes", "1"}, value)
	switch c.name {
	case "pset":
		switch args[0] {
		case "null":
			f.null = args[1]
			return true
		case "format":
			return value == "unaligned"
		case "tuples_only", "t":
			return on
		case "pager", "border", "linestyle", "footer", "title", "columns":
			return true
		}
	case "t":
		return args[0] == "on"
	case "timing", "x", "a":
		return args[0] == "off"
	case "encoding":
		return strings.EqualFold(args[0], "utf8") || strings.EqualFold(args[0], "utf-8")
	}
	return false
}
