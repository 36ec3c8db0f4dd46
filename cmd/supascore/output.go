package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/mattn/go-isatty"
	"github.com/muesli/termenv"
)

// The rules of everything that this program says to a person:
//
//   - results go to stdout, progress and errors to stderr
//   - an error is one line "supascore: error: …", then, where there is a remedy,
//     "supascore: hint: …"; lower case, no full stop
//   - colour and moving progress only on a terminal, never with NO_COLOR
//   - a passing check is one line; a red one says what was expected, what was seen
//     and the likeliest cause
type printer struct {
	stdout, stderr io.Writer
	// live is true when stderr is a terminal that can redraw a line.
	live bool
	// verbose is true with --verbose: a line for every phase, no line that moves.
	verbose bool
	// render styles what goes to stdout, renderErr what goes to stderr.
	render, renderErr *lipgloss.Renderer
}

func newPrinter(stdout, stderr io.Writer, colour bool) *printer {
	p := &printer{stdout: stdout, stderr: stderr, live: isTerminal(stderr)}
	p.render = renderer(stdout, colour)
	p.renderErr = renderer(stderr, colour)
	return p
}

func renderer(w io.Writer, colour bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(w)
	if !colour || !isTerminal(w) {
		r.SetColorProfile(termenv.Ascii)
	}
	return r
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && isatty.IsTerminal(file.Fd())
}

func (p *printer) printf(format string, args ...any) {
	fmt.Fprintf(p.stdout, format, args...)
}

// note is a line about what is going on, for stderr. It may be called from several
// goroutines: a line is one write.
func (p *printer) note(format string, args ...any) {
	io.WriteString(p.stderr, "supascore: "+fmt.Sprintf(format, args...)+"\n") //nolint:errcheck // nobody could be told
}

// error says what went wrong and, where the error knows it, what to do.
func (p *printer) error(err error) {
	red := p.renderErr.NewStyle().Foreground(lipgloss.Color("9"))
	fmt.Fprintf(p.stderr, "supascore: %s %s\n", red.Render("error:"), strings.TrimSpace(err.Error()))
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		for line := range strings.SplitSeq(strings.TrimSpace(hinted.Hint()), "\n") {
			fmt.Fprintf(p.stderr, "supascore: hint: %s\n", line)
		}
	}
}

// indent puts text on lines that start with prefix.
func indent(text, prefix string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return prefix + strings.Join(lines, "\n"+prefix)
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
