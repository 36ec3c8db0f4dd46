// Package rest sends a person's requests on single rows to a running stack's REST
// API, through postgrest-go as a user's program would. Whatever the API answers is
// an observation; whether anything changed is for the owner's view to say.
package rest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/supabase-community/postgrest-go"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/internal/bare"
)

// Client speaks to one stack's REST API. It is safe for concurrent use.
type Client struct {
	url       string
	apiKey    string
	transport http.RoundTripper
}

// New returns a client for the REST API at url (without a final slash) with the
// key that clients send.
func New(url, apiKey string, transport http.RoundTripper) *Client {
	return &Client{url: url, apiKey: apiKey, transport: transport}
}

// Request is one request on one row.
type Request struct {
	// Token is the person's access token.
	Token string
	// Verb says what is tried.
	Verb probes.Verb
	// Table is "schema.table".
	Table string
	// Key finds the row by its columns; not used by an insert.
	Key map[string]string
	// Values are the columns that an insert or an update sends.
	Values map[string]any
}

// Do sends the request and returns its bare answer, and why there is none to draw
// conclusions from (empty when there is). It asks for no representation of changed
// rows, as supabase-js does by default: that would need more rights than the
// change itself.
func (c *Client) Do(ctx context.Context, request Request) (probes.Answer, string) {
	schema, table, found := strings.Cut(request.Table, ".")
	if !found {
		return probes.Answer{}, fmt.Sprintf("table %q is not written as schema.table", request.Table)
	}
	recorder := bare.NewRecorder(ctx, c.transport)
	client := postgrest.NewClient(c.url, schema, map[string]string{
		"apikey":        c.apiKey,
		"Authorization": "Bearer " + request.Token,
	})
	if client.ClientError != nil {
		return probes.Answer{}, client.ClientError.Error()
	}
	client.Transport.Parent = recorder
	query, err := build(client.From(table), request)
	if err != nil {
		return probes.Answer{}, err.Error()
	}
	// The library keeps a body that is no JSON as the client's error, and would
	// panic on the query.
	if client.ClientError != nil {
		return probes.Answer{}, client.ClientError.Error()
	}
	// The library's error repeats the answer in fewer words.
	_, _, err = query.Execute()
	if trouble := recorder.Trouble(); trouble != "" || recorder.Answer.Status != 0 {
		return recorder.Answer, trouble
	}
	return recorder.Answer, fmt.Sprintf("the client library sent nothing: %v", err)
}

// build makes the library's query of a request.
func build(table *postgrest.QueryBuilder, request Request) (*postgrest.FilterBuilder, error) {
	const none, minimal = "", "minimal"
	var query *postgrest.FilterBuilder
	switch request.Verb {
	case probes.VerbInsert:
		return table.Insert(request.Values, false, none, minimal, none), nil
	case probes.VerbDelete:
		query = table.Delete(minimal, none)
	case probes.VerbUpdate:
		query = table.Update(request.Values, minimal, none)
	case probes.VerbRead:
		// Only the key, so that columns which the person may not read do not matter.
		query = table.Select(strings.Join(columns(request.Key), ","), none, false)
	default:
		return nil, fmt.Errorf("unknown verb %q", request.Verb)
	}
	for _, column := range columns(request.Key) {
		query = query.Eq(column, request.Key[column])
	}
	return query, nil
}

func columns(key map[string]string) []string {
	names := make([]string, 0, len(key))
	for name := range key {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Alive returns why the REST API does not answer; empty when it does. It calls a
// function that does not exist: the root would make it describe every table.
func (c *Client) Alive(ctx context.Context) string {
	return bare.Ping(ctx, c.transport, c.url+"/rpc/supascore_is_alive", c.apiKey)
}
