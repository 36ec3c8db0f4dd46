package rest

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/supascore/supascore/stack/rest/query"
	"github.com/supascore/supascore/stack/rest/request"
	"github.com/supascore/supascore/stack/rest/schema"
)

// TxEnd says how transactions end (db-tx-end).
type TxEnd struct {
	Rollback bool // undo everything, unless the client overrides it
	Override bool // Prefer: tx= is honoured
}

// OpenAPIMode says what the root document lists (openapi-mode).
type OpenAPIMode string

// The modes. Following privileges, a role sees in the document what it may use.
const (
	OpenAPIFollowPrivileges OpenAPIMode = "follow-privileges"
	OpenAPIIgnorePrivileges OpenAPIMode = "ignore-privileges"
	OpenAPIDisabled         OpenAPIMode = "disabled"
)

// Config is the configuration of a server. Its fields are the options of PostgREST (documentation, "Configuration").
type Config struct {
	DatabaseURI     string   // connection of the login role; required without Session
	Schemas         []string // exposed schemas, the first is the default one; default public
	ExtraSearchPath []string // appended to the request's schema; default public, empty list allowed
	MaxRows         *int64   // most rows of an answer; nil means no limit
	AnonRole        string   // role of requests without token; empty refuses them
	JWTSecret       string   // a text of at least 32 bytes, a JWK or a JWK set; empty refuses tokens
	SecretIsBase64  bool     // JWTSecret is base64 of the text
	JWTAudience     string   // required audience; empty means any
	RoleClaimKey    string   // path of the role in the claims; default ".role"
	Aggregates      bool     // allow aggregate functions in select=
	PlanEnabled     bool     // answer query plans
	TxEnd           TxEnd
	PreRequest      string // function to call before the main statement, "schema.name" or "name"
	RootSpec        string // function that answers "/"
	OpenAPIMode     OpenAPIMode
	OpenAPIProxyURI string   // address of the server in the root document
	OpenAPISecurity bool     // the root document describes the Authorization header
	CORSOrigins     []string // origins that browsers may call from; nil means any
	AppSettings     []schema.Setting
	Channel         string           // to LISTEN on; default "pgrst"
	ChannelDisabled bool             // do not listen
	StaticConfig    bool             // ignore settings stored in the database (db-config = false)
	Snapshot        *schema.Snapshot // the schema, when it is known; used at the start instead of reading it
	PoolSize        int              // most connections; default 10
	PoolTimeout     time.Duration    // longest wait for one; default 10 s
	PoolIdle        time.Duration    // idle connections are closed after; default 30 s
	PoolLifetime    time.Duration    // connections are replaced after; default 30 min
	HoistedSettings []string         // patterns of the functions' settings that hold for the whole transaction; see schema.Options
	Unprepared      bool             // prepare no statements (db-prepared-statements = false), for poolers in between
	// Session is asked for the connection of each request instead of a pool, for whoever has one in the database anyway
	// and sends one request at a time. It needs ChannelDisabled.
	Session func(ctx context.Context) (*pgx.Conn, error)
	// Savepoint says that the session is in a transaction already, in which there is a savepoint of this name: each request
	// begins and ends by going back to it, instead of with a transaction of its own. It needs Session and TxEnd.Rollback
	// without Override. A request that asks for another isolation level than READ COMMITTED is an error then.
	Savepoint    string
	TraceHeader  string // request header that is sent back; empty for none
	ServerTiming bool   // tell in each answer what its parts took

	Log *slog.Logger     // default discards
	Now func() time.Time // clock for tokens; default time.Now
}

// withDefaults fills in what PostgREST would assume. An empty but present ExtraSearchPath is a choice and stays empty.
func (c Config) withDefaults() Config {
	if len(c.Schemas) == 0 {
		c.Schemas = []string{"public"}
	}
	if c.ExtraSearchPath == nil {
		c.ExtraSearchPath = []string{"public"}
	}
	if c.RoleClaimKey == "" {
		c.RoleClaimKey = ".role"
	}
	if c.OpenAPIMode == "" {
		c.OpenAPIMode = OpenAPIFollowPrivileges
	}
	if c.Channel == "" {
		c.Channel = "pgrst"
	}
	if c.PoolSize == 0 {
		c.PoolSize = 10
	}
	if c.PoolTimeout == 0 {
		c.PoolTimeout = 10 * time.Second
	}
	if c.PoolIdle == 0 {
		c.PoolIdle = 30 * time.Second
	}
	if c.PoolLifetime == 0 {
		c.PoolLifetime = 30 * time.Minute
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// validate refuses what no database could make right. What only the database knows is left to Start.
func (c Config) validate() error {
	if c.Session != nil && !c.ChannelDisabled {
		return errors.New("rest: with a session of somebody else there is none to listen on: set ChannelDisabled")
	}
	if c.Savepoint != "" && (c.Session == nil || !c.TxEnd.Rollback || c.TxEnd.Override) {
		return errors.New("rest: only a session of somebody else, whose requests are all undone, can have a Savepoint")
	}
	if c.DatabaseURI == "" && c.Session == nil {
		return errors.New("rest: DatabaseURI (PGRST_DB_URI) is empty: set the connection of the login role")
	}
	if c.PoolSize < 1 {
		return errors.New("rest: PoolSize (PGRST_DB_POOL) must be at least 1")
	}
	return nil
}

// queryOptions are the settings that plans depend on.
func (c *Config) queryOptions() query.Options {
	return query.Options{MaxRows: c.MaxRows, Aggregates: c.Aggregates, PlanEnabled: c.PlanEnabled}
}

// requestSettings are the settings that parsing depends on.
func (c *Config) requestSettings(knownTimezone func(string) bool) request.Settings {
	return request.Settings{
		Schemas: c.Schemas, RootFunction: c.RootSpec, OpenAPIDisabled: c.OpenAPIMode == OpenAPIDisabled,
		AllowTxOverride: c.TxEnd.Override, KnownTimezone: knownTimezone,
	}
}
