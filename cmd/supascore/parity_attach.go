package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/attach/ground"
	"github.com/supascore/supascore/stack/parity/attached"
)

// checkAttach refuses flags that go with a running stack only, or not at all. There
// scenarios come one after the other.
func (r *parityRun) checkAttach(c *cobra.Command, cfg stack.Config) error {
	if cfg.Engine != stack.EngineAttach {
		if c.Flags().Changed("workspace") {
			return usagef(c, "leave it out, or say --engine attach", "--workspace is the folder of a stack that runs already")
		}
		return nil
	}
	if c.Flags().Changed("parallel") && r.parallel != 1 {
		return usagef(c, "leave it out", "--parallel %d cannot be: a running stack has one database, so scenarios come one after the other", r.parallel)
	}
	r.parallel = 1
	return nil
}

// attachedEngine is a running stack, and what found it.
type attachedEngine struct {
	*attached.Engine
	close func(context.Context) error
}

// Stop lets go of the stack, and stops it when the flags had it started.
func (e attachedEngine) Stop(ctx context.Context) error {
	return errors.Join(e.Engine.Stop(ctx), e.close(ctx))
}

// attached finds the running stack and asks it for its settings.
func (r *parityRun) attached(c *cobra.Command, cfg stack.Config) (parityEngine, error) {
	finder := cfg.Attach.Finder
	engine, err := func() (parityEngine, error) {
		place, err := lentPlace(c, finder, r.workspace)
		if err != nil {
			return nil, err
		}
		if place.Auth == nil && cfg.Attach.Docker != nil {
			// Without docker nobody knows, and recordings of Auth say so.
			place.Auth, _ = cfg.Attach.Docker.AuthStart(c.Context(), place.APIURL)
		}
		engine, err := attached.Start(c.Context(), ground.Config{Place: place, Log: cfg.Log})
		if err != nil {
			return nil, lentError(c, place, err)
		}
		r.out.note("recordings are replayed in the database of the stack at %s (%s); what they change is taken back after each", place.APIURL, place.From)
		return attachedEngine{engine, finder.Close}, nil
	}()
	if err != nil {
		return nil, errors.Join(err, finder.Close(context.WithoutCancel(c.Context())))
	}
	return engine, nil
}
