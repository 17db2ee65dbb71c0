package memory

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// checkReceipts demands that a receipt is what its status says, and that one which has
// ended stays as it is (F39).
func (d *data) checkReceipts(r *store.Rows) error {
	for _, x := range store.ReceiptNoun.In(r) {
		old := d.receipts.get(x.ID, d.head.Q)
		if !soundReceipt(x.Receipt) || old != nil && !sameReceipt(old.Receipt, x.Receipt) {
			return fmt.Errorf("%w: receipt %s", store.ErrRefused, x.ID)
		}
	}
	return nil
}

func soundReceipt(x *credit.Receipt) bool {
	switch x.Method {
	case credit.Check, credit.Wire, credit.CashM, credit.Other:
	default:
		return false
	}
	switch x.Status {
	case credit.ReceiptOpen, credit.ReceiptIdentified, credit.ReceiptReturned:
	default:
		return false
	}
	return x.Version > 0 && x.Amount > 0 && (x.Status == credit.ReceiptOpen) == x.EndedAt.IsZero() &&
		(x.Status == credit.ReceiptIdentified) == (x.Payment != "") && (x.Status == credit.ReceiptReturned) == (x.BackReference != "")
}

func sameReceipt(old, x *credit.Receipt) bool {
	kept := old.Amount == x.Amount && old.Method == x.Method && old.Received == x.Received && old.Reference == x.Reference && old.CreatedAt.Equal(x.CreatedAt)
	ended := old.Status == x.Status && old.Payment == x.Payment && old.BackReference == x.BackReference
	return kept && x.Version >= old.Version && (old.Status == credit.ReceiptOpen || ended)
}
