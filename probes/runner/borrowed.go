package runner

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/supascore/supascore/probes"
)

// Borrowed says how to behave on a stack that was there before the run and goes on
// after it.
type Borrowed struct {
	// Keep leaves the run's people and rows where they are; otherwise they are removed
	// after the last probe, whatever became of the run.
	Keep bool
	// NoShared says why rows are not touched that belong to nobody of the run; empty
	// when they may be.
	NoShared string
	// NoSignUps says why nobody is signed up; empty when people may be.
	NoSignUps string
}

// withheld is why a row of the plan must not be touched; empty when it may be.
func (r *run) withheld(own bool) string {
	if r.cfg.Borrowed == nil || own {
		return ""
	}
	return r.cfg.Borrowed.NoShared
}

// made is rows that the run wrote, by their key or by all that is known of them.
type made struct {
	table  string
	values map[string]any
}

// remember notes a row that the run wrote, for its removal.
func (r *run) remember(table string, values map[string]any) {
	if r.cfg.Borrowed != nil && len(values) > 0 {
		r.made = append(r.made, made{table, values})
	}
}

// confirm makes sure that the owner sees the people whom Auth has signed up: with the
// database of another stack, every count would be of the wrong rows.
func (r *run) confirm(ctx context.Context, people []string) {
	if r.cfg.Borrowed == nil {
		return
	}
	for _, id := range people {
		person := r.seen.People[id]
		if person == nil || person.ID == "" {
			continue
		}
		count, refused, err := r.db.Count(ctx, "auth.users", map[string]any{"id": person.ID})
		switch {
		case err != nil:
			r.mixed = fmt.Errorf("look for the people in the database: %w", err)
		case refused != nil:
			r.mixed = fmt.Errorf("the database's owner may not look at auth.users: %w", refused)
		case count == 0:
			r.mixed = fmt.Errorf("%s was signed up as %s, but is not in the database: the API and the database are of different stacks",
				id, person.ID)
		}
		return
	}
}

// leaveTimeout bounds the removal of what the run made, in all.
const leaveTimeout = 20 * time.Second

// leave removes what the run made from a stack that goes on, also after a run that was
// cancelled.
func (r *run) leave(ctx context.Context) {
	if r.cfg.Borrowed == nil {
		return
	}
	left := &probes.LeftObservation{Kept: r.cfg.Borrowed.Keep}
	r.seen.Left = left
	if left.Kept {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	r.cfg.OnBegin("clean-up")
	start := time.Now()
	slices.Reverse(r.made) // what refers to other rows goes first
	for _, rows := range r.made {
		count, refused, err := r.db.Delete(ctx, rows.table, rows.values)
		left.Rows += count
		if problem := whyNot(refused, err); problem != "" {
			left.Problems = append(left.Problems, "a row of "+rows.table+": "+problem)
		}
	}
	r.removePeople(ctx, left)
	r.cfg.OnPhase("clean-up", time.Since(start))
}

// removePeople removes the run's users, and by the foreign keys of Auth's tables their
// sessions and identities. Somebody whose sign-up failed may be there as well: Auth
// keeps a user whose first token a hook refused. The address is the run's own, unless
// Auth says that somebody had it before.
func (r *run) removePeople(ctx context.Context, left *probes.LeftObservation) {
	var ids, addresses []string
	for _, person := range r.cfg.Plan.People {
		seen := r.seen.People[person.ID]
		switch {
		case seen == nil || seen.SignUp == nil:
		case seen.ID != "":
			ids = append(ids, seen.ID)
		case !taken(seen.SignUp.Answer.Code):
			addresses = append(addresses, strings.ToLower(seen.Email))
		}
	}
	if len(ids)+len(addresses) == 0 {
		return
	}
	count, refused, err := r.db.DeleteUsers(ctx, ids, addresses)
	left.People = count
	problem := whyNot(refused, err)
	if problem == "" && count < len(ids) {
		problem = fmt.Sprintf("%d of %d are not in the database", len(ids)-count, len(ids))
	}
	if problem != "" {
		left.Problems = append(left.Problems, fmt.Sprintf("the people whose addresses end in -%s@example.com: %s", r.cfg.Run, problem))
	}
}

// taken reports whether a sign-up was refused because the address is somebody's.
func taken(code string) bool { return code == "user_already_exists" || code == "email_exists" }

func whyNot(refused *probes.SQLError, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case refused != nil:
		return refused.Error()
	default:
		return ""
	}
}

// homebound is a transport that goes nowhere but to the stack: a stack that redirects
// would otherwise lead people and their passwords to other machines.
type homebound struct {
	next  http.RoundTripper
	hosts []string
}

// newHomebound lets requests to the hosts of the given addresses through.
func newHomebound(next http.RoundTripper, addresses ...string) (*homebound, error) {
	h := &homebound{next: next}
	for _, address := range addresses {
		u, err := url.Parse(address)
		if err != nil {
			return nil, fmt.Errorf("probe the stack: an address of the target cannot be read: %w", err)
		}
		h.hosts = append(h.hosts, u.Host)
	}
	return h, nil
}

// RoundTrip refuses requests to other hosts.
func (h *homebound) RoundTrip(request *http.Request) (*http.Response, error) {
	if !slices.Contains(h.hosts, request.URL.Host) {
		return nil, fmt.Errorf("the stack leads to %s, which is not the stack", request.URL.Host)
	}
	return h.next.RoundTrip(request)
}
