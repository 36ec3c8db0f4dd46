package supascore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	score "github.com/supascore/supascore/scorers/rls"
	"github.com/supascore/supascore/scorers/stats"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// BenchReportVersion is the version of the shape of BenchReport.
const BenchReportVersion = 1

// BenchReport is what a benchmark came to.
type BenchReport struct {
	Version int `json:"version"`
	// Settings are those of the gradings, in words.
	Settings string `json:"settings"`
	// Postgres is the version of the server that graded; several are joined by commas. So
	// are PostgREST and Auth, those of an engine's servers.
	Postgres  string `json:"postgres"`
	PostgREST string `json:"postgrest,omitempty"`
	Auth      string `json:"auth,omitempty"`
	// Engine is who played the Data API and Auth.
	Engine string `json:"engine"`
	// Tasks is how many tasks there are, Samples how many samples, and Candidates how
	// many different texts on a task these are.
	Tasks      int `json:"tasks"`
	Samples    int `json:"samples"`
	Candidates int `json:"candidates"`
	// Kept is how many candidates the journal had, Graded how many were graded now, and
	// Ungraded how many have no grading: they broke, or the benchmark ended before.
	Kept     int `json:"kept"`
	Graded   int `json:"graded"`
	Ungraded int `json:"ungraded"`
	// Stale is how many samples answer another prompt than their task has now.
	Stale int `json:"stale"`
	// Broken are the samples whose grading broke.
	Broken []BrokenGrading `json:"broken,omitempty"`
	// Models are the models, the best first.
	Models []stats.Summary `json:"models"`
	// Results are the samples' verdicts, by model, task and number.
	Results []BenchResult `json:"results"`
	// Seconds is how long the gradings of this run took together, wall-clock, and
	// PerSecond how many there were in each.
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"per_second"`
	// Phases are the mean times of a grading's phases in this run, in milliseconds.
	Phases map[string]float64 `json:"phases_ms"`
}

// BrokenGrading is a sample whose grading broke for no fault of its own.
type BrokenGrading struct {
	Model  string `json:"model"`
	Task   string `json:"task"`
	Sample int    `json:"sample"`
	// Error says what broke.
	Error string `json:"error"`
}

// BenchResult is the verdict of one sample.
type BenchResult struct {
	Model   string        `json:"model"`
	Task    string        `json:"task"`
	Sample  int           `json:"sample"`
	Verdict score.Verdict `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	// Failed maps the ids of the tests that did not pass to their verdicts.
	Failed map[string]score.Verdict `json:"failed,omitempty"`
}

// Coverage is how many of the report's tasks a model has graded samples for.
func (r *BenchReport) Coverage(model string) int {
	seen := map[string]bool{}
	for _, result := range r.Results {
		if result.Model == model {
			seen[result.Task] = true
		}
	}
	return len(seen)
}

// report sums up what is graded of the work.
func (b *bench) report(work []benchWork, kept int, took time.Duration) (*BenchReport, error) {
	r := &BenchReport{
		Version: BenchReportVersion, Settings: b.settings, Tasks: len(b.cfg.Tasks), Samples: len(b.cfg.Samples),
		Candidates: len(work), Kept: kept, Graded: len(b.fresh), Ungraded: len(work) - kept - len(b.fresh),
		Broken: b.broken, Seconds: took.Seconds(), Phases: meanPhases(b.fresh),
	}
	if r.Graded > 0 {
		r.PerSecond = float64(r.Graded) / took.Seconds()
	}
	var gradings []Grading
	for _, w := range work {
		g, graded := b.graded[w.key]
		if !graded {
			continue
		}
		gradings = append(gradings, g)
		for _, s := range w.samples {
			r.Results = append(r.Results, BenchResult{
				Model: s.Model, Task: s.Task, Sample: s.Number, Verdict: g.Verdict, Reason: g.Reason, Failed: g.Failed,
			})
		}
	}
	r.Engine = b.cfg.Engine
	r.Postgres = versions(gradings, func(g Grading) string { return g.Postgres })
	r.PostgREST = versions(gradings, func(g Grading) string { return g.PostgREST })
	r.Auth = versions(gradings, func(g Grading) string { return g.Auth })
	slices.SortFunc(r.Results, func(x, y BenchResult) int {
		return cmp.Or(strings.Compare(x.Model, y.Model), tasks.CompareIDs(x.Task, y.Task), cmp.Compare(x.Sample, y.Sample))
	})
	var err error
	if r.Stale, err = b.stale(work); err != nil {
		return nil, err
	}
	r.Models, err = b.models(r.Results)
	return r, err
}

// By says who graded, as TaskGrade.By does.
func (r *BenchReport) By() string { return gradedBy(r.Engine, r.PostgREST, r.Auth, r.Postgres) }

// versions are the different versions of a server, joined by commas.
func versions(gradings []Grading, of func(Grading) string) string {
	var list []string
	for _, g := range gradings {
		if version := of(g); version != "" {
			list = append(list, version)
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// models sums up each model.
func (b *bench) models(results []BenchResult) ([]stats.Summary, error) {
	tiers := map[string]int{}
	for _, task := range b.cfg.Tasks {
		tiers[task.ID] = task.Tier
	}
	byModel := map[string]map[string]*stats.Outcome{}
	for _, result := range results {
		if byModel[result.Model] == nil {
			byModel[result.Model] = map[string]*stats.Outcome{}
		}
		outcome := byModel[result.Model][result.Task]
		if outcome == nil {
			outcome = &stats.Outcome{Task: result.Task, Tier: tiers[result.Task]}
			byModel[result.Model][result.Task] = outcome
		}
		outcome.Samples++
		switch result.Verdict {
		case score.Pass:
			outcome.Passed++
		case score.Leak:
			outcome.Leaked++
		case score.Block:
			outcome.Blocked++
		}
	}
	summaries := []stats.Summary{}
	for model, byTask := range byModel {
		var outcomes []stats.Outcome
		for _, outcome := range byTask {
			outcomes = append(outcomes, *outcome)
		}
		summary, err := stats.Summarise(model, outcomes, b.cfg.Stats)
		if err != nil {
			return nil, err
		}
		summaries = append(summaries, summary)
	}
	slices.SortFunc(summaries, stats.Compare)
	return summaries, nil
}

// stale counts the samples that answer another prompt than their task has now.
func (b *bench) stale(work []benchWork) (int, error) {
	prompts := map[string]string{}
	count := 0
	for _, w := range work {
		if prompts[w.task.ID] == "" {
			prompt, err := tasks.Prompt(w.task)
			if err != nil {
				return 0, err
			}
			prompts[w.task.ID] = samples.PromptHash(prompt)
		}
		other := func(s samples.Sample) bool { return s.Prompt != "" && s.Prompt != prompts[w.task.ID] }
		for _, s := range w.samples {
			if other(s) {
				count++
			}
		}
	}
	return count, nil
}

// meanPhases is the mean time of each phase, in milliseconds.
func meanPhases(gradings []Grading) map[string]float64 {
	mean := map[string]float64{}
	for _, g := range gradings {
		for phase, ms := range g.MS {
			mean[phase] += ms / float64(len(gradings))
		}
	}
	return mean
}
