package attached

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/supascore/supascore/stack/parity"
)

// session is one of the owner's, which hears what it makes the Data API hear.
type session struct {
	*pgx.Conn
	heard bool
}

func (s *session) hear(_ *pgconn.PgConn, n *pgconn.Notification) {
	s.heard = s.heard || n.Channel == "pgrst"
}

// run runs a script in one go. What PostgreSQL refuses is a *parity.NotAskedError: the
// database is not one in which the recording can be made.
func (s *session) run(ctx context.Context, script string) error {
	_, err := s.PgConn().Exec(ctx, script).ReadAll()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return err
	}
	const insufficientPrivilege = "42501"
	if refused.Code == insufficientPrivilege {
		return &parity.NotAskedError{Reason: "needs a superuser: " + refused.Message}
	}
	return &parity.NotAskedError{Reason: fmt.Sprintf("the database refuses its SQL: %s (%s)", refused.Message, refused.Code)}
}

// What a superuser makes is not given to the API roles by itself.
const (
	withhold = `alter default privileges for role %[1]s in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role %[1]s in schema public revoke all on sequences from anon, authenticated, service_role;
alter default privileges for role %[1]s in schema public revoke all on functions from anon, authenticated, service_role`
	give = `alter default privileges for role %[1]s in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role %[1]s in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role %[1]s in schema public grant all on functions to anon, authenticated, service_role`
)

// runAsSuperuser runs a script as what there is nearest to the recordings' superuser.
func (s *session) runAsSuperuser(ctx context.Context, script string) error {
	owner := pgx.Identifier{s.Config().User}.Sanitize()
	if err := s.run(ctx, fmt.Sprintf(withhold, owner)); err != nil {
		return err
	}
	return errors.Join(s.run(ctx, script), s.run(ctx, fmt.Sprintf(give, owner)))
}

// announces reports whether a script makes the Data API read the schema again, by the
// event triggers that Supabase projects have.
func (s *session) announces(ctx context.Context, run func(context.Context, string) error, script string) (bool, error) {
	if err := s.run(ctx, "listen pgrst"); err != nil {
		return false, err
	}
	s.heard = false
	err := run(ctx, script) // a session's own announcements come before the end of what it runs
	return s.heard, err
}
