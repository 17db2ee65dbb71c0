package memory

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// transferOf is something with at most one transfer: a collected payment, a payout.
type transferOf struct{ payment, payout string }

func owner(t *credit.Transfer) (of transferOf, one bool) {
	switch {
	case t.Payout != "":
		return transferOf{payout: t.Payout}, true
	case t.Kind == credit.TransferPayment && t.Payment != "":
		return transferOf{payment: t.Payment}, true
	}
	return transferOf{}, false
}

// writeRails updates the indexes to rows of a checked batch.
func (d *data) writeRails(r *store.Rows) {
	for _, x := range store.TransferNoun.In(r) {
		if of, one := owner(x.Transfer); one {
			d.transfersOf[of] = x.ID
		}
	}
	for _, x := range store.PayoutLineNoun.In(r) {
		if !slices.Contains(d.linesOf[x.Of], x.ID) {
			d.linesOf[x.Of] = append(d.linesOf[x.Of], x.ID)
			d.linesFor[x.Merchant] = append(d.linesFor[x.Merchant], x.ID)
		}
	}
	for _, x := range r.Vault {
		d.vault[x.ID] = slices.Clone(x.Sealed)
	}
	for _, x := range r.Erased {
		delete(d.vault, x.ID)
	}
}
