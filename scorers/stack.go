package scorers

import (
	"strings"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// stackReady is the kind "stack-ready".
type stackReady struct{}

func decodeStackReady(_ *evals.Eval, spec evals.CheckSpec) (scorer, error) {
	return stackReady{}, decodeParams(spec, &struct{}{})
}

func (stackReady) plan(*probes.Plan) {}

// judge tells a workspace that cannot be booted (fail) from a stack that broke on
// its own (error).
func (stackReady) judge(seen *probes.Observations) verdict {
	stack := seen.Stack
	if !stack.Ready {
		return judgeNotReady(stack)
	}
	if down := downNote(seen.Before); down != "" {
		return broken("the stack came up but did not answer the first probe: %s", down)
	}
	if down := downNote(seen.After); down != "" {
		return broken("the stack came up but was gone after the last probe: %s", down)
	}
	note := "every service answered a request"
	if stack.Detail != "" {
		note += " (" + excerpt(stack.Detail) + ")"
	}
	return passed("%s", note)
}

func judgeNotReady(stack probes.StackState) verdict {
	where := "the boot"
	if stack.Phase != "" {
		where = "phase " + stack.Phase
	}
	reason := excerpt(stack.Error)
	if reason == "" {
		reason = "no reason was recorded"
	}
	// A boot that nobody is blamed for must not be held against the candidate.
	if stack.Fault != probes.FaultWorkspace {
		return broken("the stack did not come up, %s failed: %s", where, reason)
	}
	return failed("", "the stack to come up from the workspace", where+" failed: "+reason, excerpt(stack.Hint))
}

// downNote says which parts of the stack did not answer; empty when all did or
// nothing was asked.
func downNote(alive *probes.Liveness) string {
	if alive == nil || alive.OK {
		return ""
	}
	var parts []string
	for _, part := range []struct{ name, problem string }{
		{"postgres", alive.Postgres},
		{"auth", alive.Auth},
		{"rest", alive.REST},
	} {
		if part.problem != "" {
			parts = append(parts, part.name+": "+excerpt(part.problem))
		}
	}
	if len(parts) == 0 {
		return "no reason was recorded"
	}
	return strings.Join(parts, "; ")
}
