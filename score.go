package supascore

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/runner"
	"github.com/supascore/supascore/scorers"
	"github.com/supascore/supascore/stack"
)

// ScoreConfig says what to score and with what.
type ScoreConfig struct {
	// Eval is what to score by. Required.
	Eval *evals.Eval
	// Workspace is the folder to score, as the user named it. Required; the folder
	// has to exist, an unusable content is a finding.
	Workspace string
	// Transcript is the file of the agent's transcript; empty when there is none,
	// which leaves the checks that need one unmeasured.
	Transcript string
	// Strict fails the verdict when a check is unmeasured.
	Strict bool
	// Stack says how to boot. Its fields Workspace and OnPhase are overwritten.
	Stack stack.Config
	// KeepData leaves the people and rows of the run in a stack that ran before and goes
	// on; otherwise they are removed after the last probe.
	KeepData bool
	// Run is the run's eight hex digits, part of every e-mail address; empty makes
	// fresh ones.
	Run string
	// OnPhase is told when a phase begins; may be nil. Calls may come from several
	// goroutines.
	OnPhase func(name string)
	// OnReady is called when the probes are done and the stack is still running;
	// the stack is stopped when it returns. May be nil.
	OnReady func(ctx context.Context, running *stack.Stack)
	// Log receives what happens; nil discards it.
	Log *slog.Logger
}

func (c ScoreConfig) withDefaults() (ScoreConfig, error) {
	if c.Eval == nil {
		return c, errors.New("no eval is given")
	}
	if c.Run == "" {
		var raw [4]byte
		if _, err := rand.Read(raw[:]); err != nil {
			return c, fmt.Errorf("make the run's id: %w", err)
		}
		c.Run = hex.EncodeToString(raw[:])
	}
	if c.OnPhase == nil {
		c.OnPhase = func(string) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Stack.Workspace, c.Stack.OnPhase = c.Workspace, c.OnPhase
	if c.Stack.Log == nil {
		c.Stack.Log = c.Log
	}
	return c, nil
}

const (
	// stopTimeout bounds how long a stack may take to stop after a run.
	stopTimeout = 15 * time.Second
	// noticeTimeout bounds how much later than the probes a stack notices that a
	// part of it died.
	noticeTimeout = 5 * time.Second
)

// Score boots the workspace, runs the eval's probes and judges what they saw. It
// returns a result whenever the eval and the workspace's folder exist: a workspace
// that cannot be booted is a red check, and trouble that is nobody's fault but the
// machine's or the harness's is in the result's Error and, when the run was
// cancelled, also the returned error (ctx's).
func Score(ctx context.Context, cfg ScoreConfig) (*evals.Result, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkFolder(cfg.Workspace); err != nil {
		return nil, err
	}
	plan, err := scorers.Plan(cfg.Eval)
	if err != nil {
		return nil, fmt.Errorf("eval %s: %w", cfg.Eval.ID, err)
	}
	r := &run{cfg: cfg, plan: plan, result: &evals.Result{
		Version: evals.ResultVersion, Eval: cfg.Eval.ID, Workspace: cfg.Workspace,
		Started: time.Now().UTC(), Hashes: evals.Hashes{Eval: cfg.Eval.Hash}, Settings: map[string]string{},
	}}
	docs, err := r.readTranscript()
	if err != nil {
		return nil, err
	}
	seen, trouble := r.observe(ctx)
	seen.Docs = docs
	return r.finish(ctx, seen, trouble)
}

// run is one scoring under way.
type run struct {
	cfg    ScoreConfig
	plan   probes.Plan
	result *evals.Result
	// complete is true when every probe is done: what is cancelled after that
	// changes nothing that was seen.
	complete bool
}

// observe boots the stack, probes it and stops it.
func (r *run) observe(ctx context.Context) (seen *probes.Observations, err error) {
	seen = &probes.Observations{Version: probes.ObservationsVersion, Run: r.cfg.Run}
	running, err := stack.Start(ctx, r.cfg.Stack)
	if running != nil {
		r.describe(running)
		defer func() { err = errors.Join(err, r.stop(ctx, running)) }()
	}
	if err != nil {
		return seen, r.notStarted(seen, running, err)
	}
	if state, ok := withoutAuth(running); ok {
		seen.Stack = state
		seen.Hooks = hooksSeen(running)
		return seen, nil
	}
	target := targetOf(running)
	watched, cancel := endWith(ctx, running)
	defer cancel(nil)
	observed, err := runner.Run(watched, runner.Config{
		Target: target, Plan: r.plan, Run: r.cfg.Run, Log: r.cfg.Log, OnBegin: r.cfg.OnPhase, OnPhase: r.phase,
		Borrowed: borrowed(running.Attachment(), r.cfg.KeepData),
	})
	if observed != nil {
		seen = observed
		r.result.Notes = append(r.result.Notes, leftNotes(observed)...)
	}
	seen.Stack = readyState(running)
	r.complete = err == nil
	if died := died(running, seen.Before, seen.After); died != nil {
		err, r.complete = died, false
	}
	if r.cfg.OnReady != nil && err == nil {
		r.cfg.OnReady(ctx, running)
	}
	return seen, err
}

// died is why the stack is gone, or does not answer any more; nil when it is well.
func died(running *stack.Stack, looks ...*probes.Liveness) error {
	for _, look := range looks {
		if look == nil || look.OK {
			continue
		}
		// What the probes noticed the stack notices too, if not at the same moment.
		select {
		case <-running.Done():
			return running.Err()
		case <-time.After(noticeTimeout):
			return fmt.Errorf("the stack stopped answering: %s%s%s", look.Postgres, look.Auth, look.REST)
		}
	}
	return running.Err()
}

// endWith is a context that ends when ctx ends or the stack dies.
func endWith(ctx context.Context, running *stack.Stack) (context.Context, context.CancelCauseFunc) {
	watched, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-running.Done():
			cancel(running.Err())
		case <-watched.Done():
		}
	}()
	return watched, cancel
}

