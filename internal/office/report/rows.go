package report

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// AgedOrder is an order of a bucket.
type AgedOrder struct {
	Order     *credit.Order
	Due       calendar.Date // of its oldest unpaid installment
	DPD       int
	Principal money.Amount // unpaid
}

// atOnce is how many installments are read at a time.
const atOnce = 200

// AgedOrders lists the orders of a bucket as of today, the oldest due date first, after a place; next
// is the place of the last one, nil at the end.
func AgedOrders(v store.View, today calendar.Date, bucket credit.Bucket, after store.DuePlace, limit int) (out []AgedOrder, next *store.DuePlace, err error) {
	from, to, err := dueRange(v, today, bucket)
	if err != nil {
		return nil, nil, fmt.Errorf("report: %w", err)
	}
	next, err = each(v, from, to, true, after, func(r store.InstallmentRow, o *credit.Order, l *schedule.Loan) bool {
		store.DueTotalsOf(o, l, func(x store.DueTotalRow) {
			if dpd := x.DPD(today); x.Orders > 0 && lending.BucketOf(dpd) == bucket {
				out = append(out, AgedOrder{o, r.DueDate, dpd, x.Exposure})
			}
		})
		return len(out) < limit
	})
	return out, next, err
}

// dueRange is between which dates the oldest unpaid installment of an order of a bucket is due. Days
// of a hold do not count, so an order with one may have it from longer ago.
func dueRange(v store.View, today calendar.Date, bucket credit.Bucket) (from, to calendar.Date, err error) {
	least, most := lending.BucketDays(bucket)
	from, to = calendar.None, today.AddDays(-least)
	if bucket == credit.BucketCurrent {
		most, to = 7, calendar.None // what could not be collected yet is not late
	}
	if most < 0 {
		return from, to, nil
	}
	from = today.AddDays(-most)
	err = store.DueTotalsAt(v, today, func(x store.DueTotalRow) {
		if x.HeldDays > 0 && x.Orders > 0 && lending.BucketOf(x.DPD(today)) == bucket {
			from = min(from, x.Due)
		}
	})
	return from, to, err
}

// DueInstallment is an installment with its order.
type DueInstallment struct {
	Row   schedule.Row
	Order *credit.Order
}

// DueInstallments lists what is due between two days, both included, and not paid in full, in order
// of dates, after a place; next is the place of the last one, nil at the end.
func DueInstallments(v store.View, from, to calendar.Date, after store.DuePlace, limit int) (out []DueInstallment, next *store.DuePlace, err error) {
	next, err = each(v, from, to, false, after, func(r store.InstallmentRow, o *credit.Order, l *schedule.Loan) bool {
		if o.Terms != nil && !o.Terms.Unfunded && !l.ChargedOff {
			out = append(out, DueInstallment{r.Row, o})
		}
		return len(out) < limit
	})
	return out, next, err
}

// each calls fn with the installments that are due between two dates, with their orders and loans,
// until it returns false; then it returns the place of that one.
func each(v store.View, from, to calendar.Date, oldest bool, after store.DuePlace, fn func(store.InstallmentRow, *credit.Order, *schedule.Loan) bool) (*store.DuePlace, error) {
	for {
		rows, err := store.ListDueInstallments(v, from, to, oldest, after, atOnce)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		s, k := credit.NewState(), credit.Keys{}
		for _, r := range rows {
			k.Orders = append(k.Orders, r.Order)
		}
		if err := v.Load(s, k); err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		for _, r := range rows {
			after = r.PlaceOf()
			if !fn(r, s.Orders[r.Order], s.Loans[r.Order]) {
				return &after, nil
			}
		}
		if len(rows) < atOnce {
			return nil, nil
		}
	}
}
