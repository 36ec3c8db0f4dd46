package rls

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/rls/translate"
)

// answer is an answer with its body.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (r *runner) send(ctx context.Context, request *translate.Request, token string) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, request.Method, r.Target.URL+request.Path, bytes.NewReader(request.Body))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	for name, values := range request.Header {
		req.Header[name] = values
	}
	req.Header.Set("Apikey", r.Target.Key)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := r.Target.Transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return &answer{status: resp.StatusCode, header: resp.Header, body: body}, nil
}

// keep records an answer.
func (r *runner) keep(t *planned, request *translate.Request, a *answer, o *probes.RLSObservation) {
	o.Answer = &probes.Answer{Method: request.Method, Path: request.Path, Status: a.status, Rows: -1}
	if a.status >= http.StatusMultipleChoices {
		o.Changes, o.After = nil, nil // the transaction did not last until its end
		keepError(a, o)
		return
	}
	if err := r.keepRows(t, request, a, o); err != nil {
		o.Trouble = fmt.Sprintf("the answer to %s %s cannot be read: %s", request.Method, request.Path, err)
	}
}

// keepError reads the API's error. A code that is a SQLSTATE is PostgreSQL's refusal.
func keepError(a *answer, o *probes.RLSObservation) {
	var body struct{ Code, Message, Details, Hint *string }
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	if json.Unmarshal(a.body, &body) != nil {
		o.Answer.Message = string(a.body[:min(len(a.body), 300)])
		return
	}
	o.Answer.Code, o.Answer.Message = text(body.Code), text(body.Message)
	o.Answer.Details, o.Answer.Hint = text(body.Details), text(body.Hint)
	if len(o.Answer.Code) == 5 {
		o.Failed = &probes.SQLError{
			SQLState: o.Answer.Code, Message: o.Answer.Message, Detail: o.Answer.Details, Hint: o.Answer.Hint,
		}
	}
}

// keepRows reads the rows of an answer, or how many there were.
func (r *runner) keepRows(t *planned, request *translate.Request, a *answer, o *probes.RLSObservation) error {
	total := totalOf(a.header.Get("Content-Range"))
	if request.Total {
		o.Affected = 1
		o.Result = &probes.RLSTable{
			Columns: []probes.RLSColumn{{Name: "count", Type: "int8"}}, Rows: [][]any{{strconv.FormatInt(total, 10)}},
		}
		return nil
	}
	body := a.body
	if o.Form == probes.RLSFormWrapper {
		var wrapped struct {
			Rows     json.RawMessage
			Affected int64
		}
		if err := json.Unmarshal(a.body, &wrapped); err != nil {
			return err
		}
		if o.Affected = wrapped.Affected; !t.query.Statement.ReturnsRows() {
			return nil
		}
		body = wrapped.Rows
	}
	if len(bytes.TrimSpace(body)) == 0 {
		o.Affected = total
		return nil
	}
	rows, err := tableOf(body, request.Columns)
	if err != nil {
		return err
	}
	if o.Form != probes.RLSFormWrapper {
		o.Affected = int64(len(rows.Rows))
	}
	o.Answer.Rows = len(rows.Rows)
	described := r.shape.columns[t.test.ID]
	if len(described) > 0 && (len(rows.Rows) == 0 || len(described) == len(rows.Columns)) {
		rows.Columns = described
	}
	if len(rows.Rows) > maxRows {
		rows.Rows, rows.Truncated = rows.Rows[:maxRows], true
	}
	o.Result = rows
	return nil
}

// totalOf is the number behind the slash of Content-Range; -1 when there is none.
func totalOf(contentRange string) int64 {
	_, total, _ := strings.Cut(contentRange, "/")
	n, err := strconv.ParseInt(total, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
