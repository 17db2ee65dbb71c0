package invariant

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// receipts requires that the balance of 2130 is the sum of open receipts (F39), and that an
// ended receipt never changes.
func (k *checker) receipts() error {
	open := money.Amount(0)
	for _, r := range k.c.Receipts {
		old := k.s.Receipts[r.ID]
		open = open.Add(settled(r)).Sub(settled(old))
		switch {
		case r.Amount <= 0 || r.Amount > credit.MaxTransfer:
			return violated("MN2", "receipt %s has the invalid amount %s", r.ID, r.Amount)
		case (r.Status == payments.ReceiptOpen) != r.EndedAt.IsZero() || (r.Status == payments.ReceiptIdentified) != (r.Payment != "") || (r.Status == payments.ReceiptReturned) != (r.BackReference != ""):
			return violated("F39", "receipt %s is %s with payment %q and return reference %q", r.ID, r.Status, r.Payment, r.BackReference)
		case old != nil && (old.Status != payments.ReceiptOpen || old.Amount != r.Amount || old.Received != r.Received || old.Method != r.Method || old.Reference != r.Reference):
			return violated("F39", "receipt %s of %s was %s and has changed", r.ID, old.Amount, old.Status)
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
		return violated("F39", "open receipts change by %s, account 2130 by %s", open, posted)
	}
	return nil
}

// settled is a receipt's amount while it is unidentified, else 0.00.
func settled(r *credit.Receipt) money.Amount {
	if r == nil || r.Status != payments.ReceiptOpen {
		return 0
	}
	return r.Amount
}
