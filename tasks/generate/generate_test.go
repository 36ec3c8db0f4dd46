package generate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/supascore/supascore/internal/journal"
	"github.com/supascore/supascore/tasks"
	"github.com/supascore/supascore/tasks/generate"
	"github.com/supascore/supascore/tasks/samples"
)

// request is what the endpoint was asked.
type request struct {
	Model               string   `json:"model"`
	MaxTokens           *int64   `json:"max_tokens"`
	MaxCompletionTokens *int64   `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	Effort              string   `json:"reasoning_effort"`
	Messages            []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	authorization string
}

// endpoint is a server that speaks chat completions. respond may answer otherwise; it
// reports whether it did.
type endpoint struct {
	*httptest.Server
	respond func(n int, w http.ResponseWriter) bool

	mu   sync.Mutex
	seen []request
}

func newEndpoint(t *testing.T, respond func(n int, w http.ResponseWriter) bool) *endpoint {
	t.Helper()
	e := &endpoint{respond: respond}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked request
	body, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" || json.Unmarshal(body, &asked) != nil {
		http.Error(w, "no such thing", http.StatusNotFound)
		return
	}
	asked.authorization = r.Header.Get("Authorization")
	e.mu.Lock()
	e.seen = append(e.seen, asked)
	n := len(e.seen)
	e.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if e.respond != nil && e.respond(n, w) {
		return
	}
	answer := fmt.Sprintf("Sure.\n```sql\nselect %d;\n```\n", n)
	text, _ := json.Marshal(answer)
	fmt.Fprintf(w, `{"id":"1","object":"chat.completion","model":%q,"choices":[{"index":0,"finish_reason":"stop",
		"message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}}`, asked.Model, text)
}

func (e *endpoint) requests() []request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]request(nil), e.seen...)
}

func list(ids ...string) []*tasks.Task {
	var all []*tasks.Task
	for _, id := range ids {
		all = append(all, &tasks.Task{ID: id, Schema: "create table t ();", Requirement: "R1. Nobody reads " + id + "."})
	}
	return all
}

func config(t *testing.T, e *endpoint) generate.Config {
	t.Helper()
	return generate.Config{
		Tasks: list("T001", "T002", "T003"), Model: "model-1", BaseURL: e.URL + "/v1",
		File: filepath.Join(t.TempDir(), "samples.jsonl"), Samples: 2, Parallel: 2,
	}
}

func read(t *testing.T, path string) []samples.Sample {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	list, err := samples.Read(path, file)
	require.NoError(t, err)
	return list
}

func TestEveryTaskGetsItsSamplesWithWhatTheyCost(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	temperature := 0.7
	cfg.APIKey, cfg.Label = "sk-secret", "model-1 (warm)"
	cfg.Settings = generate.Settings{MaxTokens: 500, Temperature: &temperature, Effort: "medium"}
	cfg.Budget = generate.Budget{InputPrice: 2, OutputPrice: 10}
	told := 0
	cfg.OnSample = func(samples.Sample) { told++ }
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 6, told)
	assert.InDelta(t, 6*(100*2+20*10)/1e6, report.Dollars, 1e-12)
	report.Dollars = 0
	assert.Equal(t, generate.Report{New: 6, InputTokens: 600, OutputTokens: 120}, report)

	keys := map[samples.Key]bool{}
	for _, s := range read(t, cfg.File) {
		keys[s.Key()] = true
		assert.Regexp(t, `^select \d;$`, s.SQL)
		assert.Equal(t, "Sure.\n```sql\n"+s.SQL+"\n```\n", s.Answer)
		assert.Equal(t, "stop", s.Finish)
		assert.Equal(t, int64(100), s.InputTokens)
		assert.Equal(t, int64(20), s.OutputTokens)
		assert.False(t, s.Estimated)
		assert.WithinDuration(t, time.Now(), s.Created, time.Minute)
	}
	assert.Len(t, keys, 6)
	assert.True(t, keys[samples.Key{Model: "model-1 (warm)", Task: "T003", Number: 2}])
	for _, asked := range e.requests() {
		assert.Equal(t, "model-1", asked.Model)
		assert.Equal(t, int64(500), *asked.MaxCompletionTokens)
		assert.Nil(t, asked.MaxTokens)
		assert.InDelta(t, 0.7, *asked.Temperature, 1e-12)
		assert.Equal(t, "medium", asked.Effort)
		assert.Equal(t, "Bearer sk-secret", asked.authorization)
		require.Len(t, asked.Messages, 1)
		assert.Equal(t, "user", asked.Messages[0].Role)
		assert.Contains(t, asked.Messages[0].Content, "R1. Nobody reads T00")
	}
	text, err := os.ReadFile(cfg.File)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "sk-secret")
}

