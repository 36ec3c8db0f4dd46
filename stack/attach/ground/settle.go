package ground

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Exposed are the schemas that the stack's Data API exposes, in its order. Errors are
// *APIError.
func (g *Ground) Exposed(ctx context.Context) ([]string, error) {
	a := g.dataAPI()
	defer a.close()
	return a.exposed(ctx)
}

// dataAPI is the stack's Data API while it answers for nobody.
func (g *Ground) dataAPI() *API {
	place := g.config.Place
	return &API{
		URL: place.APIURL + "/rest/v1", Key: place.Keys.Publishable,
		transport: &http.Transport{DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext, DisableCompression: true},
	}
}

// Settle waits until the Data API has read its configuration and the schema as they are
// now. It needs schema public to be exposed, and leaves nothing there. Errors: *APIError,
// the database's.
//
// A function under a new name is made and taken away again. A look at the catalogs that
// sees it may have begun before what this is about; the one that misses it began after
// that look had ended.
func (c *Candidate) Settle(ctx context.Context) error {
	a := c.ground.dataAPI()
	defer a.close()
	keeper, err := c.ground.alive(ctx)
	if err != nil {
		return err
	}
	name := "supascore_settle_" + uuid.NewString()[:8]
	function := pgx.Identifier{"public", name}.Sanitize() + "()"
	for _, turn := range []struct {
		sql   string
		known bool
	}{
		{"create function " + function + " returns int language sql as 'select 1'; notify pgrst, 'reload config'", true},
		{"drop function " + function, false},
	} {
		if _, err := keeper.Exec(ctx, turn.sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("make the Data API look at the schema: %w", err)
		}
		if err := c.awaitFunction(ctx, a, name, turn.known); err != nil {
			return err
		}
	}
	return nil
}

// awaitFunction waits until the Data API knows a function of schema public, or does not
// any more.
func (c *Candidate) awaitFunction(ctx context.Context, a *API, name string, known bool) error {
	return c.awaitAnswer(ctx, func(ctx context.Context) (answer, bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+"/rpc/"+name, strings.NewReader("{}"))
		if err != nil {
			return answer{}, false, fmt.Errorf("make a request: %w", err)
		}
		request.Header.Set("Apikey", a.Key)
		request.Header.Set("Content-Type", "application/json")
		said, err := a.ask(request)
		if err != nil {
			said = answer{text: err.Error()} // not yet
		}
		now, sure := said.ofFunction()
		return said, sure && now == known, nil
	})
}

// ofFunction tells from the answer to a call whether the function is known. An answer
// that a server gives while it cannot read the schema says nothing.
func (a answer) ofFunction() (known, sure bool) {
	switch {
	case a.Code == "PGRST202":
		return false, true
	case a.status == 0, a.status >= http.StatusInternalServerError, strings.HasPrefix(a.Code, "PGRST"):
		return false, false
	}
	return true, a.status == http.StatusOK || a.Code != "" // or PostgreSQL itself refuses the call
}
