package credit

import (
	"slices"

	"tenor/internal/domain/underwriting"
)

// MayBegin reports that a new record may have its status: a prequalification is decided at
// once, and nothing else is.
func MayBegin(r Record) bool {
	k, status := KindOf(r.Noun()), r.Head().Status
	if a, ok := r.(*Application); ok && a.Kind == underwriting.Estimate {
		return status != k.First[0] && slices.Contains(k.First, status)
	}
	return status == k.First[0]
}

// MayBecome reports that one command may take a record from a status to another.
func MayBecome(n Noun, from, to string) bool {
	return from == to || slices.Contains(KindOf(n).Moves[from], to)
}

// StatusOf is a record's status, "nothing" without a record.
func StatusOf(r Record) string {
	if r == nil {
		return "nothing"
	}
	return r.Head().Status
}

// has reports that a record of the kind may have a status.
func (k *RecordKind) has(status string) bool {
	if slices.Contains(k.First, status) {
		return true
	}
	for _, next := range k.Moves { // unordered: any will do
		if slices.Contains(next, status) {
			return true
		}
	}
	return false
}
