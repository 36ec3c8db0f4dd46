package scorers

import (
	"fmt"
	"slices"

	"github.com/supascore/supascore/evals"
	"github.com/supascore/supascore/probes"
)

// hookEnabled is the kind "auth-hook-enabled". Its parameter "hook" names the
// hook as config.toml does, such as "custom_access_token".
type hookEnabled struct {
	Hook string `json:"hook"`
}

func decodeHookEnabled(_ *evals.Eval, spec evals.CheckSpec) (scorer, error) {
	var params hookEnabled
	if err := decodeParams(spec, &params); err != nil {
		return nil, err
	}
	if params.Hook == "" {
		return nil, missing("hook", `name an Auth hook, such as "custom_access_token"`)
	}
	return params, nil
}

func (k hookEnabled) plan(plan *probes.Plan) {
	if !slices.Contains(plan.Hooks, k.Hook) {
		plan.Hooks = append(plan.Hooks, k.Hook)
	}
}

// judge asks only whether Auth was started with the hook on. A hook that is on but
// cannot run shows in the checks that need people; here it is worth advice.
func (k hookEnabled) judge(seen *probes.Observations) verdict {
	hook := seen.Hooks[k.Hook]
	if hook == nil {
		return notObserved("the hook " + k.Hook)
	}
	if !hook.Config.Enabled || hook.Config.URI == "" {
		said := failed("", fmt.Sprintf("[auth.hook.%s] with enabled = true and a uri%s", k.Hook, atStart(hook)),
			hookState(hook), hookSwitch(hook))
		said.note += runningNote(hook)
		return said
	}
	said := passed("the hook is on and calls %s%s%s", excerpt(hook.Config.URI), fromSource(hook), runningNote(hook))
	if breaks := hookBreaks(hook); breaks != "" {
		said.note += "; but " + breaks
	}
	said.advice = hookAdvice(seen, hook)
	return said
}

func fromSource(hook *probes.HookObservation) string {
	if hook.Config.Source == "" {
		return ""
	}
	return ", by " + hook.Config.Source
}

// hookState says how the hook is configured.
func hookState(hook *probes.HookObservation) string {
	state := hook.Config.State
	if state == "" {
		state = "the hook off"
	}
	switch {
	case hook.Config.Late():
		running := hook.Config.Running
		return fmt.Sprintf("that %s has it on, but the running Auth was started without it (%s)",
			nonEmpty(excerpt(running.FileSource), "the file"), excerpt(running.From))
	case hook.Config.Enabled && hook.Config.URI == "":
		state = "a hook without a uri"
	}
	return excerpt(state) + fromSource(hook)
}

// hookSwitch is the cause of a hook that is off.
func hookSwitch(hook *probes.HookObservation) string {
	cause := "the hook was never switched on in supabase/config.toml"
	if hook.Config.Late() {
		cause = tooLate
	} else if hook.Config.Cause != "" {
		cause = excerpt(hook.Config.Cause)
	}
	if len(hook.Others) > 0 {
		cause += fmt.Sprintf(" (what is on is %s)", list(hook.Others))
	}
	return cause
}

// hookName is how notes call a hook's function.
func hookName(hook *probes.HookObservation) string {
	if hook.Config.Function == "" {
		return "the hook"
	}
	return fmt.Sprintf("the hook %s.%s", hook.Config.Schema, hook.Config.Function)
}

// hookBreaks says why an enabled hook cannot be called, as far as the catalog
// tells; empty when nothing is wrong there.
func hookBreaks(hook *probes.HookObservation) string {
	if !hook.Checked {
		return ""
	}
	target := hook.Config.Schema + "." + hook.Config.Function
	switch {
	case !hook.Exists && len(hook.Similar) > 0:
		return fmt.Sprintf("the uri names %s, which does not exist (there is %s)", target, list(hook.Similar))
	case !hook.Exists:
		return fmt.Sprintf("the uri names %s, which does not exist", target)
	case !hook.Callable:
		return fmt.Sprintf("%s cannot be called with one argument, the event (there is %s)", target, list(hook.Signatures))
	case !hook.SchemaUsage:
		return fmt.Sprintf("supabase_auth_admin, the role that runs hooks, has no USAGE on schema %s", hook.Config.Schema)
	case !hook.Execute:
		return fmt.Sprintf("supabase_auth_admin, the role that runs hooks, has no EXECUTE on %s", target)
	default:
		return ""
	}
}

// hookDenied says what a hook's function reads without the right to; empty when
// nothing is known. What it reads is taken from its text, so this explains a
// failure and never states one.
func hookDenied(hook *probes.HookObservation) string {
	if hook.Definer {
		return ""
	}
	for _, read := range hook.Reads {
		if !read.Select {
			return fmt.Sprintf("%s reads %s, on which supabase_auth_admin, the role that runs it, has no SELECT",
				hookName(hook), read.Table)
		}
	}
	return ""
}

// hookSees says why an enabled hook that runs does not see the rows in a table;
// empty when nothing speaks against it.
func hookSees(hook *probes.HookObservation, table string) string {
	if hook == nil || !hook.Checked || !hook.Exists {
		return ""
	}
	var others []string
	for _, read := range hook.Reads {
		if read.Table != table {
			others = append(others, read.Table)
			continue
		}
		if read.RLS && !read.Policy && !hook.Definer {
			return fmt.Sprintf("row level security is on for %s and no policy lets supabase_auth_admin read it, so the hook sees no rows", table)
		}
		return ""
	}
	if len(others) > 0 {
		return fmt.Sprintf("%s reads %s, but roles are recorded in %s", hookName(hook), list(others), table)
	}
	return ""
}

// hookAdvice says what could be better about an enabled hook.
func hookAdvice(seen *probes.Observations, hook *probes.HookObservation) []string {
	var advice []string
	if seen.Catalog == nil {
		return nil
	}
	for _, function := range seen.Catalog.Functions {
		if function.Definer && !function.SearchPath {
			advice = append(advice, fmt.Sprintf(
				"%s.%s(%s) is SECURITY DEFINER without a search_path of its own: add `set search_path = ''`, or callers choose what its names mean",
				function.Schema, function.Name, function.Arguments))
		}
	}
	return advice
}

// tooLate explains a hook that the file has on and the running Auth does not.
const tooLate = "it was switched on too late: Auth reads its configuration once, at its start; stop and start the stack"

// atStart adds to an expectation when it has to hold, for an Auth that was started by
// somebody else.
func atStart(hook *probes.HookObservation) string {
	if hook.Config.Running == nil {
		return ""
	}
	return " when Auth is started"
}

// runningNote says what sets the running Auth apart from the file; empty for a stack
// that was started from the file, and where both agree.
func runningNote(hook *probes.HookObservation) string {
	running := hook.Config.Running
	switch {
	case running == nil || hook.Config.Late():
		return ""
	case !running.Known:
		return fmt.Sprintf("; the running Auth could not be asked what it was started with (%s), so this is what the file says",
			excerpt(running.From))
	case hook.Config.Enabled && !running.FileEnabled:
		return fmt.Sprintf("; so the running Auth was started (%s), but the next start will be without it: %s",
			excerpt(running.From), nonEmpty(excerpt(running.FileCause), "the file has it off"))
	case hook.Config.Enabled && running.FileURI != hook.Config.URI:
		return fmt.Sprintf("; so the running Auth was started (%s), but the file by now names %s",
			excerpt(running.From), excerpt(running.FileURI))
	default:
		return fmt.Sprintf("; so the running Auth was started (%s)", excerpt(running.From))
	}
}

// nonEmpty is text, or fallback where there is none.
func nonEmpty(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}
