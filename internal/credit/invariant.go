package credit

import (
	"fmt"

	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// Violation is a broken invariant: a bug, never an answer to a caller. It names
// the invariant as docs/reliability.md does.
type Violation struct {
	Invariant string
	Detail    string
}

func (v *Violation) Error() string { return "invariant " + v.Invariant + ": " + v.Detail }

func violated(invariant, format string, args ...any) error {
	return &Violation{invariant, fmt.Sprintf(format, args...)}
}

// Check verifies the changes against the state that they are about to change. It
// runs before every apply, in production too; an error is a *Violation, and then
// nothing of the command may be written.
func (c Changes) Check(s *State) error {
	for _, e := range c.Entries {
		if err := e.Check(); err != nil {
			return violated("LG1", "%v", err)
		}
		if e.Currency != money.USD {
			return violated("MN4", "entry %s is in %s", e.ID, e.Currency)
		}
	}
	for _, o := range c.Orders {
		if err := o.check(s.Orders[o.Key]); err != nil {
			return err
		}
	}
	for _, p := range c.Payments {
		if err := p.check(s.Payments[p.ID]); err != nil {
			return err
		}
	}
	for _, l := range c.Loans {
		if err := l.Check(); err != nil {
			return violated("SC1", "loan of %s: %v", l.Key, err)
		}
	}
	if err := c.checkSums(s); err != nil {
		return err
	}
	return c.checkEvents(s)
}

// check verifies one order against its version before (nil if it is new).
func (o *Order) check(old *Order) error {
	switch {
	case o.Amount <= 0 || o.Amount > money.Max:
		return violated("MN2", "order %s has amount %s", o.Key, o.Amount)
	case o.Refunded < 0 || o.Refunded > o.Captured:
		return violated("RF1", "order %s has refunded %s of %s", o.Key, o.Refunded, o.Captured)
	case (o.Status == OrderReturned) != (o.Captured > 0 && o.Refunded == o.Captured):
		return violated("OR7", "order %s is %s with %s of %s refunded", o.Key, o.Status, o.Refunded, o.Captured)
	case (o.Captured > 0) != (o.Status == OrderCaptured || o.Status == OrderReturned) || (o.Captured > 0) == o.CapturedAt.IsZero():
		return violated("OR3", "order %s is %s with %s captured", o.Key, o.Status, o.Captured)
	case (o.Reserved > 0) != (o.Status == OrderAuthorized):
		return violated("CL4", "order %s is %s with %s reserved", o.Key, o.Status, o.Reserved)
	case o.Status == OrderAuthorized && o.Reserved != o.Amount:
		return violated("CL4", "order %s reserves %s for %s", o.Key, o.Reserved, o.Amount)
	case o.Status == OrderCanceled && o.CancelReason == "":
		return violated("OR6", "order %s is canceled without a reason", o.Key)
	case o.DiscountBack != discountBack(o):
		return violated("RF5", "order %s has given back %s of the discount", o.Key, o.DiscountBack)
	}
	if old == nil {
		return nil
	}
	return o.checkChange(old)
}

func discountBack(o *Order) money.Amount {
	if o.Captured == 0 {
		return 0
	}
	return money.Cumulative(o.Discount, o.Refunded, o.Captured)
}

func (o *Order) checkChange(old *Order) error {
	switch {
	case o.Key != old.Key || o.Company != old.Company || o.Merchant != old.Merchant || o.Currency != old.Currency || o.Parent != old.Parent:
		return violated("OR4", "order %s has changed owners", o.Key)
	case o.Version != old.Version && o.Version != old.Version+1:
		return violated("OR2", "order %s goes from version %d to %d", o.Key, old.Version, o.Version)
	case !reachable(old.Status, o.Status):
		return violated("OR1", "order %s goes from %s to %s", o.Key, old.Status, o.Status)
	case old.Captured > 0 && (o.Captured != old.Captured || o.Amount != old.Amount || o.CaptureDate != old.CaptureDate || o.Installments != old.Installments):
		return violated("OR4", "order %s has changed after its capture", o.Key)
	case old.Extended && !o.Extended:
		return violated("OR9", "order %s has lost its extension", o.Key)
	}
	return nil
}

// reachable are the paths of OR1 that one command may take.
func reachable(from, to OrderStatus) bool {
	if from == to {
		return true
	}
	switch from {
	case OrderCreated:
		return to == OrderAuthorized || to == OrderCanceled
	case OrderAuthorized:
		return to == OrderCaptured || to == OrderCanceled
	case OrderCaptured:
		return to == OrderReturned
	}
	return false
}

// check verifies one payment: its money is where it says it is (PA3).
func (p *Payment) check(old *Payment) error {
	if p.Amount <= 0 || p.Refunded < 0 || p.Refunded > p.Amount || p.Unapplied < 0 {
		return violated("RF2", "payment %s of %s has refunded %s and %s unapplied", p.ID, p.Amount, p.Refunded, p.Unapplied)
	}
	if old != nil && old.Status == PaymentReturned && p.Status != PaymentReturned && p.Status != PaymentSucceeded {
		return violated("PA1", "payment %s goes from RETURNED to %s", p.ID, p.Status)
	}
	switch p.Status {
	case PaymentSucceeded, PaymentPartiallyRefunded, PaymentRefunded:
	default:
		return nil
	}
	applied := money.Amount(0)
	for _, a := range p.Allocations {
		if a.Fee < 0 || a.Charge < 0 || a.Principal < 0 {
			return violated("PA3", "payment %s has a negative allocation", p.ID)
		}
		applied = money.Sum(applied, a.Fee, a.Charge, a.Principal)
	}
	if p.Direction == "IN" && money.Sum(applied, p.Unapplied, p.Refunded) != p.Amount {
		return violated("PA3", "payment %s of %s: %s applied, %s unapplied, %s refunded", p.ID, p.Amount, applied, p.Unapplied, p.Refunded)
	}
	return nil
}

// checkSums compares the command's postings with the records that it changes:
// reservations with 9000 (CL3), credit with 2100 (PA6), principal, charge and
// fees of each loan with 1100, 1110 and 1120 (SC4), and each line with CL1.
func (c Changes) checkSums(s *State) error {
	reserved, credit, outstanding := map[int64]money.Amount{}, map[int64]money.Amount{}, map[int64]money.Amount{}
	owed := map[string]money.Amount{} // principal, by order
	fees := map[string]money.Amount{}
	for _, e := range c.Entries {
		for _, p := range e.Postings {
			switch p.Account {
			case ledger.Reserved:
				reserved[p.Company] = reserved[p.Company].Add(p.Amount)
			case ledger.BorrowerCredit:
				credit[p.Company] = credit[p.Company].Sub(p.Amount)
			case ledger.LoanPrincipal, ledger.UnfundedExternal:
				owed[p.Order] = owed[p.Order].Add(p.Amount)
				outstanding[p.Company] = outstanding[p.Company].Add(p.Amount)
			case ledger.FeesReceivable, ledger.OtherReceivable:
				fees[p.Order] = fees[p.Order].Add(p.Amount)
			}
		}
	}
	for _, l := range c.Loans {
		if err := checkLoanSums(s.Loans[l.Key], l, owed[l.Key], fees[l.Key]); err != nil {
			return err
		}
	}
	for _, x := range c.Companies {
		old := s.Companies[x.ID]
		if old == nil {
			old = &Company{}
		}
		switch {
		case x.Reserved.Sub(old.Reserved) != reserved[x.ID] || x.Reserved < 0:
			return violated("CL3", "company %d: reserved goes from %s to %s, postings say %s", x.ID, old.Reserved, x.Reserved, reserved[x.ID])
		case x.Outstanding.Sub(old.Outstanding) != outstanding[x.ID] || x.Outstanding < 0:
			return violated("CL3", "company %d: outstanding goes from %s to %s, postings say %s", x.ID, old.Outstanding, x.Outstanding, outstanding[x.ID])
		case x.Credit.Sub(old.Credit) != credit[x.ID] || x.Credit < 0:
			return violated("PA6", "company %d: credit goes from %s to %s, postings say %s", x.ID, old.Credit, x.Credit, credit[x.ID])
		case x.Reserved > old.Reserved && (x.Available() < 0 || x.Status != CompanyApproved):
			return violated("CL1", "company %d reserves %s beyond its line", x.ID, x.Reserved)
		}
	}
	return nil
}

func checkLoanSums(old, now *schedule.Loan, principal, fees money.Amount) error {
	var p, f money.Amount
	if old != nil {
		p, f = old.UnpaidPrincipal(), old.UnpaidFees()
	}
	if now.UnpaidPrincipal().Sub(p) != principal {
		return violated("SC4", "loan of %s: principal goes from %s to %s, postings say %s", now.Key, p, now.UnpaidPrincipal(), principal)
	}
	if now.UnpaidFees().Sub(f) != fees {
		return violated("SC4", "loan of %s: fees go from %s to %s, postings say %s", now.Key, f, now.UnpaidFees(), fees)
	}
	return nil
}

// checkEvents asks that each object's sequence goes on without a gap (EV1).
func (c Changes) checkEvents(s *State) error {
	next := map[ObjectRef]int64{}
	for _, e := range c.Events {
		if last, ok := next[e.Object]; ok && e.Sequence != last+1 {
			return violated("EV1", "event %s of %s %s has sequence %d after %d", e.Type, e.Object.Type, e.Object.ID, e.Sequence, last)
		}
		if old := s.eventSeq(e.Object); next[e.Object] == 0 && e.Sequence != old+1 {
			return violated("EV1", "event %s of %s %s has sequence %d after %d", e.Type, e.Object.Type, e.Object.ID, e.Sequence, old)
		}
		next[e.Object] = e.Sequence
	}
	return nil
}
