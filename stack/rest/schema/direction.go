package schema

// IsReferenced reports whether the foreign key of a one-to-one relationship is in Foreign, so that this side is the one it points
// to. It is false for other cardinalities.
func (r *Relationship) IsReferenced() bool { return r.Cardinality == OneToOne && r.referenced }
