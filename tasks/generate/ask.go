package generate

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// answer is what a model said.
type answer struct {
	text, finish string
	cost         charge
	// estimated is set when the endpoint reported no tokens.
	estimated bool
}

// asker asks one model.
type asker struct {
	service openai.ChatCompletionService
	cfg     Config
}

func newAsker(cfg Config) *asker {
	// The service is made from these options alone: unlike openai.NewClient it takes
	// nothing from the environment. Trying again is done here: the library does as it
	// likes when it is told to wait longer than a minute.
	options := []option.RequestOption{
		option.WithBaseURL(cfg.BaseURL), option.WithHTTPClient(cfg.Client), option.WithMaxRetries(0),
		option.WithRequestTimeout(cfg.Timeout),
	}
	if cfg.APIKey != "" {
		options = append(options, option.WithAPIKey(cfg.APIKey))
	}
	return &asker{service: openai.NewChatCompletionService(options...), cfg: cfg}
}

// ask sends a prompt, again and again while the endpoint is busy or broken. The error is
// an *EndpointError, or the context's.
func (a *asker) ask(ctx context.Context, prompt string) (answer, error) {
	pause := backoff.NewExponentialBackOff() // from half a second
	pause.MaxInterval, pause.Multiplier = a.cfg.MaxRetryDelay, 2
	completion, err := backoff.Retry(ctx, func() (*openai.ChatCompletion, error) {
		completion, err := a.service.New(ctx, a.params(prompt))
		if err != nil {
			return nil, again(err, a.cfg.MaxRetryDelay)
		}
		return completion, nil
	}, backoff.WithBackOff(pause), backoff.WithMaxTries(uint(a.cfg.Retries)+1), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, wait time.Duration) {
			a.cfg.Log.InfoContext(ctx, "asking again", "model", a.cfg.Label, "in", wait.Round(time.Millisecond), "because", a.failed(err).cause())
		}))
	if ctx.Err() != nil {
		return answer{}, context.Cause(ctx)
	}
	if err != nil {
		return answer{}, a.failed(err)
	}
	if len(completion.Choices) == 0 {
		return answer{}, a.failed(errNoChoice)
	}
	choice := completion.Choices[0]
	got := answer{text: choice.Message.Content, finish: choice.FinishReason}
	if got.text == "" {
		got.text = choice.Message.Refusal
	}
	got.cost = charge{completion.Usage.PromptTokens, completion.Usage.CompletionTokens}
	if got.cost == (charge{}) {
		got.cost, got.estimated = estimate(prompt, got.text), true
	}
	return got, nil
}

func (a *asker) params(prompt string) openai.ChatCompletionNewParams {
	s := a.cfg.Settings
	params := openai.ChatCompletionNewParams{
		Model:    a.cfg.Model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(prompt)},
	}
	if s.OldMaxTokens {
		params.MaxTokens = openai.Int(s.MaxTokens)
	} else {
		params.MaxCompletionTokens = openai.Int(s.MaxTokens)
	}
	if s.Temperature != nil {
		params.Temperature = openai.Float(*s.Temperature)
	}
	if s.Effort != "" {
		params.ReasoningEffort = shared.ReasoningEffort(s.Effort)
	}
	return params
}
