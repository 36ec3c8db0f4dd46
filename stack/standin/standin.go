// Package standin owns what the Supabase CLI knows about a project folder without
// asking a server: where the project begins, the files that `init` makes, the names of
// the services, and the values that `status` prints. It promises the names, the order
// and the defaults of the CLI (apps/cli-go at the version of Contract), in words of its
// own. It starts nothing and connects to nothing.
package standin

import (
	"os"
	"path/filepath"
)

// Contract is the version of the Supabase CLI whose commands, lines and defaults are
// kept: the first that no longer exposes new tables by default.
const Contract = "2.106.0"

// ConfigPath is where a project has its configuration, below the project folder.
const ConfigPath = "supabase/config.toml"

// Root is the project folder that dir is in: the nearest one upwards with a
// supabase/config.toml, or dir itself when there is none (internal/utils/misc.go,
// getProjectRoot). dir has to be absolute.
func Root(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, filepath.FromSlash(ConfigPath))); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// ContainerName is the name that the CLI gives to the container of a service, by which
// its messages and scripts know it.
func ContainerName(service, projectID string) string {
	return "supabase_" + service + "_" + projectID
}
