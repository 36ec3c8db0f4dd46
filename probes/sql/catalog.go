package sql

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/internal/bare"
)

var (
	//go:embed tables.sql
	tablesSQL string
	//go:embed functions.sql
	functionsSQL string
	//go:embed hook.sql
	hookSQL string
	//go:embed hookreads.sql
	hookReadsSQL string
	//go:embed hooksimilar.sql
	hookSimilarSQL string
)

// Catalog reads the facts of tables and of the functions in a schema.
func (d *DB) Catalog(ctx context.Context, tables []string, schema string) *probes.CatalogObservation {
	start := time.Now()
	seen := &probes.CatalogObservation{Timing: probes.Timing{Started: start.UTC()}}
	if err := d.readCatalog(ctx, seen, tables, schema); err != nil {
		seen.Trouble = err.Error()
	}
	seen.MS = bare.Milliseconds(time.Since(start))
	return seen
}

func (d *DB) readCatalog(ctx context.Context, seen *probes.CatalogObservation, tables []string, schema string) error {
	type table struct {
		Name  string
		Facts *probes.TableFacts
	}
	rows, err := query(ctx, d, pgx.RowToStructByPos[table], tablesSQL, tables)
	if err != nil {
		return fmt.Errorf("read the facts of tables: %w", err)
	}
	seen.Tables = make(map[string]*probes.TableFacts, len(rows))
	for _, row := range rows {
		seen.Tables[row.Name] = row.Facts
	}
	type function struct {
		Facts  probes.FunctionFacts
		Source string
	}
	functions, err := query(ctx, d, pgx.RowToStructByPos[function], functionsSQL, schema)
	if err != nil {
		return fmt.Errorf("read the functions of %s: %w", schema, err)
	}
	for _, function := range functions {
		for _, table := range tables {
			if _, name, _ := strings.Cut(table, "."); mentions(withoutComments(function.Source), name) {
				function.Facts.Mentions = append(function.Facts.Mentions, table)
			}
		}
		seen.Functions = append(seen.Functions, function.Facts)
	}
	return nil
}

// Hook asks the database for the function that a hook's uri names. The
// observation's Config is the caller's to know.
func (d *DB) Hook(ctx context.Context, config probes.HookConfig) *probes.HookObservation {
	start := time.Now()
	seen := &probes.HookObservation{Timing: probes.Timing{Started: start.UTC()}, Config: config}
	if config.Function != "" {
		if err := d.readHook(ctx, seen); err != nil {
			seen.Trouble = err.Error()
		} else {
			seen.Checked = true
		}
	}
	seen.MS = bare.Milliseconds(time.Since(start))
	return seen
}

// hookFunction is one row of hook.sql.
type hookFunction struct {
	Signature                         string
	Callable, Usage, Execute, Definer bool
	Source                            string
}

func (d *DB) readHook(ctx context.Context, seen *probes.HookObservation) error {
	config := seen.Config
	functions, err := query(ctx, d, pgx.RowToStructByPos[hookFunction], hookSQL, config.Schema, config.Function)
	if err != nil {
		return fmt.Errorf("look for the hook's function: %w", err)
	}
	if len(functions) == 0 {
		seen.Similar, err = query(ctx, d, pgx.RowTo[string], hookSimilarSQL)
		return err
	}
	seen.Exists = true
	for _, function := range functions {
		seen.Signatures = append(seen.Signatures, function.Signature)
		if !function.Callable || seen.Callable {
			continue
		}
		seen.Callable = true
		seen.SchemaUsage, seen.Execute, seen.Definer = function.Usage, function.Execute, function.Definer
		if seen.Reads, err = d.hookReads(ctx, function.Source, config.Schema); err != nil {
			return err
		}
	}
	return nil
}

// sqlComment is a comment in SQL text. Quoted texts are not told apart: what is
// found is a hint for a note and never a verdict.
var sqlComment = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)

// withoutComments is a function's text in lower case without its comments.
func withoutComments(source string) string {
	return strings.ToLower(sqlComment.ReplaceAllString(source, " "))
}

// hookReads lists the tables that a function's text mentions: those of schema
// public and of the function's own schema by their bare name, others only with
// their schema.
func (d *DB) hookReads(ctx context.Context, source, schema string) ([]probes.HookRead, error) {
	type table struct {
		Schema, Name        string
		Select, RLS, Policy bool
	}
	tables, err := query(ctx, d, pgx.RowToStructByPos[table], hookReadsSQL)
	if err != nil {
		return nil, fmt.Errorf("look for the tables that the hook reads: %w", err)
	}
	source = withoutComments(source)
	var reads []probes.HookRead
	for _, table := range tables {
		qualified := table.Schema + "." + table.Name
		mentioned := qualified
		if table.Schema == "public" || table.Schema == schema {
			mentioned = table.Name
		}
		if mentions(source, mentioned) {
			reads = append(reads, probes.HookRead{
				Table: qualified, Select: table.Select, RLS: table.RLS, Policy: table.Policy,
			})
		}
	}
	return reads, nil
}

// mentions reports whether a text holds a name as a whole word.
func mentions(text, name string) bool {
	pattern := `(^|[^a-z0-9_$])` + regexp.QuoteMeta(strings.ToLower(name)) + `($|[^a-z0-9_$])`
	found, err := regexp.MatchString(pattern, text)
	return err == nil && found
}
