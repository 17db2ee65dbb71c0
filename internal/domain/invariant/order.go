package invariant

import (
	"reflect"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

func (k *checker) orders() error {
	for _, o := range k.c.Orders {
		old := k.s.Orders[o.Key]
		if err := checkOrder(o); err != nil {
			return err
		}
		if old != nil {
			if err := checkOrderChange(o, old); err != nil {
				return err
			}
		}
		for _, check := range []func(o, old *credit.Order) error{k.line, k.captured, k.child, k.described, k.refunded} {
			if err := check(o, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkOrder verifies one order on its own.
func checkOrder(o *credit.Order) error {
	switch {
	case o.Amount <= 0 || o.Amount > money.Max:
		return violated("MN2", "order %s has the invalid amount %s", o.Key, o.Amount)
	case o.Refunded < 0 || o.Refunded > o.Captured:
		return violated("RF1", "order %s has %s of %s refunded", o.Key, o.Refunded, o.Captured)
	case (o.Status == credit.OrderReturned) != (o.Captured > 0 && o.Refunded == o.Captured):
		return violated("OR7", "order %s is %s with %s of %s refunded", o.Key, o.Status, o.Refunded, o.Captured)
	case (o.Captured > 0) != (o.Status == credit.OrderCaptured || o.Status == credit.OrderReturned) || (o.Captured > 0) == o.CapturedAt.IsZero():
		return violated("OR3", "order %s is %s with %s captured", o.Key, o.Status, o.Captured)
	case (o.Reserved > 0) != (o.Status == credit.OrderAuthorized) || o.Reserved < 0:
		return violated("CL4", "order %s is %s with %s reserved", o.Key, o.Status, o.Reserved)
	case o.Status == credit.OrderAuthorized && o.Reserved != o.Amount:
		return violated("CL4", "order %s reserves %s for its amount of %s", o.Key, o.Reserved, o.Amount)
	case (o.Status == credit.OrderCanceled) == (o.CancelReason == ""):
		return violated("OR6", "order %s is %s with the cancel reason %q", o.Key, o.Status, o.CancelReason)
	case o.DiscountBack != discountBack(o):
		return violated("RF5", "order %s has %s of its discount returned, which does not match its refunds", o.Key, o.DiscountBack)
	}
	return nil
}

func discountBack(o *credit.Order) money.Amount {
	if o.Captured == 0 {
		return 0
	}
	return money.Cumulative(o.Discount, o.Refunded, o.Captured)
}

func checkOrderChange(o *credit.Order, old *credit.Order) error {
	switch {
	case o.Key != old.Key || o.Company != old.Company || o.Merchant != old.Merchant || o.Currency != old.Currency || o.Parent != old.Parent:
		return violated("OR4", "order %s has changed its owner, currency or parent", o.Key)
	case o.Version != old.Version && o.Version != old.Version+1:
		return violated("OR2", "order %s goes from version %d to %d", o.Key, old.Version, o.Version)
	case (o.Version != old.Version) != (len(credit.PreviousOrder(old, o)) > 0):
		return violated("OR2", "order %s: version %d does not match the change of its fields", o.Key, o.Version)
	case !reachable(old.Status, o.Status):
		return violated("OR1", "order %s goes from %s to %s", o.Key, old.Status, o.Status)
	case old.Captured > 0 && !sameFinal(old, o):
		return violated("OR4", "order %s has changed after its capture", o.Key)
	case old.Extended && !o.Extended:
		return violated("OR9", "order %s is no longer marked as extended", o.Key)
	case !old.ExpiresAt.IsZero() && !o.ExpiresAt.Equal(old.ExpiresAt) && o.Extended == old.Extended:
		return violated("OR9", "order %s expires at %s instead of %s", o.Key, o.ExpiresAt, old.ExpiresAt)
	case !o.WarnedFor.IsZero() && !o.WarnedFor.Equal(old.WarnedFor) && !o.WarnedFor.Equal(o.ExpiresAt):
		return violated("OR9", "order %s was warned for %s and expires at %s", o.Key, o.WarnedFor, o.ExpiresAt)
	}
	return nil
}

// sameFinal reports whether what a capture has fixed is unchanged (OR4).
func sameFinal(a, b *credit.Order) bool {
	return a.Captured == b.Captured && a.Amount == b.Amount && a.CaptureDate == b.CaptureDate && a.CapturedAt.Equal(b.CapturedAt) &&
		a.Installments == b.Installments && a.MerchantOrderID == b.MerchantOrderID && a.Discount == b.Discount && a.Invoice == b.Invoice &&
		credit.Same(a.Terms, b.Terms) && credit.Same(a.Charges, b.Charges) && credit.Same(a.Shipping, b.Shipping) && credit.Same(a.Billing, b.Billing) &&
		slices.Equal(a.Cart, b.Cart)
}

// reachable are the transitions of OR1 that one command may make.
func reachable(from, to credit.OrderStatus) bool {
	if from == to {
		return true
	}
	switch from {
	case credit.OrderCreated:
		return to == credit.OrderAuthorized || to == credit.OrderCanceled
	case credit.OrderAuthorized:
		return to == credit.OrderCaptured || to == credit.OrderCanceled
	case credit.OrderCaptured:
		return to == credit.OrderReturned
	}
	return false
}

// line requires that using more of a line is allowed: the company is APPROVED, linked, and has
// the credit (CL1). A child uses what its parent had reserved.
func (k *checker) line(o, old *credit.Order) error {
	if old == nil {
		old = &credit.Order{}
		if o.Parent != "" {
			return nil
		}
	}
	if posted := k.posted(o.Key, ledger.Reserved); posted != o.Reserved.Sub(old.Reserved) {
		return violated("CL3", "order %s: reservation goes from %s to %s, postings add up to %s", o.Key, old.Reserved, o.Reserved, posted)
	}
	x := k.company(o.Company)
	more := o.Reserved.Add(o.Captured) > old.Reserved.Add(old.Captured)
	switch {
	case !more && old.Key != "":
		return nil
	case x.Status != credit.CompanyApproved || !x.IsLinked(o.Merchant):
		return violated("CL1", "order %s uses more credit of company %d, which is %s or not linked", o.Key, x.ID, x.Status)
	case more && x.Available() < 0:
		return violated("CL1", "order %s leaves company %d with an available credit of %s", o.Key, x.ID, x.Available())
	}
	return nil
}

// captured checks everything that OR5 requires of a capture.
func (k *checker) captured(o, old *credit.Order) error {
	if o.Captured == 0 || old != nil && old.Captured > 0 {
		return nil
	}
	x, l, i := k.company(o.Company), k.loan(o.Key), invoiceOf(k.c.Invoices, o.Invoice)
	switch {
	case old == nil && o.Parent == "" || old != nil && old.Status != credit.OrderAuthorized:
		return violated("OR5", "order %s is captured without an authorization", o.Key)
	case !o.CapturedAt.Before(o.ExpiresAt):
		return violated("OR5", "order %s is captured after its authorization has expired", o.Key)
	case x.Status == credit.CompanySuspended || x.Status == credit.CompanyClosed:
		return violated("OR5", "order %s is captured while company %d is %s", o.Key, x.ID, x.Status)
	case l == nil || l.Terms.Principal != o.Captured || o.Revision != 1 || l.Terms.CaptureDate != o.CaptureDate:
		return violated("OR5", "order %s is captured without a matching schedule", o.Key)
	case i == nil || i.AmountDue != o.Terms.TotalOfPayments:
		return violated("OR5", "order %s is captured without a matching invoice", o.Key)
	case o.Discount != o.DiscountOf(o.Captured):
		return violated("OR5", "order %s is captured with the wrong discount %s", o.Key, o.Discount)
	}
	return k.capturePosted(o)
}

func (k *checker) capturePosted(o *credit.Order) error {
	principal, payable, discount := k.posted(o.Key, ledger.LoanPrincipal), k.posted(o.Key, ledger.MerchantPayable), k.posted(o.Key, ledger.MerchantDiscount)
	want := o.Captured
	if o.Terms.Unfunded {
		principal, want = k.posted(o.Key, ledger.UnfundedExternal), 0
	}
	if principal != o.Captured || payable != o.Discount.Sub(want) || discount != -o.Discount {
		return violated("OR5", "capture of %s posts %s on principal, %s on the payable, %s on the discount", o.Key, principal, payable, discount)
	}
	return nil
}

func invoiceOf(invoices []*credit.Invoice, id string) *credit.Invoice {
	for _, i := range invoices {
		if i.ID == id {
			return i
		}
	}
	return nil
}

// child requires that a part takes exactly what it captures from its parent (OR10).
func (k *checker) child(o, old *credit.Order) error {
	if old != nil || o.Parent == "" {
		return nil
	}
	was, now := k.s.Orders[o.Parent], k.orderAt[o.Parent]
	switch {
	case was == nil || now == nil || was.Parent != "" || was.Status != credit.OrderAuthorized || now.Status != credit.OrderAuthorized:
		return violated("OR10", "order %s has the parent %s, which is not an authorized order", o.Key, o.Parent)
	case was.Company != o.Company || was.Merchant != o.Merchant:
		return violated("AU1", "order %s belongs to a different company or merchant than its parent %s", o.Key, o.Parent)
	case was.Reserved.Sub(now.Reserved) != o.Captured || was.Amount.Sub(now.Amount) != o.Captured || was.Authorized.Sub(now.Authorized) != o.Captured:
		return violated("OR10", "order %s captures %s, its parent's reservation goes from %s to %s", o.Key, o.Captured, was.Reserved, now.Reserved)
	case o.Servicing.CapturedBefore != was.Servicing.CapturedBefore || now.Servicing.CapturedBefore.Sub(was.Servicing.CapturedBefore) != o.Captured ||
		now.Servicing.Children != was.Servicing.Children+1:
		return violated("OR10", "order %s captures %s after %s, but its parent %s counts %s in %d parts", o.Key, o.Captured, o.Servicing.CapturedBefore,
			o.Parent, now.Servicing.CapturedBefore, now.Servicing.Children)
	}
	return nil
}

// described requires that charges fit the amount when they are set, that an order number is
// claimed, and that financing_status follows from the loan (OR8, OR11).
func (k *checker) described(o, old *credit.Order) error {
	set := o.Charges != nil && (old == nil || !credit.Same(o.Charges, old.Charges))
	number := o.MerchantOrderID != "" && (old == nil || o.MerchantOrderID != old.MerchantOrderID) && o.Status != credit.OrderCanceled
	switch {
	case set && o.Charges.GrandTotal != o.Amount:
		return violated("OR11", "order %s of %s has charges of %s", o.Key, o.Amount, o.Charges.GrandTotal)
	case number && k.c.Claims[lending.OrderNumber(o.Merchant, o.MerchantOrderID)] != o.Key:
		return violated("OR8", "order %s has not claimed its merchant_order_id", o.Key)
	case (o.Captured == 0) != (o.Financing == credit.FinancingNone):
		return violated("OR11", "order %s is %s with the financing status %s", o.Key, o.Status, o.Financing)
	}
	l := k.loanAt[o.Key]
	if l == nil {
		return nil
	}
	open := l.UnpaidFees()
	for _, r := range l.Rows {
		open = open.Add(r.Unpaid())
	}
	switch {
	case (o.Financing == credit.FinancingPaidOff) != (open == 0):
		return violated("PA8", "order %s is %s with %s open", o.Key, o.Financing, open)
	case o.Financing != lending.Financing(o, l, l.AsOf):
		return violated("OR11", "order %s is %s with %d days past due", o.Key, o.Financing, o.DPD(l, l.AsOf))
	case l.ChargedOff != (o.Servicing.ChargedOff != 0):
		return violated("OR11", "order %s and its loan disagree on the charge-off", o.Key)
	}
	return nil
}

// refunded requires that refunds are only added, add up to what is refunded, and are posted in
// full (RF1, RF3, RF4).
func (k *checker) refunded(o, old *credit.Order) error {
	known := 0
	if old != nil {
		known = len(old.Refunds)
	}
	sum := money.Amount(0)
	for i, r := range o.Refunds {
		sum = sum.Add(r.Amount)
		if i < known && !reflect.DeepEqual(r, old.Refunds[i]) {
			return violated("RF1", "refund %s of order %s has changed", r.ID, o.Key)
		}
		if i >= known && !o.Terms.Unfunded {
			if back, discount := k.refundPosted(r); r.Amount <= 0 || back != r.Amount.Sub(r.Discount) || discount != r.Discount {
				return violated("RF3", "refund %s of %s posts %s to the merchant and %s of discount", r.ID, r.Amount, back, discount)
			}
		}
	}
	if sum != o.Refunded || len(o.Refunds) < known {
		return violated("RF1", "refunds of order %s add up to %s, not %s", o.Key, sum, o.Refunded)
	}
	if known == len(o.Refunds) {
		return nil
	}
	// A refund ends as much principal as it can (F13.2), so a returned order has none left,
	// unless a refunded payment reopened some in between (F35).
	was, now, all := k.s.Loans[o.Key].UnpaidPrincipal(), k.loan(o.Key).UnpaidPrincipal(), o.Refunded.Sub(old.Refunded)
	if now > was.Sub(min(was, all)) {
		return violated("RF4", "refund of %s on order %s: principal goes from %s to %s", all, o.Key, was, now)
	}
	return nil
}

// refundPosted sums what a refund takes from the merchant and how much of the discount it
// gives back.
func (k *checker) refundPosted(r credit.Refund) (back, discount money.Amount) {
	for _, e := range k.c.Entries {
		if e.Cause != r.ID || e.Event != "ORDER_REFUNDED" || e.Reverses != "" {
			continue
		}
		for _, p := range e.Postings {
			switch {
			case (p.Account == ledger.MerchantPayable || p.Account == ledger.ClawbackReceivable) && p.Amount > 0:
				back = back.Add(p.Amount)
			case p.Account == ledger.MerchantDiscount:
				discount = discount.Add(p.Amount)
			}
		}
	}
	return back, discount
}
