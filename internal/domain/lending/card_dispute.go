package lending

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// CardAccount is the account that holds the money of a charge: with the processor until it has
// paid out.
func CardAccount(t *credit.Transfer) ledger.Account {
	if t.SettledAt.IsZero() {
		return ledger.CardReceivable
	}
	return ledger.Cash
}

// PendingDims are the dimensions of a payment's postings on 2120.
func PendingDims(d *credit.Draft, p *credit.Payment) ledger.Dimensions {
	dim := ledger.Dimensions{Company: p.Company, Order: p.Order, Payment: p.ID}
	if o := d.Orders.Peek(p.Order); o != nil {
		dim.Merchant = o.Merchant
	}
	return dim
}

// OwedDims are the dimensions of what a return made owed on 1130.
func OwedDims(d *credit.Draft, back schedule.Event, p *credit.Payment) ledger.Dimensions {
	dim := ledger.Dimensions{Company: p.Company, Payment: p.ID}
	if o, l := d.Standing(back.Order); o != nil && l != nil {
		dim.Order, dim.Merchant = o.Key, o.Merchant
		if i := slices.IndexFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == back.ID }); i >= 0 {
			dim.Installment = l.Fees[i].Installment
		}
	}
	return dim
}
