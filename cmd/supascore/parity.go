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
	attach     attachFlags
	workspace  string
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
answer differs that the list of known gaps does not name, and when a listed gap agrees.

With --engine attach, a stack that runs already is asked what its settings allow, one
scenario after the other in its own database, which has to be empty and is given back as
it was. What is not asked is counted and says why.`,
		Example: `  supascore parity --group rest/filters --show
  supascore parity --engine attach --from-cli`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return r.run(c) },
	}
	flags := c.Flags()
	flags.StringVar(&r.recordings, "recordings", "", "folder with rest/<group>/*.json and auth/*.json (default: the built-in ones)")
	flags.StringSliceVar(&r.groups, "group", nil, "only these groups: auth, rest, rest/filters, …")
	flags.BoolVar(&r.show, "show", false, "show each difference")
	flags.StringVar(&r.json, "json", "", "write every step's outcome to this file")
	flags.IntVar(&r.parallel, "parallel", 0, "scenarios at once (default: four for each processor)")
	r.attach.lends = true
	r.stack.attach = &r.attach
	r.stack.register(c)
	r.attach.register(c)
	flags.StringVarP(&r.workspace, "workspace", "w", ".", "the project folder of the running stack, with --engine attach")
	return c
}

func (r *parityRun) run(c *cobra.Command) error {
	cfg, err := r.stack.config(c, r.app)
	if err != nil {
		return err
	}
	if err := r.checkAttach(c, cfg); err != nil {
		return err
	}
	files, err := r.files(c)
	if err != nil {
		return err
	}
	began := time.Now()
	live := r.out.progress("replaying recordings")
	defer live.stop()
	engine, err := r.engine(c, cfg)
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
	passed := r.out.parity(groups, r.show, time.Since(began))
	if r.json != "" {
		if err := writeFile(r.json, func(w io.Writer) error { return json.NewEncoder(w).Encode(parityJSON(groups)) }); err != nil {
			return fmt.Errorf("save the outcome: %w", err)
		}
	}
	if !passed {
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
func (r *parityRun) engine(c *cobra.Command, cfg stack.Config) (parityEngine, error) {
	if cfg.Engine == stack.EngineAttach {
		return r.attached(c, cfg)
	}
	ctx := c.Context()
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
			if f.Verdict != parity.NotAsked && !f.Step.Agrees() {
				step.Diff = f.Step.Diff()
			}
			out = append(out, step)
		}
	}
	return out
}
