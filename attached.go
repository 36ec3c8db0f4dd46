package supascore

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/supascore/supascore/probes"
	"github.com/supascore/supascore/probes/runner"
	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/config"
)

// attachedHook adds to what the file says of a hook what its running Auth was started
// with, which is what counts: Auth reads its configuration once.
func attachedHook(running *stack.Stack, name string, file probes.HookConfig) probes.HookConfig {
	hook := file
	start, err := running.AuthStart()
	if err != nil {
		hook.Running = &probes.RunningHook{From: err.Error()}
		return hook
	}
	in, on := start.Hooks[name]
	hook.Running = &probes.RunningHook{
		Known: true, From: start.From,
		FileEnabled: file.Enabled, FileURI: file.URI, FileSource: file.Source, FileCause: file.Cause,
	}
	hook.Enabled = on
	if !on {
		return hook
	}
	hook.URI, hook.State, hook.Cause = in.URI, string(config.HookEnabled), ""
	hook.Schema, hook.Function = "", ""
	if function, ok := config.ParseHookFunction(in.URI); ok {
		hook.Schema, hook.Function = function.Schema, function.Name
	}
	if !file.Enabled || file.URI != in.URI {
		hook.Source = "" // the file says something else by now
	}
	return hook
}

// borrowed says how to behave on a stack that ran before; nil for one of the run's own.
func borrowed(attachment *stack.Attachment, keep bool) *runner.Borrowed {
	if attachment == nil {
		return nil
	}
	b := &runner.Borrowed{Keep: keep}
	if hosts := strings.Join(attachment.Remote, " and "); hosts != "" {
		b.NoShared = fmt.Sprintf("on another machine (%s) only rows of the run's own people are touched", hosts)
		if attachment.Confirms {
			b.NoSignUps = fmt.Sprintf("Auth on another machine (%s) would send mail for a sign-up", hosts)
		}
	}
	return b
}

// describeAttached fills the result with what is known of a stack that ran before.
func (r *run) describeAttached(attachment *stack.Attachment) {
	r.result.Settings["attached_by"] = attachment.From
	r.result.Settings["remote"] = strconv.FormatBool(len(attachment.Remote) > 0)
	r.result.Notes = append(r.result.Notes, attachment.Notes...)
}

// leftNotes say what a run leaves behind in a stack that goes on.
func leftNotes(seen *probes.Observations) []string {
	left := seen.Left
	if left == nil {
		return nil
	}
	if left.Kept {
		return []string{fmt.Sprintf("the people and rows of this run stay in the stack; the addresses end in -%s@example.com", seen.Run)}
	}
	var notes []string
	for _, problem := range left.Problems {
		notes = append(notes, "could not be removed again: "+problem)
	}
	return notes
}
