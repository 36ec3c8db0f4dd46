package rls

import (
	"fmt"
	"strings"

	"github.com/supascore/supascore/probes"
)

// Cause says why the two paths of a test differ.
type Cause string

// The causes, a closed list.
const (
	// CauseExposure: the API does not know the schema, table or function.
	CauseExposure Cause = "exposure"
	// CauseReturning: the request asks for the written rows, which needs SELECT.
	CauseReturning Cause = "RETURNING needs SELECT"
	// CauseArbiter: an upsert that names its conflict reads the rows it may meet.
	CauseArbiter Cause = "upsert arbiter"
	// CauseUnfiltered: one side writes without a filter, the other with one. Only what
	// looks at columns is subject to SELECT policies.
	CauseUnfiltered Cause = "unfiltered write"
	// CauseMaxRows: the API returns no more rows than it is configured to.
	CauseMaxRows Cause = "max rows"
	// CauseReadOnly: a GET runs in a transaction that cannot write.
	CauseReadOnly Cause = "read-only GET"
	// CauseColumnGrant: one side uses a column that the role has no privilege on.
	CauseColumnGrant Cause = "column grant"
	// CauseGrant: a privilege on a table, schema, sequence or function is missing.
	CauseGrant Cause = "missing grant"
	// CauseOwnersView: the request reads a view with its owner's rights.
	CauseOwnersView Cause = "view owner"
	// CauseRoleChange: code of the candidate changed the role. Requests share a login
	// role that may become others, the SQL session's may not.
	CauseRoleChange Cause = "role change"
	// CauseTime: one side ran into a time limit.
	CauseTime Cause = "time limit"
	// CauseRequest: policies look at the request itself (its method, path or headers),
	// which SQL does not have, or an unknown reason of that kind.
	CauseRequest Cause = "request settings"
)

// Difference is a test whose paths do not agree.
type Difference struct {
	Cause Cause `json:"cause"`
	// Note says what the two sides did.
	Note string `json:"note"`
	// Shown is SQL or a request that shows it.
	Shown string `json:"shown"`
}

// explain says why the paths of a test differ; nil when they do not.
func explain(role string, sql, api *probes.RLSObservation, findings [2]Finding) *Difference {
	if findings[0].Verdict == findings[1].Verdict || findings[0].Verdict == Skip || findings[1].Verdict == Skip {
		return nil
	}
	for _, f := range findings {
		if f.Trouble != "" {
			return nil
		}
	}
	d := &Difference{Note: fmt.Sprintf("by SQL %s, by the API %s", said(findings[0]), said(findings[1]))}
	d.Cause, d.Shown = causeOf(sql, api)
	if d.Shown == "" {
		d.Shown = proof(d.Cause, role, sql, api)
	}
	return d
}

func said(f Finding) string {
	if f.Note == "" {
		return string(f.Verdict)
	}
	return string(f.Verdict) + " (" + f.Note + ")"
}

// causeOf finds the cause, the most certain one first.
func causeOf(sql, api *probes.RLSObservation) (Cause, string) {
	code, message := apiCode(api), apiMessage(api)
	switch {
	case strings.HasPrefix(code, "PGRST"):
		return CauseExposure, ""
	case code == readOnly:
		return CauseReadOnly, ""
	case state(sql) == "57014" || code == "57014":
		return CauseTime, ""
	case roleChange(sql) || roleChange(api):
		return CauseRoleChange, ""
	case isCapped(sql, api):
		return CauseMaxRows, ""
	case api.OwnersView != "":
		return CauseOwnersView, ""
	case code == "21000", sql.Form != "" && isWrite(sql) && !sql.Statement.Filtered && hasFilter(api):
		return CauseUnfiltered, ""
	case api.Form == probes.RLSFormWritten && asksRows(api) && !sql.Statement.Returning && code == denied:
		return CauseReturning, ""
	case strings.Contains(api.Sent, "on_conflict=") && !sql.Statement.Arbiter && code == denied:
		return CauseArbiter, ""
	case isGrant(message) || isGrant(sqlMessage(sql)):
		if strings.Contains(message+sqlMessage(sql), "for column") || api.Form == probes.RLSFormWritten && !strings.Contains(api.Sent, "select=") {
			return CauseColumnGrant, ""
		}
		return CauseGrant, ""
	}
	return CauseRequest, ""
}

func apiCode(o *probes.RLSObservation) string {
	if o.Failed != nil {
		return o.Failed.SQLState
	}
	if o.Answer != nil {
		return o.Answer.Code
	}
	return ""
}

func apiMessage(o *probes.RLSObservation) string {
	if o.Answer != nil {
		return o.Answer.Message
	}
	return sqlMessage(o)
}

func sqlMessage(o *probes.RLSObservation) string {
	if o.Failed == nil {
		return ""
	}
	return o.Failed.Message
}

func state(o *probes.RLSObservation) string {
	if o.Failed == nil {
		return ""
	}
	return o.Failed.SQLState
}

// roleChange reports a refusal to become another role.
func roleChange(o *probes.RLSObservation) bool {
	return strings.Contains(sqlMessage(o), "permission denied to set role") || strings.Contains(sqlMessage(o), "cannot set parameter \"role\"")
}

// isGrant reports a refusal for a privilege and not by a policy. PostgreSQL gives both
// the same SQLSTATE.
func isGrant(message string) bool { return strings.HasPrefix(message, "permission denied for ") }

// apiLimit is max_rows of the API, the default of config.toml.
const apiLimit = 1000

func isCapped(sql, api *probes.RLSObservation) bool {
	return sql.Result != nil && api.Result != nil && len(sql.Result.Rows) > apiLimit && len(api.Result.Rows) == apiLimit
}

func isWrite(o *probes.RLSObservation) bool {
	return o.Statement.Verb == probes.RLSVerbUpdate || o.Statement.Verb == probes.RLSVerbDelete
}

// hasFilter reports whether a request names rows.
func hasFilter(o *probes.RLSObservation) bool {
	_, query, _ := strings.Cut(o.Sent, "?")
	query, _, _ = strings.Cut(query, " ")
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		switch name {
		case "", "select", "order", "limit", "offset", "columns", "on_conflict":
		default:
			return true
		}
	}
	return false
}

// asksRows reports whether a request that writes asks for the rows.
func asksRows(o *probes.RLSObservation) bool {
	return o.Returning || strings.Contains(o.Sent, "select=")
}

// proof is SQL or a request that shows a cause.
func proof(cause Cause, role string, sql, api *probes.RLSObservation) string {
	relation := "?"
	if len(sql.Statement.Relations) > 0 {
		relation = sql.Statement.Relations[0]
	}
	statement := strings.TrimRight(strings.TrimSpace(sql.Sent), "; \n")
	switch cause {
	case CauseReturning:
		return statement + " returning *"
	case CauseReadOnly:
		return "begin read only; " + statement + "; rollback"
	case CauseMaxRows:
		return "select count(*) from (" + statement + ") q"
	case CauseColumnGrant:
		return fmt.Sprintf("select column_name, privilege_type from information_schema.column_privileges where grantee = '%s' and table_name = '%s'", role, relation)
	case CauseGrant:
		return fmt.Sprintf("select privilege_type from information_schema.table_privileges where grantee = '%s' and table_name = '%s'", role, relation)
	case CauseOwnersView:
		return fmt.Sprintf("select relowner::regrole, reloptions from pg_class where relname = '%s'", api.OwnersView)
	case CauseUnfiltered, CauseRoleChange, CauseTime:
		return statement
	default:
		return api.Sent
	}
}
