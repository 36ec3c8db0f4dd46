package bare

import (
	"context"
	"fmt"
	"net/http"
)

// Ping returns why a service does not answer a GET request; empty when it does,
// with any status below 500.
func Ping(ctx context.Context, transport http.RoundTripper, url, apiKey string) string {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}
	request.Header.Set("apikey", apiKey)
	recorder := NewRecorder(ctx, transport)
	if _, err := recorder.RoundTrip(request); err != nil {
		return err.Error()
	}
	if recorder.Answer.Status >= http.StatusInternalServerError {
		return fmt.Sprintf("%s answered %d %s", recorder.Answer.Path, recorder.Answer.Status, recorder.Answer.Message)
	}
	return ""
}
