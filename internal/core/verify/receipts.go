package verify

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	paying "tenor/internal/domain/payments"
)

// receipts compares the balance of 2130 with the sum of open receipts, and an identified
// receipt with its payment (F39).
func receipts(r *run) error {
	open, of := money.Amount(0), map[string]string{}
	if err := store.EachOf(r.view, store.ReceiptNoun, func(x *credit.Receipt) error {
		object := "receipt " + x.ID
		if x.Status == paying.ReceiptOpen {
			open = open.Add(x.Amount)
		}
		if (x.Status == paying.ReceiptOpen) != x.EndedAt.IsZero() || x.Received > r.options.Zone.Date(x.CreatedAt) {
			r.broken("F39", object, "is %s, received on %s, recorded at %q, ended at %q", x.Status, x.Received, stamp(x.CreatedAt), stamp(x.EndedAt))
		}
		if x.Status == paying.ReceiptIdentified {
			switch p := r.paid[x.Payment]; {
			case p == nil:
				r.broken("AU1", object, "was identified as payment %s, which does not exist", x.Payment)
			case p.amount != x.Amount || of[x.Payment] != "":
				r.broken("F39", object, "of %s was identified as payment %s of %s, as was %q", x.Amount, x.Payment, p.amount, of[x.Payment])
			}
			of[x.Payment] = x.ID
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	stands := money.Amount(0)
	for k, amount := range r.balances {
		if k.Account == ledger.UnidentifiedReceipts {
			stands = stands.Sub(amount)
		}
	}
	r.equal("F39", "account 2130", "balance", stands, open)
	return nil
}
