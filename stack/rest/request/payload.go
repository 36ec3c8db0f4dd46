package request

import (
	"encoding/json"
	"slices"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// invalidBody is PGRST102.
func invalidBody(message string) *apierror.Error { return apierror.New(400, "PGRST102", message) }

// readPayload gives the body its shape by its content type. Only writes other than DELETE and calls by POST have one.
func readPayload(req *Request, body []byte) (Payload, *apierror.Error) {
	isCall := req.Action == ActionCall
	switch {
	case isCall && req.Method != "POST":
		return Payload{}, nil
	case !isCall && (!req.Action.writes() || req.Action == ActionDelete):
		return Payload{}, nil
	}
	switch req.ContentType.Kind {
	case MediaJSON:
		if req.Columns != nil && req.Action != ActionUpsertOne {
			return Payload{Kind: PayloadRawJSON, Raw: body, Keys: slices.Sorted(slices.Values(req.Columns))}, nil
		}
		if len(body) == 0 && isCall {
			body = []byte("{}")
		}
		return jsonPayload(body)
	case MediaCSV:
		return csvPayload(body)
	case MediaForm:
		return formPayload(string(body), isCall)
	}
	if kind, ok := rawKind(req.ContentType.Kind); ok && isCall {
		return Payload{Kind: kind, Raw: body}, nil
	}
	return Payload{}, invalidBody("Content-Type not acceptable: " + req.ContentType.String())
}

// rawKind is the kind of a body that is one argument: a function with a single unnamed parameter takes it as it is.
func rawKind(m MediaKind) (PayloadKind, bool) {
	switch m {
	case MediaText:
		return PayloadText, true
	case MediaXML:
		return PayloadXML, true
	case MediaBinary:
		return PayloadBinary, true
	}
	return PayloadNone, false
}

// formPayload keeps the fields of a form as arguments of a function. For a relation they become one JSON object, in which the
// last value of a name counts.
func formPayload(body string, isCall bool) (Payload, *apierror.Error) {
	fields, err := splitForm(body)
	if err != nil {
		return Payload{}, err
	}
	object := map[string]string{}
	args := make([]Arg, len(fields))
	for i, f := range fields {
		object[f.key] = f.value
		args[i] = Arg{f.key, f.value}
	}
	keys := make([]string, 0, len(object))
	for k := range object {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if isCall {
		return Payload{Kind: PayloadForm, Raw: []byte(body), Args: args, Keys: keys}, nil
	}
	raw, jsonErr := json.Marshal(object)
	if jsonErr != nil {
		return Payload{}, invalidBody("Empty or invalid json")
	}
	return Payload{Kind: PayloadJSON, Raw: raw, Keys: keys}, nil
}
