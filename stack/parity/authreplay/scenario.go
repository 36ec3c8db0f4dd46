package authreplay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Scenario is one recording: a conversation with a server on a database of its
// own.
type Scenario struct {
	// Name is the recording's name, which is its file's name without ".json".
	Name string `json:"scenario"`
	// About is one line for people; Source tells what was recorded.
	About  string `json:"about"`
	Source string `json:"source"`
	// ConfigTOML is a config.toml that means the same as Env.
	ConfigTOML string `json:"config_toml"`
	// Env differs from BaseEnv in these variables. May use {{hook_port}}.
	Env map[string]string `json:"env"`
	// SetupSQL runs before the first step, as role SetupSQLAs, default postgres.
	SetupSQL   string `json:"setup_sql"`
	SetupSQLAs string `json:"setup_sql_as"`
	// HookServer maps paths to the answers of the server behind HTTP hooks.
	HookServer map[string]HookAnswer `json:"hook_server"`
	Steps      []Step                `json:"steps"`
}

// Step is a request, an SQL statement or a start of the server. Exactly one of
// Request, SQL and Kind is set.
type Step struct {
	Name string `json:"name"`
	Note string `json:"note"`
	// WaitMS is a pause before the step, in milliseconds.
	WaitMS int `json:"wait_ms"`
	// Kind is "startup" or empty.
	Kind string `json:"kind"`

	// Mint makes tokens before the request.
	Mint    map[string]Mint `json:"mint"`
	Request *Request        `json:"request"`
	// Capture maps variable names to paths in the answer.
	Capture map[string]string `json:"capture"`

	// SQL runs as SQLAs, default postgres.
	SQL   string `json:"sql"`
	SQLAs string `json:"sql_as"`

	// Env changes the scenario's environment for a startup step. ConfigTOML is
	// the whole configuration with that change.
	Env        map[string]string `json:"env"`
	ConfigTOML string            `json:"config_toml"`

	Response Response `json:"response"`
	// Claims is the payload of the access token in the answer, JWTHeader that
	// token's header.
	Claims    json.RawMessage `json:"claims"`
	JWTHeader json.RawMessage `json:"jwt_header"`
	// HookRequests is what HTTP hooks were sent during the step.
	HookRequests []HookRequest `json:"hook_requests"`
	// ServerLog explains a failed hook. It is not compared.
	ServerLog json.RawMessage `json:"server_log"`
}

// Request is what a request step sends. At most one body member is set.
type Request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	// Body is JSON; BodyText is sent as it is.
	Body       json.RawMessage `json:"body"`
	BodyText   *string         `json:"body_text"`
	BodyRepeat *BodyRepeat     `json:"body_repeat"`
}

// BodyRepeat is a long body: Before, Text so many Times, After.
type BodyRepeat struct {
	Before string `json:"before"`
	Text   string `json:"text"`
	Times  int    `json:"times"`
	After  string `json:"after"`
}

// Response is what a step answers. Which members count depends on the kind of
// the step.
type Response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// Body is JSON, null for no body; BodyText is anything else.
	Body     json.RawMessage `json:"body"`
	BodyText *string         `json:"body_text"`

	// Rows are the rows of an SQL query as row_to_json makes them; Error is the
	// failure of an SQL step.
	Rows  json.RawMessage `json:"rows"`
	Error *string         `json:"error"`

	// Started tells whether the server started; ExitCode and Log describe how
	// it did not.
	Started  *bool           `json:"started"`
	ExitCode int             `json:"exit_code"`
	Log      json.RawMessage `json:"log"`
}

// Mint describes a token to make: HMAC-SHA256 over the header (default HS256)
// and the claims with Secret, default the server's JWT secret.
type Mint struct {
	Claims json.RawMessage `json:"claims"`
	Header json.RawMessage `json:"header"`
	Secret *string         `json:"secret"`
}

// HookAnswer is how the hooks' HTTP server answers on a path.
type HookAnswer struct {
	// Status defaults to 200.
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	// One of: JSON, text, a JSON object padded to so many bytes, the request.
	Body      json.RawMessage `json:"body"`
	BodyText  *string         `json:"body_text"`
	BodyBytes int             `json:"body_bytes"`
	Echo      *Echo           `json:"echo"`
	// DelayMS is waited first. Hangup closes the connection with no answer.
	DelayMS int  `json:"delay_ms"`
	Hangup  bool `json:"hangup"`
	// Sequence lists the answers to the first, second, ... call, the last one
	// for all further calls.
	Sequence []HookAnswer `json:"sequence"`
}

// Echo answers with the request's JSON body with the dotted paths in Set set.
type Echo struct {
	Set map[string]json.RawMessage `json:"set"`
}

// HookRequest is a request that an HTTP hook got.
type HookRequest struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	// SignatureValid tells for each configured secret whether one of the
	// request's signatures is made with it.
	SignatureValid []bool          `json:"signature_valid_for_secrets"`
	Body           json.RawMessage `json:"body"`
}

// kindStartup is the only named kind of step.
const kindStartup = "startup"

// recordedCost is the bcrypt cost of the recorded server, and how its hashes begin.
const (
	recordedCost = 10
	recordedHash = "$2a$10$"
)

// bcryptCost is recordedCost when an answer shows a password's hash, otherwise 0:
// hashes of that cost would be most of the time that a replay takes.
func (s Scenario) bcryptCost() int {
	for _, step := range s.Steps {
		if strings.Contains(string(step.Response.Rows), recordedHash) {
			return recordedCost
		}
	}
	return 0
}

// Decode reads one recording. Unknown members are errors: a recording that
// says something this package does not look at would agree by mistake.
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

func (s Scenario) validate() error {
	if s.Name == "" || len(s.Steps) == 0 {
		return errors.New("recording: scenario and steps must be set")
	}
	for i, step := range s.Steps {
		kinds := 0
		for _, set := range []bool{step.Request != nil, step.SQL != "", step.Kind == kindStartup} {
			if set {
				kinds++
			}
		}
		if kinds != 1 {
			return fmt.Errorf("recording %s, step %d %q: needs exactly one of request, sql and kind %q",
				s.Name, i+1, step.Name, kindStartup)
		}
		if step.Kind == kindStartup && step.Response.Started == nil {
			return fmt.Errorf("recording %s, step %d %q: response.started is missing", s.Name, i+1, step.Name)
		}
	}
	return nil
}

// Load reads all recordings, *.json, of a folder, sorted by name.
func Load(fsys fs.FS) ([]Scenario, error) {
	names, err := fs.Glob(fsys, "*.json")
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
		if want := strings.TrimSuffix(path.Base(name), ".json"); s.Name != want {
			return nil, fmt.Errorf("%s: the scenario is called %q", name, s.Name)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios, nil
}
