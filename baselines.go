package supascore

import (
	_ "embed"

	"github.com/supascore/supascore/tasks"
)

//go:embed baselines/allow_all.sql
var allowAll string

//go:embed baselines/deny_all.sql
var denyAll string

// Baselines are the candidates that every task must fail (dataset card, "A task was
// accepted into the set only if"): no policy at all, everything allowed to everybody,
// row level security without a policy.
func Baselines() []tasks.NamedSQL {
	return []tasks.NamedSQL{
		{Name: "no-policy", SQL: ""},
		{Name: "allow-all", SQL: allowAll},
		{Name: "deny-all", SQL: denyAll},
	}
}
