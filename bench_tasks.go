package supascore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/probes"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/scorers/stats"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// TaskGrader grades one candidate on one task. *Grader is one.
type TaskGrader interface {
	Grade(ctx context.Context, task *tasks.Task, candidate tasks.NamedSQL, opts GradeOptions) (*TaskGrade, error)
}

// BenchConfig says what to grade and how.
type BenchConfig struct {
	// Grader grades. Required. It must bear Parallel calls at once.
	Grader TaskGrader
	// Tasks are the tasks that the samples are for. Required.
	Tasks []*tasks.Task
	// Samples are the candidates. Required. Each must be for one of Tasks.
	Samples []samples.Sample
	// Journal is the file that keeps the gradings. Required; made if need be. What it
	// has is not graded again.
	Journal string
	// Options are those of every grading. Order and KeepRun are not used.
	Options GradeOptions
	// Engine names who plays the Data API for the grader, which tells gradings apart.
	// Default: embedded.
	Engine string
	// Parallel is how many candidates are graded at once. Default: one for each
	// processor.
	Parallel int
	// Stats says how intervals are made.
	Stats stats.Config
	// OnGrading is told of each new grading; may be nil. Calls come one at a time.
	OnGrading func(Grading)
}

func (c BenchConfig) withDefaults() BenchConfig {
	c.Parallel = cmp.Or(c.Parallel, runtime.GOMAXPROCS(0))
	if c.OnGrading == nil {
		c.OnGrading = func(Grading) {}
	}
	c.Options.Order, c.Options.KeepRun = nil, false
	c.Engine = cmp.Or(c.Engine, "embedded")
	return c
}

func (c BenchConfig) validate() error {
	var errs []error
	if c.Grader == nil || c.Journal == "" || len(c.Tasks) == 0 || len(c.Samples) == 0 {
		errs = append(errs, errors.New("a benchmark needs a grader, a journal, tasks and samples"))
	}
	if c.Parallel < 1 {
		errs = append(errs, fmt.Errorf("%d candidates cannot be graded at once", c.Parallel))
	}
	return errors.Join(append(errs, samples.Check(c.Samples))...)
}