func TestWhatIsNotSetIsNotSent(t *testing.T) {
	// Not parallel: the environment must not reach the endpoint either.
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/")
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	cfg.Tasks, cfg.Samples, cfg.Settings = list("T001"), 1, generate.Settings{MaxTokens: 9, OldMaxTokens: true}
	_, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	asked := e.requests()[0]
	assert.Empty(t, asked.authorization)
	assert.Nil(t, asked.Temperature)
	assert.Empty(t, asked.Effort)
	assert.Nil(t, asked.MaxCompletionTokens)
	assert.Equal(t, int64(9), *asked.MaxTokens)
}

func TestARunGoesOnWhereAnotherEnded(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	cfg.Samples = 1
	_, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)

	// The program was killed while it wrote the next line.
	file, err := os.OpenFile(cfg.File, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"model":"model-1","task":"T001","sam`)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	cfg.Samples = 3
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 3, report.Kept)
	assert.Equal(t, 6, report.New)
	assert.Equal(t, int64(900), report.InputTokens, "earlier runs count")
	assert.Len(t, e.requests(), 9)
	assert.Len(t, read(t, cfg.File), 9)

	report, err = generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, generate.Report{Kept: 9, InputTokens: 900, OutputTokens: 180}, report)
	assert.Len(t, e.requests(), 9, "nothing is asked for twice")
}

func TestAnotherModelsSamplesDoNotCount(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	_, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	cfg.Model = "model-2"
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, generate.Report{New: 6, InputTokens: 600, OutputTokens: 120}, report)
}

func TestSamplesForAnotherPromptAreNotMixedIn(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	_, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	cfg.Tasks[1].Requirement = "R1. Everybody reads."
	_, err = generate.Run(t.Context(), cfg)
	var stale *generate.StaleError
	require.ErrorAs(t, err, &stale)
	assert.Equal(t, "T002", stale.Task)
	assert.Len(t, e.requests(), 6)
}

func TestABusyEndpointIsAskedAgainWhenItSays(t *testing.T) {
	t.Parallel()
	var refused, answered atomic.Int64
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		switch n {
		case 1:
			refused.Store(time.Now().UnixNano())
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		case 2:
			answered.Store(time.Now().UnixNano())
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	cfg := config(t, e)
	cfg.Tasks, cfg.Samples = list("T001"), 1
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 1, report.New)
	assert.Len(t, e.requests(), 3)
	assert.GreaterOrEqual(t, time.Duration(answered.Load()-refused.Load()), time.Second)
}

func TestAWaitLongerThanTheLongestEndsTheRun(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(_ int, w http.ResponseWriter) bool {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	cfg := config(t, e)
	cfg.Parallel, cfg.MaxRetryDelay = 1, time.Minute
	_, err := generate.Run(t.Context(), cfg)
	var failure *generate.EndpointError
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, http.StatusTooManyRequests, failure.Status)
	assert.Regexp(t, `429 Too Many Requests.* \(asks to wait for (1h0m0s|59m59s|59m58s)\)`, err.Error())
	assert.Len(t, e.requests(), 1)
}

