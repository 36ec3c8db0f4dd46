package supascore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/config"
)

// FolderError is a workspace folder that is not there or is no folder.
type FolderError struct {
	// Path is the folder as the user named it.
	Path string
	// Err is why it cannot be used.
	Err error
}

// Error names the folder and the reason.
func (e *FolderError) Error() string { return fmt.Sprintf("workspace %s: %s", e.Path, e.Err) }

// Unwrap is the reason.
func (e *FolderError) Unwrap() error { return e.Err }

// Hint says which folder is wanted.
func (e *FolderError) Hint() string {
	return "name the project folder, the one that holds supabase/config.toml"
}

func checkFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return &FolderError{Path: `""`, Err: errors.New("no folder is given")}
	case errors.Is(err, fs.ErrNotExist):
		return &FolderError{Path: path, Err: errors.New("there is no such folder")}
	case err != nil:
		return &FolderError{Path: path, Err: bare(err)}
	case !info.IsDir():
		return &FolderError{Path: path, Err: errors.New("it is a file, not a folder")}
	}
	return nil
}

// targetOf is the stack as probes see it.
func targetOf(running *stack.Stack) probes.Target {
	e := running.Endpoints()
	return probes.Target{
		AuthURL: e.AuthURL, RESTURL: e.RESTURL, APIKey: e.Keys.Publishable, OwnerURL: e.DBURL,
		JWTSecret: e.Keys.JWTSecret, JWKS: []byte(e.JWKS), Hooks: runningHooks(running),
		Logs: func() []probes.LogEntry { return logsOf(running.Log()) },
	}
}

// runningHooks is what the stack's Auth was started with, as far as that is known.
func runningHooks(running *stack.Stack) map[string]probes.HookConfig {
	hooks := hooksOf(running.Configuration())
	if running.Attachment() == nil {
		return hooks
	}
	for name, hook := range hooks {
		hooks[name] = attachedHook(running, name, hook)
	}
	return hooks
}

// hooksOf is what the configuration says of every hook.
func hooksOf(cfg *config.Config) map[string]probes.HookConfig {
	hooks := map[string]probes.HookConfig{}
	for _, name := range config.HookNames() {
		state := config.DiagnoseHook(cfg, name)
		hook := probes.HookConfig{
			Enabled: state.Enabled(), State: string(state.Condition), URI: state.URI, Cause: state.Cause,
		}
		if state.At != (config.Source{}) {
			hook.Source = state.At.String()
		}
		if state.Function != nil {
			hook.Schema, hook.Function = state.Function.Schema, state.Function.Name
		}
		hooks[name] = hook
	}
	return hooks
}

func logsOf(book *stack.LogBook) []probes.LogEntry {
	entries := book.Entries()
	out := make([]probes.LogEntry, 0, len(entries))
	for _, e := range entries {
		out = append(out, probes.LogEntry{
			Time: e.Time, Service: e.Service, Level: e.Level, Message: e.Message,
			Error: e.Attrs["error"], Hook: e.Attrs["hook"], SQLState: e.Attrs["sqlstate"],
		})
	}
	return out
}

// readyState describes a stack that is running.
func readyState(running *stack.Stack) probes.StackState {
	e := running.Endpoints()
	parts := []string{"postgres " + e.Versions["postgres"]}
	for _, part := range []string{"auth", "rest"} {
		parts = append(parts, part+" "+e.Versions[part])
	}
	return probes.StackState{Ready: true, Engine: string(e.Engine), Detail: strings.Join(parts, ", ")}
}

// hooksSeen is what can be said of hooks without asking a database.
func hooksSeen(running *stack.Stack) map[string]*probes.HookObservation {
	seen := map[string]*probes.HookObservation{}
	for name, hook := range runningHooks(running) {
		seen[name] = &probes.HookObservation{Config: hook}
	}
	return seen
}

// withoutAuth tells of a stack whose Auth the workspace switches off. To the
// Supabase CLI such a stack has no keys, so nobody can be signed in and nothing can
// be called: for an eval it is not running, by the candidate's doing.
func withoutAuth(running *stack.Stack) (probes.StackState, bool) {
	cfg := running.Configuration()
	if cfg.Auth.Enabled || running.Attachment() != nil { // an Auth that answers is there
		return probes.StackState{}, false
	}
	value, _ := cfg.Lookup("auth.enabled")
	return probes.StackState{
		Phase: "auth", Fault: probes.FaultWorkspace, Engine: string(running.Endpoints().Engine),
		Error: fmt.Sprintf("auth.enabled is false (%s), so Auth does not run and nobody can sign up", value.Source),
		Hint:  "set enabled = true in [auth] of supabase/config.toml",
	}, true
}

// notStarted records why there is no stack. A workspace that cannot be booted is an
// observation; everything else is returned as the run's trouble.
func (r *run) notStarted(seen *probes.Observations, running *stack.Stack, err error) error {
	seen.Stack = probes.StackState{Error: err.Error(), Fault: probes.FaultInfrastructure}
	var start *stack.StartError
	if errors.As(err, &start) {
		seen.Stack.Phase, seen.Stack.Error, seen.Stack.Hint = start.Phase, start.Err.Error(), start.Hint()
		seen.Stack.Fault = probes.Fault(start.Fault)
	}
	if running != nil && running.Attachment() == nil {
		seen.Hooks = hooksSeen(running)
	}
	if seen.Stack.Fault == probes.FaultWorkspace {
		return nil
	}
	return err
}

// describe fills the result with what is known of the stack, started or not.
func (r *run) describe(running *stack.Stack) {
	e := running.Endpoints()
	r.result.Engine = evals.Engine{Name: string(e.Engine), Versions: e.Versions}
	for _, p := range running.Phases() {
		phase := evals.Phase{Name: p.Name, MS: milliseconds(p.Elapsed)}
		if p.Err != nil {
			phase.Error = p.Err.Error()
		}
		r.result.Phases = append(r.result.Phases, phase)
	}
	if space := running.Workspace(); space != nil {
		r.result.Hashes.Workspace = space.Hash
	}
	if running.Attachment() != nil {
		r.describeAttached(running.Attachment())
		return
	}
	s := running.Settings()
	r.result.Settings["bcrypt_cost"] = strconv.Itoa(s.BcryptCost)
	r.result.Settings["auto_expose_new_tables"] = strconv.FormatBool(s.ExposeNewTables)
	r.result.Settings["auto_expose_new_tables_source"] = s.ExposeNewTablesSource
	if s.EngineReason != "" {
		r.result.Settings["engine_reason"] = s.EngineReason
	}
	if len(s.NotProvided) > 0 {
		r.result.Settings["not_provided"] = strings.Join(s.NotProvided, ",")
	}
}
