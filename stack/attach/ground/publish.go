package ground

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/arena"
)

// codeNotExposed is the code of PostgREST's answer about a schema that is not exposed.
const codeNotExposed = "PGRST106"

// expose adds the schema of the function that tests call to those that the Data API
// exposes, by the setting that it reads from the database (PostgREST documentation,
// "In-Database Configuration").
func (c *Candidate) expose(ctx context.Context, a *API) error {
	if c.ground.inPublic {
		a.Schema = "public"
		return nil
	}
	exposed, err := a.exposed(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(exposed, a.Schema) {
		return nil
	}
	var statement string
	err = c.ground.keeper.QueryRow(ctx, "select format('alter role authenticator set pgrst.db_schemas = %L', $1::text)",
		strings.Join(append(exposed, a.Schema), ", ")).Scan(&statement)
	if err != nil {
		return fmt.Errorf("expose a schema: %w", err)
	}
	_, err = c.ground.keeper.Exec(ctx, statement+"; notify pgrst, 'reload config'", pgx.QueryExecModeSimpleProtocol)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		c.ground.config.Log.Warn("the Data API cannot be told to expose a schema of ours", "error", err)
		c.ground.inPublic, a.Schema = true, "public"
		return nil
	}
	return err
}

// exposed are the schemas that the Data API exposes, which it names to who asks for
// another one.
func (a *API) exposed(ctx context.Context) ([]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.URL+"/supascore_looks_for_schemas", nil)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Apikey", a.Key)
	request.Header.Set("Accept-Profile", "supascore_looks_for_schemas")
	said, err := a.ask(request)
	if err != nil {
		return nil, &APIError{Answer: err.Error()}
	}
	// In the hint, and in older versions at the end of the message.
	for _, words := range []string{said.Hint, said.Message} {
		if at := strings.LastIndex(words, ": "); said.Code == codeNotExposed && at >= 0 && words[at+2:] != "supascore_looks_for_schemas" {
			return strings.Split(words[at+2:], ", "), nil
		}
	}
	return nil, &APIError{Answer: said.words()}
}

// publish makes the function that runs SQL under a name that nobody has seen yet, and
// waits until the Data API knows it.
func (c *Candidate) publish(ctx context.Context, a *API, token string) error {
	before := a.Run
	a.Run = "run_" + uuid.NewString()[:8]
	if a.Schema == "public" {
		a.Run = "supascore_" + a.Run
	}
	text, err := arena.RunSQL(a.Schema, a.Run)
	if err != nil {
		return err
	}
	text += "; grant execute on function " + pgx.Identifier{a.Schema, a.Run}.Sanitize() + " to public"
	if before != "" {
		for _, schema := range []string{"public", arena.APISchema} {
			text += "; drop function if exists " + pgx.Identifier{schema, before}.Sanitize()
		}
	}
	if _, err := c.ground.keeper.Exec(ctx, text, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("make the function that tests call: %w", err)
	}
	return c.awaitRun(ctx, a, token)
}

// awaitRun waits until the Data API knows the function.
func (c *Candidate) awaitRun(ctx context.Context, a *API, token string) error {
	return c.awaitAnswer(ctx, func(ctx context.Context) (answer, bool, error) { return a.knows(ctx, token) })
}

// awaitAnswer asks the Data API until it says that it has read the schema, and reminds it
// now and then: what is announced while it does not listen is not heard. An error of ask
// is the end. When the time is over the last thing that it really answered is told, if
// there was one: the request that was under way then was only cut off.
func (c *Candidate) awaitAnswer(ctx context.Context, ask func(context.Context) (said answer, read bool, err error)) error {
	limited, cancel := context.WithTimeout(ctx, c.ground.config.Reload)
	defer cancel()
	var last answer
	for asked := 0; ; asked++ {
		if asked%reminded == 0 {
			if _, err := c.ground.keeper.Exec(ctx, "notify pgrst, 'reload schema'"); err != nil {
				return fmt.Errorf("tell the Data API of the schema: %w", err)
			}
		}
		said, read, err := ask(limited)
		if err != nil || read {
			return err
		}
		if said.status != 0 || last.status == 0 {
			last = said
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limited.Done():
			return &APIError{Answer: last.words(), code: last.Code}
		case <-time.After(askInterval):
		}
	}
}

// How often the Data API is asked, and after how many times it is reminded.
const (
	askInterval = 5 * time.Millisecond
	reminded    = 400
)

// answer is what the Data API says.
type answer struct {
	status              int
	Code, Message, Hint string
	text                string
}

func (a answer) words() string {
	if a.status == 0 {
		return a.text
	}
	return fmt.Sprintf("%d %s", a.status, a.text)
}

// ask sends a request of our own. The error is the connection's.
func (a *API) ask(request *http.Request) (answer, error) {
	response, err := a.transport.RoundTrip(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	said := answer{status: response.StatusCode, text: string(bytes.TrimSpace(text[:min(len(text), 200)]))}
	_ = json.Unmarshal(text, &said) // an answer of another kind has no code
	return said, err
}

// knows asks the Data API to run something that says nothing of the database.
func (a *API) knows(ctx context.Context, token string) (said answer, known bool, err error) {
	body := `{"before": "", "query": "select 1", "after": "", "returns_rows": true}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/rpc/"+a.Run, strings.NewReader(body))
	if err != nil {
		return said, false, fmt.Errorf("make a request: %w", err)
	}
	request.Header.Set("Apikey", a.Key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Profile", a.Schema)
	request.Header.Set("Authorization", "Bearer "+token)
	if said, err = a.ask(request); err != nil {
		return answer{text: err.Error()}, false, nil // its PostgREST may be on its way back
	}
	switch {
	case said.status == http.StatusUnauthorized && (said.Code == "" || strings.HasPrefix(said.Code, "PGRST3")):
		return said, false, &TokenError{
			"the stack's Data API refuses a token that the JWT secret signs: " + said.words(),
			"a project that signs with asymmetric keys (ES256, RS256) may accept no others; --path sql does without tokens",
		}
	case said.status == http.StatusNotFound, said.status >= http.StatusInternalServerError,
		said.status >= http.StatusBadRequest && strings.HasPrefix(said.Code, "PGRST"):
		return said, false, nil
	}
	return said, true, nil // what PostgreSQL refuses, such as the schema to the role, is the candidate's doing
}
