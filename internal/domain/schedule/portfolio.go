package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Credit is money of the borrower that is not applied (F36), one per source.
type Credit struct {
	Source string        // id of the payment or refund event that created it
	Order  string        // order of that event, or of the rebate; "" for a company-level payment
	Date   calendar.Date // when it was first created
	Amount money.Amount  // what is left, never zero in a Portfolio
	Hold   bool          // hold_excess: pays items of Order as they fall due
}

// Portfolio is the loans of one company that share money.
//
// A portfolio may be incomplete: to apply an event it must contain the loans that the event
// can touch, the credits of those orders and of the event's Payment, and for a PAYMENT_REFUND
// the Applied entry of its Payment (AppliedOf). A missing Applied entry is created with only
// what this portfolio applies; effects always describe the complete change.
type Portfolio struct {
	Loans   []*Loan   // sorted by (CapturedAt, Key)
	Credits []Credit  // oldest first
	Applied []Applied // in the order in which the sources first paid
	// Room is what refunds of orders may free of each payment: what all refunds of the
	// payment, of any day, leave of it. Replay sets it while it runs; nil: what has been
	// applied.
	Room map[string]money.Amount
}

// Clone returns a copy that shares nothing with the portfolio.
func (p *Portfolio) Clone() *Portfolio {
	c := &Portfolio{Credits: slices.Clone(p.Credits), Applied: slices.Clone(p.Applied)}
	for _, l := range p.Loans {
		c.Loans = append(c.Loans, l.Clone())
	}
	for i := range c.Applied {
		c.Applied[i].Parts, c.Applied[i].Freed = slices.Clone(c.Applied[i].Parts), slices.Clone(c.Applied[i].Freed)
	}
	return c
}

// Loan returns the loan of an order, nil if the portfolio does not contain it.
func (p *Portfolio) Loan(key string) *Loan {
	for _, l := range p.Loans {
		if l.Key == key {
			return l
		}
	}
	return nil
}

// Replay defines every figure (F34). It applies the events in the order of (Date, Seq), then
// all days up to a date. It leaves out payments that a RETURN names, refunds of those and uses
// of their credit, what a withdrawn PAYMENT_REFUND takes off its payment, and charge-offs that
// a REVERSAL names. The events may come in any order and are not changed.
func Replay(events []Event, to calendar.Date) (*Portfolio, []Effect) {
	returned, reversed, withdrawn := map[string]bool{}, map[string]bool{}, map[string]money.Amount{}
	for _, e := range events {
		switch {
		case e.Kind == EventReturn:
			returned[e.Payment] = true
		case e.Kind == EventReversal:
			reversed[e.ChargeOff] = true
		case e.Withdrawn:
			withdrawn[e.Payment] += e.Amount
		}
	}
	kept := make([]Event, 0, len(events))
	for _, e := range events {
		ofReturned := returned[e.Payment] && (e.Kind == EventPaymentRefund || e.Kind == EventCreditUse)
		if e.Kind == EventPayment && returned[e.ID] || ofReturned || e.Withdrawn || e.Kind == EventChargeOff && reversed[e.ID] {
			continue
		}
		if e.Kind == EventPayment {
			if e.Amount -= withdrawn[e.ID]; e.Amount == 0 {
				continue
			}
		}
		kept = append(kept, e)
	}
	slices.SortStableFunc(kept, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Seq, b.Seq))
	})
	p := &Portfolio{Room: room(kept)}
	var effects []Effect
	for _, e := range kept {
		effects = append(effects, p.Apply(e)...)
	}
	effects = append(effects, p.Advance(to)...)
	p.Room = nil
	return p, effects
}

// room is what refunds of each payment leave of it, so that no payment is given back twice,
// even if an earlier-dated payment changes what a refund of an order has freed (F41.3).
func room(events []Event) map[string]money.Amount {
	left := map[string]money.Amount{}
	for _, e := range events {
		switch e.Kind {
		case EventPayment:
			left[e.ID] += e.Amount
		case EventPaymentRefund:
			left[e.Payment] -= e.Amount
		}
	}
	return left
}

// Apply advances every loan to the event's date, inclusive, and applies the event. The event
// must not be earlier, by Date and then Seq, than what has been applied. It panics on an event
// with an invalid order or fee kind: events are checked before they are recorded.
func (p *Portfolio) Apply(e Event) []Effect {
	out := p.Advance(e.Date)
	switch e.Kind {
	case EventCapture:
		p.capture(e)
		return out
	case EventPayment:
		return append(out, p.pay(e)...)
	case EventReturn:
		if e.Amount == 0 {
			return out
		}
		return append(out, p.assess(e, OtherReceivable, e.ID)...)
	case EventRefund:
		return append(out, p.refund(e)...)
	case EventPaymentRefund:
		return append(out, p.refundPayment(e)...)
	case EventCreditUse:
		return append(out, p.useCredit(e)...)
	case EventFee:
		return append(out, p.assess(e, e.Fee, e.ID)...)
	case EventWaiver:
		return append(out, p.waive(e)...)
	case EventReschedule:
		return append(out, p.reschedule(e)...)
	case EventReamortize:
		return append(out, p.reamortize(e)...)
	case EventChargeOff:
		return append(out, p.chargeOff(e)...)
	case EventReversal:
		return out // the charge-off is not among the events
	}
	panic(fmt.Sprintf("schedule: event %s of unknown kind %q", e.ID, e.Kind))
}

