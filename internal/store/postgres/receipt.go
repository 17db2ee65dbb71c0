package postgres

import (
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// Receipts implements store.RailView.
func (v *view) Receipts(f store.ReceiptFilter, p store.Page) ([]*credit.Receipt, error) {
	var l list
	l.equal("status", string(f.Status))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Receipt
	clause := l.clause() + l.newest("created_at", "id", p)
	err := all(v, &store.Receipts, clause, func(r *store.ReceiptRow) error { out = append(out, r.Receipt); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list receipts: %w", err)
	}
	return out, nil
}
