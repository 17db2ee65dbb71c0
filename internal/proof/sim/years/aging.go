package years

import (
	"context"
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

// agedDays is how many days apart the days are whose aging is computed from every loan.
const agedDays = 23

// agedInThePast: orders were late on a day long before the end, which the report remembers.
const agedInThePast sim.Situation = "late orders of an earlier day reported"

// aged: the report of principal by days past due is, on days of the whole life, what every loan
// shows as it stood at the end of that day (F17, F18).
func (y *Years) aged(b *sim.Books) error {
	today := y.zone.Date(y.Clock.Now())
	return y.Faulty.Backend.View(context.Background(), func(v store.View) error {
		for day := today; day > today.AddDays(-y.days); day -= agedDays {
			want, err := y.principalOn(v, b, day)
			if err != nil {
				return err
			}
			got, err := report.Aging(v, day)
			if err != nil {
				return err
			}
			for _, band := range got.Bands {
				y.reach(day < today && band.Late() && band.Orders > 0, agedInThePast)
				if band != want[band.Bucket] {
					return fmt.Errorf("F18: on %s %s is %d orders with %s, the loans show %d with %s", day, band.Bucket, band.Orders, band.Principal, want[band.Bucket].Orders, want[band.Bucket].Principal)
				}
			}
		}
		return nil
	})
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