// Advance accrues and applies held credit up to a date, inclusive: a row due on that date
// becomes due, its period's charge is recognized, and then held credit of its order pays what
// is due (F37 steps 3 and 4). With Terms.MonthEnd, earned charge is also recognized on the
// month ends between due dates. Loans already at a later date are unchanged.
func (p *Portfolio) Advance(to calendar.Date) []Effect {
	var out []Effect
	for {
		next := to + 1
		for _, l := range p.Loans {
			if l.running() != nil {
				next = min(next, l.nextStop())
			}
		}
		if next > to {
			break
		}
		for _, l := range p.Loans {
			switch row := l.running(); {
			case row == nil || l.nextStop() != next:
			case row.DueDate == next:
				out = append(out, p.fallDue(l)...)
			default:
				l.accrueTo(next)
				out = append(out, l.recogniseBy(l.earned(), "", next)...)
			}
		}
	}
	for _, l := range p.Loans {
		l.accrueTo(to)
	}
	return out
}

// nextStop is the next day on which time alone has effects: the running row's due date, or
// with Terms.MonthEnd a month end before it.
func (l *Loan) nextStop() calendar.Date {
	due := l.running().DueDate
	if !l.Terms.MonthEnd || l.Terms.Plan != Amortized && !l.flat() {
		return due
	}
	return min(due, l.AsOf.AddDays(1).EndOfMonth())
}

// fallDue passes the loan's next due date.
func (p *Portfolio) fallDue(l *Loan) []Effect {
	period, due := l.Current, l.running().DueDate
	l.accrueTo(due)
	var out []Effect
	if fresh := l.endPeriod(); fresh > 0 {
		out = append(out, Effect{Kind: EffectAccrued, Date: due, Order: l.Key, Period: period, Amount: fresh})
	}
	return append(out, p.useHeld(l, due)...)
}

func (p *Portfolio) capture(e Event) {
	l, err := New(e.Order, e.CapturedAt, e.Terms)
	if err != nil {
		panic(fmt.Sprintf("schedule: capture of %s: %v", e.Order, err))
	}
	at, _ := slices.BinarySearchFunc(p.Loans, l, byCapture)
	p.Loans = slices.Insert(p.Loans, at, l)
}

func byCapture(a, b *Loan) int {
	return cmp.Or(cmp.Compare(a.CapturedAt, b.CapturedAt), cmp.Compare(a.Key, b.Key))
}

// mustLoan is the loan that an event names.
func (p *Portfolio) mustLoan(event, order string) *Loan {
	l := p.Loan(order)
	if l == nil {
		panic(fmt.Sprintf("schedule: event %s names order %q, which is not here", event, order))
	}
	return l
}

// assess adds a fee. A late fee whose row is paid is left out: with the current money events
// it would not have been assessed (F34). So is a second one for a row (F10): a history whose
// payments came and went may contain both. A charged-off loan gets none (F17).
func (p *Portfolio) assess(e Event, kind FeeKind, id string) []Effect {
	if kind == OtherReceivable && e.Order == "" && len(p.Loans) > 0 {
		e.Order = p.Loans[0].Key // owed on the first loan if a company-level payment names no order
	}
	l := p.mustLoan(e.ID, e.Order)
	row := max(1, min(e.Installment, len(l.Rows)))
	if kind == LateFeeKind && (l.Rows[row-1].Unpaid() == 0 || l.lateFee(row)) || kind != OtherReceivable && l.ChargedOff {
		return nil
	}
	l.Fees = append(l.Fees, Fee{ID: id, Kind: kind, Installment: row, Date: e.Date, Amount: e.Amount})
	out := []Effect{{Kind: EffectFee, Cause: e.ID, Date: e.Date, Order: l.Key,
		Parts: []Part{{l.Key, itemOf(kind), row, id, e.Amount, l.ChargedOff}}}}
	return append(out, p.useHeld(l, e.Date)...)
}

func (p *Portfolio) waive(e Event) []Effect {
	l := p.mustLoan(e.ID, e.Order)
	f := l.fee(e.FeeID)
	if f == nil || f.Unpaid() == 0 {
		return nil
	}
	part := Part{l.Key, itemOf(f.Kind), f.Installment, f.ID, f.Unpaid(), false}
	f.Amount, f.Waived = f.Paid, f.Waived.Add(f.Unpaid())
	return []Effect{{Kind: EffectWaived, Cause: e.ID, Date: e.Date, Order: l.Key, Parts: []Part{part}}}
}

func itemOf(kind FeeKind) Item {
	if kind == OtherReceivable {
		return ItemOther
	}
	return ItemFee
}

// addCredit adds money of a source that found nothing to pay.
func (p *Portfolio) addCredit(c Credit) {
	if c.Amount == 0 {
		return
	}
	for i := range p.Credits {
		if p.Credits[i].Source == c.Source {
			p.Credits[i].Amount = p.Credits[i].Amount.Add(c.Amount)
			return
		}
	}
	p.Credits = append(p.Credits, c)
}

// takeCredit uses up to limit of a source's credit and returns how much.
func (p *Portfolio) takeCredit(source string, limit money.Amount) money.Amount {
	for i := range p.Credits {
		if p.Credits[i].Source != source {
			continue
		}
		x := min(limit, p.Credits[i].Amount)
		if p.Credits[i].Amount -= x; p.Credits[i].Amount == 0 {
			p.Credits = slices.Delete(p.Credits, i, i+1)
		}
		return x
	}
	return 0
}

// applied returns the entry of a source, creating it if needed.
func (p *Portfolio) applied(source string) *Applied {
	for i := len(p.Applied) - 1; i >= 0; i-- {
		if p.Applied[i].Source == source {
			return &p.Applied[i]
		}
	}
	p.Applied = append(p.Applied, Applied{Source: source})
	return &p.Applied[len(p.Applied)-1]
}
