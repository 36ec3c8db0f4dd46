package main

import (
	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/native"
)

// programFlags name the executables of the real servers.
type programFlags struct{ postgrest, auth string }

func (f *programFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.postgrest, "postgrest-bin", "", "executable of PostgREST (default: $"+native.EnvPostgREST+", PATH, what \"stack install\" installed)")
	flags.StringVar(&f.auth, "auth-bin", "", "executable of Auth (default: $"+native.EnvAuth+", PATH, what \"stack install\" installed)")
}

// unused makes executables that were named for an engine that runs none a usage error.
func (f *programFlags) unused(c *cobra.Command, engine stack.Engine) error {
	for _, flag := range []struct{ name, value string }{{"postgrest-bin", f.postgrest}, {"auth-bin", f.auth}} {
		if flag.value != "" {
			return usagef(c, "leave it out, or say --engine native", "--%s names an executable, and --engine %s runs none", flag.name, engine)
		}
	}
	return nil
}