// phase records a phase that has ended.
func (r *run) phase(name string, elapsed time.Duration) {
	r.result.Phases = append(r.result.Phases, evals.Phase{Name: name, MS: milliseconds(elapsed)})
}

func (r *run) stop(ctx context.Context, running *stack.Stack) error {
	r.cfg.OnPhase("stop")
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	began := time.Now()
	err := running.Stop(stopCtx)
	r.phase("stop", time.Since(began))
	return err
}

// finish judges and completes the result. Nothing that a broken or cancelled run
// missed is held against the candidate.
func (r *run) finish(ctx context.Context, seen *probes.Observations, trouble error) (*evals.Result, error) {
	if trouble != nil {
		r.result.Error = trouble.Error()
		var hinted interface{ Hint() string }
		if errors.As(trouble, &hinted) {
			r.result.Hint = hinted.Hint()
		}
	}
	began := time.Now()
	checks, err := scorers.Judge(r.cfg.Eval, seen)
	if err != nil {
		return nil, fmt.Errorf("judge eval %s: %w", r.cfg.Eval.ID, err)
	}
	if trouble != nil {
		checks = withhold(checks)
	}
	r.phase("judge", time.Since(began))
	r.result.SetChecks(checks, r.cfg.Strict)
	raw, err := json.Marshal(seen)
	if err != nil {
		return nil, fmt.Errorf("save the observations: %w", err)
	}
	r.result.Observations = raw
	r.result.Finished = time.Now().UTC()
	if ctx.Err() != nil && !r.complete {
		r.result.Error = "cancelled: " + context.Cause(ctx).Error()
		return r.result, context.Cause(ctx)
	}
	return r.result, nil
}

// withhold turns every red check into an error. When the stack died nobody can say
// which refusals were the candidate's: the same statement fails for want of a policy
// and for want of a server. What broke is said once, as the result's error.
func withhold(checks []evals.Check) []evals.Check {
	for i := range checks {
		if checks[i].Status.Red() {
			checks[i].Status = evals.StatusError
			checks[i].Note = "not measured, because the run broke: see its error"
		}
	}
	return checks
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
