package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/attach/ground"
)

// registerAttach adds the flags that point at a running stack which lends its database.
func (f *gradeFlags) registerAttach(c *cobra.Command) {
	f.attach.lends = true
	f.attach.register(c)
	c.Flags().StringVarP(&f.workspace, "workspace", "w", ".", "the project folder of the running stack, with --engine attach")
}

// attached reports whether candidates are let into a stack that runs already, and makes
// that the engine. There they come one after the other.
func (f *gradeFlags) attached(c *cobra.Command, a *app) (bool, error) {
	wanted, err := f.attach.wanted(c, f.engine)
	if err != nil || !wanted {
		if c.Flags().Changed("workspace") && err == nil {
			err = usagef(c, "leave it out, or say --engine attach", "--workspace is the folder of a stack that runs already, and --engine %s boots databases of its own", f.engine)
		}
		return false, err
	}
	f.engine = string(stack.EngineAttach)
	if flag := c.Flags().Lookup("parallel"); flag != nil {
		if flag.Changed && f.parallel != 1 {
			return false, usagef(c, "leave it out", "--parallel %d cannot be: a running stack has one database for candidates, so they come one after the other", f.parallel)
		}
		f.parallel = 1
	}
	f.lender, err = f.attach.config(c, a)
	return err == nil, err
}

// withGround runs do with a grader that lets candidates into the running stack's
// database.
func (f *gradeFlags) withGround(c *cobra.Command, a *app, do func(*supascore.Grader) error) (err error) {
	finder := f.lender.Finder
	defer func() { err = errors.Join(err, finder.Close(context.WithoutCancel(c.Context()))) }()
	place, err := lentPlace(c, finder, f.workspace)
	if err != nil {
		return err
	}
	log := a.logger(f.verbose)
	if !f.verbose {
		log = slog.New(&noteHandler{out: a.out})
	}
	live := a.out.progress("attaching")
	g, err := ground.Open(c.Context(), ground.Config{Place: place, Log: log})
	live.stop()
	if err != nil {
		return lentError(c, place, err)
	}
	a.out.note("candidates run as the owner of the stack at %s (%s); what they change is taken back after each", place.APIURL, place.From)
	err = do(supascore.NewAttachedGrader(g))
	return errors.Join(err, g.Close(context.WithoutCancel(c.Context())))
}

// lentPlace is where the stack runs that lends its database.
func lentPlace(c *cobra.Command, finder attach.Finder, workspace string) (attach.Place, error) {
	place, err := finder.Find(c.Context(), workspace)
	if errors.Is(err, attach.ErrNotRunning) {
		err = hintedError{err, "start it with `supabase start` in the folder of a project that is empty, or add --start"}
	}
	if err != nil {
		return place, err
	}
	return place.Complete()
}

// lentError says which stack does not lend its database. That it is on another machine
// is the command line's doing.
func lentError(c *cobra.Command, place attach.Place, err error) error {
	var remote *ground.RemoteError
	if errors.As(err, &remote) {
		return usagef(c, remote.Hint(), "%w", err)
	}
	return fmt.Errorf("the stack at %s: %w", place.APIURL, err)
}
