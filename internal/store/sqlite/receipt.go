package sqlite

import (
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/store"
)

// Receipts implements store.RailView.
func (v *view) Receipts(f store.ReceiptFilter, p store.Page) ([]*credit.Receipt, error) {
	var l list
	index := "receipts_created"
	if f.Status != "" {
		index = "receipts_status"
	}
	l.equal("status", string(f.Status))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Receipt
	clause := " INDEXED BY " + index + l.clause() + l.newest("created_at", "id", p)
	err := all(v.conn, &store.Receipts, clause, func(r *store.ReceiptRow) error { out = append(out, r.Receipt); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list receipts: %w", err)
	}
	return out, nil
}
