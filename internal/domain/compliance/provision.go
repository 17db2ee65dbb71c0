package compliance

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Provision adjusts the allowance to the lender's rates at a month end: the sum of principal
// times the rate of its bucket (F17). The difference is posted for that day. Each month end is
// provided for once, in order. A late one posts what a timely one would have: what was booked
// since is left out. Result is the *Lender.
type Provision struct {
	On calendar.Date `json:"on"` // the month end
	// Principal is what was unpaid then, by bucket, as summed by the caller: no command loads
	// every loan.
	Principal map[credit.Bucket]money.Amount `json:"principal"`
}

func (Provision) Name() string { return "books.provide" }

// Keys requests the lender.
func (Provision) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Lenders: []string{credit.TheLender}}
}

func (Provision) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c Provision) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	x := s.TheLender()
	switch next := x.NextProvision(); {
	case c.On == calendar.None || c.On != c.On.EndOfMonth() || !c.sound():
		return credit.Changes{}, credit.ValidationFailed.Because("A provision must be for the last day of a month, with at least 0.00 in each bucket.")
	case x.ProvisionedThrough != calendar.None && c.On <= x.ProvisionedThrough:
		return credit.Changes{Result: x}, nil
	case next == calendar.None:
		return credit.Changes{}, credit.ValidationFailed.Because("The lender has not set any reserve rates.")
	case c.On != next:
		return credit.Changes{}, credit.PeriodClosed.Because(fmt.Sprintf("The next month end to post a provision for is %s.", next))
	case c.On >= e.Today():
		return credit.Changes{}, credit.PeriodClosed.Because(fmt.Sprintf("The month ends on %s.", c.On))
	}
	d := credit.NewDraft(s, e)
	provide(d, c)
	now := d.Lender()
	now.ProvisionedThrough = c.On
	if now.Moved = slices.DeleteFunc(slices.Clone(now.Moved), func(m credit.AllowanceMove) bool { return m.Month <= now.NextProvision() }); len(now.Moved) == 0 {
		now.Moved = nil
	}
	return d.Done(now, false), nil
}

// sound reports whether the sums are of known buckets and not negative.
func (c Provision) sound() bool {
	known := 0
	for _, b := range credit.Buckets() {
		if p, ok := c.Principal[b]; ok && p >= 0 {
			known++
		}
	}
	return known == len(c.Principal)
}

// provide posts what the allowance lacked at the month end, or releases its excess. A
// charge-off may have used what is released late: in that case as much is provided again
// today, unless the next month end is over too and does it.
func provide(d *credit.Draft, c Provision) {
	x, held := d.State.TheLender(), d.Allowance()
	missing := x.Settings.Target(c.Principal).Sub(held.Sub(movedSince(x, c.On)))
	provision(d, c, c.On, missing)
	if left := held.Add(missing); missing < 0 && left < 0 && (c.On+1).EndOfMonth() >= d.Env.Today() {
		provision(d, c, d.Env.Today(), min(-left, -missing))
	}
}

// provision adds to the allowance with a day as value date.
func provision(d *credit.Draft, c Provision, on calendar.Date, amount money.Amount) {
	event := credit.EntryProvided
	if amount < 0 {
		event = credit.EntryReleased
	}
	if amount != 0 {
		d.Entry(event, c.On.String(), on, ledger.Posting{Account: ledger.ProvisionAndLosses, Amount: amount},
			ledger.Posting{Account: ledger.Allowance, Amount: -amount})
	}
}

// ProvisionPart is what an order contributes at a month end: its unpaid principal and its
// bucket. The loan must be in its state at that time. An installment with a collection date
// after the day is not late, because its debit is in progress (F10). An order that the lender
// has not funded, or that is charged off, contributes nothing.
func ProvisionPart(o *credit.Order, l *schedule.Loan, on calendar.Date) (credit.Bucket, money.Amount) {
	if o.Terms == nil || o.Terms.Unfunded || l.ChargedOff {
		return credit.BucketCurrent, 0
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
	return lending.BucketOf(l.DPDRelieved(on, relief)), unpaid
}
