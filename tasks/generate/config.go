// Package generate asks models for tasks' policies: any endpoint that speaks OpenAI's
// chat completions, several samples a task, several requests at once, within a budget.
// What was answered is kept in a samples file as it comes, so a run that was ended goes
// on where it was. It judges no answer.
package generate

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/samples"
)

// Config says what to ask whom for. Tasks, Model, BaseURL and File are required.
type Config struct {
	// Tasks are asked for one after the other.
	Tasks []*tasks.Task
	// Model is the model's name at the endpoint.
	Model string
	// Label is the model's name in the samples file, for one model with several
	// settings. Default: Model.
	Label string
	// BaseURL is the endpoint's address up to before "/chat/completions", such as
	// "https://api.openai.com/v1".
	BaseURL string
	// APIKey is sent as a bearer token; empty sends none. It is in no error, log or
	// sample.
	APIKey string
	// File is the samples file, made if need be and appended to.
	File string
	// Samples is how many are wanted for each task, those in File counted. Default 1.
	Samples int
	// Parallel is how many requests are under way at once. Default 4.
	Parallel int
	// Retries is how often a request is tried again when the endpoint is busy or
	// broken: after what Retry-After says, else after half a second, doubled each time.
	// Default 6; -1 is none.
	Retries int
	// MaxRetryDelay bounds each wait between two tries; a longer Retry-After is an
	// error. Default 2 minutes.
	MaxRetryDelay time.Duration
	// Timeout bounds one try. Default 10 minutes: reasoning models take minutes.
	Timeout time.Duration
	// Settings are the model's.
	Settings Settings
	// Budget bounds what the samples of the model in File may have cost.
	Budget Budget
	// Client makes the requests. Default: http.DefaultClient.
	Client *http.Client
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// OnSample is told of each sample when it is in the file; may be nil. Calls come
	// one at a time.
	OnSample func(samples.Sample)
	// Log receives retries and failures; nil discards them.
	Log *slog.Logger
}

// Settings are what a request says beside the prompt.
type Settings struct {
	// MaxTokens bounds each answer, reasoning included. Default 16384.
	MaxTokens int64
	// OldMaxTokens sends that as "max_tokens", for endpoints that do not know
	// "max_completion_tokens".
	OldMaxTokens bool
	// Temperature is sent when it is not nil.
	Temperature *float64
	// Effort is the reasoning effort, in the endpoint's words; empty sends none.
	Effort string
}

// Budget bounds a run. A request that could exceed it is not sent. The zero value
// bounds nothing.
type Budget struct {
	// Tokens bounds input and output tokens together; 0 does not.
	Tokens int64
	// Dollars bounds the price; 0 does not. It needs a price.
	Dollars float64
	// InputPrice and OutputPrice are in dollars for a million tokens.
	InputPrice, OutputPrice float64
}

func (c Config) withDefaults() Config {
	c.Label = cmp.Or(c.Label, c.Model)
	c.Samples = cmp.Or(c.Samples, 1)
	c.Parallel = cmp.Or(c.Parallel, 4)
	c.Retries = cmp.Or(c.Retries, 6)
	if c.Retries < 0 {
		c.Retries = 0
	}
	c.MaxRetryDelay = cmp.Or(c.MaxRetryDelay, 2*time.Minute)
	c.Timeout = cmp.Or(c.Timeout, 10*time.Minute)
	c.Settings.MaxTokens = cmp.Or(c.Settings.MaxTokens, 16_384)
	c.Client = cmp.Or(c.Client, http.DefaultClient)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.OnSample == nil {
		c.OnSample = func(samples.Sample) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// ConfigError is a Config that makes no sense.
type ConfigError struct{ Problem, Remedy string }

// Error says what makes no sense.
func (e *ConfigError) Error() string { return e.Problem }

// Hint says what to do about it; may be empty.
func (e *ConfigError) Hint() string { return e.Remedy }

func (c Config) validate() error {
	var errs []error
	fail := func(bad bool, remedy, format string, args ...any) {
		if bad {
			errs = append(errs, &ConfigError{Problem: fmt.Sprintf(format, args...), Remedy: remedy})
		}
	}
	fail(strings.TrimSpace(c.Model) == "", "", "no model is named")
	address, err := url.Parse(c.BaseURL)
	fail(err != nil || address.Host == "" || !strings.HasPrefix(address.Scheme, "http"),
		`for example "http://127.0.0.1:11434/v1"`, "%q is no base URL", c.BaseURL)
	fail(c.File == "", "", "no samples file is named")
	fail(c.Samples < 1, "", "%d samples cannot be asked for", c.Samples)
	fail(c.Parallel < 1, "", "%d requests cannot be under way at once", c.Parallel)
	fail(c.MaxRetryDelay < 0 || c.Timeout < 0, "", "a wait cannot be shorter than nothing")
	fail(c.Settings.MaxTokens < 1, "", "an answer needs at least one token, not %d", c.Settings.MaxTokens)
	b := c.Budget
	fail(b.Tokens < 0 || b.Dollars < 0 || b.InputPrice < 0 || b.OutputPrice < 0, "", "budgets and prices cannot be negative")
	fail(b.Dollars > 0 && b.InputPrice == 0 && b.OutputPrice == 0,
		"give the price of a million input and output tokens", "a budget in dollars needs prices")
	return errors.Join(errs...)
}
