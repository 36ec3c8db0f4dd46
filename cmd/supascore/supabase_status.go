package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
	"github.com/supascore/supascore/stack/standin"
)

func (a *app) supabaseStatusCommand() *cobra.Command {
	var overrides []string
	c := &cobra.Command{
		Use: "status", Short: "Show where the local stack can be reached, and its keys", Args: cobra.NoArgs,
		Example: `  supabase status -o env --override-name api.url=NEXT_PUBLIC_SUPABASE_URL
  supabase status -o json`,
	}
	c.Flags().StringSliceVar(&overrides, "override-name", nil, "override specific variable names")
	c.RunE = func(c *cobra.Command, _ []string) error {
		format, err := c.Flags().GetString("output")
		if err != nil {
			return err
		}
		if !slices.Contains(standin.Formats(), format) {
			return fmt.Errorf("invalid argument %q for \"-o, --output\" flag: must be one of [ %s ]", format, strings.Join(standin.Formats(), " | "))
		}
		if _, err := (standin.Status{}).Values(overrides); err != nil {
			return err
		}
		p, err := a.supabaseProject(c)
		if err != nil {
			return err
		}
		state, err := p.running()
		if errors.Is(err, errStackNotRunning) {
			return hintedError{
				fmt.Errorf("failed to inspect container health: No such container: %s", standin.ContainerName("db", p.id())),
				errStackNotRunning.Error() + " Start it with supabase start; this is supascore's stand-in, which needs no containers.",
			}
		}
		if err != nil {
			return err
		}
		return a.showSupabaseStatus(p, state, format, overrides)
	}
	return c
}

// showSupabaseStatus prints the status of a running stack.
func (a *app) showSupabaseStatus(p *supabaseProject, state detached.State, format string, overrides []string) error {
	if stopped := standin.Stopped(p.id(), func(part stack.Part) bool { return runs(state, part) }); len(stopped) > 0 {
		a.say("Stopped services: %v", stopped)
	}
	if changed, err := state.Changed(); err != nil {
		return err
	} else if changed {
		a.say("WARNING: %s was edited after the start; run supabase stop and supabase start for it to take effect", standin.ConfigPath)
	}
	status := supabaseStatus(state)
	if format == "pretty" {
		a.say("supabase local development setup is running.\n")
		return status.Pretty(a.stdout)
	}
	values, err := status.Values(overrides)
	if err != nil {
		return err
	}
	return standin.Encode(a.stdout, format, values)
}

// runs reports whether a part of a stack runs.
func runs(state detached.State, part stack.Part) bool {
	if part == stack.PartGateway {
		return state.Endpoints.APIURL != ""
	}
	_, ok := state.Endpoints.Versions[string(part)]
	return ok
}

// supabaseStatus is what the CLI shows of a running stack.
func supabaseStatus(state detached.State) standin.Status {
	e := state.Endpoints
	out := standin.Status{APIURL: e.APIURL}
	if url, err := standin.DatabaseURL(e.DBURL); err == nil {
		out.DBURL = url
	}
	if runs(state, stack.PartREST) {
		out.RESTURL = e.RESTURL
	}
	if runs(state, stack.PartAuth) {
		out.PublishableKey, out.SecretKey = e.Keys.Publishable, e.Keys.Secret
		out.AnonKey, out.ServiceRoleKey, out.JWTSecret = e.Keys.Anon, e.Keys.ServiceRole, e.Keys.JWTSecret
	}
	return out
}
