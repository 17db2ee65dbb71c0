// Package report computes figures about the whole book from totals that are kept with each command,
// so that none takes longer on a larger book: what is late, what will be due, and what cash to
// expect. It only reads.
//
// Files:
//
//	aging.go  principal by days past due, of any day    rows.go  the orders and installments behind
//	cash.go   the next weeks' cash                      today.go collections, returns, credit in use
package report

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// Band is what the orders of a bucket of days past due owe (F18).
type Band struct {
	Bucket    credit.Bucket
	Orders    int64
	Principal money.Amount // unpaid
}

// Late reports whether the band's orders are past due.
func (b Band) Late() bool { return b.Bucket != credit.BucketCurrent }

// Month is the book's aging as of the end of a day: of a month, or of today.
type Month struct {
	On    calendar.Date
	Bands []Band // all buckets, best first
	Rolls []Roll // of the month before; nil for the first one
}

// Total adds up the bands: all, or the late ones.
func (m Month) Total(late bool) (sum Band) {
	for _, b := range m.Bands {
		if !late || b.Late() {
			sum.Orders, sum.Principal = sum.Orders+b.Orders, sum.Principal.Add(b.Principal)
		}
	}
	return sum
}

// Aging is the unpaid principal by days past due as of the end of a day, from what had been
// recorded by then. An installment that falls due on a day without banking is not late before it
// could be collected (F5); days of a dispute's hold do not count (F10). What the lender has not
// funded, or has charged off, is left out, as it is from provisions (F17).
func Aging(v store.View, on calendar.Date) (Month, error) {
	a := ages{}
	if err := store.DueTotalsAt(v, on, a.add); err != nil {
		return Month{}, fmt.Errorf("report: %w", err)
	}
	return a.on(on), nil
}

// Months is the aging at the ends of the last months that are over, oldest first, and of today, and
// how it got worse from one to the next. It begins with the first month with orders.
func Months(v store.View, today calendar.Date, n int) ([]Month, error) {
	a, was, out := ages{}, ages{}, []Month(nil)
	end := today.StartOfMonth().AddMonths(1 - n).AddDays(-1)
	take := func(on calendar.Date) {
		m := a.on(on)
		if len(out) > 0 {
			m.Rolls = rolls(was, a, out[len(out)-1], on)
		}
		if len(out) > 0 || m.Total(false) != (Band{}) {
			out = append(out, m)
		}
		was = maps.Clone(a)
	}
	err := store.Each(v, &store.DueTotals, func(x store.DueTotalRow) error { // in order of book dates
		for ; end < today && x.Date > end; end = (end + 1).EndOfMonth() {
			take(end)
		}
		a.add(x)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for ; end < today; end = (end + 1).EndOfMonth() {
		take(end)
	}
	m := a.on(today)
	if len(out) > 0 {
		m.Rolls = rolls(was, a, out[len(out)-1], today)
	}
	return append(out, m), nil
}

// Roll is how much of a bucket's principal is in a worse bucket at the next month end. Orders are
// followed by their oldest unpaid due date: whoever pays it, or is charged off, has not got worse.
type Roll struct {
	From       credit.Bucket
	Was, Worse money.Amount
}

// PerMille is the share in tenths of a percent; false if the bucket was empty.
func (r Roll) PerMille() (int64, bool) {
	if r.Was <= 0 {
		return 0, false
	}
	return int64(money.Fraction{Num: 1000, Den: int64(r.Was)}.Of(min(r.Worse, r.Was))), true
}

// rolls compares two days, the first of which was added up to from.
func rolls(was, is ages, from Month, on calendar.Date) (out []Roll) {
	all := credit.Buckets()
	worse := make([]money.Amount, len(all))
	for k, x := range is {
		before, after := slices.Index(all, lending.BucketOf(k.DPD(from.On))), slices.Index(all, lending.BucketOf(k.DPD(on)))
		if _, owed := was[k]; after > before && (owed || before == 0) { // what was not due yet may have been the next one
			worse[before] = worse[before].Add(x.Principal)
		}
	}
	for i, b := range from.Bands[:len(all)-1] {
		out = append(out, Roll{From: b.Bucket, Was: b.Principal, Worse: worse[i]})
	}
	return out
}

// ages are the totals of due dates with orders whose oldest unpaid amount is due then.
type ages map[store.DueTotalKey]Band

func (a ages) add(x store.DueTotalRow) {
	k := x.DueTotalKey
	k.Date = 0
	sum := a[k]
	sum.Orders, sum.Principal = sum.Orders+x.Orders, sum.Principal.Add(x.Exposure)
	if sum == (Band{}) {
		delete(a, k)
		return
	}
	a[k] = sum
}

func (a ages) on(day calendar.Date) Month {
	m := Month{On: day}
	for _, b := range credit.Buckets() {
		m.Bands = append(m.Bands, Band{Bucket: b})
	}
	for k, x := range a {
		bucket := lending.BucketOf(k.DPD(day))
		for i := range m.Bands {
			if b := &m.Bands[i]; b.Bucket == bucket {
				b.Orders, b.Principal = b.Orders+x.Orders, b.Principal.Add(x.Principal)
			}
		}
	}
	return m
}