// Grading is what a candidate came to: a line of the journal. It is of a text on a task,
// not of a model: two models that answer the same are graded once.
type Grading struct {
	// Task is the task's id, TaskHash its hash.
	Task     string `json:"task"`
	TaskHash string `json:"task_hash"`
	// Candidate is the hex SHA-256 of the candidate's text.
	Candidate string `json:"candidate"`
	// Settings are those of the grading, in words.
	Settings string `json:"settings"`
	// Verdict is the candidate's, Reason says why when no test does.
	Verdict score.Verdict `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	// Tests is how many tests there were, Failed maps the ids of those that did not pass
	// to their verdicts.
	Tests  int                      `json:"tests"`
	Failed map[string]score.Verdict `json:"failed,omitempty"`
	// Postgres is the server's version, PostgREST and Auth those of an engine's servers.
	Postgres  string `json:"postgres"`
	PostgREST string `json:"postgrest,omitempty"`
	Auth      string `json:"auth,omitempty"`
	// MS is how long the phases took, in milliseconds, as in TaskGrade.
	MS map[string]float64 `json:"ms"`
	// Finished is when the grading ended, UTC.
	Finished time.Time `json:"finished"`
}

// gradingKey tells gradings apart: the same text on the same task by the same settings is
// graded once.
type gradingKey struct{ taskHash, candidate, settings string }

func (g Grading) key() gradingKey { return gradingKey{g.TaskHash, g.Candidate, g.Settings} }

// gradingOf is what the journal keeps of a grade.
func gradingOf(grade *TaskGrade, settings string) Grading {
	g := Grading{
		Task: grade.Task, TaskHash: grade.TaskHash, Candidate: grade.CandidateHash, Settings: settings,
		Verdict: grade.Verdict, Reason: grade.Reason, Postgres: grade.Postgres, PostgREST: grade.PostgREST, Auth: grade.Auth,
		MS: grade.MS, Finished: time.Now().UTC(),
	}
	if grade.Grades == nil {
		return g
	}
	g.Tests = len(grade.Grades.Tests)
	for _, test := range grade.Grades.Tests {
		if test.Verdict != score.Pass {
			if g.Failed == nil {
				g.Failed = map[string]score.Verdict{}
			}
			g.Failed[test.ID] = test.Verdict
		}
	}
	return g
}

// settings are the options of a grading in words, which tell gradings apart.
func (o GradeOptions) settings(engine string) string {
	paths := o.Paths
	if len(paths) == 0 {
		paths = []probes.RLSPath{probes.RLSPathSQL, probes.RLSPathAPI}
	}
	var names []string
	for _, path := range paths {
		names = append(names, string(path))
	}
	expose := "by task"
	if o.Expose != nil {
		expose = fmt.Sprint(*o.Expose)
	}
	text := fmt.Sprintf("grade=%d paths=%s exposed=%s", GradeVersion, strings.Join(names, ","), expose)
	if o.Readings != (tasks.Readings{}) {
		text += " readings=" + o.Readings.String()
	}
	if o.RealSignIn {
		text += " real-sign-in"
	}
	if engine != "embedded" {
		text += " engine=" + engine
	}
	return text
}

// maxBroken is how many gradings in a row may break before a benchmark gives up: then it
// is the machine, and going on would take long and give nothing.
const maxBroken = 5

// BenchTasks grades the samples that the journal does not have, many at once, and sums
// up all. It returns a report whenever it could begin. A grading that breaks for no fault
// of the candidate is not kept and not counted, and is in the report; the error joins
// what ended the benchmark early: ctx's end, or maxBroken gradings in a row. Run again
// with the same journal to go on.
func BenchTasks(ctx context.Context, cfg BenchConfig) (*BenchReport, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	b := &bench{cfg: cfg, settings: cfg.Options.settings(cfg.Engine), graded: map[gradingKey]Grading{}}
	work, err := b.resolve()
	if err != nil {
		return nil, err
	}
	file, kept, err := journal.Open[Grading](cfg.Journal)
	if err != nil {
		return nil, err
	}
	b.file = file
	for _, g := range kept {
		b.graded[g.key()] = g
	}
	began := time.Now()
	todo := slices.DeleteFunc(slices.Clone(work), func(w benchWork) bool { _, have := b.graded[w.key]; return have })
	err = b.gradeAll(ctx, todo)
	report, sumErr := b.report(work, len(work)-len(todo), time.Since(began))
	return report, errors.Join(err, sumErr, file.Close())
}

// bench is one run of BenchTasks.
type bench struct {
	cfg      BenchConfig
	settings string
	file     *journal.Journal[Grading]

	mu sync.Mutex
	// graded has all gradings, fresh those of this run, broken what broke.
	graded map[gradingKey]Grading
	fresh  []Grading
	broken []BrokenGrading
	// inRow counts the gradings that broke since the last that did not.
	inRow int
}

// benchWork is one text to grade on one task, with the samples that consist of it.
type benchWork struct {
	task    *tasks.Task
	sql     string
	key     gradingKey
	samples []samples.Sample
}

// resolve finds the samples' tasks and puts the same texts together. The work is sorted
// by task, so that a task's template is made once and used up before the next.
func (b *bench) resolve() ([]benchWork, error) {
	var work []benchWork
	at := map[gradingKey]int{}
	ordered := slices.Clone(b.cfg.Samples)
	slices.SortStableFunc(ordered, func(x, y samples.Sample) int {
		return cmp.Or(tasks.CompareIDs(x.Task, y.Task), strings.Compare(x.Model, y.Model), cmp.Compare(x.Number, y.Number))
	})
	for _, s := range ordered {
		task, err := tasks.Find(b.cfg.Tasks, s.Task)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Origin, err)
		}
		sql := s.Candidate()
		key := gradingKey{task.Hash, hashOf(sql), b.settings}
		i, seen := at[key]
		if !seen {
			i = len(work)
			at[key] = i
			work = append(work, benchWork{task: task, sql: sql, key: key})
		}
		work[i].samples = append(work[i].samples, s)
	}
	return work, nil
}

func (b *bench) gradeAll(ctx context.Context, todo []benchWork) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(b.cfg.Parallel)
	cut := false
	for _, w := range todo {
		if cut = groupCtx.Err() != nil; cut {
			break
		}
		group.Go(func() error { return b.grade(groupCtx, w) })
	}
	err := group.Wait()
	if err == nil && cut {
		err = context.Cause(ctx)
	}
	return err
}

// grade grades one text and keeps what came of it. The error ends the benchmark.
func (b *bench) grade(ctx context.Context, w benchWork) error {
	if ctx.Err() != nil { // while this one waited for its turn
		return context.Cause(ctx)
	}
	name := w.samples[0].Key().String()
	grade, err := b.cfg.Grader.Grade(ctx, w.task, tasks.NamedSQL{Name: name, SQL: w.sql}, b.cfg.Options)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		b.inRow++
		for _, s := range w.samples {
			b.broken = append(b.broken, BrokenGrading{Model: s.Model, Task: s.Task, Sample: s.Number, Error: err.Error()})
		}
		if b.inRow >= maxBroken {
			return fmt.Errorf("%d gradings broke one after the other: %w", b.inRow, err)
		}
		return nil
	}
	b.inRow = 0
	g := gradingOf(grade, b.settings)
	if err := b.file.Append(g); err != nil {
		return err
	}
	b.graded[w.key] = g
	b.fresh = append(b.fresh, g)
	b.cfg.OnGrading(g)
	return nil
}
