package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// errTryAgain marks an answer that asks for another try at once.
var errTryAgain = errors.New("the hook asked to be called again")

// post calls an HTTP hook until it answers, the tries are used up or the
// budget is. A nil answer is 204. One budget is for all tries together: a
// sign-in waits for the hook, and holds a transaction meanwhile.
//
// What is tried again is a connection that breaks, after a pause, and an answer
// that asks for it, at once. A last try that times out on its own, not by the
// budget, falls through to the message about an unavailable service, as in the
// real server.
func (h *Hooks) post(ctx context.Context, point Point, payload []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.HTTPTimeout)
	defer cancel()
	for try := 1; try <= h.cfg.HTTPTries; try++ {
		response, err := h.postOnce(ctx, point, payload)
		var known *Error
		switch {
		case errors.As(err, &known):
			return nil, known
		case errors.Is(err, context.DeadlineExceeded):
			return nil, h.timeoutError(err)
		case err != nil:
			if try == h.cfg.HTTPTries && !isTimeout(err) {
				return nil, &Error{
					Status: http.StatusUnprocessableEntity, Code: CodeTimeoutAfterRetry,
					Message: "Failed to reach hook after maximum retries", cause: err,
				}
			}
			if err := h.pause(ctx); err != nil {
				return nil, err
			}
			continue
		}
		answer, err := h.readResponse(response)
		if !errors.Is(err, errTryAgain) {
			return answer, err
		}
	}
	return nil, internalError("Service currently unavailable due to hook", nil)
}

// postOnce signs and sends one request. The signature covers a fresh id and
// time in every try, so a receiver that drops repeated ids sees each of them.
// Redirects are followed, as net/http does it: a 302 with a GET without the
// event, a 307 with the same POST (recording http_hook_answers).
func (h *Hooks) postOnce(ctx context.Context, point Point, payload []byte) (*http.Response, error) {
	id, now := h.cfg.NewID().String(), h.cfg.Now()
	signatures, err := sign(point.Secrets, id, now, payload)
	if err != nil {
		return nil, internalError("Error generating signatures: "+err.Error(), err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, point.URI, bytes.NewReader(payload))
	if err != nil {
		return nil, internalError("Hook failed to make request object", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(standardwebhooks.HeaderWebhookID, id)
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, ", "))
	// Without it the transport asks for gzip, and the size limit would not be
	// about what the hook sent.
	req.Header.Set("Accept-Encoding", "identity")
	return h.client.Do(req)
}

// sign makes a signature with every secret, so that secrets can be rotated.
// Asymmetric ones pass the check at start and fail here: the library cannot
// sign with them, and neither does the real server.
func sign(secrets []string, id string, now time.Time, payload []byte) ([]string, error) {
	var signatures []string
	for _, secret := range secrets {
		symmetric, ok := strings.CutPrefix(secret, "v1,")
		if !ok {
			return nil, errors.New("invalid signature format")
		}
		webhook, err := standardwebhooks.NewWebhook(symmetric)
		if err != nil {
			return nil, err
		}
		signature, err := webhook.Sign(id, now, payload)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, signature)
	}
	return signatures, nil
}

// isTimeout tells a connection that took too long from one that was refused.
func isTimeout(err error) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout()
}

// pause waits before the next try, or fails when the budget ends first.
func (h *Hooks) pause(ctx context.Context) error {
	timer := time.NewTimer(h.cfg.HTTPBackoff)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return h.timeoutError(ctx.Err())
	case <-timer.C:
		return nil
	}
}

// timeoutError is what the user is told when the budget has run out.
func (h *Hooks) timeoutError(cause error) *Error {
	return &Error{
		Status: http.StatusUnprocessableEntity, Code: CodeTimeout,
		Message: fmt.Sprintf("Failed to reach hook within maximum time of %f seconds", h.cfg.HTTPTimeout.Seconds()),
		cause:   cause,
	}
}

// readResponse turns an HTTP answer into the hook's answer or an error, or
// errTryAgain for 429 and 503 with a Retry-After header, whatever its value.
func (h *Hooks) readResponse(response *http.Response) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	switch response.StatusCode {
	case http.StatusNoContent:
		return nil, nil
	case http.StatusOK, http.StatusAccepted:
		if err := checkContentType(response.Header.Get("Content-Type")); err != nil {
			return nil, err
		}
		return h.readBody(response.Body)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if response.Header.Get("Retry-After") != "" {
			return nil, errTryAgain
		}
		return nil, internalError("Service currently unavailable due to hook", nil)
	// An error object in the body of these and all others is not read: only a
	// hook that answers 200 or 202 chooses what the user is told.
	case http.StatusBadRequest:
		return nil, internalError("Invalid payload sent to hook", nil)
	case http.StatusUnauthorized:
		return nil, internalError("Hook requires authorization token", nil)
	}
	return nil, internalError(
		fmt.Sprintf("Unexpected status code returned from hook: %d", response.StatusCode), nil)
}

// checkContentType takes application/json with any parameters and nothing
// else, application/problem+json included.
func checkContentType(header string) error {
	invalid := func(message string) error {
		return &Error{Status: http.StatusBadRequest, Code: CodeInvalidContentType, Message: message}
	}
	if header == "" {
		return invalid("Invalid Content-Type: Missing Content-Type header")
	}
	mediaType, _, err := mime.ParseMediaType(header)
	if err != nil {
		return invalid("Invalid Content-Type header: " + err.Error())
	}
	if mediaType != "application/json" {
		return invalid("Invalid JSON response. Received content-type: " + header)
	}
	return nil
}

// readBody reads an answer of a bounded size: a hook must not be able to fill
// the memory. An answer that breaks off is no *Error, so the user is told that
// the hook failed and not how.
func (h *Hooks) readBody(body io.Reader) ([]byte, error) {
	limit := h.cfg.HTTPResponseLimit
	answer, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(answer)) > limit {
		return nil, &Error{
			Status: http.StatusUnprocessableEntity, Code: CodeOverSizeLimit,
			Message: fmt.Sprintf("Payload size exceeded size limit of %d bytes", limit),
		}
	}
	return answer, nil
}
