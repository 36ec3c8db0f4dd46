package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/stack"
)

// evalRun is one `eval run`.
type evalRun struct {
	*app
	stack      stackFlags
	attach     attachFlags
	workspace  string
	transcript string
	json       string
	junit      string
	markdown   string
	from       string
	strict     bool
	keep       bool
}

func (a *app) evalRunCommand() *cobra.Command {
	r := &evalRun{app: a}
	c := &cobra.Command{
		Use:   "run EVAL --workspace DIR",
		Short: "Boot a workspace, drive it as its users, and score it",
		Long: `Boot a workspace, drive it as its users, and score it by an eval.

With --engine attach, nothing is booted: the stack that already runs for the workspace
is scored as it is, found by the record of "supascore stack start", by "supabase status"
(--from-cli), or by its addresses and keys. No migrations are applied, and the people
and rows of the run are removed afterwards unless --keep is given.

With --from, a saved result is judged again by its observations, without a stack.`,
		Example: `  supascore eval run build-docs-009-custom-claims-rbac --workspace ./forum
  supascore eval run build-docs-009-custom-claims-rbac --workspace ./forum --transcript run.jsonl --json result.json
  supascore eval run build-docs-009-custom-claims-rbac --workspace ./forum --engine attach --from-cli
  supascore eval run --from result.json`,
		Args: func(c *cobra.Command, args []string) error {
			if r.from != "" && len(args) == 0 {
				return nil
			}
			return oneEval(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args) },
	}
	flags := c.Flags()
	flags.StringVarP(&r.workspace, "workspace", "w", "", "the project folder to score, the one with supabase/ in it")
	flags.StringVar(&r.transcript, "transcript", "", "the agent's transcript: claude-code stream-json, codex exec --json or opencode run --format json")
	flags.StringVar(&r.json, "json", "", "write the result to this file; - is stdout instead of the table")
	flags.StringVar(&r.junit, "junit", "", "write the checks as JUnit XML to this file; - is stdout instead of the table")
	flags.StringVar(&r.markdown, "markdown", "", "write the checks as Markdown, for a pull request or a CI summary, to this file; - is stdout instead of the table")
	flags.StringVar(&r.from, "from", "", "judge this saved result again, without a stack")
	flags.BoolVar(&r.strict, "strict", false, "checks that could not be measured fail the verdict")
	flags.BoolVar(&r.keep, "keep", false, "keep the stack running after scoring, until Ctrl-C; keep the run's data in one that ran before")
	r.stack.register(c)
	r.stack.attach = &r.attach
	r.attach.register(c)
	return c
}

func (r *evalRun) run(c *cobra.Command, args []string) error {
	if err := oneStdout(c, map[string]string{"json": r.json, "junit": r.junit, "markdown": r.markdown}); err != nil {
		return err
	}
	if r.from != "" {
		return r.rejudge(c, args)
	}
	if r.workspace == "" {
		return usagef(c, "add --workspace DIR, the folder that holds supabase/config.toml", "no workspace is given")
	}
	eval, err := findEval(c, args[0])
	if err != nil {
		return err
	}
	cfg, err := r.stack.config(c, r.app)
	if err != nil {
		return err
	}
	score := supascore.ScoreConfig{
		Eval: eval, Workspace: r.workspace, Transcript: r.transcript, Strict: r.strict, Stack: cfg, Log: cfg.Log,
		KeepData: r.keep,
	}
	live := r.out.progress("scoring " + filepath.Base(filepath.Clean(r.workspace)))
	score.OnPhase = live.phase
	if goesOn := cfg.Engine == stack.EngineAttach && !r.attach.start; r.keep && !goesOn {
		score.OnReady = func(ctx context.Context, running *stack.Stack) { live.stop(); r.hold(ctx, running) }
	}
	result, err := supascore.Score(c.Context(), score)
	live.stop()
	if result == nil {
		return asUsage(c, err)
	}
	return r.report(eval, result, err)
}

// asUsage makes a wrong folder or transcript what it is: a wrong command line.
func asUsage(c *cobra.Command, err error) error {
	var folder *supascore.FolderError
	var transcript *supascore.TranscriptError
	switch {
	case errors.As(err, &folder):
		return &usageError{err: err, hint: folder.Hint(), command: c.CommandPath()}
	case errors.As(err, &transcript):
		return &usageError{err: err, hint: transcript.Hint(), command: c.CommandPath()}
	}
	return err
}

// hold keeps the stack up until the run is interrupted.
func (r *evalRun) hold(ctx context.Context, running *stack.Stack) {
	r.out.endpoints(running.Endpoints())
	r.out.note("the stack keeps running; press Ctrl-C to stop it")
	select {
	case <-ctx.Done():
	case <-running.Done():
	}
}

func (r *evalRun) rejudge(c *cobra.Command, args []string) error {
	file, err := os.Open(r.from)
	if err != nil {
		return usagef(c, "", "open the saved result: %w", err)
	}
	defer file.Close()
	saved, err := evals.ReadResult(file)
	if err != nil {
		return usagef(c, "--from takes a file that eval run --json wrote", "%s: %w", r.from, err)
	}
	id := saved.Eval
	if len(args) == 1 {
		id = args[0]
	}
	eval, err := findEval(c, id)
	if err != nil {
		return err
	}
	result, err := supascore.Rejudge(eval, saved, r.strict)
	if err != nil {
		return usagef(c, "", "%s: %w", r.from, err)
	}
	return r.report(eval, result, nil)
}

// report writes the result file and shows the table. What ended the run early is
// returned after both.
func (r *evalRun) report(eval *evals.Eval, result *evals.Result, trouble error) error {
	if r.json != "-" && r.junit != "-" && r.markdown != "-" {
		r.out.result(eval, result)
	}
	err := errors.Join(
		r.save(r.json, result.Write),
		r.save(r.junit, func(w io.Writer) error { return evalJUnit(w, result) }),
		r.save(r.markdown, func(w io.Writer) error { return evalMarkdown(w, result) }),
	)
	if err != nil {
		return fmt.Errorf("save the result: %w", err)
	}
	if trouble != nil {
		return trouble
	}
	if result.Error != "" {
		return hintedError{errors.New(result.Error), result.Hint}
	}
	return verdict(exitCode(result.Verdict().ExitCode()))
}
