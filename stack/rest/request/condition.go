package request

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
