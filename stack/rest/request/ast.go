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
	// RangeHeader is the range that the Range header asked for (GET only), before it was intersected into Read.Range.
	RangeHeader Range
	// HasLimit is true when the root limit or offset is restricted by a parameter or by the Range header.
	HasLimit bool
}

// Node is one relation in the tree that is read: the root, or an embed.
type Node struct {
	// Name is the relation's, function's, column's or constraint's name as the client wrote it.
	Name string
	// Alias renames the embed in the answer; empty when absent.
	Alias string
	// Hint disambiguates the relationship (rel!hint), empty when absent.
	Hint string
	// Join is the kind of join with the parent; JoinDefault (which reads as left) for the root.
	Join JoinType
	// Spread is true for ...rel(…): its fields join those of its parent.
	Spread bool
	// Select are the items in the order written. Empty for rel(): nothing of it is returned. The root's default is the star.
	Select []SelectItem
	// Where are ANDed: filters first, then and/or trees, each in the order of the parameters.
	Where []Logic
	Order []OrderTerm
	Range Range
}

// Key is the name of the node's key in its parent's object: the alias, or else the name.
func (n *Node) Key() string {
	if n.Alias != "" {
		return n.Alias
	}
	return n.Name
}

// Embeds are the direct embeds of n in the order written.
func (n *Node) Embeds() []*Node {
	var out []*Node
	for _, it := range n.Select {
		if it.Embed != nil {
			out = append(out, it.Embed)
		}
	}
	return out
}

// JoinType is how an embed is joined.
type JoinType int

// JoinDefault is what holds when nothing is written; it acts as JoinLeft. JoinInner drops parents without children.
const (
	JoinDefault JoinType = iota
	JoinLeft
	JoinInner
)

// SelectItem is one item of select=: exactly one of Field and Embed is set.
type SelectItem struct {
	Field *SelectField
	Embed *Node
}

// SelectField is a column, a path into a JSON column, the star, or an aggregate.
type SelectField struct {
	// Field names the column; Name "*" without Path is the star. Name is empty for a bare count().
	Field Field
	// Alias renames the key in the answer; empty when absent.
	Alias string
	// Cast is the type after ::, applied to the field itself (before the aggregate when there is one). Empty when absent.
	Cast string
	// Aggregate is AggregateNone for plain fields.
	Aggregate Aggregate
	// AggregateCast is the type the aggregate's result is cast to. Empty when absent.
	AggregateCast string
}

// Aggregate is an aggregate function of select=.
type Aggregate string

// The aggregates, spelled as in URLs.
const (
	AggregateNone  Aggregate = ""
	AggregateSum   Aggregate = "sum"
	AggregateAvg   Aggregate = "avg"
	AggregateMax   Aggregate = "max"
	AggregateMin   Aggregate = "min"
	AggregateCount Aggregate = "count"
)

// Field is a column with an optional path into its JSON value.
type Field struct {
	Name string
	Path []JSONStep
}

// JSONStep is one step of a JSON path: -> or ->> with a key or an array index.
type JSONStep struct {
	// Text is true for ->> (the result is text).
	Text bool
	// Key is the object key when IsIndex is false.
	Key string
	// Index is the array index when IsIndex is true. Its text is kept, sign included, as the digits can be of any length.
	Index   string
	IsIndex bool
}

// Logic is a condition: exactly one of Filter and Nodes (with Operator) is set.
type Logic struct {
	Filter *Filter
	// Negated is not.and / not.or. The negation of a single filter is in the filter.
	Negated  bool
	Operator LogicOperator
	Nodes    []Logic
}

// LogicOperator joins the nodes of a Logic.
type LogicOperator string

// The logic operators.
const (
	LogicAnd LogicOperator = "and"
	LogicOr  LogicOperator = "or"
)

// Filter is a single condition on a field, such as age=not.gt.18.
type Filter struct {
	Field    Field
	Negated  bool
	Operator Operator
	// Quantifier is any or all, for the operators that allow it; Value is then an array literal such as {a,b}.
	Quantifier Quantifier
	// Value is the operand of all operators but OpIn and OpIs. For like and ilike it is as written: the planner turns * into %.
	Value string
	// List holds the elements of OpIn. A single empty element stands for the empty list, as in PostgREST.
	List []string
	// Is is the operand of OpIs.
	Is IsValue
	// Language is the configuration of a full text operator, empty when absent.
	Language string
}

// Operator is a filter operator, spelled as in URLs.
type Operator string

// The operators (PostgREST documentation, "Operators").
const (
	OpEq              Operator = "eq"
	OpNeq             Operator = "neq"
	OpGt              Operator = "gt"
	OpGte             Operator = "gte"
	OpLt              Operator = "lt"
	OpLte             Operator = "lte"
	OpLike            Operator = "like"
	OpILike           Operator = "ilike"
	OpMatch           Operator = "match"
	OpIMatch          Operator = "imatch"
	OpIn              Operator = "in"
	OpIs              Operator = "is"
	OpIsDistinct      Operator = "isdistinct"
	OpContains        Operator = "cs"
	OpContained       Operator = "cd"
	OpOverlap         Operator = "ov"
	OpStrictlyLeft    Operator = "sl"
	OpStrictlyRight   Operator = "sr"
	OpNotExtendsRight Operator = "nxr"
	OpNotExtendsLeft  Operator = "nxl"
	OpAdjacent        Operator = "adj"
	OpFullText        Operator = "fts"
	OpFullTextPlain   Operator = "plfts"
	OpFullTextPhrase  Operator = "phfts"
	OpFullTextWebsite Operator = "wfts"
)

