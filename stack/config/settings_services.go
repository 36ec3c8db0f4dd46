package config

// The sections of services that the stack accepts but does not provide; Config.NotProvided lists those that are in use.

// Realtime is the section [realtime].
type Realtime struct {
	Enabled         bool   `toml:"enabled" default:"true"`
	IPVersion       string `toml:"ip_version" default:"IPv4" enum:"IPv6|IPv4"`
	MaxHeaderLength uint   `toml:"max_header_length" default:"4096"` // bytes
}

// Studio is the section [studio].
type Studio struct {
	Enabled      bool   `toml:"enabled" default:"true"`
	Port         uint16 `toml:"port" default:"54323"`
	APIURL       string `toml:"api_url" default:"http://127.0.0.1"`
	OpenAIAPIKey Secret `toml:"openai_api_key" default:"env(OPENAI_API_KEY)"`
}

// Inbucket is the section [inbucket], the mail catcher.
type Inbucket struct {
	Enabled    bool   `toml:"enabled" default:"true"`
	Port       uint16 `toml:"port" default:"54324"`
	SMTPPort   uint16 `toml:"smtp_port"`
	POP3Port   uint16 `toml:"pop3_port"`
	AdminEmail string `toml:"admin_email" default:"admin@email.com"`
	SenderName string `toml:"sender_name" default:"Admin"`
}

// Storage is the section [storage].
type Storage struct {
	Enabled             bool              `toml:"enabled" default:"true"`
	FileSizeLimit       Size              `toml:"file_size_limit" default:"50MiB"`
	ImageTransformation *Toggle           `toml:"image_transformation"`
	S3Protocol          *Toggle           `toml:"s3_protocol"`
	Buckets             map[string]Bucket `toml:"buckets"`
	Analytics           AnalyticsBuckets  `toml:"analytics"`
	Vector              VectorBuckets     `toml:"vector"`
}

// Bucket is a section [storage.buckets.<name>].
type Bucket struct {
	Public           *bool    `toml:"public"`
	FileSizeLimit    Size     `toml:"file_size_limit"` // 0: the limit of [storage]
	AllowedMimeTypes []string `toml:"allowed_mime_types"`
	ObjectsPath      string   `toml:"objects_path"`
}

// AnalyticsBuckets is the section [storage.analytics].
type AnalyticsBuckets struct {
	Enabled       bool                `toml:"enabled" default:"false"`
	MaxNamespaces uint                `toml:"max_namespaces" default:"5"`
	MaxTables     uint                `toml:"max_tables" default:"10"`
	MaxCatalogs   uint                `toml:"max_catalogs" default:"2"`
	Buckets       map[string]struct{} `toml:"buckets"`
}

// VectorBuckets is the section [storage.vector].
type VectorBuckets struct {
	Enabled    bool                `toml:"enabled" default:"false"`
	MaxBuckets uint                `toml:"max_buckets" default:"10"`
	MaxIndexes uint                `toml:"max_indexes" default:"5"`
	Buckets    map[string]struct{} `toml:"buckets"`
}

// EdgeRuntime is the section [edge_runtime].
type EdgeRuntime struct {
	Enabled       bool              `toml:"enabled" default:"true"`
	Policy        string            `toml:"policy" default:"per_worker" enum:"per_worker|oneshot"`
	InspectorPort uint16            `toml:"inspector_port" default:"8083"`
	Secrets       map[string]Secret `toml:"secrets"` // names are upper-cased
	DenoVersion   uint              `toml:"deno_version" default:"2"`
}

// Function is a section [functions.<name>]. Both flags default to true once the section exists.
type Function struct {
	Enabled     bool   `toml:"enabled" default:"true"`
	VerifyJWT   bool   `toml:"verify_jwt" default:"true"`
	ImportMap   string `toml:"import_map"`
	Entrypoint  string `toml:"entrypoint"`
	StaticFiles Globs  `toml:"static_files"`
}

// Analytics is the section [analytics].
type Analytics struct {
	Enabled          bool   `toml:"enabled" default:"true"`
	Port             uint16 `toml:"port" default:"54327"`
	Backend          string `toml:"backend" default:"postgres" enum:"postgres|bigquery"`
	GCPProjectID     string `toml:"gcp_project_id"`
	GCPProjectNumber string `toml:"gcp_project_number"`
	GCPJWTPath       string `toml:"gcp_jwt_path"`
	VectorPort       uint16 `toml:"vector_port"`
}

// Experimental is the section [experimental].
type Experimental struct {
	OrioleDBVersion string   `toml:"orioledb_version"`
	S3Host          string   `toml:"s3_host" default:"env(S3_HOST)"`
	S3Region        string   `toml:"s3_region" default:"env(S3_REGION)"`
	S3AccessKey     Secret   `toml:"s3_access_key" default:"env(S3_ACCESS_KEY)"`
	S3SecretKey     Secret   `toml:"s3_secret_key" default:"env(S3_SECRET_KEY)"`
	Webhooks        *Toggle  `toml:"webhooks"`
	PgDelta         *PgDelta `toml:"pgdelta"`
	Inspect         Inspect  `toml:"inspect"`
}

// PgDelta is the section [experimental.pgdelta].
type PgDelta struct {
	Enabled               bool   `toml:"enabled" default:"false"`
	DeclarativeSchemaPath string `toml:"declarative_schema_path"`
	FormatOptions         string `toml:"format_options"` // JSON
}

// Inspect is the section [experimental.inspect].
type Inspect struct {
	Rules []InspectRule `toml:"rules"`
}

// InspectRule is an entry of [[experimental.inspect.rules]].
type InspectRule struct {
	Query string `toml:"query"`
	Name  string `toml:"name"`
	Pass  string `toml:"pass"`
	Fail  string `toml:"fail"`
}
