package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// receipts asks that what stands on 2130 is what open receipts come to (F39), and that one
// that has ended stays as it is.
func (k *checker) receipts() error {
	open := money.Amount(0)
	for _, r := range k.c.Receipts {
		old := k.s.Receipts[r.ID]
		open = open.Add(r.standing()).Sub(old.standing())
		switch {
		case r.Amount <= 0 || r.Amount > MaxTransfer:
			return violated("MN2", "receipt %s has amount %s", r.ID, r.Amount)
		case (r.Status == ReceiptOpen) != r.EndedAt.IsZero() || (r.Status == ReceiptIdentified) != (r.Payment != "") || (r.Status == ReceiptReturned) != (r.BackReference != ""):
			return violated("F39", "receipt %s is %s, payment %q, sent back by %q", r.ID, r.Status, r.Payment, r.BackReference)
		case old != nil && (old.Status != ReceiptOpen || old.Amount != r.Amount || old.Received != r.Received || old.Method != r.Method || old.Reference != r.Reference):
			return violated("F39", "receipt %s of %s was %s, and changes", r.ID, old.Amount, old.Status)
		}
	}
	posted := money.Amount(0)
	for _, e := range k.c.Entries {
		for _, p := range e.Postings {
			if p.Account == ledger.UnidentifiedReceipts {
				posted = posted.Sub(p.Amount)
			}
		}
	}
	if posted != open {
		return violated("F39", "open receipts change by %s, 2130 by %s", open, posted)
	}
	return nil
}

// standing is what of a receipt is nobody's: 0.00 of none.
func (r *Receipt) standing() money.Amount {
	if r == nil || r.Status != ReceiptOpen {
		return 0
	}
	return r.Amount
}
