package restreplay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// Scenario is one recording: a small database and a list of requests with their answers.
type Scenario struct {
	// Name is "group/name", which is also its file's path without ".json".
	Name string `json:"scenario"`
	// About is one line for people; Source tells what was recorded.
	About  string `json:"about"`
	Source string `json:"source"`
	// Config differs from BaseConfig in these settings, by PostgREST's own names; null unsets one.
	Config map[string]*string `json:"config"`
	// SetupSQL runs in the fresh database before the server starts, as role postgres, or as a superuser when SetupSQLAs is
	// "superuser".
	SetupSQL   string `json:"setup_sql"`
	SetupSQLAs string `json:"setup_sql_as"`
	Steps      []Step `json:"steps"`
	// CleanupSQL runs as a superuser after the database is gone: it removes roles, which belong to the whole cluster.
	CleanupSQL string `json:"cleanup_sql"`
}

// Step is a request, or SQL that a superuser runs.
type Step struct {
	Name string `json:"name"`
	// SQL is set for SQL steps. With Reload the server reloads its schema cache and the role settings afterwards.
	SQL    string `json:"sql"`
	Reload bool   `json:"reload"`
	// As says whose token is sent: "none", "anon", "service_role", or an object with the claims.
	As json.RawMessage `json:"as"`
	// RawAuthorization is sent as the Authorization header instead of a token.
	RawAuthorization *string  `json:"raw_authorization"`
	Request          *Request `json:"request"`
	Response         Response `json:"response"`
	// CompareHint is true where the hint of an error body has to agree.
	CompareHint bool `json:"compare_hint"`
}

// Request is what a step sends.
type Request struct {
	Method string `json:"method"`
	// Path is the path with the query string, exactly as sent.
	Path    string            `json:"path"`
	Headers map[string]Values `json:"headers"`
	// Body is the exact text; nil for none.
	Body *string `json:"body"`
}

// Response is a recorded answer.
type Response struct {
	Status int `json:"status"`
	// Reason is the reason phrase, where it is not the usual one of Status.
	Reason  string            `json:"reason"`
	Headers map[string]Values `json:"headers"`
	// Body is the JSON, or the text as a JSON string where the answer was no JSON. BodyBase64 replaces it where the bytes were
	// not UTF-8. BodyKeys and PathKeys replace it for the root document.
	Body       json.RawMessage `json:"body"`
	BodyBase64 *string         `json:"body_base64"`
	BodyKeys   []string        `json:"body_keys"`
	PathKeys   []string        `json:"path_keys"`
}

// Values are the values of a header: one text, or a list where the header came several times.
type Values []string

// UnmarshalJSON takes a string or a list of strings.
func (v *Values) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*v = Values{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(v))
}

// Group is the part of the name before the slash.
func (s Scenario) Group() string {
	group, _, _ := strings.Cut(s.Name, "/")
	return group
}

// ChangesSharedRoles says whether the scenario alters roles that other scenarios use at the same time.
func (s Scenario) ChangesSharedRoles() bool {
	text := s.SetupSQL
	for _, step := range s.Steps {
		text += step.SQL
	}
	for _, role := range []string{"anon", "authenticated", "service_role", "authenticator"} {
		if strings.Contains(text, "alter role "+role+" ") {
			return true
		}
	}
	return false
}

// Decode reads one recording. Unknown members are errors: a recording that says something this package does not look at would
// agree by mistake.
func Decode(r io.Reader) (Scenario, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var s Scenario
	if err := dec.Decode(&s); err != nil {
		return Scenario{}, fmt.Errorf("decode recording: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Scenario{}, errors.New("decode recording: text after the end of the object")
	}
	return s, s.validate()
}

// validate refuses a recording of which a part would never be compared.
func (s Scenario) validate() error {
	if s.Name == "" || len(s.Steps) == 0 {
		return errors.New("recording: scenario and steps must be set")
	}
	names := map[string]bool{}
	for i, step := range s.Steps {
		if (step.Request == nil) == (step.SQL == "") {
			return fmt.Errorf("recording %s, step %d %q: needs exactly one of request and sql", s.Name, i+1, step.Name)
		}
		if step.Request != nil && step.Response.Status == 0 {
			return fmt.Errorf("recording %s, step %d %q: response.status is missing", s.Name, i+1, step.Name)
		}
		if names[step.Name] {
			return fmt.Errorf("recording %s, step %d %q: the name is taken by an earlier step", s.Name, i+1, step.Name)
		}
		names[step.Name] = true
	}
	return nil
}

// Load reads all recordings, */*.json, of a folder, sorted by name.
func Load(fsys fs.FS) ([]Scenario, error) {
	names, err := fs.Glob(fsys, "*/*.json")
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	slices.Sort(names)
	scenarios := make([]Scenario, 0, len(names))
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("read recording: %w", err)
		}
		s, err := Decode(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if want := strings.TrimSuffix(name, ".json"); s.Name != want {
			return nil, fmt.Errorf("%s: the scenario is called %q", name, s.Name)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}
