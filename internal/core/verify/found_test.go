package verify

import "slices"

// found reports whether a violation of one of the invariants was found.
func found(r Report, invariants ...string) bool {
	return slices.ContainsFunc(r.Violations, func(v Violation) bool { return slices.Contains(invariants, v.Invariant) })
}