// Quantifier is the modifier of an operator.
type Quantifier string

// The quantifiers: eq(any).{1,2} and eq(all).{1,2}.
const (
	QuantifierNone Quantifier = ""
	QuantifierAny  Quantifier = "any"
	QuantifierAll  Quantifier = "all"
)

// IsValue is an operand of is.
type IsValue string

// The operands of is, in lower case.
const (
	IsNull    IsValue = "null"
	IsNotNull IsValue = "not_null"
	IsTrue    IsValue = "true"
	IsFalse   IsValue = "false"
	IsUnknown IsValue = "unknown"
)

// OrderTerm is one term of order=.
type OrderTerm struct {
	// Relation is the embed of order=rel(col), empty for a column of the node itself.
	Relation  string
	Field     Field
	Direction Direction
	Nulls     Nulls
}

// Direction is asc or desc; empty when it was not written.
type Direction string

// The directions.
const (
	DirectionNone Direction = ""
	DirectionAsc  Direction = "asc"
	DirectionDesc Direction = "desc"
)

// Nulls is where nulls are sorted; empty when it was not written.
type Nulls string

// The places of nulls.
const (
	NullsNone  Nulls = ""
	NullsFirst Nulls = "nullsfirst"
	NullsLast  Nulls = "nullslast"
)

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
	// IsArray is true when the JSON of PayloadJSON is an array.
	IsArray bool
	// Empty is true when the JSON of PayloadJSON is {}, [] or [{}…]: no column is named.
	Empty bool
	// Args are the fields of PayloadForm, in order.
	Args []Arg
}

// Preferences are what the Prefer headers ask for. The empty string (or nil) means that nothing valid was asked.
type Preferences struct {
	Return     Return
	Count      Count
	Resolution Resolution
	Missing    Missing
	Handling   Handling
	Tx         TxEnd
	Timezone   string
	// MaxAffected is the greatest number of rows that may be changed; nil when absent. It counts only with HandlingStrict.
	MaxAffected *int64
	// Invalid are the preferences that were not understood, in order. With HandlingStrict they are PGRST122: see CheckHandling.
	Invalid []string
}

// Return is what a write returns.
type Return string

// The values of return=.
const (
	ReturnRepresentation Return = "representation"
	ReturnMinimal        Return = "minimal"
	ReturnHeadersOnly    Return = "headers-only"
)

// Count is how the total number of rows is found.
type Count string

// The values of count=.
const (
	CountExact     Count = "exact"
	CountPlanned   Count = "planned"
	CountEstimated Count = "estimated"
)

// Resolution is what an insert does with rows that are there.
type Resolution string

// The values of resolution=.
const (
	ResolutionMerge  Resolution = "merge-duplicates"
	ResolutionIgnore Resolution = "ignore-duplicates"
)

// Missing is what an insert takes for absent keys.
type Missing string

// The values of missing=.
const (
	MissingDefault Missing = "default"
	MissingNull    Missing = "null"
)

// Handling is how invalid preferences are treated.
type Handling string

// The values of handling=.
const (
	HandlingStrict  Handling = "strict"
	HandlingLenient Handling = "lenient"
)

// TxEnd is how the transaction ends.
type TxEnd string

// The values of tx=, honoured only with Settings.AllowTxOverride.
const (
	TxCommit   TxEnd = "commit"
	TxRollback TxEnd = "rollback"
)

// MediaKind is a media type that has a meaning of its own.
type MediaKind int

// The media kinds. MediaOther is any other type, named by MediaType.Name.
const (
	MediaOther MediaKind = iota
	MediaAny
	MediaJSON
	MediaObject   // application/vnd.pgrst.object+json
	MediaArray    // application/vnd.pgrst.array+json with nulls=stripped
	MediaGeoJSON  // application/geo+json
	MediaCSV      // text/csv
	MediaText     // text/plain
	MediaXML      // text/xml
	MediaOpenAPI  // application/openapi+json
	MediaForm     // application/x-www-form-urlencoded
	MediaBinary   // application/octet-stream
	MediaPlanJSON // application/vnd.pgrst.plan+json
	MediaPlanText // application/vnd.pgrst.plan+text
)

// MediaType is a media type of Accept or Content-Type.
type MediaType struct {
	Kind MediaKind
	// Name is type/subtype in lower case, without parameters; for MediaOther the whole text as it was sent.
	Name string
	// NullsStripped is nulls=stripped of MediaObject and MediaArray.
	NullsStripped bool
	// PlanFor is the type whose plan is asked for by MediaPlanJSON and MediaPlanText.
	PlanFor *MediaType
	// PlanOptions are the plan's options: analyze, verbose, settings, buffers, wal, in this order.
	PlanOptions []string
}
