package supascore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"github.com/supascore/supascore/probes"
	probe "github.com/supascore/supascore/probes/rls"
	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/stack/arena"
	"github.com/supascore/supascore/tasks"
)

// GradeVersion is the version of the shape of TaskGrade and of how verdicts are found.
const GradeVersion = 2

// GradeOptions say how candidates are graded.
type GradeOptions struct {
	// Paths are the paths to take; default both.
	Paths []probes.RLSPath
	// Readings override the task's own.
	Readings tasks.Readings
	// Expose says whether new tables are granted to the API roles; nil decides by the
	// task: a schema without any GRANT was written for projects in which they are.
	Expose *bool
	// Order is the order of the tests, as positions in the task; default the file's.
	Order []int
	// RealSignIn signs the users up in Auth with their ids and lets them sign in, instead
	// of signing tokens with their claims. The grades of tests whose user Auth would not
	// sign in like that say why.
	RealSignIn bool
	// OwnCopy gives every candidate a copy of the task's database, also those that could
	// share one. The grade is the same and takes longer.
	OwnCopy bool
	// KeepRun keeps what the tests saw in the grade.
	KeepRun bool
	// Log gets what happens; nil discards it.
	Log *slog.Logger
}

// TaskGrade is the grade of one candidate on one task.
type TaskGrade struct {
	Version int    `json:"version"`
	Task    string `json:"task"`
	// TaskHash and CandidateHash are hex SHA-256.
	TaskHash      string `json:"task_hash"`
	CandidateHash string `json:"candidate_hash"`
	// Candidate is the candidate's name.
	Candidate string        `json:"candidate"`
	Verdict   score.Verdict `json:"verdict"`
	// Reason says in a line why the verdict is what it is when no test says it: the
	// candidate does not run, or tampered with the ground; may be empty.
	Reason string `json:"reason,omitempty"`
	// Readings are the readings in force, Exposed says whether new tables were granted.
	Readings string `json:"readings"`
	Exposed  bool   `json:"exposed"`
	// Apply is why the candidate does not run; nil when it does.
	Apply *arena.SQLError `json:"apply,omitempty"`
	// Changes are what the candidate changed beside policies and privileges.
	Changes []arena.Change `json:"changes,omitempty"`
	// Grades are the tests' verdicts; nil when the candidate does not run.
	Grades *score.Grades `json:"grades,omitempty"`
	// Run is what the tests saw, with GradeOptions.KeepRun.
	Run *probes.RLSRun `json:"run,omitempty"`
	// Postgres is the server's version.
	Postgres string `json:"postgres"`
	// Engine is who played the Data API and Auth, PostgREST and Auth are the versions that
	// the executables of an engine say they are; empty for those that did not run.
	Engine    string `json:"engine"`
	PostgREST string `json:"postgrest,omitempty"`
	Auth      string `json:"auth,omitempty"`
	// Shared says that the candidate was tried in a transaction of a copy that others have,
	// too, and not in a copy of its own.
	Shared bool `json:"shared,omitempty"`
	// MS is how long the phases took, in milliseconds: template, clone, apply, check,
	// serve, sql, api, close.
	MS map[string]float64 `json:"ms"`
}

// By says who graded: "native engine, PostgREST 14.17, postgres 15.18".
func (g *TaskGrade) By() string {
	return gradedBy(g.Engine, g.PostgREST, g.Auth, g.Postgres)
}

func gradedBy(engine, postgrest, auth, postgres string) string {
	line := engine + " engine"
	for _, part := range []struct{ name, version string }{{"PostgREST", postgrest}, {"Auth", auth}, {"postgres", postgres}} {
		if part.version != "" {
			line += ", " + part.name + " " + part.version
		}
	}
	return line
}

// Passed says whether the candidate passes the task.
func (g *TaskGrade) Passed() bool { return g.Verdict == score.Pass }

// Grader grades candidates, many at a time when its arena has room. It plans a task
// once. Its methods may be called from any goroutine.
type Grader struct {
	grounds grounds
	plans   planCache
}

// NewGrader makes a grader that uses an arena. The arena stays the caller's.
func NewGrader(a *arena.Arena) *Grader { return &Grader{grounds: clones{a}} }

