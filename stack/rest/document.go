package rest

import (
	"errors"
	"net/http"
	"slices"

	"github.com/supascore/supascore/stack/rest/openapi"
	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
)

// apiVersion is the version of PostgREST whose behaviour the server has, as the root document names it.
const apiVersion = "14.17"

// document answers the root with a description of what the role may use.
func (c *call) document() (*response, error) {
	if !slices.ContainsFunc(c.req.Accept, isDocument) {
		return nil, query.NotAcceptable(c.req.Accept)
	}
	c.stages.done(stagePlan)
	access, err := c.access()
	c.stages.done(stageTransaction)
	if err != nil {
		return nil, err
	}
	access.All = c.state.config.OpenAPIMode == OpenAPIIgnorePrivileges
	defer c.stages.done(stageResponse)
	body, err := openapi.Write(openapi.Options{
		Schema: c.req.Schema, Version: apiVersion, ProxyURI: c.state.config.OpenAPIProxyURI,
		Address: c.http.Host, Security: c.state.config.OpenAPISecurity,
	}, c.state.snapshot, access)
	if err != nil {
		return nil, err
	}
	r := newResponse(http.StatusOK)
	r.setType(c, request.MediaType{Kind: request.MediaOpenAPI, Name: "application/openapi+json"})
	if !c.req.HeadersOnly {
		r.setBody(body)
	}
	return r, nil
}

// access asks the database what the role may use.
func (c *call) access() (openapi.Access, error) {
	res, err := c.transact(&transaction{
		begin: begin(c.state.roles[c.who.Role].Isolation, true), role: c.who.Role, bare: c.state.config.Unprepared,
		savepoint: c.state.config.Savepoint,
		settings:  settingsStep(c.state, c.http, c.req, c.who, nil, true), before: c.preRequest(),
		main: query.Statement{SQL: openapi.AccessSQL(), Args: []query.Argument{{Value: []byte(c.req.Schema)}}},
	})
	if err != nil {
		return openapi.Access{}, err
	}
	if len(res.lines) != 1 || len(res.lines[0]) != 1 {
		return openapi.Access{}, errors.New("rest: the rights of the role are not one value")
	}
	return openapi.ReadAccess(res.lines[0][0])
}

// isDocument reports whether a media type is one that the root document answers to; it is always sent as OpenAPI.
func isDocument(m request.MediaType) bool {
	return m.Kind == request.MediaOpenAPI || m.Kind == request.MediaJSON || m.Kind == request.MediaAny
}
