package generate

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// Report is what a run did.
type Report struct {
	// Kept is how many of the wanted samples were in the file already, New how many
	// were added, and Missing how many are wanted still.
	Kept, New, Missing int
	// InputTokens, OutputTokens and Dollars are what all samples of the model in the
	// file have cost, earlier runs included. Dollars is 0 without prices.
	InputTokens, OutputTokens int64
	Dollars                   float64
}

// StaleError says that the file has samples for another prompt than a task has now.
type StaleError struct{ File, Task string }

// Error names the file and the task.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%s has samples for another prompt of task %s", e.File, e.Task)
}

// Hint says what to do about it.
func (e *StaleError) Hint() string {
	return "the task or the prompt's wording has changed since; name another file"
}

// Run asks for the samples that the file lacks. It returns a report whenever it could
// begin. The error joins an *EndpointError for each sample that was refused; a
// *BudgetError, the context's end, and an endpoint that is out of order end the run.
// What was answered by then is in the file.
func Run(ctx context.Context, cfg Config) (Report, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return Report{}, err
	}
	file, kept, err := journal.Open[samples.Sample](cfg.File)
	if err != nil {
		return Report{}, err
	}
	r := &run{cfg: cfg, asker: newAsker(cfg), file: file}
	report, err := r.run(ctx, kept)
	return report, errors.Join(err, file.Close())
}

// run is one run.
type run struct {
	cfg   Config
	asker *asker
	file  *journal.Journal[samples.Sample]
	purse *purse

	mu sync.Mutex
	// added counts the samples that were added, refused collects the failures of
	// single samples.
	added   int
	refused []error
}

// wanted is a sample that the file lacks.
type wanted struct {
	task   *tasks.Task
	number int
	prompt string
	hash   string
}

func (r *run) run(ctx context.Context, kept []samples.Sample) (Report, error) {
	lacking, err := r.lacking(kept)
	if err != nil {
		return Report{}, err
	}
	r.purse = newPurse(r.cfg.Budget, spent(kept, r.cfg.Label))
	err = r.all(ctx, lacking)
	total := r.purse.total()
	r.mu.Lock()
	defer r.mu.Unlock()
	return Report{
		Kept: len(r.cfg.Tasks)*r.cfg.Samples - len(lacking), New: r.added, Missing: len(lacking) - r.added,
		InputTokens: total.input, OutputTokens: total.output, Dollars: r.cfg.Budget.dollars(total),
	}, errors.Join(append(r.refused, err)...)
}

// lacking lists the samples that the file lacks: first one of each task, then the
// second of each, so that a run that ends early has asked for all tasks alike.
func (r *run) lacking(kept []samples.Sample) ([]wanted, error) {
	have := map[samples.Key]string{}
	for _, s := range kept {
		have[s.Key()] = s.Prompt
	}
	var list []wanted
	for number := 1; number <= r.cfg.Samples; number++ {
		for _, task := range r.cfg.Tasks {
			prompt, err := tasks.Prompt(task)
			if err != nil {
				return nil, err
			}
			w := wanted{task: task, number: number, prompt: prompt, hash: samples.PromptHash(prompt)}
			of, there := have[samples.Key{Model: r.cfg.Label, Task: task.ID, Number: number}]
			switch {
			case !there:
				list = append(list, w)
			case of != w.hash:
				return nil, &StaleError{File: r.cfg.File, Task: task.ID}
			}
		}
	}
	return list, nil
}

// spent is what the samples of a model have cost.
func spent(list []samples.Sample, model string) charge {
	var total charge
	for _, s := range list {
		if s.Model == model {
			total.add(charge{s.InputTokens, s.OutputTokens})
		}
	}
	return total
}

// all asks for the samples, several at once. It returns what ended it early.
func (r *run) all(ctx context.Context, list []wanted) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(r.cfg.Parallel)
	var stopped error
	for _, w := range list {
		// The most that the request may take: the prompt, and the longest answer.
		most := estimate(w.prompt, "")
		most.output = r.cfg.Settings.MaxTokens
		if stopped = r.purse.reserve(ctx, most); stopped != nil {
			break
		}
		group.Go(func() error { return r.one(ctx, w, most) })
	}
	// When a request ended the run, that is the reason, not that the others were
	// called off.
	if err := group.Wait(); err != nil {
		return err
	}
	return stopped
}

// one asks for a sample and keeps it. It returns an error that ends the run.
func (r *run) one(ctx context.Context, w wanted, most charge) error {
	began := r.cfg.Now()
	got, err := r.asker.ask(ctx, w.prompt)
	r.purse.settle(most, got.cost)
	if err != nil {
		var endpoint *EndpointError
		if !errors.As(err, &endpoint) || !endpoint.ofThisRequest() {
			return err
		}
		r.cfg.Log.WarnContext(ctx, "no sample", "model", r.cfg.Label, "task", w.task.ID, "sample", w.number, "error", err)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refused = append(r.refused, fmt.Errorf("task %s, sample %d: %w", w.task.ID, w.number, err))
		return nil
	}
	sample := samples.Sample{
		Model: r.cfg.Label, Task: w.task.ID, Number: w.number, SQL: tasks.ExtractSQL(got.text).SQL, Answer: got.text,
		Prompt: w.hash, Finish: got.finish, InputTokens: got.cost.input, OutputTokens: got.cost.output,
		Estimated: got.estimated, Seconds: r.cfg.Now().Sub(began).Seconds(), Created: r.cfg.Now().UTC(),
	}
	if err := r.file.Append(sample); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.added++
	r.cfg.OnSample(sample)
	return nil
}