// Grade applies a candidate to a fresh copy of the task's database and runs the
// task's tests on it: in a transaction that is undone where the candidate's SQL allows it,
// see [arena.Shareable], else in a copy that is dropped afterwards. What is wrong with the
// candidate is in the grade. An error is the task's (a *arena.SQLError of schema.sql or
// seed.sql), the machine's, or ctx's.
func (g *Grader) Grade(ctx context.Context, task *tasks.Task, candidate tasks.NamedSQL, opts GradeOptions) (*TaskGrade, error) {
	in := gradeInput{task, candidate, task.Readings.With(opts.Readings).WithDefaults(), opts}
	if lender, lends := g.grounds.(sharers); lends && g.shares(in) {
		grade, err := g.gradeOn(ctx, lender.share, in)
		if !errors.Is(err, arena.ErrUnshared) {
			return grade, err
		}
	}
	return g.gradeOn(ctx, g.grounds.enter, in)
}

// shares says whether a candidate can be tried in a copy that others have, too. Where
// users really sign in Auth has to see what the candidate made.
func (g *Grader) shares(in gradeInput) bool {
	return !in.opts.OwnCopy && !in.opts.RealSignIn && in.readings.Seed != tasks.SeedAfter &&
		arena.Shareable(in.candidate.SQL) && !arena.MakesSettings(in.task.TestsYAML) && g.plans.of(in.task, in.readings).Nests()
}

// gradeOn grades a candidate on a database that enter lends it.
func (g *Grader) gradeOn(ctx context.Context, enter func(context.Context, arena.Setup) (ground, error), in gradeInput) (*TaskGrade, error) {
	task, candidate := in.task, in.candidate
	grade := &TaskGrade{
		Version: GradeVersion, Task: task.ID, TaskHash: task.Hash, CandidateHash: hashOf(candidate.SQL),
		Candidate: candidate.Name, Readings: in.readings.String(), Exposed: exposes(task, in.opts.Expose), MS: map[string]float64{},
	}
	clone, err := enter(ctx, setupOf(task, in.readings, in.opts.Expose))
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", task.ID, err)
	}
	grade.Postgres, grade.Shared = clone.Version(), savepointOf(clone) != ""
	err = g.onClone(ctx, clone, grade, in)
	began := time.Now()
	err = errors.Join(err, clone.Close(ctx))
	grade.MS["close"] = milliseconds(time.Since(began))
	if err != nil {
		return nil, fmt.Errorf("task %s, candidate %s: %w", task.ID, candidate.Name, err)
	}
	return grade, nil
}

// setupOf is what a candidate's database holds before the candidate.
func setupOf(task *tasks.Task, readings tasks.Readings, expose *bool) arena.Setup {
	return arena.Setup{
		Schema: task.Schema, Seed: task.Seed, SeedAfter: readings.Seed == tasks.SeedAfter,
		Expose: exposes(task, expose),
	}
}

// gradeInput is what a candidate is graded by.
type gradeInput struct {
	task      *tasks.Task
	candidate tasks.NamedSQL
	readings  tasks.Readings
	opts      GradeOptions
}

