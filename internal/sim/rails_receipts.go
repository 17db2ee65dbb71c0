package sim

import (
	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
)

// receiptKinds are what staff do with money that nobody can place.
func receiptKinds() []string { return []string{"receipt", "receipt", "identify", "send back"} }

// onReceipts draws money that nobody can place, often of an earlier day, or what becomes
// of it: mostly somebody finds out whose it was.
func (r *RailRun) onReceipts(kind string) (credit.Command, bool) {
	s := r.Source
	if kind == "receipt" {
		return credit.RecordReceipt{
			Amount: money.Amount(between(s, 1, 60_000)), Method: pick(s, []credit.Method{credit.Wire, credit.Check, credit.CashM, credit.Other}),
			Received: r.today() - calendar.Date(s.Intn(9)), Reference: r.number("unknown"),
		}, true
	}
	x, ok := oneOf(r, r.Books.Receipts, func(x *credit.Receipt) bool { return x.Status == credit.ReceiptOpen })
	switch {
	case !ok:
	case kind == "send back":
		return credit.ReturnReceipt{Receipt: x.ID, Reference: r.number("back")}, true
	case kind == "identify" && chance(s, 50):
		return credit.IdentifyReceipt{Receipt: x.ID, Company: pick(s, r.companies())}, true
	case kind == "identify":
		if o, ok := one(r, r.Books.Orders, func(o *credit.Order) bool { return o.Captured > 0 }); ok {
			return credit.IdentifyReceipt{Receipt: x.ID, Order: o.Key, HoldExcess: chance(s, 30)}, true
		}
	}
	return nil, false
}