func TestAnAnswerThatTakesTooLongIsASampleThatIsMissing(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	e := newEndpoint(t, func(n int, _ http.ResponseWriter) bool {
		if n == 1 {
			<-release
		}
		return false
	})
	t.Cleanup(func() { close(release) }) // before the server waits for its requests
	cfg := config(t, e)
	cfg.Samples, cfg.Parallel, cfg.Timeout = 1, 1, 300*time.Millisecond
	report, err := generate.Run(t.Context(), cfg)
	require.ErrorContains(t, err, "task T001, sample 1: ")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, 1, report.Missing)
	assert.Equal(t, 2, report.New)
}

func TestAnEndpointThatCannotBeReachedIsTriedAgain(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		if n == 1 {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				connection.Close()
			}
		}
		return n == 1
	})
	cfg := config(t, e)
	cfg.Tasks, cfg.Samples = list("T001"), 1
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 1, report.New)
	assert.GreaterOrEqual(t, len(e.requests()), 2)
}

func TestAnEndpointThatStaysBrokenEndsTheRunAndWhatItAnsweredIsKept(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		if n > 2 {
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, `{"error":{"message":"the model fell over"}}`)
		}
		return n > 2
	})
	cfg := config(t, e)
	cfg.Retries, cfg.Parallel = 2, 1
	report, err := generate.Run(t.Context(), cfg)
	var failure *generate.EndpointError
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, http.StatusBadGateway, failure.Status)
	assert.ErrorContains(t, err, "ask model-1 at "+e.URL+"/v1: ")
	assert.ErrorContains(t, err, "the model fell over")
	assert.Contains(t, failure.Hint(), "run again to go on")
	assert.Len(t, e.requests(), 2+1+2, "one request with its two retries, then no other")
	assert.Equal(t, 4, report.Missing)
	assert.Len(t, read(t, cfg.File), 2)
}

func TestAWrongKeyOrModelEndsTheRunAtOnce(t *testing.T) {
	t.Parallel()
	for status, hint := range map[int]string{
		http.StatusUnauthorized: "check the API key", http.StatusForbidden: "check the API key",
		http.StatusNotFound: "check the model's name and the base URL",
	} {
		e := newEndpoint(t, func(_ int, w http.ResponseWriter) bool {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"no"}}`)
			return true
		})
		cfg := config(t, e)
		cfg.Parallel, cfg.APIKey = 1, "sk-secret"
		_, err := generate.Run(t.Context(), cfg)
		var failure *generate.EndpointError
		require.ErrorAs(t, err, &failure)
		assert.Contains(t, failure.Hint(), hint)
		assert.NotContains(t, err.Error(), "sk-secret")
		assert.Len(t, e.requests(), 1)
	}
}

func TestARefusedRequestIsNamedAndTheOthersAreMade(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		if n == 2 {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"the prompt is too long"}}`)
		}
		return n == 2
	})
	cfg := config(t, e)
	cfg.Parallel = 1
	report, err := generate.Run(t.Context(), cfg)
	require.ErrorContains(t, err, "task T002, sample 1: ")
	require.ErrorContains(t, err, "the prompt is too long")
	assert.Equal(t, 5, report.New)
	assert.Equal(t, 1, report.Missing)
}

func TestABudgetIsNeverExceededAndGoesOnCountingInTheNextRun(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]generate.Budget{
		// A request may take its prompt, some 700 tokens by estimate, and 50; it costs 120.
		"tokens":  {Tokens: 1100},
		"dollars": {Dollars: 0.0011, InputPrice: 1, OutputPrice: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEndpoint(t, nil)
			cfg := config(t, e)
			cfg.Samples, cfg.Settings.MaxTokens, cfg.Budget = 50, 50, budget
			report, err := generate.Run(t.Context(), cfg)
			var used *generate.BudgetError
			require.ErrorAs(t, err, &used)
			spent := report.InputTokens + report.OutputTokens
			assert.LessOrEqual(t, spent, int64(1100))
			assert.Greater(t, spent+used.Next, int64(1100), "no request was held back that fitted")
			assert.Positive(t, report.New)
			assert.Equal(t, spent, 120*int64(len(e.requests())))

			again, err := generate.Run(t.Context(), cfg)
			require.ErrorAs(t, err, &used)
			assert.Zero(t, again.New)
			assert.Equal(t, report.New, again.Kept)
		})
	}
}