// onClone applies, checks, runs and judges.
func (g *Grader) onClone(ctx context.Context, clone ground, grade *TaskGrade, in gradeInput) error {
	defer func() {
		grade.keepTiming(clone.took())
		played := clone.played()
		grade.Engine, grade.PostgREST, grade.Auth = played.engine, played.postgrest, played.auth
	}()
	err := clone.Apply(ctx, in.candidate.Name, in.candidate.SQL)
	if errors.As(err, &grade.Apply) {
		grade.Verdict, grade.Reason = score.Error, "does not run: "+grade.Apply.Error()
		return nil
	}
	if err != nil {
		return err
	}
	grade.Changes, err = clone.Changes(ctx)
	if errors.As(err, &grade.Apply) {
		grade.Verdict, grade.Reason = score.Error, grade.Apply.Error()
		return nil
	}
	if err != nil {
		return err
	}
	plan := g.plans.of(in.task, in.readings)
	target, err := g.target(ctx, clone, plan, in.opts)
	if errors.As(err, &grade.Apply) {
		grade.Verdict, grade.Reason = score.Error, grade.Apply.Error()
		return nil
	}
	if err != nil {
		return err
	}
	run, timing, err := probe.Run(ctx, probe.Config{
		Plan: plan, Target: target, Paths: in.opts.Paths, Order: in.opts.Order,
	})
	if errors.As(err, &grade.Apply) {
		grade.Verdict, grade.Reason = score.Error, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	if one, ok := clone.(shared); ok && one.Unshared() {
		return arena.ErrUnshared
	}
	grade.MS["sql"], grade.MS["api"] = milliseconds(timing.SQL), milliseconds(timing.API)
	if in.opts.KeepRun {
		grade.Run = run
	}
	if grade.Grades, err = score.Judge(in.task, in.readings, run); err != nil {
		return err
	}
	grade.Verdict = grade.Grades.Verdict
	grade.holdTampering()
	return nil
}

// holdTampering takes the pass from a candidate that changed what it is measured by.
func (g *TaskGrade) holdTampering() {
	for _, change := range g.Changes {
		if change.Grave && g.Verdict == score.Pass {
			g.Verdict, g.Reason = score.Error, "changed what it is measured by: "+change.String()
		}
	}
}

func (g *TaskGrade) keepTiming(t arena.Timing) {
	for name, took := range map[string]time.Duration{
		"template": t.Template, "clone": t.Copy, "apply": t.Apply, "check": t.Check, "serve": t.Serve,
	} {
		g.MS[name] = milliseconds(took)
	}
}

// target is a clone as the tests see it.
func (g *Grader) target(ctx context.Context, clone ground, plan *probe.Plan, opts GradeOptions) (probe.Target, error) {
	target := probe.Target{
		Session: clone.Session, Owner: clone.Owner, Savepoint: savepointOf(clone), Shape: clone.Shape(), Limit: clone.Limits().Request,
	}
	if opts.Paths == nil || slices.Contains(opts.Paths, probes.RLSPathAPI) {
		api, sessions, err := g.serve(ctx, clone, plan, opts.RealSignIn)
		if err != nil {
			return probe.Target{}, err
		}
		target.URL, target.Key, target.Transport = api.url, api.key, api.transport
		target.Observe, target.Outside, target.RunFunction = api.observe, api.outside, api.run
		target.Token = func(_ context.Context, user tasks.User, claims map[string]any) (probe.Token, error) {
			token := sessions.Token(user)
			if token.Text != "" {
				return token, nil
			}
			var err error
			token.Text, err = api.sign(claims)
			return token, err
		}
		if api.begin != nil {
			if err := api.begin(ctx); err != nil {
				return probe.Target{}, err
			}
		}
	}
	rows, err := clone.StartRows(ctx)
	target.Rows = rows
	return target, err
}

// serve starts the clone's services and signs the users in when asked to.
func (g *Grader) serve(ctx context.Context, clone ground, plan *probe.Plan, signIn bool) (*dataAPI, *probe.Sessions, error) {
	api, err := clone.serve(ctx, signIn)
	if err != nil || !signIn {
		return api, &probe.Sessions{}, err
	}
	sessions, err := probe.SignIn(ctx, probe.SignInConfig{
		URL: api.authURL, Key: api.key, ServiceKey: api.serviceKey, Transport: api.transport,
	}, plan)
	if err != nil {
		return nil, nil, err
	}
	clone.ForgetRows()
	return api, sessions, nil
}

// grantPattern finds a GRANT of SQL, outside of words.
var grantPattern = regexp.MustCompile(`(?i)\bgrant\s+(all|select|insert|update|delete|usage|execute)\b`)

// exposes decides whether new tables are granted to the API roles: as asked for, else as
// the task was written. A task that grants nothing in its schema and its solution
// relies on the default privileges that projects had until May 2026.
func exposes(task *tasks.Task, asked *bool) bool {
	if asked != nil {
		return *asked
	}
	return !grantPattern.MatchString(task.Schema) && !grantPattern.MatchString(task.Solution)
}
