package store

import (
	"fmt"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// DueTotalKey is what the totals of due dates distinguish. HeldFrom and HeldDays are the dispute holds
// of orders whose oldest unpaid amount is due then, 0 if they have none: the beginning, in days since
// 1970-01-01, and how many days do not count.
type DueTotalKey struct {
	Date     calendar.Date // the business date of the change
	Due      calendar.Date
	HeldFrom int64
	HeldDays int64
	Currency money.Currency
}

// DueTotalRow adds up how a day's commands changed what is due on a date: reports of any day add
// the days up to it. What the lender has not funded, or has charged off, is left out.
type DueTotalRow struct {
	DueTotalKey
	Scheduled    money.Amount // principal and charge of the installments due then, paid or not
	Principal    money.Amount // unpaid, of the installments due then
	Charge       money.Amount // the same
	Installments int64        // that are not paid in full
	Orders       int64        // whose oldest unpaid amount is due then (F10)
	Exposure     money.Amount // the whole unpaid principal of these orders
}

// Plus adds another row of the same key.
func (r DueTotalRow) Plus(x DueTotalRow) DueTotalRow {
	r.Scheduled, r.Principal, r.Charge = r.Scheduled.Add(x.Scheduled), r.Principal.Add(x.Principal), r.Charge.Add(x.Charge)
	r.Installments, r.Orders, r.Exposure = r.Installments+x.Installments, r.Orders+x.Orders, r.Exposure.Add(x.Exposure)
	return r
}

// Times returns the row with its figures multiplied: by -1 to take it back.
func (r DueTotalRow) Times(n int64) DueTotalRow {
	by := money.Amount(n)
	r.Scheduled, r.Principal, r.Charge, r.Exposure = by*r.Scheduled, by*r.Principal, by*r.Charge, by*r.Exposure
	r.Installments, r.Orders = n*r.Installments, n*r.Orders
	return r
}

// Empty reports whether all figures are zero.
func (r DueTotalRow) Empty() bool { return r == DueTotalRow{DueTotalKey: r.DueTotalKey} }

// DPD is the days past due on a day of the orders whose oldest unpaid amount is due then (F10,
// F18): days of a hold do not count, and what is due on a day without banking is not late before it
// could be collected (F5).
func (k DueTotalKey) DPD(on calendar.Date) int {
	if schedule.Collection(k.Due) > on {
		return 0
	}
	days := k.Due.DaysUntil(on)
	if k.HeldDays > 0 {
		from := calendar.Date(k.HeldFrom)
		days -= max(0, min(from.DaysUntil(on), int(k.HeldDays)))
	}
	return max(0, days)
}

// DueTotalsOf calls fn with what an order adds to the totals of due dates. Without a loan it is
// nothing.
func DueTotalsOf(o *credit.Order, l *schedule.Loan, fn func(DueTotalRow)) {
	if o == nil || l == nil || o.Terms == nil || o.Terms.Unfunded || l.ChargedOff {
		return
	}
	oldest := calendar.None
	older := func(on calendar.Date) {
		if oldest == calendar.None || on < oldest {
			oldest = on
		}
	}
	for _, r := range l.Rows {
		x := DueTotalRow{DueTotalKey: DueTotalKey{Due: r.DueDate, Currency: o.Currency}}
		if !r.Canceled {
			x.Scheduled = r.Amount()
		}
		if r.Unpaid() > 0 {
			x.Principal, x.Charge, x.Installments = r.Principal-r.PaidPrincipal, r.Charge-r.PaidCharge, 1
			older(r.DueDate)
		}
		if !x.Empty() {
			fn(x)
		}
	}
	for _, f := range l.Fees {
		if f.Kind == schedule.OtherReceivable && f.Unpaid() > 0 {
			older(f.Date)
		}
	}
	if oldest != calendar.None {
		x := DueTotalRow{DueTotalKey: held(oldest, o.Servicing.Holds), Orders: 1, Exposure: l.UnpaidPrincipal()}
		x.Currency = o.Currency
		fn(x)
	}
}

// held is the key of an order whose oldest unpaid amount is due on a day. Holds before the last one are
// over, so they count as if they had come right before it.
func held(due calendar.Date, holds []credit.Hold) DueTotalKey {
	k := DueTotalKey{Due: due}
	for _, h := range holds {
		from := max(due, h.From)
		if days := int64(max(0, from.DaysUntil(h.To))); days > 0 {
			k.HeldFrom, k.HeldDays = int64(from)-k.HeldDays, k.HeldDays+days
		}
	}
	return k
}

// DueMoves returns how a command changes the totals of due dates, given the state that it was
// decided on. The rows have no business date.
func DueMoves(before *credit.State, c *credit.Changes) []DueTotalRow {
	var moves latest[DueTotalKey, DueTotalRow]
	add := func(o *credit.Order, l *schedule.Loan, sign int64) {
		DueTotalsOf(o, l, func(x DueTotalRow) {
			row, _ := moves.find(x.DueTotalKey)
			*row = x.Times(sign).Plus(*row)
		})
	}
	loans := make(map[string]*schedule.Loan, len(c.Loans))
	for _, l := range c.Loans {
		loans[l.Key] = l
	}
	change := func(key string, o *credit.Order) {
		was, old := before.Orders[key], before.Loans[key]
		l := old
		if x, changed := loans[key]; changed {
			l = x
			delete(loans, key)
		}
		if o == nil {
			o = was
		}
		if l == old && (was == nil || o == was || slices.Equal(o.Servicing.Holds, was.Servicing.Holds)) {
			return
		}
		add(was, old, -1)
		add(o, l, 1)
	}
	for _, o := range c.Orders {
		change(o.Key, o)
	}
	for _, l := range c.Loans {
		if _, left := loans[l.Key]; left {
			change(l.Key, nil)
		}
	}
	return slices.DeleteFunc(moves.rows, DueTotalRow.Empty)
}

// DueTotals is the table of the totals of due dates, folded once per batch.
var DueTotals = Table[DueTotalRow]{
	Name: "due_totals", Key: 5,
	Columns: []Column[DueTotalRow]{
		day("book_date", func(r *DueTotalRow) *calendar.Date { return &r.Date }),
		day("due_date", func(r *DueTotalRow) *calendar.Date { return &r.Due }),
		integer("held_from", func(r *DueTotalRow) *int64 { return &r.HeldFrom }),
		integer("held_days", func(r *DueTotalRow) *int64 { return &r.HeldDays }),
		text("currency", func(r *DueTotalRow) *money.Currency { return &r.Currency }),
		integer("scheduled", func(r *DueTotalRow) *money.Amount { return &r.Scheduled }),
		integer("principal", func(r *DueTotalRow) *money.Amount { return &r.Principal }),
		integer("charge", func(r *DueTotalRow) *money.Amount { return &r.Charge }),
		integer("installments", func(r *DueTotalRow) *int64 { return &r.Installments }),
		integer("orders", func(r *DueTotalRow) *int64 { return &r.Orders }),
		integer("exposure", func(r *DueTotalRow) *money.Amount { return &r.Exposure }),
	},
}

// DueTotalsAt calls fn with the totals of each due date as of the end of a business day, in no
// order; None: as of now.
func DueTotalsAt(v View, on calendar.Date, fn func(DueTotalRow)) error {
	var q Query
	q.days("book_date", nil, calendar.None, on)
	figures := []string{"scheduled", "principal", "charge", "installments", "orders", "exposure"}
	s := Sums{From: RowsOf(&DueTotals), Where: q.Where, By: []string{"due_date", "held_from", "held_days", "currency"}}
	for _, f := range figures {
		s.Of = append(s.Of, Aggregate{Sum, f})
	}
	err := v.Sum(s, func(by, of []Value) error {
		fn(DueTotalRow{
			DueTotalKey: DueTotalKey{Date: on, Due: calendar.Date(by[0].Int), HeldFrom: by[1].Int, HeldDays: by[2].Int, Currency: money.Currency(by[3].Text)},
			Scheduled:   money.Amount(of[0].Int), Principal: money.Amount(of[1].Int), Charge: money.Amount(of[2].Int),
			Installments: of[3].Int, Orders: of[4].Int, Exposure: money.Amount(of[5].Int),
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("totals of due dates: %w", err)
	}
	return nil
}
