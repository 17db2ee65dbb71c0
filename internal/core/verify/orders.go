package verify

import (
	"fmt"
	"tenor/internal/core/store"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

func (r *run) readOrders() error {
	r.open = map[string][]openFacts{}
	return store.EachOrder(r.view, func(o *credit.Order, l *schedule.Loan) error {
		f := &orderFacts{
			company: o.Company, merchant: o.Merchant, merchantOrderID: o.MerchantOrderID, parent: o.Parent, invoice: o.Invoice,
			status: o.Status, reserved: o.Reserved, captured: o.Captured, captureDate: o.CaptureDate, eventSeq: o.EventSeq, hasLoan: l != nil,
			external: o.External, unfunded: o.Terms != nil && o.Terms.Unfunded, discount: o.Discount, overdue: o.Financing == credit.FinancingOverdue,
		}
		f.chargedOff = l != nil && l.ChargedOff
		for _, x := range o.Servicing.Open {
			r.open[x.Payment] = append(r.open[x.Payment], openFacts{o.Key, x.Items, x.Amount})
		}
		if l != nil {
			for _, x := range l.Fees {
				if x.Kind == schedule.ReturnedPaymentFee {
					f.returnedFees++
				}
			}
			r.guard("MN2", "order "+o.Key, func() {
				if f.unpaid = l.UnpaidPrincipal(); !f.unfunded {
					f.other = l.Used().Sub(f.unpaid)
				}
			})
		}
		r.orders[o.Key] = f
		return r.ctx.Err()
	})
}

// orders compares each order's status with its history, and its sums with its refunds and
// postings.
func orders(r *run) error {
	return store.EachOrder(r.view, func(o *credit.Order, l *schedule.Loan) error {
		object := "order " + o.Key
		r.guard("OR1", object, func() {
			r.checkParents(object, o)
			r.checkStatus(object, o, l)
			r.checkCapture(object, o)
			r.checkRefunds(object, o, l)
			r.checkPart(object, o)
			r.checkTimed(object, o)
			if l != nil {
				r.checkDebits(object, o, l)
				r.checkFinancing(object, o, l)
			}
		})
		return r.each(0)
	})
}

func (r *run) checkParents(object string, o *credit.Order) {
	if r.companies[o.Company] == nil {
		r.broken("AU1", object, "refers to company %d, which does not exist", o.Company)
	}
	if r.merchants[o.Merchant] == nil {
		r.broken("AU1", object, "refers to merchant %q, which does not exist", o.Merchant)
	}
	if o.Currency != money.USD {
		r.broken("MN4", object, "has currency %s", o.Currency)
	}
}

// checkStatus checks that the order's data fits its status (OR1, OR3, OR6, CL4).
func (r *run) checkStatus(object string, o *credit.Order, l *schedule.Loan) {
	captured := o.Status == credit.OrderCaptured || o.Status == credit.OrderReturned
	canceled := o.Status == credit.OrderCanceled
	switch o.Status {
	case credit.OrderCreated, credit.OrderAuthorized, credit.OrderCaptured, credit.OrderCanceled, credit.OrderReturned:
	default:
		r.broken("OR1", object, "has the unknown status %q", o.Status)
	}
	if captured != (o.Captured > 0) || captured != (l != nil) || canceled == o.CanceledAt.IsZero() ||
		(o.Status == credit.OrderAuthorized || captured) && (o.AuthorizedAt.IsZero() || o.Terms == nil) {
		r.broken("OR1", object, "is %s with %s captured (loan: %t), authorized at %q, canceled at %q", o.Status, o.Captured, l != nil,
			stamp(o.AuthorizedAt), stamp(o.CanceledAt))
	}
	if captured == o.CapturedAt.IsZero() || captured == (o.CaptureDate == calendar.None) ||
		captured && o.CaptureDate != r.options.Zone.Date(o.CapturedAt) {
		r.broken("OR3", object, "is %s, captured on %q at %q", o.Status, o.CaptureDate, stamp(o.CapturedAt))
	}
	if canceled {
		r.checkCanceled(object, o, l)
	}
	if (o.Reserved > 0) != (o.Status == credit.OrderAuthorized) || o.Reserved > 0 && o.Reserved != o.Amount {
		r.broken("CL4", object, "is %s for %s but reserves %s", o.Status, o.Amount, o.Reserved)
	}
	r.equal("CL3", object, "reserved", o.Reserved, r.balance(o.Key, ledger.Reserved))
}

func (r *run) checkCanceled(object string, o *credit.Order, l *schedule.Loan) {
	if o.CancelReason == "" || l != nil || o.Invoice != "" {
		r.broken("OR6", object, "is CANCELED with reason %q (loan: %t) and invoice %q", o.CancelReason, l != nil, o.Invoice)
	}
	for _, a := range ledger.Chart() {
		if sum := r.balance(o.Key, a); sum != 0 {
			r.broken("OR6", object, "is CANCELED, but account %d has a balance of %s", a, sum)
		}
	}
}

// checkCapture compares the merchant discount with the terms and with the postings (OR5,
// RF5).
func (r *run) checkCapture(object string, o *credit.Order) {
	if o.Captured == 0 {
		r.equal("OR5", object, "merchant discount", o.Discount, 0)
		return
	}
	if o.Amount != o.Captured {
		r.broken("OR5", object, "has an amount of %s, but %s captured", o.Amount, o.Captured)
	}
	r.equal("OR5", object, "merchant discount", o.Discount, o.DiscountOf(o.Captured))
	r.equal("RF5", object, "merchant discount returned", o.DiscountBack, money.Cumulative(o.Discount, o.Refunded, o.Captured))
	r.equal("RF5", object, "merchant discount less the part returned", o.Discount.Sub(o.DiscountBack), -r.balance(o.Key, ledger.MerchantDiscount))
	if o.Invoice == "" {
		r.broken("OR5", object, "has no invoice")
	}
}

// checkRefunds sums the refunds (RF1, RF4, RF5, OR7).
func (r *run) checkRefunds(object string, o *credit.Order, l *schedule.Loan) {
	var refunded, back money.Amount
	for _, x := range o.Refunds {
		refunded, back = refunded.Add(x.Amount), back.Add(x.Discount)
	}
	r.equal("OR7", object, "refunded", o.Refunded, refunded)
	if back != o.DiscountBack {
		r.broken("RF5", object, "refunds returned %s of the discount, the order records %s", back, o.DiscountBack)
	}
	if o.Refunded < 0 || o.Refunded > o.Captured {
		r.broken("RF1", object, "has %s of %s refunded", o.Refunded, o.Captured)
	}
	whole := o.Captured > 0 && o.Refunded == o.Captured
	if whole != (o.Status == credit.OrderReturned) {
		r.broken("OR7", object, "is %s with %s of %s refunded", o.Status, o.Refunded, o.Captured)
	}
	if o.Status == credit.OrderReturned && (o.ReturnedAt.IsZero() || r.balance(o.Key, ledger.LoanPrincipal) != 0 && !reopened(l)) {
		r.broken("RF4", object, "is RETURNED, but owes principal of %s", r.balance(o.Key, ledger.LoanPrincipal))
	}
}

// reopened reports whether principal is owed because a payment was returned after the
// refund: the items it had paid are open again (RF6).
func reopened(l *schedule.Loan) bool {
	return l != nil && l.Terms.Principal > l.Refunded
}

// checkPart compares a child with its parent: the reservation moved by exactly what the
// child captured (OR10).
func (r *run) checkPart(object string, o *credit.Order) {
	if o.Parent == "" {
		return
	}
	p := r.orders[o.Parent]
	switch {
	case p == nil:
		r.broken("OR10", object, "its parent %s does not exist", o.Parent)
		return
	case p.parent != "":
		r.broken("OR10", object, "its parent %s has a parent itself", o.Parent)
	case p.company != o.Company || p.merchant != o.Merchant:
		r.broken("AU1", object, "belongs to a different company or merchant than its parent %s", o.Parent)
	}
	if x := r.parts[o.Key]; x.order != o.Parent || x.amount != o.Captured {
		r.broken("OR10", object, "captured %s, but %s of parent %q was released for it", o.Captured, x.amount, x.order)
	}
}

// checkFinancing compares the financing status with the loan (OR11, PA8). The stored status
// is that of the last commit that changed the loan.
func (r *run) checkFinancing(object string, o *credit.Order, l *schedule.Loan) {
	v := o.View(l, l.AsOf)
	today := max(r.head.BusinessDate, l.AsOf)
	if off := o.Financing == credit.FinancingChargedOff; off != l.ChargedOff && v.Remaining != 0 || l.ChargedOff == (o.Servicing.ChargedOff == 0) {
		r.broken("OR11", object, "is %s, charged off on %s, its loan charged off: %t", o.Financing, o.Servicing.ChargedOff, l.ChargedOff)
	}
	switch o.Financing {
	case credit.FinancingPaidOff:
		if v.Remaining != 0 {
			r.broken("PA8", object, "is PAID_OFF, but owes %s", v.Remaining)
		}
	case credit.FinancingActive:
		if v.Remaining == 0 || v.DPD > 0 {
			r.broken("OR11", object, "is ACTIVE, but owes %s and is %d days past due", v.Remaining, v.DPD)
		}
	case credit.FinancingOverdue:
		if o.DPD(l, today) == 0 {
			r.broken("OR11", object, "is OVERDUE, but not past due")
		}
	case credit.FinancingChargedOff:
	default:
		r.broken("OR11", object, "has a loan, but its financing status is %s", o.Financing)
	}
}

func stamp(t fmt.Stringer) string {
	if z, ok := t.(interface{ IsZero() bool }); ok && z.IsZero() {
		return ""
	}
	return t.String()
}
