package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/supascore/supascore/stack/auth/apierr"
	"github.com/supascore/supascore/stack/auth/store"
)

// perPage is the size of a page when the query has none.
const perPage = 50

// adminUsers answers GET /admin/users: a page of users, without identities and factors.
func (s *Server) adminUsers(ctx context.Context, c *call) error {
	page := store.Page{Aud: s.aud(c), Filter: c.r.URL.Query().Get("filter")}
	var err error
	if page.Ascending, err = ascending(c.r.URL.Query()["sort"]); err != nil {
		return apierr.BadRequest(apierr.ValidationFailed, "Bad Sort Parameters: %v", err)
	}
	if page.Number, page.Size, err = pagination(c.r); err != nil {
		return apierr.BadRequest(apierr.ValidationFailed, "Bad Pagination Parameters: %v", err).Because(err)
	}
	// One row that cannot be read fails the whole list (recording seed_sql_users).
	users, total, err := s.store.Users(ctx, page)
	if err != nil {
		return apierr.Internal("Database error finding users").Because(err)
	}
	if err := paginationHeaders(c, page.Number, page.Size, total); err != nil {
		return err
	}
	return c.json(http.StatusOK, map[string]any{"users": users, "aud": page.Aud})
}

// ascending reads the sort order: "created_at", alone or followed by a direction. Of several orders
// by the one column there is, the first decides. The default is the latest first.
func ascending(orders []string) (bool, error) {
	first := "desc"
	for i, order := range slices.Backward(orders) {
		field, direction, directed := strings.Cut(order, " ")
		if field != "created_at" {
			return false, fmt.Errorf("bad field for sort '%v'", field)
		}
		if !directed {
			direction = "desc"
		}
		switch strings.ToLower(direction) {
		case "asc", "desc":
		default:
			return false, fmt.Errorf("bad direction for sort '%v', only 'asc' and 'desc' allowed", direction)
		}
		if i == 0 {
			first = strings.ToLower(direction)
		}
	}
	return first == "asc", nil
}

// pagination reads page and per_page.
func pagination(r *http.Request) (number, size uint64, err error) {
	number, size = 1, perPage
	query := r.URL.Query()
	if text := query.Get("page"); text != "" {
		if number, err = strconv.ParseUint(text, 10, 64); err != nil {
			return 0, 0, err
		}
	}
	if text := query.Get("per_page"); text != "" {
		size, err = strconv.ParseUint(text, 10, 64)
	}
	return number, size, err
}

// paginationHeaders says how many rows there are, and where the next and the last page are. Links are
// relative to this server's root, which is not where a gateway serves it; the real server's are too.
// Pages of no rows are an error: the real server divides by their size
// (internal/api/pagination.go, calculateTotalPages).
func paginationHeaders(c *call, number, size, total uint64) error {
	if size == 0 {
		return apierr.Crashed().Because(errEmptyPages)
	}
	last := total / size
	if total%size > 0 {
		last++
	}
	link := func(page uint64, rel string) string {
		target := *c.r.URL
		query := target.Query()
		query.Set("page", strconv.FormatUint(page, 10))
		target.RawQuery = query.Encode()
		return fmt.Sprintf("<%s>; rel=%q", target.RequestURI(), rel)
	}
	links := []string{link(last, "last")}
	if last > number {
		links = []string{link(number+1, "next"), link(last, "last")}
	}
	c.w.Header().Set("Link", strings.Join(links, ", "))
	c.w.Header().Set("X-Total-Count", strconv.FormatUint(total, 10))
	return nil
}

// errEmptyPages is what the log says about per_page=0.
var errEmptyPages = errors.New("per_page is 0")

// adminAudit answers GET /admin/audit: a page of the audit log, the latest first. The query's query
// is author:, action: or type: and a text that must occur.
func (s *Server) adminAudit(ctx context.Context, c *call) error {
	number, size, err := pagination(c.r)
	if err != nil {
		return apierr.BadRequest(apierr.ValidationFailed, "Bad Pagination Parameters: %v", err)
	}
	search := store.AuditSearch{Number: number, Size: size}
	if text := c.r.URL.Query().Get("query"); text != "" {
		scope, value, ok := strings.Cut(text, ":")
		if search.Scope = store.AuditScope(scope); !ok || !search.Scope.Valid() {
			return apierr.BadRequest(apierr.ValidationFailed, "Invalid query scope: %s", text)
		}
		search.Text = value
	}
	entries, total, err := s.store.AuditEntries(ctx, search)
	if err != nil {
		return apierr.Internal("Error searching for audit logs").Because(err)
	}
	if err := paginationHeaders(c, number, size, total); err != nil {
		return err
	}
	return c.json(http.StatusOK, entries)
}
