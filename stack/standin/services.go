package standin

import (
	"slices"

	"github.com/supascore/supascore/stack"
)

// service is a service of the CLI's stack.
type service struct {
	// image names it for `start --exclude`, alias is in the name of its container.
	image, alias string
	// part is the part of our stack that plays it; empty when none does.
	part stack.Part
}

// services are in the order of the CLI's lists (pkg/config/constants.go,
// internal/utils/config.go). The database is not one of them: it cannot be left out.
func services() []service {
	return []service{
		{"kong", "kong", stack.PartGateway},
		{"gotrue", "auth", stack.PartAuth},
		{"mailpit", "inbucket", ""},
		{"realtime", "realtime", ""},
		{"postgrest", "rest", stack.PartREST},
		{"storage-api", "storage", ""},
		{"imgproxy", "imgproxy", ""},
		{"postgres-meta", "pg_meta", ""},
		{"studio", "studio", ""},
		{"edge-runtime", "edge_runtime", ""},
		{"logflare", "analytics", ""},
		{"vector", "vector", ""},
		{"supavisor", "pooler", ""},
	}
}

// Excludable are the names that `start --exclude` takes, sorted.
func Excludable() []string {
	var names []string
	for _, s := range services() {
		names = append(names, s.image)
	}
	slices.Sort(names)
	return names
}

// Exclude turns names of services into the parts that are left out. Names of services
// that are never there leave out nothing more; those of none are returned.
func Exclude(names []string) (without []stack.Part, unknown []string) {
	all := services()
	for _, name := range names {
		at := slices.IndexFunc(all, func(s service) bool { return s.image == name })
		switch {
		case at < 0:
			unknown = append(unknown, name)
		case all[at].part != "" && !slices.Contains(without, all[at].part):
			without = append(without, all[at].part)
		}
	}
	return without, unknown
}

// Stopped are the containers of the CLI's stack, by name, for which nothing runs here.
func Stopped(projectID string, running func(stack.Part) bool) []string {
	var names []string
	for _, s := range services() {
		if s.part == "" || !running(s.part) {
			names = append(names, ContainerName(s.alias, projectID))
		}
	}
	return names
}
