// Package replay runs whole folders of recordings against an engine and adds the
// outcomes up group by group. It owns the choice of groups, the order and the
// concurrency; what a recording is, and how answers are compared, the packages
// authreplay and restreplay know.
package replay

import (
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/authreplay"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// Targets are the two services of one engine. A nil one is not replayed.
type Targets struct {
	// Auth replays recordings of Auth.
	Auth authreplay.Target
	// REST replays recordings of PostgREST.
	REST restreplay.Target
}

// Config says what is replayed.
type Config struct {
	// Recordings is a folder with rest/<group>/<scenario>.json, auth/<scenario>.json
	// or both, each beside its known-gaps.yaml. Required.
	Recordings fs.FS
	// Groups chooses: "auth" and "rest" are everything of a service, "rest/filters"
	// or "filters" is one group. Empty chooses all.
	Groups []string
	// Parallel is how many scenarios run at once; 0 is four for each processor,
	// since scenarios mostly wait.
	Parallel int
}

// Group is the outcome of one group of scenarios.
type Group struct {
	// Name is "rest/filters" or "auth/signup".
	Name string
	// Report has every step of its scenarios.
	Report parity.Report
}

// scenario is one recording of either service.
type scenario struct {
	name, group string
	alone       bool // not beside others that use the same roles
	run         func(context.Context) ([]parity.Step, error)
}

// Run replays the chosen recordings and returns the groups by name. Errors: a
// recording or a list of gaps that cannot be read, a group that no recording has, a
// scenario that could not be set up, a gap of an unknown scenario.
func Run(ctx context.Context, cfg Config, targets Targets) ([]Group, error) {
	all, gaps, err := load(cfg.Recordings, targets)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(all, cfg.Groups)
	if err != nil {
		return nil, err
	}
	steps, err := runAll(ctx, chosen, cfg.Parallel)
	if err != nil {
		return nil, err
	}
	return grouped(chosen, steps, gaps), nil
}

// load lists the scenarios of both services.
func load(recordings fs.FS, targets Targets) ([]scenario, map[string]parity.Gaps, error) {
	var all []scenario
	gaps := map[string]parity.Gaps{}
	for _, service := range []struct {
		name string
		list func(fs.FS) ([]scenario, error)
	}{
		{"auth", func(f fs.FS) ([]scenario, error) { return authScenarios(f, targets.Auth) }},
		{"rest", func(f fs.FS) ([]scenario, error) { return restScenarios(f, targets.REST) }},
	} {
		if _, err := fs.Stat(recordings, service.name); err != nil {
			continue
		}
		folder, err := fs.Sub(recordings, service.name)
		if err != nil {
			return nil, nil, err
		}
		list, err := service.list(folder)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", service.name, err)
		}
		known, err := parity.ReadGaps(folder, authreplay.GapsFile)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", service.name, err)
		}
		if err := checkGaps(known, list); err != nil {
			return nil, nil, fmt.Errorf("%s/%s: %w", service.name, authreplay.GapsFile, err)
		}
		gaps[service.name] = known
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("the folder has no recordings: it has neither rest/*/*.json nor auth/*.json")
	}
	return all, gaps, nil
}

func checkGaps(gaps parity.Gaps, list []scenario) error {
	for _, gap := range gaps.All() {
		if !slices.ContainsFunc(list, func(s scenario) bool { return s.name == gap.Scenario }) {
			return fmt.Errorf("no recording is called %q", gap.Scenario)
		}
	}
	return nil
}

func authScenarios(folder fs.FS, target authreplay.Target) ([]scenario, error) {
	if target == nil {
		return nil, nil
	}
	list, err := authreplay.Load(folder)
	if err != nil {
		return nil, err
	}
	var out []scenario
	for _, s := range list {
		group, _, _ := strings.Cut(s.Name, "_")
		out = append(out, scenario{
			name: s.Name, group: "auth/" + group,
			run: func(ctx context.Context) ([]parity.Step, error) { return authreplay.Run(ctx, target, s) },
		})
	}
	return out, nil
}

func restScenarios(folder fs.FS, target restreplay.Target) ([]scenario, error) {
	if target == nil {
		return nil, nil
	}
	list, err := restreplay.Load(folder)
	if err != nil {
		return nil, err
	}
	var out []scenario
	for _, s := range list {
		out = append(out, scenario{
			name: s.Name, group: "rest/" + s.Group(), alone: s.ChangesSharedRoles(),
			run: func(ctx context.Context) ([]parity.Step, error) { return restreplay.Run(ctx, target, s) },
		})
	}
	return out, nil
}

// choose keeps the scenarios of the groups. Every group has to have some.
func choose(all []scenario, groups []string) ([]scenario, error) {
	if len(groups) == 0 {
		return all, nil
	}
	var chosen []scenario
	found := map[string]bool{}
	for _, s := range all {
		service, name, _ := strings.Cut(s.group, "/")
		keep := false
		for _, g := range groups {
			if g == service || g == s.group || g == name {
				found[g], keep = true, true
			}
		}
		if keep {
			chosen = append(chosen, s)
		}
	}
	for _, g := range groups {
		if !found[g] {
			return nil, &UnknownGroupError{Group: g, Known: groupNames(all)}
		}
	}
	return chosen, nil
}

// UnknownGroupError is a chosen group that no recording has.
type UnknownGroupError struct {
	// Group is what was asked for, Known what there is.
	Group string
	Known []string
}

// Error names the group.
func (e *UnknownGroupError) Error() string {
	return fmt.Sprintf("no recordings of a group %q", e.Group)
}

// Hint lists the groups.
func (e *UnknownGroupError) Hint() string {
	return "auth, rest, or one of: " + strings.Join(e.Known, ", ")
}

func groupNames(all []scenario) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.group)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// runAll runs scenarios side by side, and those that change shared roles one after
// the other when the others are done.
func runAll(ctx context.Context, list []scenario, parallel int) (map[string][]parity.Step, error) {
	if parallel <= 0 {
		parallel = 4 * runtime.NumCPU()
	}
	var mu sync.Mutex
	steps := map[string][]parity.Step{}
	one := func(ctx context.Context, s scenario) error {
		got, err := s.run(ctx)
		mu.Lock()
		defer mu.Unlock()
		steps[s.name] = got
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, s := range list {
		if !s.alone {
			group.Go(func() error { return one(groupCtx, s) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, s := range list {
		if s.alone {
			if err := one(ctx, s); err != nil {
				return nil, err
			}
		}
	}
	return steps, nil
}

func grouped(list []scenario, steps map[string][]parity.Step, gaps map[string]parity.Gaps) []Group {
	byGroup := map[string][]parity.Step{}
	for _, s := range list {
		byGroup[s.group] = append(byGroup[s.group], steps[s.name]...)
	}
	var groups []Group
	for _, name := range groupNames(list) {
		service, _, _ := strings.Cut(name, "/")
		groups = append(groups, Group{Name: name, Report: parity.Judge(byGroup[name], gaps[service])})
	}
	return groups
}
