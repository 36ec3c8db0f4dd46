package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack/attach"
)

// cliError is an error in the words of the CLI, which scripts look for. They have
// capitals and full stops.
type cliError string

// Error is the message.
func (e cliError) Error() string { return string(e) }

// linkedFlags registers the flags of the commands that ask the linked project unless
// they are told otherwise.
func linkedFlags(c *cobra.Command) {
	databaseFlags(c)
	c.Flags().Lookup("linked").DefValue = "true"
	c.Flags().Lookup("local").DefValue = "false"
	c.Flags().StringP("password", "p", "", "ignored: local databases need none")
	c.Flags().Lookup("password").Hidden = true
}

// errNotLinked is what the CLI says of a command for the linked project where there is
// none, as there never is here.
var errNotLinked = hintedError{
	cliError("Cannot find project ref. Have you run supabase link?"),
	"This is supascore's stand-in for the Supabase CLI, which knows no hosted projects; --local is the local database.",
}

// choice is the database that a command line chooses.
type choice struct {
	project *supabaseProject
	url     string
	// local says that it is the one of the project's own stack.
	local bool
}

// chosen finds the database that a command line chooses. One that is not on this
// machine is refused: the stand-in is for local development.
func (a *app) chosen(c *cobra.Command) (choice, error) {
	p, err := a.supabaseProject(c)
	if err != nil {
		return choice{}, err
	}
	given := c.Flags().Changed
	if c.Flags().Lookup("linked").DefValue == "true" && !given("local") && !given("db-url") && !given("linked") {
		return choice{}, errNotLinked
	}
	url, err := p.databaseURL(c)
	if err != nil {
		return choice{}, err
	}
	far, err := attach.Place{APIURL: "http://127.0.0.1", DBURL: url}.Remote(c.Context(), nil)
	if err != nil {
		return choice{}, err
	}
	if len(far) > 0 {
		return choice{}, fmt.Errorf("%s --db-url: this is supascore's stand-in for the Supabase CLI, which works on databases of this machine only, not on %s",
			standinPath(c), strings.Join(far, ", "))
	}
	return choice{project: p, url: url, local: !given("db-url")}, nil
}

// connect opens a connection to the database that a command line chooses, and says so
// as the CLI does.
func (a *app) connect(c *cobra.Command) (*pgx.Conn, choice, error) {
	chosen, err := a.chosen(c)
	if err != nil {
		return nil, choice{}, err
	}
	conn, err := a.open(c.Context(), chosen, chosen.url)
	return conn, chosen, err
}

// open connects to a chosen database, perhaps as somebody else.
func (a *app) open(ctx context.Context, chosen choice, url string) (*pgx.Conn, error) {
	if chosen.local {
		a.say("Connecting to local database...")
	} else {
		a.say("Connecting to remote database...")
	}
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("failed to parse connection string: %w", err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if !ofBookkeeping(n.Message) {
			a.say("%s (%s): %s", n.Severity, n.Code, n.Message)
		}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("failed to connect to postgres: %w", err)
	}
	return conn, nil
}

// ofBookkeeping reports whether a notice is about the tables in which migrations are
// recorded, which are made unless they are there.
func ofBookkeeping(notice string) bool {
	for _, of := range []string{`schema "supabase_migrations"`, `relation "schema_migrations"`} {
		if strings.Contains(notice, of) && strings.Contains(notice, "already exists") {
			return true
		}
	}
	return false
}

// hangUp closes a connection that has done its work.
func hangUp(ctx context.Context, conn *pgx.Conn) {
	_ = conn.Close(context.WithoutCancel(ctx)) // the server notices either way
}

// databaseTools are the verbs of "db" that look at a database or test it.
func (a *app) databaseTools() []*cobra.Command {
	test := a.testDBCommand()
	test.Hidden = true // "test db" is its name today
	return []*cobra.Command{test, a.supabaseQueryCommand(), a.supabaseLintCommand()}
}
