package attached

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/supascore/supascore/stack/parity"
	"github.com/supascore/supascore/stack/parity/restreplay"
)

// restSettings are the settings of the running PostgREST as far as requests show them, by
// PostgREST's names. What is not among them is taken for what it is without being set.
type restSettings map[string]string

// The settings that requests show.
const (
	dbSchemas    = "db-schemas"
	dbSearchPath = "db-extra-search-path"
	dbMaxRows    = "db-max-rows"
	dbAnonRole   = "db-anon-role"
	jwtSecret    = "jwt-secret"
)

// suits says which setting of a recording the server has not: the schemas first, since
// without them the others are not known.
func (s restSettings) suits(config map[string]string) error {
	names := maps.Clone(config)
	maps.Copy(names, s)
	for _, name := range append([]string{dbSchemas}, slices.Sorted(maps.Keys(names))...) {
		want, needed := config[name]
		if got, set := s[name]; set == needed && got == want {
			continue
		}
		switch {
		case !needed:
			return &parity.NotAskedError{Reason: "needs no " + name}
		case name == jwtSecret:
			return &parity.NotAskedError{Reason: "needs another " + name}
		}
		return &parity.NotAskedError{Reason: fmt.Sprintf("needs %s=%s", name, want)}
	}
	return nil
}

//go:embed sql/learn.sql
var learnSQL string

// safeUpdateSQL says whether sessions of requests load what refuses to change all rows of
// a table, as in Supabase's images (supabase/postgres, migrations/db).
const safeUpdateSQL = `select exists (select from pg_db_role_setting s, unnest(s.setconfig) c (setting)
	where s.setrole = 'authenticator'::regrole and c.setting like 'session_preload_libraries=%safeupdate%')`

// learn asks the running PostgREST for its settings.
func (e *Engine) learn(ctx context.Context) (_ restSettings, err error) {
	schemas, err := e.ground.Exposed(ctx)
	if err != nil {
		return nil, err
	}
	known := restSettings{dbSchemas: strings.Join(schemas, ",")}
	if !slices.Contains(schemas, "public") {
		return known, nil // nothing can be asked at all
	}
	lent, err := e.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lent.Close(ctx)) }()
	s, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	err = s.run(ctx, learnSQL)
	if err == nil {
		err = s.QueryRow(ctx, safeUpdateSQL).Scan(&e.safeUpdate)
	}
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return nil, err
	}
	if err := lent.Settle(ctx); err != nil {
		return nil, err
	}
	return known, e.ask(ctx, known)
}

// session settings as the functions of learn.sql show them.
type shown struct {
	SearchPath string `json:"search_path"`
	Role       string `json:"role"`
}

// ask fills in what the functions of learn.sql show.
func (e *Engine) ask(ctx context.Context, known restSettings) error {
	var nobody, server shown
	if allowed, err := e.call(ctx, "supascore_shown", "", &nobody); err != nil {
		return err
	} else if allowed {
		known[dbAnonRole] = nobody.Role
	}
	token, err := ownToken()
	if err != nil {
		return err
	}
	allowed, err := e.call(ctx, "supascore_shown", token, &server)
	if err != nil || !allowed {
		return err
	}
	known[jwtSecret] = restreplay.BaseConfig()[jwtSecret]
	var rows []int
	if _, err := e.call(ctx, "supascore_rows", token, &rows); err != nil {
		return err
	}
	if len(rows) < offered {
		known[dbMaxRows] = strconv.Itoa(len(rows))
	}
	// The schema of the request comes first.
	if own, extra, found := strings.Cut(strings.ReplaceAll(server.SearchPath, `"`, ""), ", "); found && own == "public" {
		known[dbSearchPath] = strings.ReplaceAll(extra, ", ", ",")
	}
	return nil
}

// ownToken is a token of the project's servers that is signed with the recordings' secret.
func ownToken() (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"role": "service_role", "exp": time.Now().Add(time.Minute).Unix(),
	}).SignedString([]byte(restreplay.BaseConfig()[jwtSecret]))
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return token, nil
}

// offered is how many rows supascore_rows has.
const offered = 1001

// call calls a function with a token, or with none. That it is not allowed is no error.
func (e *Engine) call(ctx context.Context, function, token string, into any) (allowed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.restURL()+"/rpc/"+function, nil)
	if err != nil {
		return false, fmt.Errorf("make a request: %w", err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, fmt.Errorf("ask for the settings: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return false, fmt.Errorf("ask for the settings: %w", err)
	}
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return false, nil
	case http.StatusOK:
		if err := json.Unmarshal(body, into); err != nil {
			return false, fmt.Errorf("ask for the settings: %w", err)
		}
		return true, nil
	}
	return false, fmt.Errorf("ask for the settings: %s answered %d %.200s", function, response.StatusCode, body)
}

func (e *Engine) restURL() string { return e.config.Place.APIURL + "/rest/v1" }
