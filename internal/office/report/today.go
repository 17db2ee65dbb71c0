package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails/ach"
)

// Collections are the debits of a day, and the returns that the network counts.
type Collections struct {
	Due      Due // today, not paid
	Sent     Debits
	Settled  Debits // by bank and card
	Returned []Code // today, the most frequent first
	Rates    []ach.Rate
}

// Debits is a number of debits and their amount.
type Debits struct {
	Count  int64
	Amount money.Amount
}

// Code counts the debits that came back with a return code.
type Code struct {
	Code  string
	Count int
}

// CollectionsOf reads what was sent, settled and returned on a day, and the returns of the days that
// the network looks back over.
func CollectionsOf(v store.View, zone calendar.Zone, today calendar.Date) (x Collections, err error) {
	if x.Due, err = DueBetween(v, today, today, today); err != nil {
		return x, err
	}
	if x.Sent.Count, x.Sent.Amount, err = store.DebitsSent(v, zone.Start(today)); err != nil {
		return x, fmt.Errorf("report: %w", err)
	}
	for _, event := range []string{settled, "CARD_SETTLED"} {
		if err := store.EventDays(v, event, today, today, func(d store.DayTotalRow) {
			x.Settled.Count, x.Settled.Amount = x.Settled.Count+d.Postings, x.Settled.Amount.Add(d.Debits)
		}, ledger.Cash); err != nil {
			return x, fmt.Errorf("report: %w", err)
		}
	}
	codes, err := store.DebitReturnsSince(v, zone.Start(today))
	if err != nil {
		return x, fmt.Errorf("report: %w", err)
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		x.Returned = append(x.Returned, Code{code, codes[code]})
	}
	slices.SortStableFunc(x.Returned, func(a, b Code) int { return cmp.Compare(b.Count, a.Count) })
	x.Rates, err = Returns(v, Since(zone, zone.Start(today)))
	return x, err
}

// Since is the instant from which debits and returns count toward the return rates (F22).
func Since(zone calendar.Zone, now time.Time) time.Time {
	return zone.Start(zone.Date(now).AddDays(-ach.WindowDays))
}

// Returns are the shares of debits that came back since an instant, with the network's limits (F22).
func Returns(v store.View, since time.Time) ([]ach.Rate, error) {
	debits, err := store.DebitsSince(v, since)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	returned, err := store.DebitReturnsSince(v, since)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return ach.Rates(returned, debits), nil
}

// Use is how much of the credit that the lender has granted is used.
type Use struct {
	Used, Limit money.Amount
	Merchants   []*credit.Position // by what orders at them owe, the most first
}

// UseOf adds up the limits of companies with a line, and what all orders owe.
func UseOf(v store.View) (u Use, err error) {
	limits, err := store.Limits(v)
	if err != nil {
		return u, fmt.Errorf("report: %w", err)
	}
	for _, status := range []credit.CompanyStatus{credit.CompanyApproved, credit.CompanyOnHold, credit.CompanySuspended} {
		u.Limit = u.Limit.Add(limits[status])
	}
	if err := store.Each(v, &store.Positions, func(x store.PositionRow) error {
		u.Used = u.Used.Add(x.Principal)
		if x.Principal > 0 {
			u.Merchants = append(u.Merchants, x.Position)
		}
		return nil
	}); err != nil {
		return u, fmt.Errorf("report: %w", err)
	}
	slices.SortStableFunc(u.Merchants, func(a, b *credit.Position) int { return cmp.Compare(b.Principal, a.Principal) })
	return u, nil
}
