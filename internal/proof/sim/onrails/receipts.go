package onrails

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/proof/sim"
)

// ReceiptKinds returns what staff do with money that nobody can match, and with what merchants
// send for clawbacks.
func ReceiptKinds() []string {
	return []string{"receipt", "receipt", "identify", "send back", "pay clawback", "pay clawback"}
}

// onReceipts generates money that nobody can match, often of an earlier day, or its resolution:
// mostly somebody finds out whose it was.
func (r *RailRun) onReceipts(kind string) (credit.Command, bool) {
	s := r.Source
	if kind == "receipt" {
		return payments.RecordReceipt{
			Amount: money.Amount(sim.Between(s, 1, 60_000)), Method: sim.Pick(s, []credit.Method{credit.Wire, credit.Check, credit.CashM, credit.Other}),
			Received: r.Today() - calendar.Date(s.Intn(9)), Reference: r.Number("unknown"),
		}, true
	}
	if kind == "pay clawback" {
		l, ok := OneOf(r, r.Books.Lines, func(l *credit.PayoutLine) bool {
			return l.Payout == "" && l.Kind == credit.LineClawback && l.Left() > 0 && l.Due <= r.Today()
		})
		if !ok {
			return r.clawback()
		}
		return merchants.PayClawback{Merchant: l.Merchant, Amount: money.Amount(sim.Between(s, 1, int64(l.Left()))), Reference: r.Number("wire")}, true
	}
	x, ok := OneOf(r, r.Books.Receipts, func(x *credit.Receipt) bool { return x.Status == payments.ReceiptOpen })
	switch {
	case kind == "send back" && !ok:
		return r.first(payments.RecordReceipt{Amount: 1_000, Method: credit.Check, Received: r.Today(), Reference: r.Number("unknown")})
	case !ok:
	case kind == "send back":
		return payments.ReturnReceipt{Receipt: x.ID, Reference: r.Number("back")}, true
	case kind == "identify" && sim.Chance(s, 50):
		return payments.IdentifyReceipt{Receipt: x.ID, Company: sim.Pick(s, r.Companies())}, true
	case kind == "identify":
		if o, ok := One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Captured > 0 }); ok {
			return payments.IdentifyReceipt{Receipt: x.ID, Order: o.Key, HoldExcess: sim.Chance(s, 30)}, true
		}
	}
	return nil, false
}

// clawback refunds an order whose merchant has been paid for it; if none exists it pays one.
func (r *RailRun) clawback() (credit.Command, bool) {
	l, ok := OneOf(r, r.Books.Lines, func(l *credit.PayoutLine) bool {
		o := r.Books.Orders[l.Order]
		return l.Payout != "" && l.Kind == credit.LineCapture && o != nil && o.Refunded < o.Captured
	})
	if !ok {
		return r.first(merchants.PayMerchant{Merchant: sim.Pick(r.Source, r.Books.Merchants).ID})
	}
	o := r.Books.Orders[l.Order]
	amount := o.Captured - o.Refunded
	return r.first(lending.RefundOrder{Order: o.Key, Amount: &amount, Reason: "returned"})
}
