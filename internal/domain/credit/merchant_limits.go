package credit

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Limits bound what the lender stands to lose by a merchant, in cents. They are the
// merchant's, not of a program's version: an order does not keep those of its day.
type Limits struct {
	// Exposure bounds the unpaid principal of its orders with what it owes on 1200 and 1210
	// (F41.12); 0: DefaultExposure.
	Exposure money.Amount `json:"exposure,omitzero"`
	// Due bounds what it owes on 1200 and 1210 together (F41.6); 0: the larger of DefaultDue
	// and twice what was settled of it in the last 30 days.
	Due money.Amount `json:"due,omitzero"`
}

// The limits of a merchant for which staff have set none, in cents.
const (
	DefaultExposure money.Amount = 50_000_00
	DefaultDue      money.Amount = 10_000_00
)

// Unlimited is a limit that no merchant reaches, in cents: the exposure of a sandbox's and of
// a benchmark's merchants.
const Unlimited money.Amount = 9_000_000_000_000_000

// settledDays is for how many days what a merchant has settled raises what it may owe.
const settledDays = 30

// SettledDay is how much of what a merchant owed was netted or remitted on a day.
type SettledDay struct {
	Day    calendar.Date `json:"day"`
	Amount money.Amount  `json:"amount"`
}

// ExposureLimit is the limit of F41.12 that holds.
func (m *Merchant) ExposureLimit() money.Amount {
	if m.Limits.Exposure != 0 {
		return m.Limits.Exposure
	}
	return DefaultExposure
}

// DueLimit is the limit of F41.6 that holds on a day.
func (m *Merchant) DueLimit(today calendar.Date) money.Amount {
	if m.Limits.Due != 0 {
		return m.Limits.Due
	}
	settled := m.SettledSince(today.AddDays(1 - settledDays))
	if settled > Unlimited/2 {
		return Unlimited
	}
	return max(DefaultDue, settled.Add(settled))
}

// SettledSince sums what the merchant's payouts have netted and what it has sent since a
// day, that one included, of the last 30 days.
func (m *Merchant) SettledSince(day calendar.Date) money.Amount {
	sum := money.Amount(0)
	for _, x := range m.Settled {
		if x.Day >= day {
			sum = sum.Add(x.Amount)
		}
	}
	return sum
}

// settled notes that a merchant has settled a part of what it owed: netted from a payout,
// remitted, paid or debited. A debit that comes back takes it off again.
func (d *Draft) settled(merchant string, amount money.Amount) {
	if amount == 0 {
		return
	}
	m := d.Merchants.Edit(merchant)
	days := make([]SettledDay, 0, len(m.Settled)+1)
	for _, x := range m.Settled {
		if x.Day > d.Env.Today().AddDays(-settledDays) {
			days = append(days, x)
		}
	}
	if n := len(days); n == 0 || days[n-1].Day != d.Env.Today() {
		days = append(days, SettledDay{Day: d.Env.Today()})
	}
	last := &days[len(days)-1]
	last.Amount = last.Amount.Add(amount)
	m.Settled = days
}

// OwesSince is the day of the oldest cent that the merchant owes, None if it owes nothing by
// its position. It is that of the last daily run, or of what has settled a part since.
func (m *Merchant) OwesSince(p Position) calendar.Date {
	if p.Due() == 0 {
		return calendar.None
	}
	return m.OwedSince
}

// noteOwed keeps since when the merchant owes, of the lines that are seen of it. What is
// owed is younger than what was seen before, so between two commands that see the lines the
// day can only be too early.
func (d *Draft) noteOwed(merchant string) {
	since := calendar.None
	see := func(l *PayoutLine) {
		if l.Merchant == merchant && l.Kind.Owes() && l.waits() && l.Amount > 0 && (since == calendar.None || l.Due < since) {
			since = l.Due
		}
	}
	for _, id := range d.State.Waiting[merchant] {
		see(d.Lines.Peek(id))
	}
	for _, l := range d.Changes.Lines {
		see(l)
	}
	if d.Merchants.Peek(merchant).OwedSince != since {
		d.Merchants.Edit(merchant).OwedSince = since
	}
}

// SetMerchantLimits sets both limits of a merchant, each 0 for the default. Staff say why.
// Result is the *Merchant.
type SetMerchantLimits struct {
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match,omitzero"` // versions in quotes; nil: any
	Limits   Limits   `json:"limits"`
	Reason   string   `json:"reason"`
}

func (SetMerchantLimits) Name() string { return "merchant.limits" }

// Keys asks for the merchant.
func (c SetMerchantLimits) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

// Admit hides the merchant from everybody but the operator.
func (c SetMerchantLimits) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such merchant.")
	}
	return admitMerchant(s, c.Merchant)
}

func (c SetMerchantLimits) Decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	if r := MatchVersion(c.IfMatch, m.Version); r != nil {
		return Changes{}, r
	}
	if r := c.Limits.check(); r != nil {
		return Changes{}, r
	}
	if c.Reason == "" {
		return Changes{}, ValidationFailed.Because("Changing limits requires a reason.")
	}
	if m.Limits == c.Limits {
		return Changes{Result: m}, nil
	}
	d := NewDraft(s, e)
	m = d.Merchants.Edit(c.Merchant)
	m.Limits = c.Limits
	return d.Done(m, false), nil
}

// check asks that limits are amounts.
func (l Limits) check() *Rejection {
	if l.Exposure < 0 || l.Exposure > Unlimited || l.Due < 0 || l.Due > Unlimited {
		return ValidationFailed.Because(fmt.Sprintf("A limit must be from 0.01 to %s.", Unlimited))
	}
	return nil
}
