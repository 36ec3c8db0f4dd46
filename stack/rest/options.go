package rest

import (
	"net/http"
	"strings"

	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// options answers OPTIONS with the methods of the target, without asking the database.
func (c *call) options() (*response, error) {
	defer c.stages.done(stagePlan)
	allow := "OPTIONS,GET,HEAD"
	switch c.req.Target.Kind {
	case request.TargetRelation:
		table, err := query.Table(c.req, c.state.snapshot)
		if err != nil {
			return nil, err
		}
		allow = allowed(table)
	case request.TargetFunction:
		// Unlike a relation, a function is asked about as if it were called.
		asked := *c.req
		asked.Action = request.ActionCall
		plan, err := query.Build(&asked, c.state.snapshot, c.state.config.queryOptions())
		if err != nil {
			return nil, err
		}
		allow = "OPTIONS,GET,HEAD,POST"
		if plan.Function.Volatility == schema.Volatile {
			allow = "OPTIONS,POST"
		}
	}
	r := newResponse(http.StatusOK)
	r.header.Set("Access-Control-Allow-Origin", "*")
	r.header.Set("Allow", allow)
	r.setBody(nil)
	return r, nil
}

// allowed lists the methods of a relation, by what can be done to it and not by what the role may do.
func allowed(t *schema.Table) string {
	methods := []string{"OPTIONS", "GET", "HEAD"}
	if t.Insertable {
		methods = append(methods, "POST")
	}
	if t.Insertable && t.Updatable && t.HasPrimaryKey() {
		methods = append(methods, "PUT")
	}
	if t.Updatable {
		methods = append(methods, "PATCH")
	}
	if t.Deletable {
		methods = append(methods, "DELETE")
	}
	return strings.Join(methods, ",")
}