func TestAnswersWithoutCountedTokensAreChargedByEstimate(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(_ int, w http.ResponseWriter) bool {
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"select 1"}}]}`)
		return true
	})
	cfg := config(t, e)
	cfg.Tasks, cfg.Samples = list("T001"), 1
	report, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	prompt, err := tasks.Prompt(cfg.Tasks[0])
	require.NoError(t, err)
	assert.Equal(t, int64(len(prompt)/3+1), report.InputTokens)
	s := read(t, cfg.File)[0]
	assert.True(t, s.Estimated)
	assert.Equal(t, "select 1", s.SQL)
	assert.Equal(t, samples.PromptHash(prompt), s.Prompt)
}

func TestAnAnswerThatIsEmptyOrARefusalIsASample(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		refusal := `null`
		if n == 1 {
			refusal = `"I would rather not."`
		}
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"","refusal":%s}}]}`, refusal)
		return true
	})
	cfg := config(t, e)
	cfg.Tasks, cfg.Parallel = list("T001"), 1
	_, err := generate.Run(t.Context(), cfg)
	require.NoError(t, err)
	got := read(t, cfg.File)
	assert.Equal(t, "I would rather not.", got[0].Answer)
	assert.Empty(t, got[1].Candidate())
	assert.Equal(t, "length", got[1].Finish)
}

func TestAnAnswerWithoutAChoiceEndsTheRun(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, func(_ int, w http.ResponseWriter) bool {
		fmt.Fprint(w, `{"choices":[]}`)
		return true
	})
	_, err := generate.Run(t.Context(), config(t, e))
	assert.ErrorContains(t, err, "without a choice")
}

func TestACancelledRunSaysSoAndKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	e := newEndpoint(t, func(n int, w http.ResponseWriter) bool {
		if n == 3 {
			cancel(enough)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n == 3
	})
	cfg := config(t, e)
	cfg.Parallel = 1
	report, err := generate.Run(ctx, cfg)
	require.ErrorIs(t, err, enough)
	assert.Equal(t, 2, report.New)
	assert.Len(t, read(t, cfg.File), 2)
}

func TestTwoRunsDoNotWriteOneFile(t *testing.T) {
	t.Parallel()
	e := newEndpoint(t, nil)
	cfg := config(t, e)
	other, _, err := journal.Open[samples.Sample](cfg.File)
	require.NoError(t, err)
	defer other.Close()
	_, err = generate.Run(t.Context(), cfg)
	var locked *journal.LockedError
	require.ErrorAs(t, err, &locked)
	assert.Empty(t, e.requests())
}

func TestAWrongConfigurationIsRefusedWholeBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	_, err := generate.Run(t.Context(), generate.Config{
		BaseURL: "localhost:11434", Samples: -1, Parallel: -1, Budget: generate.Budget{Dollars: 1, Tokens: -1},
		Settings: generate.Settings{MaxTokens: -1},
	})
	for _, problem := range []string{
		"no model is named", `"localhost:11434" is no base URL`, "no samples file is named", "-1 samples cannot",
		"-1 requests cannot", "at least one token", "cannot be negative", "a budget in dollars needs prices",
	} {
		assert.ErrorContains(t, err, problem)
	}
	assert.Equal(t, 8, strings.Count(err.Error(), "\n")+1)
	var wrong *generate.ConfigError
	assert.ErrorAs(t, err, &wrong)
}
