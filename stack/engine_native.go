package stack

import (
	"context"
	"errors"
	"fmt"

	"github.com/supascore/supascore/stack/native"
)

// realBcryptCost is the cost of the hashes that the real Auth makes, bcrypt's default
// (internal/crypto/password.go of supabase/auth). No setting changes it.
const realBcryptCost = 10

// nativeEngine are the real executables, as children of this process.
type nativeEngine struct {
	stack    *Stack
	programs native.Programs
}

func (e nativeEngine) bcryptCost() int { return realBcryptCost }

func (e nativeEngine) startAuth(ctx context.Context, env map[string]string) (authService, error) {
	server, err := native.StartAuth(ctx, native.Config{
		Path: e.programs.Auth.Path, Env: env, Log: e.stack.log.Logger("auth", e.stack.cfg.Log.Handler()),
	})
	if err != nil {
		return nil, blame("auth", err)
	}
	return server, nil
}

func (e nativeEngine) startREST(ctx context.Context, env map[string]string) (restService, error) {
	server, err := native.StartREST(ctx, native.Config{
		Path: e.programs.PostgREST.Path, Env: env, Log: e.stack.log.Logger("rest", e.stack.cfg.Log.Handler()),
	})
	if err != nil {
		return nil, blame("rest", err)
	}
	return server, nil
}

// blame lays settings that a server refuses on the workspace, where they come from.
func blame(phase string, err error) error {
	if errors.Is(err, native.ErrRefused) {
		return &StartError{Phase: phase, Fault: FaultWorkspace, Err: err}
	}
	return err
}

// chooseEngine finds out who plays Auth and REST. Without the executables, native is an
// error and auto is embedded.
func (s *Stack) chooseEngine() error {
	s.engine = embedded{s}
	if s.cfg.Engine == EngineEmbedded {
		return nil
	}
	choice, err := ChooseEngine(s.cfg)
	if err != nil {
		return err
	}
	s.cfg.Engine, s.settings.EngineReason = choice.Engine, choice.Reason
	if choice.Engine == EngineNative {
		s.engine = nativeEngine{s, choice.Programs}
	}
	return nil
}

// Choice is what an engine came to.
type Choice struct {
	// Engine is EngineEmbedded or EngineNative.
	Engine Engine
	// Programs are the executables of EngineNative.
	Programs native.Programs
	// Reason says in a few words why, when it was left open.
	Reason string
}

// ChooseEngine says who plays Auth and REST by a configuration: Engine, PostgREST,
// AuthServer, Env and Postgres.CacheDir of it count. EngineNative without its
// executables is a *native.MissingError; an executable that was named and cannot be run
// is a *native.UnusableError, for EngineAuto too.
func ChooseEngine(cfg Config) (Choice, error) {
	cfg = cfg.withDefaults()
	switch cfg.Engine {
	case EngineEmbedded:
		return Choice{Engine: EngineEmbedded}, nil
	case EngineNative, EngineAuto:
	default:
		return Choice{}, fmt.Errorf("engine %q starts nothing", cfg.Engine)
	}
	programs, err := cfg.Programs()
	var missing *native.MissingError
	switch {
	case err == nil && cfg.Engine == EngineAuto:
		return Choice{EngineNative, programs, "the executables of PostgREST and Auth were found"}, nil
	case err == nil:
		return Choice{Engine: EngineNative, Programs: programs}, nil
	case cfg.Engine == EngineAuto && errors.As(err, &missing):
		return Choice{Engine: EngineEmbedded, Reason: missing.Short()}, nil
	}
	return Choice{}, err
}

// Programs looks for the executables of EngineNative. Without one of them the error is a
// *native.MissingError, and the other is returned with it.
func (c Config) Programs() (native.Programs, error) {
	return native.Search{PostgREST: c.PostgREST, Auth: c.AuthServer, Env: c.Env, CacheDir: c.Postgres.CacheDir}.Find()
}
