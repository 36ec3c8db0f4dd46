package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/supascore/supascore/stack/config"
	"github.com/supascore/supascore/stack/gateway"
	"github.com/supascore/supascore/stack/keys"
)

// startServices starts Auth and REST side by side and opens the door to them. The
// services that config.toml switches off stay away.
func (s *Stack) startServices(ctx context.Context) error {
	set, err := s.keysOf()
	if err != nil {
		return &StartError{Phase: "keys", Fault: FaultWorkspace, Err: err}
	}
	if s.cfg.has(PartGateway) {
		if err := s.serve(ctx, set); err != nil {
			return err
		}
	}
	s.announce(set)
	for _, service := range []any{s.services.rest, s.services.auth} {
		if w, ok := service.(warner); ok {
			s.settings.Warnings = append(s.settings.Warnings, w.Warnings()...)
		}
	}
	return nil
}

// serve starts the services on the database that there is, and opens the door to them.
func (s *Stack) serve(ctx context.Context, set keys.Set) error {
	in := config.RenderInput{
		AuthDBURL: s.services.postgres.URL("supabase_auth_admin", database),
		RESTDBURL: s.services.postgres.URL("authenticator", database),
		APIURL:    s.services.gateway.URL(), JWTSecret: set.JWTSecret,
	}
	group, groupCtx := errgroup.WithContext(ctx)
	if s.effective.Auth.Enabled && s.cfg.has(PartAuth) {
		group.Go(func() error { return s.startAuth(groupCtx, s.effective.AuthEnv(in)) })
	}
	if s.effective.API.Enabled && s.cfg.has(PartREST) {
		group.Go(func() error { return s.startREST(groupCtx, s.effective.RESTEnv(in)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	handlers := gateway.Config{Keys: set, Log: s.log.Logger("gateway", s.cfg.Log.Handler())}
	if s.services.auth != nil {
		handlers.Auth, handlers.Mail = s.services.auth, s.services.auth.Mailbox()
	}
	if s.services.rest != nil {
		handlers.REST, handlers.RESTAdmin = s.services.rest, s.services.rest.Admin()
	}
	s.door.behind.Store(gateway.New(handlers))
	return nil
}

func (s *Stack) startAuth(ctx context.Context, env map[string]string) error {
	return s.phase("auth", FaultInfrastructure, func() error {
		auth, err := s.engine.startAuth(ctx, env)
		if err == nil {
			s.services.set(func() { s.services.auth = auth })
		}
		return err
	})
}

func (s *Stack) startREST(ctx context.Context, env map[string]string) error {
	return s.phase("rest", FaultInfrastructure, func() error {
		rest, err := s.engine.startREST(ctx, env)
		if err == nil {
			s.services.set(func() { s.services.rest = rest })
		}
		return err
	})
}

// announce fills in where the stack can be reached.
func (s *Stack) announce(set keys.Set) {
	s.endpoints = Endpoints{
		Engine: s.cfg.Engine, Keys: set, Versions: s.services.versions(),
		DBURL: s.services.postgres.TCPURL(owner, s.password(), database),
	}
	if s.services.gateway != nil {
		api := s.services.gateway.URL()
		s.endpoints.APIURL, s.endpoints.RESTURL, s.endpoints.AuthURL = api, api+"/rest/v1", api+"/auth/v1"
	}
	if list := s.effective.SigningKeys(); len(list) > 0 {
		s.endpoints.JWKS = s.effective.JWKS(set.JWTSecret)
	}
}

func (s *Stack) password() string {
	if s.cfg.Postgres.Password != "" {
		return s.cfg.Postgres.Password
	}
	return owner // the CLI's password of role postgres is its name
}

// signingKey reads a key of the configuration as one that signs.
func signingKey(k config.JWK) (*keys.SigningKey, error) {
	text, err := json.Marshal([]config.JWK{k})
	if err != nil {
		return nil, err
	}
	list, err := keys.ParseSigningKeys(text)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// How long a stack may take until its services answer, and how often they are asked.
const (
	readyTimeout  = 30 * time.Second
	readyInterval = 5 * time.Millisecond
)

// awaitReady asks every service a real question through the gateway until it
// answers. The last answer is the error when none is right in time.
func (s *Stack) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	for _, question := range s.questions() {
		if err := s.awaitAnswer(ctx, client, question); err != nil {
			return err
		}
	}
	return nil
}

// question is a request whose answer shows that a service works.
type question struct{ path, service string }

func (s *Stack) questions() []question {
	var list []question
	if s.services.auth != nil {
		list = append(list, question{"/auth/v1/health", "auth"}, question{"/auth/v1/settings", "auth"})
	}
	if s.services.rest != nil {
		list = append(list, question{"/rest-admin/v1/ready", "rest"})
	}
	return list
}

func (s *Stack) awaitAnswer(ctx context.Context, client *http.Client, q question) error {
	tick := time.NewTicker(readyInterval)
	defer tick.Stop()
	for {
		last := ask(ctx, client, s.endpoints.APIURL+q.path, s.endpoints.Keys.Publishable)
		if last == nil {
			return nil
		}
		if end := s.services.ended(); end != nil {
			return fmt.Errorf("%w; %s does not answer: %w", end, q.service, last)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s does not answer: %w", q.service, last)
		}
	}
}

// ask is one question; nil is the right answer.
func ask(ctx context.Context, client *http.Client, url, apikey string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("apikey", apikey)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s: %s", url, resp.Status, body)
	}
	return nil
}
