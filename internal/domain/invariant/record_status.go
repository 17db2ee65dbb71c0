package invariant

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// mayBegin reports that a new record may have its status: a prequalification is decided at
// once, and nothing else is.
func mayBegin(r credit.Record) bool {
	k, status := credit.KindOf(r.Noun()), r.Head().Status
	if a, ok := r.(*credit.Application); ok && a.Kind == underwriting.Estimate {
		return status != k.First[0] && slices.Contains(k.First, status)
	}
	return status == k.First[0]
}

// mayBecome reports that one command may take a record from a status to another.
func mayBecome(n credit.Noun, from, to string) bool {
	return from == to || slices.Contains(credit.KindOf(n).Moves[from], to)
}

// statusOf is a record's status, "nothing" without a record.
func statusOf(r credit.Record) string {
	if r == nil {
		return "nothing"
	}
	return r.Head().Status
}
