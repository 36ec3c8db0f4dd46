// Package request turns the bare parts of an HTTP request into what PostgREST understands by it: an immutable syntax tree.
//
// It owns the grammar of URLs, headers and payload shapes. It promises that Parse is a pure function: no I/O, no clock, no
// schema; the same input always gives the same tree or the same error. It does not know which tables, columns or functions
// exist, so everything that needs the schema (relationships, types, overloads) is left to the planner.
package request

import "net/http"

// Input is a request as it came off the wire, and the few settings that parsing depends on.
type Input struct {
	// Method is the HTTP method as sent, such as "GET".
	Method string
	// Path is the escaped path as sent, starting with "/" and without the gateway's prefix.
	Path string
	// RawQuery is everything after the first "?", still escaped.
	RawQuery string
	// Header holds the request's headers with canonical names.
	Header http.Header
	// Body is the whole body; nil and empty mean the same.
	Body []byte
	// Settings are the settings of the server.
	Settings Settings
}

// Settings are the server's settings that decide how a request is understood.
type Settings struct {
	// Schemas are the exposed schemas (db-schemas), the default one first. Never empty.
	Schemas []string
	// RootFunction is db-root-spec: the function that answers "/", as "schema.name" or "name"; empty means the OpenAPI document.
	RootFunction string
	// OpenAPIDisabled is true for openapi-mode = disabled: "/" answers PGRST126.
	OpenAPIDisabled bool
	// AllowTxOverride is true when db-tx-end lets clients choose the end of the transaction with Prefer: tx=.
	AllowTxOverride bool
	// KnownTimezone says whether the database knows a time zone name; nil accepts none.
	KnownTimezone func(string) bool
}

// Action is what a request asks for.
type Action int

// The actions. Reads of relations are GET or HEAD; Insert is POST, Upsert is PUT (a single row), Update is PATCH.
const (
	ActionRead Action = iota + 1
	ActionInsert
	ActionUpdate
	ActionUpsertOne
	ActionDelete
	ActionCall    // a function, by GET, HEAD or POST
	ActionOpenAPI // the root document
	ActionOptions // OPTIONS on any target
)

// TargetKind is the kind of thing a path names.
type TargetKind int

// The kinds of targets: /name, /rpc/name and /.
const (
	TargetRelation TargetKind = iota + 1
	TargetFunction
	TargetRoot
)

// Target is what the path names, in schema Request.Schema. Name is empty for the root.
type Target struct {
	Kind TargetKind
	Name string
}

// Request is the whole meaning of a request. It must not be changed after Parse.
type Request struct {
	Method string
	Target Target
	Action Action
	// HeadersOnly is true for HEAD: the same work as GET without a body.
	HeadersOnly bool
	// Schema is the negotiated schema.
	Schema string
	// ContentProfile is true when answers carry Content-Profile: more than one schema is exposed.
	ContentProfile bool

	// Read is the tree of what is read and returned. For writes it describes the returned representation: Where, Order and
	// Range of its root are empty then, except that Order holds the order of the returned rows. Its Name is Target.Name.
	Read *Node
	// Where are the root filters of an update, upsert or delete (ANDed). Empty otherwise: reads and calls have them in Read.Where.
	Where []Logic
	// MissingEmbed is the name of an embed that a filter, order or limit refers to though select does not embed it. The planner
	// answers PGRST108 when it is not nil, after it found the target.
	MissingEmbed *string
	// Columns is the columns= parameter, nil when absent. In the order written, repeated names removed.
	Columns []string
	// OnConflict is the on_conflict= parameter, nil when absent.
	OnConflict []string
	// Args are the arguments of a function called by GET or HEAD, in order, with repeated names kept (variadic and last-wins are
	// the planner's rules). Empty for POST, where Payload has them.
	Args []Arg
	// Payload is the body of a write or of a POST call.
	Payload Payload
	Prefer  Preferences
	// Accept are the accepted media types, best first. Never empty: */* when the header is absent.
	Accept []MediaType
	// ContentType is the media type of the body; application/json when absent.
	ContentType MediaType
}

// Range is a window on rows. The zero value is everything.
type Range struct {
	Offset int64
	// Limit is the number of rows, nil for no limit.
	Limit *int64
}

// All says whether the range excludes nothing.
func (r Range) All() bool { return r.Offset == 0 && r.Limit == nil }

// Arg is a function argument given in the query string.
type Arg struct{ Name, Value string }

// PayloadKind is the shape of a body.
type PayloadKind int

// The kinds of payloads.
const (
	// PayloadNone: there is no payload, or it is not looked at (GET, DELETE …).
	PayloadNone PayloadKind = iota
	// PayloadJSON: Raw is valid JSON, Keys are its keys. CSV and, for relations, forms are turned into it: an array of objects.
	PayloadJSON
	// PayloadRawJSON: columns= was given, so Raw was not inspected; Columns says which keys count.
	PayloadRawJSON
	// PayloadForm: Args are the fields of a form posted to a function.
	PayloadForm
	// PayloadText, PayloadXML and PayloadBinary: Raw is the one unnamed argument of a function.
	PayloadText
	PayloadXML
	PayloadBinary
)

// Payload is the body of a request.
type Payload struct {
	Kind PayloadKind
	Raw  []byte
	// Keys are the sorted distinct keys of PayloadJSON and PayloadForm; Columns for PayloadRawJSON. They are the columns to
	// write, or the names of the arguments. Nil when there are none.
	Keys []string
	// Args are the fields of PayloadForm, in order.
	Args []Arg
	// Plain says that a PayloadJSON has no number and no escape that PostgreSQL's json and jsonb treat differently: numbers
	// have no exponent and are not a negative zero, and characters are not given by their numbers.
	Plain bool
	// Nested are the sorted keys of a PayloadJSON that have an array or an object as value somewhere.
	Nested []string
}
