package invariant

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

func (k *checker) loans() error {
	for _, l := range k.c.Loans {
		old, o := k.s.Loans[l.Key], k.order(l.Key)
		if err := l.Check(); err != nil {
			return violated("SC1", "loan of order %s: %v", l.Key, err)
		}
		if o == nil || o.Captured == 0 {
			return violated("AU1", "loan of order %s, which is not captured", l.Key)
		}
		if err := k.loanPosted(o, old, l); err != nil {
			return err
		}
		if err := k.lateFees(o, old, l); err != nil {
			return err
		}
		if old == nil {
			continue
		}
		for i := range l.Rows {
			if l.Rows[i].DueDate != old.Rows[i].DueDate && !lending.MovedDue(k.c.Money, l.Key) {
				return violated("SC3", "row %d of order %s is due on %s instead of %s", i+1, l.Key, l.Rows[i].DueDate, old.Rows[i].DueDate)
			}
		}
		if was := k.s.Orders[l.Key]; lending.RowsChanged(old, l) && o.Revision != was.Revision+1 {
			return violated("SC6", "the schedule of order %s has changed, its revision is %d", l.Key, o.Revision)
		}
	}
	for _, o := range k.c.Orders { // an unchanged loan may be on other accounts now
		old := k.s.Orders[o.Key]
		if l := k.s.Loans[o.Key]; old != nil && l != nil && k.loanAt[o.Key] == nil && old.Servicing.Nonaccrual != o.Servicing.Nonaccrual {
			if err := k.loanPosted(o, l, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// loanPosted compares what is owed on a loan with the postings on its receivables (SC4). On an
// unfunded order only principal is owed, in memo.
func (k *checker) loanPosted(o *credit.Order, old, now *schedule.Loan) error {
	is := credit.StandingOf(o, now)
	was := credit.StandingOf(k.s.Orders[o.Key], old)
	posted := credit.Receivable{
		Principal: k.posted(now.Key, ledger.LoanPrincipal, ledger.UnfundedExternal), Charge: k.posted(now.Key, ledger.ChargeReceivable),
		Fees: k.posted(now.Key, ledger.FeesReceivable, ledger.OtherReceivable), Unearned: -k.posted(now.Key, ledger.UnearnedCharge),
		Memo: k.posted(now.Key, ledger.NonaccrualCharge), Lost: k.posted(now.Key, ledger.ChargedOff),
	}
	if posted != is.Less(was) {
		return violated("SC4", "loan of order %s goes from %v to %v, postings add up to %v", now.Key, was, is, posted)
	}
	if is.Principal < 0 || is.Charge < 0 || is.Fees < 0 || is.Unearned < 0 || is.Memo < 0 || is.Lost < 0 {
		return violated("LG6", "loan of order %s has a negative balance: %v", now.Key, is)
	}
	return nil
}

func (k *checker) payments() error {
	for _, p := range k.c.Payments {
		old := k.s.Payments[p.ID]
		if p.Amount <= 0 || p.Amount > credit.MaxTransfer {
			return violated("MN2", "payment %s has the invalid amount %s", p.ID, p.Amount)
		}
		if old != nil && (old.Company != p.Company || old.Merchant != p.Merchant || old.Order != p.Order || old.Amount != p.Amount) {
			return violated("AU1", "payment %s has changed its owner or amount", p.ID)
		}
		if old != nil && !Payable(old.Status, p.Status) {
			return violated("PA1", "payment %s goes from %s to %s", p.ID, old.Status, p.Status)
		}
		for _, check := range []func(*credit.Payment) error{checkRefunds, k.allocated, k.elsewhere} {
			if err := check(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// Payable are the transitions of PA1 that one command may make.
func Payable(from, to credit.PaymentStatus) bool {
	if from == to {
		return true
	}
	switch from {
	case credit.PaymentScheduled:
		return to == credit.PaymentPending || to == credit.PaymentCanceled
	case credit.PaymentPending:
		return to == credit.PaymentSucceeded || to == credit.PaymentFailed || to == credit.PaymentCanceled
	case credit.PaymentSucceeded:
		return to == credit.PaymentPartiallyRefunded || to == credit.PaymentRefunded || to == credit.PaymentReturned
	case credit.PaymentPartiallyRefunded:
		return to == credit.PaymentRefunded || to == credit.PaymentReturned
	case credit.PaymentRefunded:
		return to == credit.PaymentReturned
	case credit.PaymentReturned:
		return to == credit.PaymentSucceeded || to == credit.PaymentPartiallyRefunded || to == credit.PaymentRefunded
	}
	return false
}

// checkRefunds requires that refunds match the refunded sum and the status (RF2).
func checkRefunds(p *credit.Payment) error {
	sum := money.Amount(0)
	for _, r := range p.Refunds {
		if r.Status != credit.RefundCanceled {
			sum = sum.Add(r.Amount)
		}
	}
	if sum != p.Refunded || p.Refunded < 0 || p.Refunded > p.Amount || p.Unapplied < 0 {
		return violated("RF2", "payment %s of %s: %s refunded, its refunds add up to %s, %s unapplied", p.ID, p.Amount, p.Refunded, sum, p.Unapplied)
	}
	if p.Status == credit.PaymentRefunded && p.Refunded != p.Amount ||
		p.Status == credit.PaymentPartiallyRefunded && (p.Refunded == 0 || p.Refunded == p.Amount) ||
		p.Status == credit.PaymentSucceeded && p.Refunded != 0 {
		return violated("RF2", "payment %s is %s with %s of %s refunded", p.ID, p.Status, p.Refunded, p.Amount)
	}
	return nil
}

// allocated requires that a payment's money is where the payment says, and only where it may
// be (PA3, PA4).
func (k *checker) allocated(p *credit.Payment) error {
	applied := money.Amount(0)
	for _, a := range p.Allocations {
		if a.Fee < 0 || a.Charge < 0 || a.Principal < 0 {
			return violated("PA3", "payment %s has a negative allocation", p.ID)
		}
		applied = money.Sum(applied, a.Fee, a.Charge, a.Principal)
		if o := k.order(a.Order); o == nil || o.Captured == 0 || o.Company != p.Company {
			return violated("PA4", "payment %s pays order %s, which is not captured or belongs to a different company", p.ID, a.Order)
		}
	}
	switch p.Status {
	case credit.PaymentSucceeded, credit.PaymentPartiallyRefunded, credit.PaymentRefunded:
		if p.Direction == "IN" && money.Sum(applied, p.Unapplied, p.Refunded) != p.Amount {
			return violated("PA3", "payment %s of %s: %s applied, %s unapplied, %s refunded", p.ID, p.Amount, applied, p.Unapplied, p.Refunded)
		}
	default:
		if applied != 0 || p.Unapplied != 0 {
			return violated("PA3", "payment %s is %s and still has money applied or unapplied", p.ID, p.Status)
		}
	}
	return nil
}

func (k *checker) invoices() error {
	for _, i := range k.c.Invoices {
		o := k.order(i.Order)
		if o == nil || o.Invoice != i.ID || o.Company != i.Company || o.Merchant != i.Merchant {
			return violated("AU1", "invoice %s does not belong to order %s", i.ID, i.Order)
		}
		sum := money.Amount(0)
		for _, l := range i.Lines {
			sum = sum.Add(l.Amount)
		}
		if sum != i.AmountDue || i.Paid < 0 || i.Paid > i.AmountDue {
			return violated("PA7", "invoice %s of %s: lines add up to %s, %s paid", i.ID, i.AmountDue, sum, i.Paid)
		}
		if closed := i.Status == credit.InvoicePaid || i.Status == credit.InvoiceVoid; closed != (i.Paid == i.AmountDue) {
			return violated("PA7", "invoice %s is %s with %s of %s paid", i.ID, i.Status, i.Paid, i.AmountDue)
		}
	}
	for _, e := range k.c.Money {
		for _, key := range e.Touches {
			if o := k.order(key); o != nil && o.Company != e.Company {
				return violated("AU1", "money event %s touches order %s of a different company", e.ID, key)
			}
		}
		if !slices.Contains(e.Touches, e.Order) && e.Order != "" {
			return violated("LG5", "money event %s is not in the history of its order", e.ID)
		}
	}
	return nil
}
