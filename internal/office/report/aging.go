// Package report computes figures about the whole book from totals that are kept with each command,
// so that none takes longer on a larger book: what is late, what will be due, and what cash to
// expect. It only reads.
//
// Files:
//
//	aging.go  principal by days past due, of any day    rows.go  the orders and installments behind
//	cash.go   the next weeks' cash                      today.go collections, returns, deliveries
package report

import (
	"fmt"

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

// Months is the aging at the ends of the last months that are over, oldest first, and of today. It
// begins with the first month with orders.
func Months(v store.View, today calendar.Date, n int) ([]Month, error) {
	a, out := ages{}, []Month(nil)
	end := today.StartOfMonth().AddMonths(1 - n).AddDays(-1)
	err := store.Each(v, &store.DueTotals, func(x store.DueTotalRow) error { // in order of book dates
		for ; end < today && x.Date > end; end = (end + 1).EndOfMonth() {
			out = append(out, a.on(end))
		}
		x.Date = 0
		a.add(x)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	for ; end < today; end = (end + 1).EndOfMonth() {
		out = append(out, a.on(end))
	}
	for len(out) > 0 && out[0].Total(false) == (Band{}) {
		out = out[1:]
	}
	return append(out, a.on(today)), nil
}

// Roll is which share of a bucket's principal is one bucket worse a month later, as the flow between
// two month ends: what the worse bucket holds at the end over what the bucket held at the beginning.
// It has no share where the bucket was empty.
type Roll struct {
	From, To credit.Bucket
	Was, Is  money.Amount
}

// PerMille is the share in tenths of a percent; false if there was nothing.
func (r Roll) PerMille() (int64, bool) {
	if r.Was <= 0 {
		return 0, false
	}
	return int64(money.Fraction{Num: 1000, Den: int64(r.Was)}.Of(r.Is)), true
}

// Rolls are the flows from one month's buckets into the next one's worse buckets.
func Rolls(was, is Month) (out []Roll) {
	for i := range was.Bands[:len(was.Bands)-1] {
		out = append(out, Roll{From: was.Bands[i].Bucket, To: is.Bands[i+1].Bucket, Was: was.Bands[i].Principal, Is: is.Bands[i+1].Principal})
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
