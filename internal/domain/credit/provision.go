package credit

import (
	"fmt"
	"math/big"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Provision brings the allowance to what the lender's rates ask for at a month end: the
// sum of principal times the rate of its bucket (F17). The difference is posted for that
// day. Each month end is provided for once, in order. One that comes late posts what one in
// time would have posted: what was booked since is left out. Result is the *Lender.
type Provision struct {
	On calendar.Date `json:"on"` // the month end
	// Principal is what was unpaid then, by bucket, as the caller has summed it up:
	// no command loads every loan.
	Principal map[Bucket]money.Amount `json:"principal"`
}

func (Provision) Name() string { return "books.provide" }

// Keys asks for the lender.
func (Provision) Keys(*State, Env) Keys { return Keys{Lenders: []string{TheLender}} }

func (Provision) Admit(*State, Env) *Rejection { return nil }

func (c Provision) Decide(s *State, e Env) (Changes, *Rejection) {
	x := s.TheLender()
	switch next := x.NextProvision(); {
	case c.On == calendar.None || c.On != c.On.EndOfMonth() || !c.sound():
		return Changes{}, ValidationFailed.Because("A provision must be for the last day of a month, with at least 0.00 in each bucket.")
	case x.ProvisionedThrough != calendar.None && c.On <= x.ProvisionedThrough:
		return Changes{Result: x}, nil
	case next == calendar.None:
		return Changes{}, ValidationFailed.Because("The lender has not set any reserve rates.")
	case c.On != next:
		return Changes{}, PeriodClosed.Because(fmt.Sprintf("The next month end to post a provision for is %s.", next))
	case c.On >= e.Today():
		return Changes{}, PeriodClosed.Because(fmt.Sprintf("The month ends on %s.", c.On))
	}
	d := NewDraft(s, e)
	d.provide(c)
	now := d.Lender()
	now.ProvisionedThrough = c.On
	if now.Moved = slices.DeleteFunc(slices.Clone(now.Moved), func(m AllowanceMove) bool { return m.Month <= now.NextProvision() }); len(now.Moved) == 0 {
		now.Moved = nil
	}
	return d.Done(now, false), nil
}

// sound reports that the sums are of buckets and not below 0.00.
func (c Provision) sound() bool {
	known := 0
	for _, b := range Buckets() {
		if p, ok := c.Principal[b]; ok && p >= 0 {
			known++
		}
	}
	return known == len(c.Principal)
}

// provide posts what the allowance lacked at the month end, or releases what it held too
// much. What is released late may have been used by a charge-off since: then as much is
// provided anew today, unless the next month end is over as well and does it.
func (d *Draft) provide(c Provision) {
	x, held := d.State.TheLender(), d.allowance()
	missing := x.Settings.Target(c.Principal).Sub(held.Sub(x.movedSince(c.On)))
	d.provision(c, c.On, missing)
	if left := held.Add(missing); missing < 0 && left < 0 && (c.On+1).EndOfMonth() >= d.Env.Today() {
		d.provision(c, d.Env.Today(), min(-left, -missing))
	}
}

// provision adds to the allowance by value of a day.
func (d *Draft) provision(c Provision, on calendar.Date, amount money.Amount) {
	event := entryProvided
	if amount < 0 {
		event = entryReleased
	}
	if amount != 0 {
		d.Entry(event, c.On.String(), on, ledger.Posting{Account: ledger.ProvisionAndLosses, Amount: amount},
			ledger.Posting{Account: ledger.Allowance, Amount: -amount})
	}
}

// The events of a month end's provision (F39).
const (
	entryProvided = "PROVISION_MADE"
	entryReleased = "PROVISION_RELEASED"
)

// providedFor reports that an entry is one of a month end's provision.
func providedFor(e *ledger.Entry) bool { return e.Event == entryProvided || e.Event == entryReleased }

// Target is what the allowance should hold for principal in buckets: the exact sum of
// principal times rate, rounded once (F0, F17).
func (s *LenderSettings) Target(principal map[Bucket]money.Amount) money.Amount {
	sum := new(big.Rat)
	for _, b := range Buckets() {
		part := big.NewRat(int64(s.ProvisionRates[b]), money.RateScale)
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(int64(principal[b]))))
	}
	return money.HalfUp(sum)
}

// NextProvision is the next month end to be provided for, None while the lender has
// never set a rate.
func (x *Lender) NextProvision() calendar.Date {
	switch {
	case x.ProvisionFrom == calendar.None:
		return calendar.None
	case x.ProvisionedThrough == calendar.None:
		return x.ProvisionFrom.EndOfMonth()
	}
	return (x.ProvisionedThrough + 1).EndOfMonth()
}

// ProvisionPart is what an order counts for at a month end: its unpaid principal and the
// bucket in which it stood. The loan is the order's as it was then. An installment whose
// collection date lies after the day is not late: its debit is on its way (F10). Nothing
// counts of an order that the lender has not funded, or that is charged off.
func ProvisionPart(o *Order, l *schedule.Loan, on calendar.Date) (Bucket, money.Amount) {
	if o.Terms == nil || o.Terms.Unfunded || l.ChargedOff {
		return BucketCurrent, 0
	}
	var relief schedule.Relief
	for _, h := range o.Servicing.Holds {
		relief.Held = append(relief.Held, schedule.Span{From: h.From, To: h.To})
	}
	unpaid := money.Amount(0)
	for _, r := range l.Rows {
		unpaid = unpaid.Add(r.Principal).Sub(r.PaidPrincipal)
		if r.DueDate <= on && schedule.Collection(r.DueDate) > on {
			relief.Pending = append(relief.Pending, r.Number)
		}
	}
	return BucketOf(l.DPDRelieved(on, relief)), unpaid
}
