package request

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// Parse gives a request its meaning. Its errors are always of type *apierror.Error: PGRST1xx with the status, message,
// details and hint that PostgREST 14 answers. Of several things that are wrong it reports the one that PostgREST reports: the
// path, the schema, the method, the parameters, the ranges, the body, in this order.
func Parse(in Input) (*Request, error) {
	req, err := parse(in)
	if err != nil {
		return nil, err
	}
	return req, nil
}

// parse is Parse with the concrete type of the error, so that no nil pointer becomes an error that is not nil.
func parse(in Input) (*Request, *apierror.Error) {
	req := &Request{
		Method:      in.Method,
		HeadersOnly: in.Method == http.MethodHead,
		Accept:      []MediaType{{Kind: MediaAny, Name: "*/*"}},
		ContentType: JSONMedia(),
	}
	var err *apierror.Error
	if req.Target, err = target(in); err != nil {
		return nil, err
	}
	if err = req.chooseSchema(in); err != nil {
		return nil, err
	}
	if req.Action, err = action(req.Target.Kind, in.Method); err != nil {
		return nil, err
	}
	if v := in.Header.Values("Accept"); len(v) > 0 {
		req.Accept = ParseAccept(v[0])
	}
	if v := in.Header.Values("Content-Type"); len(v) > 0 {
		req.ContentType = ParseMediaType(v[0])
	}
	req.Prefer = ParsePrefer(in.Header.Values("Prefer"), in.Settings)
	if err = req.readParameters(in); err != nil {
		return nil, err
	}
	return req, nil
}

// readParameters reads the query string, the Range header and the body.
func (req *Request) readParameters(in Input) *apierror.Error {
	pairs, err := splitQuery(in.RawQuery)
	if err != nil {
		return err
	}
	isCallByURL := req.Action == ActionCall && req.Method != http.MethodPost
	q, err := readQuery(pairs, isCallByURL)
	if err != nil {
		return err
	}
	header := everything()
	if v := in.Header.Values("Range"); len(v) > 0 && in.Method == http.MethodGet {
		header = parseRange(v[0])
	}
	limit, ok := q.ranges["limit"]
	if !ok {
		limit = everything()
	}
	root, err := rootWindow(in.Method, header, limit)
	if err != nil {
		return err
	}
	if q.ranges["limit"] = root; root == everything() {
		delete(q.ranges, "limit")
	}
	req.Columns, req.OnConflict, req.Args = q.columns, q.onConflict, q.args
	if req.Payload, err = readPayload(req, in.Body); err != nil {
		return err
	}
	return attach(req, q)
}

// target finds what the path names.
func target(in Input) (Target, *apierror.Error) {
	trimmed := strings.TrimPrefix(in.Path, "/")
	if trimmed == "" {
		return rootTarget(in.Settings)
	}
	parts := strings.Split(trimmed, "/")
	for i, p := range parts {
		parts[i] = strings.ToValidUTF8(percentDecode(p), string(utf8.RuneError))
	}
	switch {
	case len(parts) == 1:
		return Target{TargetRelation, parts[0]}, nil
	case len(parts) == 2 && parts[0] == "rpc":
		return Target{TargetFunction, parts[1]}, nil
	}
	return Target{}, apierror.New(404, "PGRST125", "Invalid path specified in request URL")
}

// rootTarget is what "/" stands for: a function when one is configured, otherwise the document.
func rootTarget(s Settings) (Target, *apierror.Error) {
	switch {
	case s.OpenAPIDisabled:
		return Target{}, apierror.New(404, "PGRST126", "Root endpoint metadata is disabled")
	case s.RootFunction != "":
		return Target{TargetFunction, s.RootFunction[strings.LastIndexByte(s.RootFunction, '.')+1:]}, nil
	}
	return Target{Kind: TargetRoot}, nil
}

// chooseSchema reads Content-Profile of writes and Accept-Profile of everything else.
func (req *Request) chooseSchema(in Input) *apierror.Error {
	schemas := in.Settings.Schemas
	req.Schema, req.ContentProfile = schemas[0], len(schemas) > 1
	name := "Accept-Profile"
	switch in.Method {
	case http.MethodDelete, http.MethodPatch, http.MethodPost, http.MethodPut:
		name = "Content-Profile"
	}
	profile := in.Header.Values(name)
	if len(profile) == 0 {
		return nil
	}
	if !slices.Contains(schemas, profile[0]) {
		return apierror.New(406, "PGRST106", "Invalid schema: "+profile[0]).
			WithHint("Only the following schemas are exposed: " + strings.Join(schemas, ", "))
	}
	req.Schema, req.ContentProfile = profile[0], true
	return nil
}

// action is what a method does to a kind of target.
func action(kind TargetKind, method string) (Action, *apierror.Error) {
	if method == http.MethodOptions {
		return ActionOptions, nil
	}
	isRead := method == http.MethodGet || method == http.MethodHead
	switch {
	case kind == TargetFunction && (isRead || method == http.MethodPost):
		return ActionCall, nil
	case kind == TargetFunction:
		return 0, apierror.New(405, "PGRST101", "Cannot use the "+method+" method on RPC")
	case isRead && kind == TargetRoot:
		return ActionOpenAPI, nil
	case isRead:
		return ActionRead, nil
	case kind == TargetRelation && method == http.MethodPost:
		return ActionInsert, nil
	case kind == TargetRelation && method == http.MethodPatch:
		return ActionUpdate, nil
	case kind == TargetRelation && method == http.MethodPut:
		return ActionUpsertOne, nil
	case kind == TargetRelation && method == http.MethodDelete:
		return ActionDelete, nil
	}
	return 0, apierror.New(405, "PGRST117", "Unsupported HTTP method: "+method)
}
