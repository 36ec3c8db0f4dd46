package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Docker asks the containers of the Supabase CLI, through the docker command.
type Docker struct {
	// Path is the program; default "docker", looked up in PATH.
	Path string
	// Env is its environment; nil means that of this process.
	Env []string
	// Timeout bounds each command. Default 10 s.
	Timeout time.Duration
}

// projectLabel is on every container that the CLI starts, with the project's id
// (internal/utils/docker.go there).
const projectLabel = "com.supabase.cli.project"

// container is what matters of `docker inspect`.
type container struct {
	Name   string
	Config struct {
		Env    []string
		Labels map[string]string
	}
	State struct {
		Running bool
	}
	NetworkSettings struct {
		Ports map[string][]struct{ HostPort string }
	}
}

// AuthStart is what the container of Auth behind an API's address was started with.
// The project is that of the container which publishes the API's port, not that of a
// name: several stacks may have names alike.
func (d *Docker) AuthStart(ctx context.Context, apiURL string) (*AuthStart, error) {
	port, err := portOf(apiURL)
	if err != nil {
		return nil, err
	}
	all, err := d.containers(ctx)
	if err != nil {
		return nil, err
	}
	project := ""
	for _, c := range all {
		if c.publishes(port) {
			project = c.Config.Labels[projectLabel]
		}
	}
	if project == "" {
		return nil, fmt.Errorf("no container of the Supabase CLI publishes port %s", port)
	}
	for _, c := range all {
		env := c.env()
		// Of all containers, only that of Auth is given this.
		if _, isAuth := env["GOTRUE_JWT_SECRET"]; !isAuth || c.Config.Labels[projectLabel] != project {
			continue
		}
		start := AuthStartOf(env)
		start.Settings = SettingsOf(env)
		start.Container = strings.TrimPrefix(c.Name, "/")
		start.From = "docker inspect " + start.Container
		return start, nil
	}
	return nil, fmt.Errorf("project %s has no running container of Auth", project)
}

// containers are the running containers of the CLI.
func (d *Docker) containers(ctx context.Context) ([]container, error) {
	out, err := d.command("ps", "--quiet", "--filter", "label="+projectLabel).run(ctx)
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(out))
	if len(ids) == 0 {
		return nil, errors.New("no container of the Supabase CLI is running")
	}
	if out, err = d.command(append([]string{"inspect"}, ids...)...).run(ctx); err != nil {
		return nil, err
	}
	var all []container
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("docker inspect printed what cannot be read: %w", err)
	}
	return all, nil
}

// Logs are the lines that a container has printed since a moment, on both of its
// outputs.
func (d *Docker) Logs(ctx context.Context, container string, since time.Time) ([]string, error) {
	c := d.command("logs", "--since", since.UTC().Format(time.RFC3339Nano), container)
	c.both = true
	out, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' }), nil
}

func (d *Docker) command(args ...string) command {
	c := command{path: d.Path, args: args, env: d.Env, limit: d.Timeout}
	if c.path == "" {
		c.path = "docker"
	}
	if c.limit == 0 {
		c.limit = 10 * time.Second
	}
	return c
}

func (c container) publishes(port string) bool {
	for _, bindings := range c.NetworkSettings.Ports {
		for _, binding := range bindings {
			if binding.HostPort == port {
				return true
			}
		}
	}
	return false
}

func (c container) env() map[string]string {
	env := make(map[string]string, len(c.Config.Env))
	for _, setting := range c.Config.Env {
		if name, value, ok := strings.Cut(setting, "="); ok {
			env[name] = value
		}
	}
	return env
}

// portOf is the port of an address, with the scheme's own where it names none.
func portOf(address string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", &PlaceError{"API URL", "cannot be read"}
	case u.Port() != "":
		return u.Port(), nil
	case u.Scheme == "https":
		return "443", nil
	default:
		return "80", nil
	}
}
