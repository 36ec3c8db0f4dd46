package auth

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
	"github.com/supascore/supascore/stack/auth/token"
)

// call is one request on its way through the handlers.
type call struct {
	w http.ResponseWriter
	r *http.Request
	// id is shown to the client in answers with status 500 and above, and is in the log.
	id string

	// claims, user and session are those of the bearer token, once a handler has asked for it. For
	// paths below /admin/users/{user_id} user is the one that the path names.
	claims  *token.AccessTokenClaims
	user    *store.User
	session *store.Session
	// factor is the one that the path names.
	factor *store.Factor
	// admin stands for the administrator in the audit log: a role, not a user of the database.
	admin *store.User

	body    []byte
	bodyErr error
	hasRead bool
}

// handler answers a request, or returns the error that is to be answered. Only a handler that
// returns nil has written.
type handler func(ctx context.Context, c *call) error

// json answers with a JSON body.
func (c *call) json(status int, value any) error {
	apierr.WriteJSON(c.w, status, value)
	return nil
}

// bytes is the whole body of the request; it can be read again and again. A form body that FormValue
// has read is gone: what wants JSON then finds none (recording token_refresh_errors).
func (c *call) bytes() ([]byte, error) {
	if !c.hasRead {
		c.hasRead = true
		if c.r.Body != nil {
			c.body, c.bodyErr = io.ReadAll(c.r.Body)
		}
	}
	return c.body, c.bodyErr
}

// decode reads the body as JSON. The content type does not matter.
func (c *call) decode(into any) error {
	body, err := c.bytes()
	var tooLarge *http.MaxBytesError // by ServeHTTP
	switch {
	case errors.As(err, &tooLarge):
		return apierr.New(http.StatusRequestEntityTooLarge, apierr.RequestEntityTooLarge,
			"Request body too large (max %d bytes)", tooLarge.Limit)
	case err != nil:
		return apierr.Internal("Could not read body into byte slice").Because(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return apierr.BadRequest(apierr.BadJSON, "Could not parse request body as JSON: %v", err)
	}
	return nil
}

// ip is the client's address: the first readable one of X-Forwarded-For, else the connection's. It
// is empty when neither is an address, so that it always fits a column of type inet.
func (c *call) ip() string {
	for text := range strings.SplitSeq(c.r.Header.Get("X-Forwarded-For"), ",") {
		if addr, err := netip.ParseAddr(strings.TrimSpace(text)); err == nil && addr.Zone() == "" {
			return addr.Unmap().String()
		}
	}
	host, _, err := net.SplitHostPort(c.r.RemoteAddr)
	if err != nil {
		host = c.r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	return addr.Unmap().WithZone("").String()
}

// grant describes the request for the session that it makes.
func (c *call) grant() store.Grant {
	return store.Grant{UserAgent: c.r.UserAgent(), IP: c.ip()}
}

// aud is the audience that a request is about: that of the header, that of an ordinary user's
// token, or the configured one. Administrators' tokens have none of their own.
func (s *Server) aud(c *call) string {
	if aud := c.r.Header.Get("X-JWT-AUD"); aud != "" {
		return aud
	}
	if c.claims != nil && !slices.Contains(s.cfg.JWT.AdminRoles, c.claims.Role) &&
		len(c.claims.Audience) > 0 && c.claims.Audience[0] != "" {
		return c.claims.Audience[0]
	}
	return s.cfg.JWT.Aud
}
