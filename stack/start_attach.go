package stack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/supascore/supascore/stack/attach"
	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/native"
)

// EngineAttach is no engine of this module: the stack runs already, and whoever
// started it plays Auth and REST. Start applies no migrations then: what runs is
// looked at as it is. Nothing is watched, so such a stack never ends by itself.
const EngineAttach Engine = "attach"

// Attachment is what is known of a stack that ran before this process came to it.
type Attachment struct {
	// From says in a few words who told where it runs: "flags", "supabase status".
	From string
	// Remote are the hosts of the stack that are not this machine; empty for a local one.
	Remote []string
	// Confirms is true when a sign-up makes Auth send somebody a message.
	Confirms bool
	// Notes are what sets the running stack apart from its workspace, in sentences for
	// the person who reads a result.
	Notes []string

	auth    *attach.AuthStart
	unasked error
	finder  attach.Finder
}

// Attachment is what is known of a stack that ran before; nil for one that Start booted.
func (s *Stack) Attachment() *Attachment { return s.attachment }

// AuthStart is what the running Auth was started with. Of a stack that ran before, that
// may be known to nobody; the error then says why.
func (s *Stack) AuthStart() (*attach.AuthStart, error) {
	if a := s.attachment; a != nil && a.auth == nil && a.unasked == nil {
		return nil, errors.New("the stack was not reached")
	} else if a != nil {
		return a.auth, a.unasked
	}
	if s.effective == nil || !s.effective.Auth.Enabled || !s.cfg.has(PartAuth) {
		return &attach.AuthStart{From: authFrom}, nil
	}
	start := authStartOf(s.effective)
	start.Settings = attach.SettingsOf(s.effective.AuthEnv(config.RenderInput{APIURL: s.endpoints.APIURL}))
	start.From = authFrom
	return start, nil
}

// authFrom is where a stack of ours has its knowledge from.
const authFrom = "the record of its start"

// authStartOf is what Auth is started with by a configuration.
func authStartOf(c *config.Config) *attach.AuthStart {
	env := c.AuthEnv(config.RenderInput{})
	start := attach.AuthStartOf(env)
	start.Hash = attach.HashOf(env)
	return start
}

// attach reads the workspace, finds its running stack and makes sure that it is one.
func (s *Stack) attach(ctx context.Context) error {
	s.attachment = &Attachment{finder: s.cfg.Attach.Finder}
	s.endpoints.Engine = EngineAttach
	if err := s.readWorkspace(ctx); err != nil {
		return err
	}
	// How the stack was set up is not ours to say.
	s.settings = Settings{Warnings: s.settings.Warnings}
	var place attach.Place
	err := s.phase("locate", FaultInfrastructure, func() (err error) {
		place, err = s.locate(ctx)
		return err
	})
	if err != nil {
		return err
	}
	var live *attach.Live
	err = s.phase("attach", FaultInfrastructure, func() (err error) {
		live, err = attach.Connect(ctx, place)
		return err
	})
	if err != nil {
		return err
	}
	s.attachment.Confirms = live.Confirms
	s.endpoints = Endpoints{
		Engine: EngineAttach, APIURL: place.APIURL, RESTURL: place.APIURL + "/rest/v1", AuthURL: place.APIURL + "/auth/v1",
		DBURL: place.DBURL, Keys: place.Keys, JWKS: live.JWKS, Versions: live.Versions,
	}
	s.askAuth(ctx, place)
	s.attachment.Notes = append(s.attachment.Notes, s.drift(live)...)
	return nil
}

// locate finds the stack, and refuses one on another machine unless that is allowed.
// A stack that should run and does not is the workspace's doing.
func (s *Stack) locate(ctx context.Context) (attach.Place, error) {
	place := s.cfg.Attach.Place
	if finder := s.cfg.Attach.Finder; finder != nil {
		var err error
		if place, err = finder.Find(ctx, s.cfg.Workspace); err != nil {
			var refused *attach.CLIError
			if errors.Is(err, attach.ErrNotRunning) || (errors.As(err, &refused) && refused.Workspace) {
				return place, &StartError{Phase: "locate", Fault: FaultWorkspace, Err: err}
			}
			return place, err
		}
	}
	place, err := place.Complete()
	if err != nil {
		return place, err
	}
	s.attachment.From = place.From
	if s.attachment.Remote, err = place.Remote(ctx, s.cfg.Attach.Resolver); err != nil {
		return place, err
	}
	if len(s.attachment.Remote) > 0 && !s.cfg.Attach.AllowRemote {
		return place, &attach.RemoteError{Hosts: s.attachment.Remote}
	}
	return place, nil
}

// askAuth finds out what the running Auth was started with.
func (s *Stack) askAuth(ctx context.Context, place attach.Place) {
	a := s.attachment
	switch {
	case place.Auth != nil:
		a.auth = place.Auth
	case s.cfg.Attach.Docker == nil || len(a.Remote) > 0:
		a.unasked = errors.New("nobody recorded its start")
	default:
		a.auth, a.unasked = s.cfg.Attach.Docker.AuthStart(ctx, place.APIURL)
		if a.auth != nil { // a container keeps its log itself
			from := containerLog{docker: s.cfg.Attach.Docker, name: a.auth.Container, since: time.Now()}
			s.log.source = from.entries
		}
	}
}

// containerLog is what Auth in a container has printed since a moment.
type containerLog struct {
	docker *attach.Docker
	name   string
	since  time.Time
}

// entries reads the log anew. One that cannot be read explains nothing, and harms
// nothing.
func (l containerLog) entries() []LogEntry {
	lines, err := l.docker.Logs(context.Background(), l.name, l.since)
	if err != nil {
		return nil
	}
	book := &LogBook{}
	logger := book.Logger("auth", nil)
	for _, line := range lines {
		native.LogAuthLine(logger, line)
	}
	return book.Entries()
}

// drift says in what the running stack and the workspace are known to differ.
func (s *Stack) drift(live *attach.Live) []string {
	var notes []string
	if auth := s.attachment.auth; auth != nil && auth.Hash != "" && auth.Hash != authStartOf(s.effective).Hash {
		notes = append(notes, fmt.Sprintf("%s says something else of Auth than what the running Auth was started with; "+
			"that takes effect when the stack is stopped and started", s.effective.File()))
	}
	recorded := map[string]bool{}
	for _, version := range live.Recorded {
		recorded[version] = true
	}
	var missing []string
	for _, migration := range s.space.Migrations {
		if !recorded[migration.Version] {
			missing = append(missing, migration.Path)
		}
	}
	if len(missing) > 0 {
		notes = append(notes, fmt.Sprintf("the database does not record %d of %d migrations as applied (%s); it is scored as it is",
			len(missing), len(s.space.Migrations), strings.Join(shortened(missing), ", ")))
	}
	return notes
}

// shortened is a list that an output can take.
func shortened(list []string) []string {
	const limit = 5
	if len(list) <= limit {
		return list
	}
	return append(list[:limit:limit], "…")
}

// close stops what finding the stack started.
func (a *Attachment) close(ctx context.Context) error {
	if a == nil || a.finder == nil {
		return nil
	}
	return a.finder.Close(ctx)
}
