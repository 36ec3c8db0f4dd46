package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/supascore/supascore/stack"
	"github.com/supascore/supascore/stack/detached"
)

// logServices are the services whose lines can be asked for.
func logServices() []string { return []string{"auth", "rest", "gateway", "postgres"} }

// followInterval is how often a followed stack is asked for new lines.
const followInterval = 200 * time.Millisecond

// logsRun is one `stack logs`.
type logsRun struct {
	*app
	workspace *string
	service   string
	follow    bool
	asJSON    bool
}

func (a *app) stackLogsCommand() *cobra.Command {
	r := &logsRun{app: a}
	c := &cobra.Command{
		Use:   "logs [-f] [SERVICE]",
		Short: "Show what the stack's services have logged",
		Long: `Show what the services of the workspace's running stack have logged, the last 10,000
lines, oldest first: auth, rest, gateway and postgres, or one of them. With --follow, go
on with what is logged until the stack ends or Ctrl-C. Of a stack that has ended, what
the process that served it said last is shown, and the exit code is 1.`,
		ValidArgs: logServices(),
	}
	r.workspace = workspaceFlag(c)
	c.Flags().BoolVarP(&r.follow, "follow", "f", false, "go on with new lines until the stack ends")
	c.Flags().BoolVar(&r.asJSON, "json", false, "one JSON object a line")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) > 1:
			return usagef(c, "leave the service out to see all", "stack logs takes one service, got %q", args)
		case len(args) == 1 && !slices.Contains(logServices(), args[0]):
			return usagef(c, "the services are: "+strings.Join(logServices(), ", "), "unknown service %q", args[0])
		case len(args) == 1:
			r.service = args[0]
		}
		return r.run(c.Context())
	}
	return c
}

func (r *logsRun) run(ctx context.Context) error {
	state, err := detached.Find(*r.workspace)
	if errors.Is(err, detached.ErrNotRunning) {
		return r.lastWords(err)
	}
	if err != nil {
		return err
	}
	if r.follow {
		return r.goOn(ctx, state)
	}
	entries, _, err := detached.Log(ctx, state, 0)
	if err != nil {
		return err
	}
	return r.show(entries)
}

// silenceLimit is how long a followed stack may not answer: a little longer than it may
// take to stop.
const silenceLimit = 30 * time.Second

// goOn shows lines as they come, until the stack ends or Ctrl-C, which is how one stops
// following and no failure.
func (r *logsRun) goOn(ctx context.Context, state detached.State) error {
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	next, answered := 0, time.Now()
	for {
		entries, after, err := detached.Log(ctx, state, next)
		switch {
		case err == nil:
			next, answered = after, time.Now()
			if err := r.show(entries); err != nil {
				return err
			}
		case ctx.Err() != nil:
			return nil
		case r.ended():
			r.out.note("the stack has ended")
			return nil
		case time.Since(answered) > silenceLimit:
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ended tells a stack that is gone from one that is stopping, or busy.
func (r *logsRun) ended() bool {
	_, err := detached.Find(*r.workspace)
	return errors.Is(err, detached.ErrNotRunning)
}

// lastWords shows what is left of a stack that has ended.
func (r *logsRun) lastWords(notRunning error) error {
	failure := &workspaceError{hintedError{notRunning, "start it with `supascore stack start`"}}
	path, err := detached.LogPath(*r.workspace)
	if err != nil {
		return failure
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) == 0 {
		return failure
	}
	fmt.Fprintf(r.stdout, "%s\n", strings.TrimRight(string(text), "\n"))
	return failure
}

// show writes the lines of the service that was asked for, in the order of their time:
// Postgres' come in when somebody looks.
func (r *logsRun) show(entries []stack.LogEntry) error {
	slices.SortStableFunc(entries, func(a, b stack.LogEntry) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
	encoder := json.NewEncoder(r.stdout)
	for _, e := range entries {
		if r.service != "" && e.Service != r.service {
			continue
		}
		if !r.asJSON {
			r.out.logLine(e)
			continue
		}
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
	return nil
}

// logLine shows a line of a log: its time, where it is from, what it says.
func (p *printer) logLine(e stack.LogEntry) {
	text := e.Message
	for _, name := range slices.Sorted(maps.Keys(e.Attrs)) {
		value := e.Attrs[name]
		if strings.ContainsAny(value, " \n\"") {
			value = fmt.Sprintf("%q", value)
		}
		text += "  " + p.faint(name+"="+value)
	}
	p.printf("%s %-8s %-5s %s\n", e.Time.Local().Format("15:04:05.000"), e.Service, e.Level, strings.ReplaceAll(text, "\n", "\n    "))
}
