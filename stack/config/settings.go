package config

import "time"

// The structs below are at once the typed result and the schema: the tags name the key in config.toml (`toml`), its value
// when nothing sets it (`default`), and the values it may have (`enum`, separated by "|"). A pointer is a section or key that
// is absent unless the file has it; a map is a table whose names are free. Keys and defaults follow the CLI's structs and
// its template config.toml.

// Settings is the content of config.toml, without the [remotes] blocks.
type Settings struct {
	ProjectID    string              `toml:"project_id"` // default: name of the workspace folder
	API          API                 `toml:"api"`
	DB           DB                  `toml:"db"`
	Realtime     Realtime            `toml:"realtime"`
	Studio       Studio              `toml:"studio"`
	Inbucket     Inbucket            `toml:"inbucket"`
	LocalSMTP    *Inbucket           `toml:"local_smtp"` // new name of [inbucket] since @supabase/config 1.0.0 (2026-11-02)
	Storage      Storage             `toml:"storage"`
	Auth         Auth                `toml:"auth"`
	EdgeRuntime  EdgeRuntime         `toml:"edge_runtime"`
	Functions    map[string]Function `toml:"functions"`
	Analytics    Analytics           `toml:"analytics"`
	Experimental Experimental        `toml:"experimental"`
}

// document is the whole file: the settings of this project and those of its branches and remote projects by name.
type document struct {
	Settings
	Remotes map[string]Settings `toml:"remotes"`
}

// Secret is a string that must not be shown: printing, logging and encoding give "[redacted]".
type Secret string

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret; an empty one stays empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides the secret from JSON, YAML and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Size is a number of bytes, written as "50MiB" or "500kB"; units count in 1024s.
type Size int64

// Globs is a list of file name patterns. Unlike other lists it is never split at commas when it is written as one string.
type Globs []string

// API is the section [api]: the gateway and the REST API.
type API struct {
	Enabled         bool     `toml:"enabled" default:"true"`
	Port            uint16   `toml:"port" default:"54321"`                    // of the gateway
	Schemas         []string `toml:"schemas" default:"public,graphql_public"` // exposed schemas, first is the default
	ExtraSearchPath []string `toml:"extra_search_path" default:"public,extensions"`
	MaxRows         uint     `toml:"max_rows" default:"1000"` // rows a response may have
	// AutoExposeNewTables says whether tables made in schema public are granted to the API roles by default privileges. Unset
	// has a meaning of its own, see Config.ExposeNewTables.
	AutoExposeNewTables *bool  `toml:"auto_expose_new_tables"`
	TLS                 APITLS `toml:"tls"`
	ExternalURL         string `toml:"external_url"` // default: http://127.0.0.1:<port>
}

// APITLS is the section [api.tls].
type APITLS struct {
	Enabled  bool   `toml:"enabled" default:"false"`
	CertPath string `toml:"cert_path"` // relative to supabase/
	KeyPath  string `toml:"key_path"`  // relative to supabase/
}

// DB is the section [db].
type DB struct {
	Port                uint16              `toml:"port" default:"54322"`
	ShadowPort          uint16              `toml:"shadow_port" default:"54320"`
	HealthTimeout       time.Duration       `toml:"health_timeout" default:"2m"`
	MajorVersion        uint                `toml:"major_version" default:"17"`
	RootKey             Secret              `toml:"root_key" default:"d4dc5b6d4a1d6a10b2c1e76112c994d65db7cec380572cc1839624d4be3fa275"`
	Pooler              Pooler              `toml:"pooler"`
	Migrations          Migrations          `toml:"migrations"`
	Seed                Seed                `toml:"seed"`
	Settings            DBSettings          `toml:"settings"`
	NetworkRestrictions NetworkRestrictions `toml:"network_restrictions"`
	SSLEnforcement      *Toggle             `toml:"ssl_enforcement"`
	Vault               map[string]Secret   `toml:"vault"`
	OrioleDBVersion     string              `toml:"orioledb_version"` // new place of experimental.orioledb_version
}

// Toggle is a section whose only key is enabled.
type Toggle struct {
	Enabled bool `toml:"enabled" default:"false"`
}

// Pooler is the section [db.pooler].
type Pooler struct {
	Enabled         bool   `toml:"enabled" default:"false"`
	Port            uint16 `toml:"port" default:"54329"`
	PoolMode        string `toml:"pool_mode" default:"transaction" enum:"transaction|session"`
	DefaultPoolSize uint   `toml:"default_pool_size" default:"20"`
	MaxClientConn   uint   `toml:"max_client_conn" default:"100"`
}

// Migrations is the section [db.migrations].
type Migrations struct {
	Enabled     bool  `toml:"enabled" default:"true"` // false: no migration is applied
	SchemaPaths Globs `toml:"schema_paths" default:""`
}

// Seed is the section [db.seed].
type Seed struct {
	Enabled  bool  `toml:"enabled" default:"true"`
	SQLPaths Globs `toml:"sql_paths" default:"./seed.sql"` // glob patterns relative to supabase/, in order
}

// DBSettings is the section [db.settings]: parameters of the PostgreSQL server.
type DBSettings struct {
	EffectiveCacheSize            *string `toml:"effective_cache_size"`
	LogicalDecodingWorkMem        *string `toml:"logical_decoding_work_mem"`
	MaintenanceWorkMem            *string `toml:"maintenance_work_mem"`
	MaxConnections                *uint   `toml:"max_connections"`
	MaxLocksPerTransaction        *uint   `toml:"max_locks_per_transaction"`
	MaxParallelMaintenanceWorkers *uint   `toml:"max_parallel_maintenance_workers"`
	MaxParallelWorkers            *uint   `toml:"max_parallel_workers"`
	MaxParallelWorkersPerGather   *uint   `toml:"max_parallel_workers_per_gather"`
	MaxReplicationSlots           *uint   `toml:"max_replication_slots"`
	MaxSlotWALKeepSize            *string `toml:"max_slot_wal_keep_size"`
	MaxStandbyArchiveDelay        *string `toml:"max_standby_archive_delay"`
	MaxStandbyStreamingDelay      *string `toml:"max_standby_streaming_delay"`
	MaxWALSize                    *string `toml:"max_wal_size"`
	MaxWALSenders                 *uint   `toml:"max_wal_senders"`
	MaxWorkerProcesses            *uint   `toml:"max_worker_processes"`
	SessionReplicationRole        *string `toml:"session_replication_role" enum:"origin|replica|local"`
	SharedBuffers                 *string `toml:"shared_buffers"`
	StatementTimeout              *string `toml:"statement_timeout"`
	TrackActivityQuerySize        *string `toml:"track_activity_query_size"`
	TrackCommitTimestamp          *bool   `toml:"track_commit_timestamp"`
	WALKeepSize                   *string `toml:"wal_keep_size"`
	WALSenderTimeout              *string `toml:"wal_sender_timeout"`
	WorkMem                       *string `toml:"work_mem"`
}

// NetworkRestrictions is the section [db.network_restrictions].
type NetworkRestrictions struct {
	Enabled        bool     `toml:"enabled" default:"false"`
	AllowedCIDRs   []string `toml:"allowed_cidrs" default:"0.0.0.0/0"`
	AllowedCIDRsV6 []string `toml:"allowed_cidrs_v6" default:"::/0"`
}
