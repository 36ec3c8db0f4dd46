package rest

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"strconv"

	"github.com/supascore/supascore/stack/rest/apierror"
)

// override applies the status and headers that SQL set with response.status and response.headers (PostgREST
// documentation, "Transactions"). Headers replace those of the server; the same name twice is sent twice.
func (r *response) override(res result) error {
	if res.status != nil {
		status, ok := leadingNumber(string(res.status))
		if !ok {
			return apierror.New(http.StatusInternalServerError, "PGRST112", "response.status guc must be a valid status code")
		}
		r.status = status
	}
	headers, ok := settingHeaders(res.headers)
	if !ok {
		return apierror.New(http.StatusInternalServerError, "PGRST111",
			"response.headers guc must be a JSON array composed of objects with a single key and a string value")
	}
	for _, h := range headers {
		r.header.Del(h.name)
	}
	for _, h := range headers {
		r.header.Add(h.name, h.value)
	}
	return nil
}

// leadingNumber reads the digits that text begins with; what follows them is not looked at, as in PostgREST.
func leadingNumber(text string) (int, bool) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil || n < 200 || n > 999 { // below 200 nothing but another response may follow
		return 0, false
	}
	return n, true
}

type header struct{ name, value string }

// settingHeaders reads [{"Name": "value"}, …]. An unset setting has no headers.
func settingHeaders(text []byte) ([]header, bool) {
	if text == nil {
		return nil, true
	}
	var items []map[string]*string
	if err := json.Unmarshal(text, &items); err != nil {
		return nil, false
	}
	out := make([]header, 0, len(items))
	for _, item := range items {
		if len(item) != 1 {
			return nil, false
		}
		for name, value := range item {
			if value == nil {
				return nil, false
			}
			out = append(out, header{textproto.CanonicalMIMEHeaderKey(name), *value})
		}
	}
	return out, true
}
