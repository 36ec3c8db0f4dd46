package arena

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// login is the role that candidates, tests and requests log in as, owner the role that
// owns databases and that candidates run as.
const (
	login = "authenticator"
	owner = "postgres"
)

// setMembers lets sessions of the login role become the roles, and no others: code in
// a session can change its role as it likes within them.
func (c *cluster) setMembers(ctx context.Context, roles []string) error {
	missing := func(from, in []string) string {
		var names []string
		for _, name := range from {
			if !slices.Contains(in, name) {
				names = append(names, quote(name))
			}
		}
		return strings.Join(names, ", ")
	}
	var statements []string
	if gone := missing(c.members, roles); gone != "" {
		statements = append(statements, "revoke "+gone+" from "+login)
	}
	if added := missing(roles, c.members); added != "" {
		statements = append(statements, "grant "+added+" to "+login)
	}
	if statements == nil {
		return nil
	}
	if err := c.exec(ctx, strings.Join(statements, "; ")); err != nil {
		return fmt.Errorf("arena: let sessions become %s: %w", strings.Join(roles, ", "), err)
	}
	c.members = slices.Clone(roles)
	return nil
}

// readMembers takes the roles that the login role can become now for those of requests,
// and makes them the superuser's grants, whoever granted them.
func (c *cluster) readMembers(ctx context.Context) error {
	query, err := script("members")
	if err != nil {
		return err
	}
	rows, err := c.admin.Query(ctx, query)
	if err != nil {
		return fmt.Errorf("arena: look at the roles of requests: %w", err)
	}
	var role, revoke string
	c.apiRoles = nil
	var revokes []string
	for rows.Next() {
		if err := rows.Scan(&role, &revoke); err != nil {
			return fmt.Errorf("arena: look at the roles of requests: %w", err)
		}
		c.apiRoles, revokes = append(c.apiRoles, role), append(revokes, revoke)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("arena: look at the roles of requests: %w", err)
	}
	c.apiRoles = slices.Compact(c.apiRoles)
	if err := c.exec(ctx, revokes...); err != nil {
		return fmt.Errorf("arena: take the roles of requests over: %w", err)
	}
	c.members = nil
	return c.setMembers(ctx, c.apiRoles)
}
