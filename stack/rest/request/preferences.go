package request

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
