package memory

import (
	"slices"

	"tenor/internal/core/store"
)

// Audits implements store.View.
func (v *view) Audits(f store.AuditFilter, before int64, limit int) ([]store.AuditRow, error) {
	low, high, err := f.Span(v.SeqAt)
	if err != nil {
		return nil, err
	}
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	var out []store.AuditRow
	for _, a := range slices.Backward(v.db.audits) {
		if len(out) < limit && a.Q <= v.q && a.Q < before && a.Q > low && a.Q <= high && f.Takes(&a) {
			out = append(out, a)
		}
	}
	return out, nil
}
