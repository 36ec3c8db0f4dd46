package docs

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fetched is what a command line fetches to its output.
type fetched struct {
	// urls are the addresses, in order.
	urls []string
	// curlWithoutFail is true when a curl among them would print an error page too.
	curlWithoutFail bool
	// otherCommands is true when another command of a list may have printed the
	// output. The later stages of a pipe do not count.
	otherCommands bool
}

// maxCommand is the length from which a command is not looked at.
const maxCommand = 64 << 10

// fetches reads a command line. Only curl and wget count, at the start of a command
// (assignments aside), and only when they write to the output. A list of commands
// leaves open which of them printed.
func fetches(command string) fetched {
	statements := dropTrue(unwrap(parse(command), 0))
	found := fetched{otherCommands: commands(statements) > 1}
	for _, segment := range segments(statements, false) {
		urls, failing := segment.fetch()
		found.urls = append(found.urls, urls...)
		found.curlWithoutFail = found.curlWithoutFail || len(urls) > 0 && !failing
	}
	return found
}

// parse reads a command as bash does. Where the whole cannot be read, such as in
// another shell's syntax, the lines that can be are.
func parse(command string) []*syntax.Stmt {
	if len(command) > maxCommand {
		return nil
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	if file, err := parser.Parse(strings.NewReader(command), ""); err == nil {
		return file.Stmts
	}
	var statements []*syntax.Stmt
	for _, line := range strings.Split(command, "\n") {
		if file, err := parser.Parse(strings.NewReader(line), ""); err == nil {
			statements = append(statements, file.Stmts...)
		}
	}
	return statements
}

// unwrap replaces a command that consists of a shell with a command, such as
// /bin/bash -lc '…', by that command.
func unwrap(statements []*syntax.Stmt, depth int) []*syntax.Stmt {
	if len(statements) != 1 || depth > 3 || len(statements[0].Redirs) > 0 {
		return statements
	}
	call, ok := statements[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 3 {
		return statements
	}
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i], _ = plain(arg)
	}
	if !slices.Contains([]string{"bash", "sh", "zsh"}, path.Base(words[0])) {
		return statements
	}
	for i, word := range words[1:] {
		if !strings.HasPrefix(word, "-") {
			break
		}
		if !strings.HasPrefix(word, "--") && strings.Contains(word, "c") && i+2 < len(words) {
			return unwrap(parse(words[i+2]), depth+1)
		}
	}
	return statements
}

// dropTrue removes a final "|| true" from a command: it changes the exit code and
// prints nothing.
func dropTrue(statements []*syntax.Stmt) []*syntax.Stmt {
	if len(statements) == 0 {
		return statements
	}
	last := len(statements) - 1
	binary, ok := statements[last].Cmd.(*syntax.BinaryCmd)
	if !ok || binary.Op != syntax.OrStmt {
		return statements
	}
	call, ok := binary.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 {
		return statements
	}
	if word, _ := plain(call.Args[0]); word != "true" && word != ":" {
		return statements
	}
	return append(slices.Clone(statements[:last]), binary.X)
}

// commands counts the commands of a list; a pipe is one.
func commands(statements []*syntax.Stmt) int {
	count := 0
	for _, statement := range statements {
		count += commandsIn(statement)
	}
	return count
}

func commandsIn(statement *syntax.Stmt) int {
	switch cmd := statement.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			return commandsIn(cmd.X) + commandsIn(cmd.Y)
		}
	case *syntax.Subshell:
		return commands(cmd.Stmts)
	case *syntax.Block:
		return commands(cmd.Stmts)
	}
	return 1
}
