package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/fixtures/recordings"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/native"
	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/embedded"
	replaynative "github.com/supascore/supascore/stack/parity/native"
	"github.com/supascore/supascore/stack/parity/replay"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// parityRun is one `parity`.
type parityRun struct {
	*app
	stack      stackFlags
	recordings string
	groups     []string
	json       string
	show       bool
	parallel   int
}

func (a *app) parityCommand() *cobra.Command {
	r := &parityRun{app: a}
	c := &cobra.Command{
		Use:   "parity",
		Short: "Replay what the real PostgREST and Auth answered, and compare",
		Long: `Replay recordings of the real PostgREST and the real Auth server against an engine,
each scenario on a database of its own, and compare the answers. Exit code 1 when an
answer differs that the list of known gaps does not name, and when a listed gap agrees.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return r.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&r.recordings, "recordings", "", "folder with rest/<group>/*.json and auth/*.json (default: the built-in ones)")
	flags.StringSliceVar(&r.groups, "group", nil, "only these groups: auth, rest, rest/filters, …")
	flags.BoolVar(&r.show, "show", false, "show each difference")
	flags.StringVar(&r.json, "json", "", "write every step's outcome to this file")
	flags.IntVar(&r.parallel, "parallel", 0, "scenarios at once (default: four for each processor)")
	r.stack.register(c)
	return c
}

func (r *parityRun) run(c *cobra.Command) error {
	cfg, err := r.stack.config(c, r.app)
	if err != nil {
		return err
	}
	files, err := r.files(c)
	if err != nil {
		return err
	}
	began := time.Now()
	live := r.out.progress("replaying recordings")
	defer live.stop()
	engine, err := r.engine(c.Context(), cfg)
	if err != nil {
		return err
	}
	groups, err := replay.Run(c.Context(), replay.Config{Recordings: files, Groups: r.groups, Parallel: r.parallel},
		replay.Targets{Auth: engine.Auth(), REST: engine.REST()})
	err = errors.Join(err, engine.Stop(context.WithoutCancel(c.Context())))
	live.stop()
	var unknown *replay.UnknownGroupError
	if errors.As(err, &unknown) {
		return &usageError{err: unknown, hint: unknown.Hint(), command: c.CommandPath()}
	}
	if err != nil {
		return err
	}
	failed := r.out.parity(groups, r.show, time.Since(began))
	if r.json != "" {
		if err := writeFile(r.json, func(w io.Writer) error { return json.NewEncoder(w).Encode(parityJSON(groups)) }); err != nil {
			return fmt.Errorf("save the outcome: %w", err)
		}
	}
	if failed > 0 {
		return verdict(exitFailed)
	}
	return nil
}

// parityEngine is an engine to replay recordings against.
type parityEngine interface {
	Auth() authreplay.Target
	REST() restreplay.Target
	Stop(ctx context.Context) error
}

// engine starts what recordings are replayed against. Of the real servers only those are
// needed whose recordings were chosen.
func (r *parityRun) engine(ctx context.Context, cfg stack.Config) (parityEngine, error) {
	choice, err := stack.ChooseEngine(cfg)
	var missing *native.MissingError
	if errors.As(err, &missing) {
		choice, err = r.oneServer(cfg, missing)
	}
	if err != nil {
		return nil, err
	}
	if choice.Engine == stack.EngineNative {
		return replaynative.Start(ctx, cfg.Postgres, choice.Programs)
	}
	return embedded.Start(ctx, cfg.Postgres)
}

// oneServer is the choice when one of the real servers is missing.
func (r *parityRun) oneServer(cfg stack.Config, missing *native.MissingError) (stack.Choice, error) {
	programs, err := cfg.Programs()
	var still *native.MissingError
	if err != nil && !errors.As(err, &still) {
		return stack.Choice{}, err
	}
	needed := map[string]string{"auth": programs.Auth.Path, "rest": programs.PostgREST.Path}
	for _, group := range r.groups {
		service, _, _ := strings.Cut(group, "/")
		if needed[service] == "" {
			return stack.Choice{}, missing
		}
	}
	if len(r.groups) == 0 {
		return stack.Choice{}, missing
	}
	return stack.Choice{Engine: stack.EngineNative, Programs: programs}, nil
}

func (r *parityRun) files(c *cobra.Command) (fs.FS, error) {
	if r.recordings == "" {
		return recordings.Files, nil
	}
	if info, err := os.Stat(r.recordings); err != nil || !info.IsDir() {
		return nil, usagef(c, "", "recordings %s: there is no such folder", r.recordings)
	}
	return os.DirFS(r.recordings), nil
}

// parity shows the outcome group by group and returns how many findings fail.
func (p *printer) parity(groups []replay.Group, show bool, elapsed time.Duration) int {
	failed, agreed, all := 0, 0, 0
	p.printf("%-24s %7s %7s %10s\n", "group", "agree", "differ", "known gap")
	for _, g := range groups {
		count := map[parity.Verdict]int{}
		for _, f := range g.Report.Findings {
			count[f.Verdict]++
		}
		agree, total := g.Report.Count()
		agreed, all, failed = agreed+agree, all+total, failed+len(g.Report.Failed())
		p.printf("%-24s %7d %7d %10d\n", g.Name, agree, count[parity.Differs], count[parity.Known])
		for _, f := range g.Report.Findings {
			p.finding(f, show)
		}
	}
	p.printf("%d of %d answers agree  %s\n", agreed, all, p.faint(seconds(elapsed)))
	return failed
}

func (p *printer) finding(f parity.Finding, show bool) {
	if f.Verdict == parity.Agrees || (f.Verdict == parity.Known && !show) {
		return
	}
	p.printf("    %s: %s, %q", f.Verdict, f.Step.Scenario, f.Step.Step)
	if f.Reason != "" {
		p.printf(" (%s)", f.Reason)
	}
	p.printf("\n")
	if show && !f.Step.Agrees() {
		p.printf("%s\n", indent(f.Step.Diff(), "      "))
	}
}

// stepJSON is one step in the file that --json writes.
type stepJSON struct {
	Group    string `json:"group"`
	Scenario string `json:"scenario"`
	Step     string `json:"step"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitempty"`
	Diff     string `json:"diff,omitempty"`
}

func parityJSON(groups []replay.Group) []stepJSON {
	out := []stepJSON{}
	for _, g := range groups {
		for _, f := range g.Report.Findings {
			step := stepJSON{
				Group: g.Name, Scenario: f.Step.Scenario, Step: f.Step.Step, Verdict: string(f.Verdict), Reason: f.Reason,
			}
			if !f.Step.Agrees() {
				step.Diff = f.Step.Diff()
			}
			out = append(out, step)
		}
	}
	return out
}
