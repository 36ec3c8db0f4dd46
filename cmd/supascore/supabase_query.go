package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/standin/query"
)

func (a *app) supabaseQueryCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "query [sql]", Short: "Execute a SQL query against the database",
		Long: `Execute one SQL statement, given as an argument, with --file or on stdin.

For a person the result is a table. For an agent, which is recognized by its
environment or by --agent=yes, it is JSON in an envelope that marks the rows as data.`,
		Args: cobra.MaximumNArgs(1),
	}
	databaseFlags(c)
	file := c.Flags().StringP("file", "f", "", "path to a SQL file to execute")
	format := c.Flags().StringP("output", "o", "", "output format: table, json or csv (default table, for agents json)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if !slices.Contains([]string{"", "json", "table", "csv"}, *format) {
			return fmt.Errorf("invalid argument %q for \"-o, --output\" flag: must be one of [ json | table | csv ]", *format)
		}
		sql, err := a.querySQL(args, *file)
		if err != nil {
			return err
		}
		agent, err := a.isAgent(c)
		if err != nil {
			return err
		}
		conn, chosen, err := a.connect(c)
		if err != nil {
			return err
		}
		defer hangUp(c.Context(), conn)
		result, err := query.Run(c.Context(), conn, sql)
		switch {
		case err != nil:
			return err
		case len(result.Columns) == 0:
			a.out.printf("%s\n", result.Tag)
			return nil
		case *format == "csv":
			return result.CSV(a.stdout)
		case *format == "table", *format == "" && !agent:
			return result.Table(a.stdout)
		case !agent:
			return query.WriteJSON(a.stdout, result.Objects())
		}
		return a.enclosed(c, conn, chosen, result)
	}
	return c
}

// enclosed writes a result for an agent.
func (a *app) enclosed(c *cobra.Command, conn *pgx.Conn, chosen choice, result query.Result) error {
	boundary := make([]byte, 16)
	if _, err := rand.Read(boundary); err != nil {
		return fmt.Errorf("failed to generate boundary ID: %w", err)
	}
	open, err := query.Exposed(c.Context(), conn, chosen.project.config.API.Schemas)
	if err != nil {
		return err
	}
	return query.WriteJSON(a.stdout, result.Enclose(hex.EncodeToString(boundary), query.AdviseRLS(open)))
}

// querySQL finds the statement: in the file, else in the argument, else on stdin.
func (a *app) querySQL(args []string, file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("failed to read SQL file: %w", err)
		}
		return string(text), nil
	}
	if len(args) > 0 {
		return args[0], nil
	}
	if f, ok := a.stdin.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		return "", cliError("no SQL query provided. Pass SQL as an argument, via --file, or pipe to stdin")
	}
	text, err := io.ReadAll(a.stdin)
	if err != nil {
		return "", fmt.Errorf("failed to read from stdin: %w", err)
	}
	if len(text) == 0 {
		return "", errors.New("no SQL provided via stdin")
	}
	return string(text), nil
}

// agentSigns are the variables by which the CLI recognizes that an agent calls it.
func agentSigns() []string {
	return []string{
		"AI_AGENT", "CURSOR_AGENT", "CURSOR_EXTENSION_HOST_ROLE", "GEMINI_CLI", "CODEX_SANDBOX", "CODEX_CI", "CODEX_THREAD_ID",
		"ANTIGRAVITY_AGENT", "AUGMENT_AGENT", "OPENCODE_CLIENT", "CLAUDECODE", "CLAUDE_CODE", "REPL_ID",
		"COPILOT_MODEL", "COPILOT_ALLOW_ALL", "COPILOT_GITHUB_TOKEN",
	}
}

// isAgent reports whether output is for an agent: by --agent, or by the environment.
func (a *app) isAgent(c *cobra.Command) (bool, error) {
	choice, err := c.Flags().GetString("agent")
	switch {
	case err != nil:
		return false, err
	case choice == "yes" || choice == "no":
		return choice == "yes", nil
	case choice != "auto":
		return false, fmt.Errorf("invalid argument %q for \"--agent\" flag: must be one of [ auto | yes | no ]", choice)
	}
	return slices.ContainsFunc(agentSigns(), func(name string) bool { return strings.TrimSpace(a.getenv(name)) != "" }), nil
}
