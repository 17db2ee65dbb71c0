package clockwork_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/clockwork"
	"tenor/internal/proof/suite"
)

// Ten years of hourly ticks, with their leap days, their nights of 23 and of 25 hours and
// their month ends, on a clock that runs by itself: two schedulers poll on each, and
// everything happens once. An order of January 31 is collected twelve times, its merchant
// paid one banking day later, and nothing is left over (TM2, SC3). With every change the first
// two years pass, whose first has a leap day.
func TestTenYearsOfTicks(t *testing.T) {
	years := suite.By(2, 10)
	if testing.Short() {
		years = 1
	}
	synctest.Test(t, func(t *testing.T) { // the bubble begins on January 1, 2000
		w := newWorldOn(t, "2000-01-01 09:00", memory.New())
		w.clock.Resume()
		harbor := w.merchant("Harbor Supply", twelve(12))
		alder := w.company("Alder Kitchens", "100000000", harbor)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for _, node := range []string{"first", "second"} {
			s := w.schedulerWith(clockwork.Config{Backend: w.db, Submit: w.eng, Node: node, Poll: time.Hour})
			running.Go(func() {
				if err := s.Run(ctx); err != nil {
					t.Errorf("%s: %v", node, err)
				}
			})
		}
		for year := range years {
			time.Sleep(w.instant(fmt.Sprintf("%d-01-31 12:30", 2000+year)).Sub(w.clock.Now()))
			w.capture(harbor, w.order(harbor, alder, fmt.Sprint("PO-", year), 1200_00, 12, false))
		}
		time.Sleep(w.instant(fmt.Sprintf("%d-02-20 12:30", 2000+years)).Sub(w.clock.Now()))
		stop()
		running.Wait()
		w.collectedOnce(years)
	})
}

// collectedOnce checks that each order of January 31 was collected in twelve debits, for
// the last days of their months, and its merchant paid once.
func (w *world) collectedOnce(orders int) {
	w.t.Helper()
	w.view(func(v store.View) error {
		debits := map[string]int{}
		page := store.Page{Limit: 100}
		for {
			list, err := store.ListPayments(v, store.PaymentFilter{From: calendar.None, To: calendar.None}, page)
			if err != nil {
				return err
			}
			for _, p := range list {
				debits[p.Order]++
				if p.Status != credit.PaymentSucceeded || !p.Autopay || p.Attempt != 1 || !p.ScheduledDate.IsBankingDay() || p.EffectiveDate != p.EffectiveDate.EndOfMonth() {
					w.t.Errorf("%+v", p)
				}
				page.AfterAt, page.AfterID = p.CreatedAt, p.ID
			}
			if len(list) < page.Limit {
				break
			}
		}
		for order, n := range debits {
			state := credit.NewState()
			if err := v.Load(state, credit.Keys{Orders: []string{order}}); err != nil {
				return err
			}
			if o := state.Orders[order]; n != 12 || o.Financing != credit.FinancingPaidOff {
				w.t.Errorf("%s of %s: %d debits, %s", o.MerchantOrderID, o.CreatedAt, n, o.Financing)
			}
		}
		if n := w.payouts(); len(debits) != orders || n != orders {
			w.t.Errorf("%d orders were collected, %d payouts made", len(debits), n)
		}
		return nil
	})
}
