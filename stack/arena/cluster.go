package arena

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/bootstrap"
	"github.com/supascore/supascore/stack/postgres"
)

//go:embed sql project
var files embed.FS

// script is an embedded SQL file.
func script(name string) (string, error) {
	text, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		return "", fmt.Errorf("arena: %w", err)
	}
	return string(text), nil
}

// cluster is one PostgreSQL server. It is used by one goroutine at a time.
type cluster struct {
	server *postgres.Server
	config Config
	// admin is a session of the superuser in a database that candidates never see.
	admin *pgx.Conn
	// shared is the state of the shared catalogs as they have to be.
	shared []string
	// templates are the templates by key, order their keys, the oldest first.
	templates map[string]*template
	order     []string
	// left is the database of the last clone, still to be dropped; empty for none.
	left string
	// bound is the key of the only template that may be used, because making it
	// changed the cluster's roles; empty when any may.
	bound string
	// members are the roles that sessions can become now, apiRoles those that requests
	// can.
	members, apiRoles []string
	// spoilt says that the cluster must not be used again.
	spoilt bool
}

// startCluster starts a server and takes away from its roles what a candidate could
// use against others.
func startCluster(ctx context.Context, cfg Config) (_ *cluster, err error) {
	server, err := postgres.Start(ctx, cfg.Postgres)
	if err != nil {
		return nil, fmt.Errorf("arena: %w", err)
	}
	c := &cluster{server: server, config: cfg, templates: map[string]*template{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.stop(ctx))
		}
	}()
	if err := limitMemory(server.PID(), cfg.Limits.Memory); err != nil {
		cfg.Log.Warn("arena: the memory of candidates is not limited", "error", err)
	}
	if c.admin, err = pgx.Connect(ctx, server.URL(bootstrap.Superuser, "postgres")); err != nil {
		return nil, fmt.Errorf("arena: connect: %w", err)
	}
	prepare, err := script("cluster")
	if err != nil {
		return nil, err
	}
	prepare += fmt.Sprintf("\nalter role all set temp_file_limit = '%dkB';\n", cfg.Limits.TempFiles>>10)
	if _, err := c.admin.PgConn().Exec(ctx, prepare).ReadAll(); err != nil {
		return nil, fmt.Errorf("arena: prepare a cluster: %w", err)
	}
	if err := c.readMembers(ctx); err != nil {
		return nil, err
	}
	if c.shared, err = c.lookShared(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// suits says whether the cluster may hold a template.
func (c *cluster) suits(key string) bool { return c.bound == "" || c.bound == key }

// lookShared lists the state of the shared catalogs.
func (c *cluster) lookShared(ctx context.Context) ([]string, error) {
	query, err := script("shared")
	if err != nil {
		return nil, err
	}
	var lines []string
	if err := c.admin.QueryRow(ctx, query).Scan(&lines); err != nil {
		return nil, fmt.Errorf("arena: look at the shared catalogs: %w", err)
	}
	return lines, nil
}

// exec runs statements as the superuser, one by one as CREATE DATABASE wants it.
func (c *cluster) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := c.admin.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
	}
	return nil
}

// makeRoom drops the oldest template when there are too many.
func (c *cluster) makeRoom(ctx context.Context) error {
	for len(c.order) >= c.config.Limits.Templates {
		oldest := c.templates[c.order[0]]
		c.dropKept(ctx, oldest)
		name := quote(oldest.database)
		if err := c.exec(ctx, "alter database "+name+" is_template false", "drop database "+name+" with (force)"); err != nil {
			return fmt.Errorf("arena: drop a template: %w", err)
		}
		delete(c.templates, c.order[0])
		c.order = c.order[1:]
	}
	return nil
}

// templateOf is the setup's template, made now unless the cluster has it.
func (c *cluster) templateOf(ctx context.Context, setup Setup) (*template, error) {
	key := setup.key()
	t := c.templates[key]
	if t == nil {
		if err := c.makeRoom(ctx); err != nil {
			return nil, err
		}
		var err error
		if t, err = c.build(ctx, setup); err != nil {
			c.spoilt = true // half a template and its roles may be left
			return nil, err
		}
		c.templates[key] = t
		c.order = append(c.order, key)
	} else {
		c.order = append(slices.DeleteFunc(c.order, func(k string) bool { return k == key }), key)
	}
	return t, nil
}

// own copies a template for one candidate.
func (c *cluster) own(ctx context.Context, t *template) (*Clone, error) {
	clone := &Clone{cluster: c, template: t, database: newName("c")}
	if err := c.copyTemplate(ctx, t, clone.database, c.config.Limits.Connections); err != nil {
		return nil, err
	}
	return clone, nil
}

// copyTemplate makes a database like a template, for so many sessions.
func (c *cluster) copyTemplate(ctx context.Context, t *template, database string, connections int) error {
	err := c.exec(ctx, "create database "+quote(database)+" template "+quote(t.database)+
		" strategy file_copy owner postgres connection limit "+strconv.Itoa(connections))
	if err != nil {
		c.spoilt = true
		return fmt.Errorf("arena: copy the template: %w", err)
	}
	return nil
}

// leave drops the database of the clone before,
// and keeps this one's for the next time: PostgreSQL waits a tenth of a second for
// sessions that are about to end (its source, CountOtherDBBackends), and they take a
// while.
func (c *cluster) leave(ctx context.Context, database string) error {
	before := c.left
	c.left = database
	statements := []string{"alter database " + quote(database) + " owner to " + bootstrap.Superuser}
	if before != "" {
		statements = append(statements, "drop database "+quote(before)+" with (force)")
	}
	return c.exec(ctx, statements...)
}

func (c *cluster) stop(ctx context.Context) error {
	var errs []error
	for _, t := range c.templates {
		if t.kept != nil && t.kept.session != nil {
			_ = t.kept.session.Close(ctx) // the server ends it anyway
		}
	}
	if c.admin != nil {
		errs = append(errs, c.admin.Close(ctx))
	}
	return errors.Join(append(errs, c.server.Stop(ctx))...)
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// newName is a name for a database that nobody else uses.
func newName(prefix string) string { return prefix + "_" + uuid.NewString()[:8] }
