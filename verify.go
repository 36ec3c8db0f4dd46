package supascore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/fixtures"
	"github.com/supascore/supascore/stack"
)

// VerifyConfig says which fixtures are run and how.
type VerifyConfig struct {
	// Eval is the eval whose fixtures are run. Required.
	Eval *evals.Eval
	// Only names the fixtures to run; empty runs all. The coverage of checks is
	// reported for all only.
	Only []string
	// Parallel is how many fixtures run at once, each on a stack of its own; 0 is
	// one for each processor, but at least two.
	Parallel int
	// Stack says how to boot, as in ScoreConfig.
	Stack stack.Config
	// OnFixture is told when a fixture is done; may be nil. Calls come one at a time
	// and in no particular order.
	OnFixture func(FixtureReport)
}

// FixtureReport is what came of one fixture.
type FixtureReport struct {
	// Name is the fixture's folder, About the sentence that its expect.yaml says.
	Name  string `json:"name"`
	About string `json:"about"`
	// Surprises are the verdicts and notes that differ from expect.yaml.
	Surprises []evals.Surprise `json:"surprises,omitempty"`
	// Error is why the fixture could not be run.
	Error string `json:"error,omitempty"`
	// MS is the wall-clock time, in milliseconds.
	MS float64 `json:"ms"`
	// Result is the whole result; nil when there is none.
	Result *evals.Result `json:"result,omitempty"`
}

// Holds reports whether the fixture came out as its expect.yaml says.
func (f FixtureReport) Holds() bool { return f.Error == "" && len(f.Surprises) == 0 }

// VerifyReport is what came of all fixtures of an eval.
type VerifyReport struct {
	// Eval is the eval's id.
	Eval string `json:"eval"`
	// Fixtures are the reports, by name.
	Fixtures []FixtureReport `json:"fixtures"`
	// Idle are the checks that no fixture turned red, or none green; nil when only
	// some fixtures were run.
	Idle []evals.Coverage `json:"idle,omitempty"`
}

// Holds reports whether every fixture holds and every check was red and green.
func (v *VerifyReport) Holds() bool {
	for _, f := range v.Fixtures {
		if !f.Holds() {
			return false
		}
	}
	return len(v.Idle) == 0
}

// Broken reports whether some fixture could not be run at all.
func (v *VerifyReport) Broken() bool {
	for _, f := range v.Fixtures {
		if f.Error != "" {
			return true
		}
	}
	return false
}

// Verify runs an eval's fixtures, several at once, and compares every verdict with
// what their expect.yaml says. Errors are a bad config and ctx's; what goes wrong
// with one fixture is in its report.
func Verify(ctx context.Context, cfg VerifyConfig) (*VerifyReport, error) {
	if cfg.Eval == nil {
		return nil, errors.New("no eval is given")
	}
	if cfg.Stack.Engine == stack.EngineAttach {
		return nil, errors.New("every fixture needs a stack of its own, so none can be run on one that runs already")
	}
	all, err := chosen(cfg)
	if err != nil {
		return nil, err
	}
	report := &VerifyReport{Eval: cfg.Eval.ID, Fixtures: make([]FixtureReport, len(all))}
	done := make(chan FixtureReport)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for f := range done {
			if cfg.OnFixture != nil {
				cfg.OnFixture(f)
			}
		}
	}()
	var group errgroup.Group
	group.SetLimit(parallel(cfg.Parallel))
	for i, fixture := range all {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			report.Fixtures[i] = verifyOne(ctx, cfg, fixture)
			done <- report.Fixtures[i]
			return ctx.Err()
		})
	}
	err = group.Wait()
	close(done)
	<-told
	if err != nil {
		return nil, err
	}
	if len(cfg.Only) == 0 {
		report.Idle = idle(cfg.Eval, report.Fixtures)
	}
	return report, nil
}

func parallel(wanted int) int {
	if wanted > 0 {
		return wanted
	}
	return max(2, runtime.NumCPU())
}

// chosen are the fixtures to run, in their order.
func chosen(cfg VerifyConfig) ([]fixtures.Fixture, error) {
	if len(cfg.Only) == 0 {
		return fixtures.List(cfg.Eval.ID)
	}
	var list []fixtures.Fixture
	for _, name := range cfg.Only {
		f, err := fixtures.Get(cfg.Eval.ID, name)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func idle(eval *evals.Eval, reports []FixtureReport) []evals.Coverage {
	var checks [][]evals.Check
	for _, f := range reports {
		if f.Result != nil {
			checks = append(checks, f.Result.Checks)
		}
	}
	var out []evals.Coverage
	for _, c := range evals.Cover(eval, checks) {
		if c.Idle() {
			out = append(out, c)
		}
	}
	return out
}

func verifyOne(ctx context.Context, cfg VerifyConfig, fixture fixtures.Fixture) FixtureReport {
	report := FixtureReport{Name: fixture.Name}
	began := time.Now()
	err := func() error {
		expected, err := evals.LoadExpectation(fixture.Files, evals.ExpectFile, cfg.Eval)
		if err != nil {
			return err
		}
		report.About = expected.About
		report.Result, err = ScoreFixture(ctx, cfg.Eval, fixture, cfg.Stack)
		if err != nil {
			return err
		}
		if report.Result.Error != "" {
			return errors.New(report.Result.Error)
		}
		report.Surprises = expected.Compare(report.Result.Checks)
		return nil
	}()
	if err != nil {
		report.Error = err.Error()
	}
	report.MS = milliseconds(time.Since(began))
	return report
}

// ScoreFixture unpacks one fixture into a temporary folder, scores it with its
// transcript, when it has one, and removes the folder again.
func ScoreFixture(ctx context.Context, eval *evals.Eval, fixture fixtures.Fixture, how stack.Config) (result *evals.Result, err error) {
	dir, err := os.MkdirTemp("", "supascore-fixture-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for fixture %s: %w", fixture.Name, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder := filepath.Join(dir, fixture.Name)
	if err := fixture.Unpack(folder); err != nil {
		return nil, err
	}
	transcript, err := unpackTranscript(fixture, dir)
	if err != nil {
		return nil, err
	}
	result, err = Score(ctx, ScoreConfig{Eval: eval, Workspace: folder, Transcript: transcript, Stack: how})
	if result != nil {
		result.Workspace = "fixture " + fixture.Name
	}
	return result, err
}
