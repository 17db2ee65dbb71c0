package sim

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// receiptKinds are what staff do with money that nobody can place, and with what merchants
// send for clawbacks.
func receiptKinds() []string {
	return []string{"receipt", "receipt", "identify", "send back", "pay clawback", "pay clawback"}
}

// onReceipts draws money that nobody can place, often of an earlier day, or what becomes
// of it: mostly somebody finds out whose it was.
func (r *RailRun) onReceipts(kind string) (credit.Command, bool) {
	s := r.Source
	if kind == "receipt" {
		return payments.RecordReceipt{
			Amount: money.Amount(between(s, 1, 60_000)), Method: pick(s, []credit.Method{credit.Wire, credit.Check, credit.CashM, credit.Other}),
			Received: r.today() - calendar.Date(s.Intn(9)), Reference: r.number("unknown"),
		}, true
	}
	if kind == "pay clawback" {
		l, ok := oneOf(r, r.Books.Lines, func(l *credit.PayoutLine) bool {
			return l.Payout == "" && l.Kind == credit.LineClawback && l.Left() > 0 && l.Due <= r.today()
		})
		if !ok {
			return r.clawback()
		}
		return merchants.PayClawback{Merchant: l.Merchant, Amount: money.Amount(between(s, 1, int64(l.Left()))), Reference: r.number("wire")}, true
	}
	x, ok := oneOf(r, r.Books.Receipts, func(x *credit.Receipt) bool { return x.Status == payments.ReceiptOpen })
	switch {
	case kind == "send back" && !ok:
		return r.first(payments.RecordReceipt{Amount: 1_000, Method: credit.Check, Received: r.today(), Reference: r.number("unknown")})
	case !ok:
	case kind == "send back":
		return payments.ReturnReceipt{Receipt: x.ID, Reference: r.number("back")}, true
	case kind == "identify" && chance(s, 50):
		return payments.IdentifyReceipt{Receipt: x.ID, Company: pick(s, r.companies())}, true
	case kind == "identify":
		if o, ok := one(r, r.Books.Orders, func(o *credit.Order) bool { return o.Captured > 0 }); ok {
			return payments.IdentifyReceipt{Receipt: x.ID, Order: o.Key, HoldExcess: chance(s, 30)}, true
		}
	}
	return nil, false
}

// clawback refunds an order whose merchant has been paid for it; if there is none it pays
// one.
func (r *RailRun) clawback() (credit.Command, bool) {
	l, ok := oneOf(r, r.Books.Lines, func(l *credit.PayoutLine) bool {
		o := r.Books.Orders[l.Order]
		return l.Payout != "" && l.Kind == credit.LineCapture && o != nil && o.Refunded < o.Captured
	})
	if !ok {
		return r.first(merchants.PayMerchant{Merchant: pick(r.Source, r.Books.Merchants).ID})
	}
	o := r.Books.Orders[l.Order]
	amount := o.Captured - o.Refunded
	return r.first(lending.RefundOrder{Order: o.Key, Amount: &amount, Reason: "returned"})
}
