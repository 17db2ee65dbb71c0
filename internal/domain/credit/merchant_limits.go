package credit

import (
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

// Settled notes that a merchant has settled a part of what it owed: netted from a payout,
// remitted, paid or debited. A debit that comes back takes it off again.
func (d *Draft) Settled(merchant string, amount money.Amount) {
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
