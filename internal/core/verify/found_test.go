package verify

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
)

// found reports whether a violation of one of the invariants was found.
func found(r Report, invariants ...string) bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return slices.Contains(invariants, v.Invariant) })
}

// scratch returns the database for deciding again.
func scratch() (store.Backend, error) { return memory.New(), nil }
