package years

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/report"
	"tenor/internal/proof/sim"
)

// pagesOfLateOrders: a list of late orders had several pages.
const pagesOfLateOrders sim.Situation = "late orders on several pages"

// aged: once nothing is overdue, the report of principal by days past due is what every loan shows
// when its events are replayed (F17, F18, F34), and what is behind it adds up to it. How it was on
// earlier days is for verify, which produces each day's totals from the log: a replay serves a day that
// the schedulers served late as if they had been on time.
func (y *Years) aged(b *sim.Books) error {
	today := y.zone.Date(y.Clock.Now())
	return y.Faulty.Backend.View(context.Background(), func(v store.View) error {
		want, err := y.principalOn(v, b, today)
		if err != nil {
			return err
		}
		got, err := report.Aging(v, today)
		if err != nil {
			return err
		}
		for _, band := range got.Bands {
			if band != want[band.Bucket] {
				return fmt.Errorf("F18: %s is %d orders with %s, the loans show %d with %s", band.Bucket, band.Orders, band.Principal, want[band.Bucket].Orders, want[band.Bucket].Principal)
			}
		}
		return errors.Join(y.listed(v, b, today), y.dueRows(v, b, today))
	})
}

// listed: the orders behind each bucket are as many, and owe as much, as the bucket says.
func (y *Years) listed(v store.View, b *sim.Books, today calendar.Date) error {
	for _, l := range b.Loans {
		if slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.Kind == schedule.OtherReceivable && f.Unpaid() > 0 }) {
			return nil // such an order is as late as its fee, and listed by its installments
		}
	}
	now, err := report.Aging(v, today)
	if err != nil {
		return err
	}
	for _, band := range now.Bands {
		sum := report.Band{Bucket: band.Bucket}
		after := &store.DuePlace{Due: calendar.None}
		for after != nil {
			var rows []report.AgedOrder
			if rows, after, err = report.AgedOrders(v, today, band.Bucket, *after, 3); err != nil {
				return err
			}
			for _, x := range rows {
				sum.Orders, sum.Principal = sum.Orders+1, sum.Principal.Add(x.Principal)
			}
		}
		y.reach(band.Late() && band.Orders > 3, pagesOfLateOrders)
		if sum != band {
			return fmt.Errorf("F18: the list of %s has %d orders with %s, the report %d with %s", band.Bucket, sum.Orders, sum.Principal, band.Orders, band.Principal)
		}
	}
	return nil
}

// dueRows: what falls due in each week is what the schedules show, and what is listed.
func (y *Years) dueRows(v store.View, b *sim.Books, today calendar.Date) error {
	for from := today.AddDays(-70); from < today.AddDays(70); from += 7 {
		var want, listed report.Due
		for key, l := range b.Loans {
			if l.ChargedOff || b.Orders[key].Terms.Unfunded {
				continue
			}
			for _, r := range l.Rows {
				if r.DueDate >= from && r.DueDate < from+7 && r.Unpaid() > 0 {
					want.Installments, want.Amount = want.Installments+1, want.Amount.Add(r.Unpaid())
				}
			}
		}
		got, err := report.DueBetween(v, today, from, from+6)
		if err != nil {
			return err
		}
		for after := (&store.DuePlace{Due: calendar.None}); after != nil; {
			var rows []report.DueInstallment
			if rows, after, err = report.DueInstallments(v, from, from+6, *after, 2); err != nil {
				return err
			}
			for _, x := range rows {
				listed.Installments, listed.Amount = listed.Installments+1, listed.Amount.Add(x.Row.Unpaid())
			}
		}
		if got != want || listed != want {
			return fmt.Errorf("due in the week from %s: %v by the report, %v listed, %v by the schedules", from, got, listed, want)
		}
	}
	return nil
}

// principalOn sums what every order owed at the end of a day, by bucket.
func (y *Years) principalOn(v store.View, b *sim.Books, day calendar.Date) (map[credit.Bucket]report.Band, error) {
	sums := map[credit.Bucket]report.Band{}
	for _, bucket := range credit.Buckets() {
		sums[bucket] = report.Band{Bucket: bucket}
	}
	end := y.zone.Start(day + 1).Add(-time.Microsecond)
	keys := map[int64][]string{}
	for key, o := range b.Orders {
		if o.Captured > 0 && !o.CapturedAt.After(end) {
			keys[o.Company] = append(keys[o.Company], key)
		}
	}
	for id, list := range keys {
		loans, err := store.LoansAt(v, b.Companies[id], list, end, day)
		if err != nil {
			return nil, err
		}
		for _, key := range list {
			bucket, principal := compliance.ProvisionPart(b.Orders[key], loans[key], day)
			if !b.Orders[key].Terms.Unfunded && !loans[key].ChargedOff && owes(loans[key]) {
				x := sums[bucket]
				x.Orders, x.Principal = x.Orders+1, x.Principal.Add(principal)
				sums[bucket] = x
			}
		}
	}
	return sums, nil
}

// owes reports whether anything of a loan is unpaid that can be past due.
func owes(l *schedule.Loan) bool {
	return slices.ContainsFunc(l.Rows, func(r schedule.Row) bool { return r.Unpaid() > 0 }) ||
		slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.Kind == schedule.OtherReceivable && f.Unpaid() > 0 })
}
