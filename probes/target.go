package probes

import "time"

// Target is a running stack as probes see it. It holds secrets, so it is never
// written to a result.
type Target struct {
	// AuthURL and RESTURL are the services' roots as clients use them, through the
	// gateway and without a final slash: "http://127.0.0.1:54321/auth/v1".
	AuthURL string
	RESTURL string
	// APIKey is the key that clients send: the publishable key or the legacy anon
	// key.
	APIKey string
	// OwnerURL is a postgres:// URL of the role that owns the database (postgres),
	// through which outcomes are counted.
	OwnerURL string
	// JWTSecret is the symmetric secret that access tokens are signed with; empty
	// when the stack signs with asymmetric keys.
	JWTSecret string
	// JWKS is the JSON Web Key Set of public keys that access tokens may be signed
	// with; empty when there is none.
	JWKS []byte
	// Schema is the schema that REST calls address. Default "public".
	Schema string
	// Hooks maps a hook's name ("custom_access_token") to what the workspace's
	// configuration says of it.
	Hooks map[string]HookConfig
	// Logs returns what the stack's services have logged so far, oldest first. May
	// be nil when the stack keeps no log that can be read.
	Logs func() []LogEntry
}

// LogEntry is one line that a service of the stack logged.
type LogEntry struct {
	Time    time.Time `json:"time"`
	Service string    `json:"service,omitempty"` // "auth", "rest", "postgres"
	Level   string    `json:"level,omitempty"`   // "error", "warn", "info"
	Message string    `json:"message"`
	// Error is the error behind the message, such as Postgres' own message.
	Error string `json:"error,omitempty"`
	// Hook is the uri of the hook that ran, when one did.
	Hook string `json:"hook,omitempty"`
	// SQLState is Postgres' five-character code, when there is one.
	SQLState string `json:"sqlstate,omitempty"`
}

// Fault says whose doing it is that a stack is not running.
type Fault string

// The faults.
const (
	// FaultNone: nothing is wrong.
	FaultNone Fault = ""
	// FaultWorkspace: the candidate's workspace cannot be booted.
	FaultWorkspace Fault = "workspace"
	// FaultInfrastructure: the harness, the machine or the stack's own software.
	FaultInfrastructure Fault = "infrastructure"
)

// StackState is whether the stack came up from the workspace.
type StackState struct {
	// Ready is true when every service answered a real request and the client keys
	// are known.
	Ready bool `json:"ready"`
	// Phase is the boot phase that failed, such as "config" or "migrations".
	Phase string `json:"phase,omitempty"`
	// Error is why, with file, line and column where there are any.
	Error string `json:"error,omitempty"`
	// Hint is what to do about it.
	Hint string `json:"hint,omitempty"`
	// Fault says whose doing it is. FaultNone when Ready.
	Fault Fault `json:"fault,omitempty"`
	// Engine names what played the services: "embedded", "native", "attach".
	Engine string `json:"engine,omitempty"`
	// Detail is what is worth saying of a running stack, such as its versions.
	Detail string `json:"detail,omitempty"`
}

// HookConfig is what the effective configuration says of one Auth hook, and what
// the configuration file says where the two differ.
type HookConfig struct {
	// Enabled is true when Auth was started with the hook on.
	Enabled bool `json:"enabled"`
	// State names how the hook is (not) configured. The values are those of
	// package stack/config, such as "enabled", "section missing", "only remote".
	State string `json:"state"`
	// URI is the configured uri, whether or not the hook is enabled.
	URI string `json:"uri,omitempty"`
	// Source says where the decisive value stands: "supabase/config.toml:41" or an
	// environment variable's name.
	Source string `json:"source,omitempty"`
	// Cause explains the state in a sentence for the person who must fix it.
	Cause string `json:"cause,omitempty"`
	// Schema and Function are the parsed target of a pg-functions uri.
	Schema   string `json:"schema,omitempty"`
	Function string `json:"function,omitempty"`
	// Running is set for a stack that ran before it was looked at: its Auth may have
	// been started before the file got its present content.
	Running *RunningHook `json:"running,omitempty"`
}

// RunningHook is what is known of a hook of an Auth that was started at another time.
type RunningHook struct {
	// Known is true when it is known what Auth was started with. Then Enabled, URI,
	// Schema and Function of the HookConfig are the running Auth's; otherwise they are
	// the file's.
	Known bool `json:"known"`
	// From says how it is known, or why it is not.
	From string `json:"from"`
	// FileEnabled and FileURI are what the file says now, FileSource where and FileCause
	// why.
	FileEnabled bool   `json:"file_enabled"`
	FileURI     string `json:"file_uri,omitempty"`
	FileSource  string `json:"file_source,omitempty"`
	FileCause   string `json:"file_cause,omitempty"`
}

// Late reports whether the hook was switched on too late: the file has it on, and Auth
// was started without it.
func (h HookConfig) Late() bool {
	return h.Running != nil && h.Running.Known && h.Running.FileEnabled && !h.Enabled
}
