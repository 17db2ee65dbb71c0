package report

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

const (
	// Weeks is how many weeks the forecast of cash has, and Past how many it looks back.
	Weeks, Past = 13, 4
	// sample is over how many days collections and returns are measured.
	sample = 90
)

// Due is what falls due between two days and is not paid.
type Due struct {
	Installments int64
	Amount       money.Amount // principal and charge
}

// DueBetween adds up what falls due between two days, both included, as of the end of a day. Fees
// are left out.
func DueBetween(v store.View, on, from, to calendar.Date) (Due, error) {
	d, err := duesAt(v, on)
	return d.between(from, to), err
}

// Week is a week of the forecast, by due dates.
type Week struct {
	From, To calendar.Date
	Due      Due          // not paid at the beginning of the week
	Expected money.Amount // the share of it that is collected
	Returned money.Amount // of that, what comes back
	Payouts  money.Amount // to merchants for what they have captured; unknown (0) for a past week
	In, Out  money.Amount // what account 1000 received and paid; 0 for a week to come
	Over     bool         // the week is over
}

// Net is the cash that a week to come is expected to bring.
func (w Week) Net() money.Amount { return w.Expected.Sub(w.Returned).Sub(w.Payouts) }

// Forecast is the cash to expect.
type Forecast struct {
	Weeks []Week // those that are over first
	// Collected is the share of what fell due in the last 90 days that is paid; Returned is the share
	// of settled debits of the last 90 days that came back.
	Collected, Returned money.Fraction
}

// Cash forecasts the cash of the next 13 weeks, the first of which is what is left of this one: what
// falls due, times the share of it that was collected in the last 90 days, less the share of that
// which came back, less payouts for what merchants have captured so far. For the last four weeks it
// is what would have been forecast on the day before, beside what the bank account did. What is past
// due already is not counted.
func Cash(v store.View, today calendar.Date) (Forecast, error) {
	monday := today.AddDays(-(int(today.Weekday()) + 6) % 7)
	var f Forecast
	for i := Past; i > 0; i-- {
		w := Week{From: monday.AddDays(-7 * i), Over: true}
		w.To = w.From.AddDays(6)
		if _, _, err := f.expect(v, w.From-1, []*Week{&w}); err != nil {
			return f, err
		}
		if err := moved(v, &w); err != nil {
			return f, err
		}
		f.Weeks = append(f.Weeks, w)
	}
	for i := range Weeks {
		f.Weeks = append(f.Weeks, Week{From: max(today, monday.AddDays(7*i)), To: monday.AddDays(7*i + 6)})
	}
	var coming []*Week
	for i := Past; i < len(f.Weeks); i++ {
		coming = append(coming, &f.Weeks[i])
	}
	var err error
	if f.Collected, f.Returned, err = f.expect(v, today, coming); err != nil {
		return f, err
	}
	if err := store.WaitingPayouts(v, func(due calendar.Date, left money.Amount) {
		for i, w := range coming {
			if due <= w.To || i == len(coming)-1 {
				w.Payouts = w.Payouts.Add(left)
				return
			}
		}
	}); err != nil {
		return f, fmt.Errorf("report: payouts: %w", err)
	}
	return f, nil
}

// expect fills in what weeks bring by what is known at the end of a day.
func (f *Forecast) expect(v store.View, on calendar.Date, weeks []*Week) (collected, returned money.Fraction, err error) {
	d, err := duesAt(v, on)
	if err != nil {
		return collected, returned, err
	}
	collected = d.collected(on.AddDays(-sample), on-1)
	if returned, err = returns(v, on.AddDays(1-sample), on); err != nil {
		return collected, returned, err
	}
	for _, w := range weeks {
		w.Due = d.between(w.From, w.To)
		w.Expected = collected.Of(w.Due.Amount)
		w.Returned = returned.Of(w.Expected)
	}
	return collected, returned, nil
}

// dues are the totals of due dates.
type dues map[calendar.Date]store.DueTotalRow

func duesAt(v store.View, on calendar.Date) (dues, error) {
	d := dues{}
	err := store.DueTotalsAt(v, on, func(x store.DueTotalRow) { d[x.Due] = x.Plus(d[x.Due]) })
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return d, nil
}

func (d dues) between(from, to calendar.Date) (sum Due) {
	for on, x := range d {
		if on >= from && on <= to {
			sum.Installments, sum.Amount = sum.Installments+x.Installments, sum.Amount.Add(x.Principal).Add(x.Charge)
		}
	}
	return sum
}

// collected is the share that is paid of what fell due between two days; all, if nothing did.
func (d dues) collected(from, to calendar.Date) money.Fraction {
	scheduled, unpaid := money.Amount(0), money.Amount(0)
	for on, x := range d {
		if on >= from && on <= to {
			scheduled, unpaid = scheduled.Add(x.Scheduled), unpaid.Add(x.Principal).Add(x.Charge)
		}
	}
	if scheduled <= 0 {
		return money.Fraction{Num: 1, Den: 1}
	}
	return money.Fraction{Num: int64(scheduled.Sub(unpaid)), Den: int64(scheduled)}
}

// Entries on account 1000 that settle debits, and that take them back.
const (
	settled  = "ACH_SETTLED"
	sentBack = "ACH_RETURNED"
)

// returns is the share of what debits brought between two days that debits took back.
func returns(v store.View, from, to calendar.Date) (money.Fraction, error) {
	sums := map[string]money.Amount{}
	for _, event := range []string{settled, sentBack} {
		if err := store.EventDays(v, event, from, to, func(x store.DayTotalRow) {
			sums[event] = sums[event].Add(x.Debits).Add(x.Credits)
		}, ledger.Cash); err != nil {
			return money.Fraction{}, fmt.Errorf("report: %w", err)
		}
	}
	if sums[settled] <= 0 {
		return money.Fraction{Num: 0, Den: 1}, nil
	}
	return money.Fraction{Num: int64(min(sums[sentBack], sums[settled])), Den: int64(sums[settled])}, nil
}

// moved fills in what account 1000 received and paid in a week.
func moved(v store.View, w *Week) error {
	return store.AccountDays(v, ledger.Cash, w.From, w.To, func(x store.DayTotalRow) {
		w.In, w.Out = w.In.Add(x.Debits), w.Out.Add(x.Credits)
	})
}
