package clockwork

import (
	"context"
	"fmt"
	"sync/atomic"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// CutOffHour is the hour of a banking day, in the business zone, at which files are
// made and merchants are paid (F22, F32).
const CutOffHour = 16

// The settings that remember the last civil date on which a daily job was done.
const (
	doneOfPayouts   = "clockwork/payouts"
	doneOfClawbacks = "clockwork/clawbacks"
)

// payouts pays merchants, once each banking day at its cut-off. A run that was cut off
// goes on where it was: a line that has been paid waits no more.
func (t *turn) payouts(ctx context.Context, r *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	if !today.IsBankingDay() || t.now.Before(t.s.cfg.Zone.At(today, CutOffHour, 0)) {
		return nil
	}
	return t.daily(ctx, doneOfPayouts, today, func() error {
		var merchants []string
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			merchants, err = v.DueMerchants(today)
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list due merchants: %w", err)
		}
		var made, screened atomic.Int64
		err := together(ctx, t.s.cfg.InFlight, len(merchants), func(ctx context.Context, i int) error {
			found, err := t.screenPaid(ctx, merchants[i])
			if err != nil {
				return fmt.Errorf("clockwork: screen %s: %w", merchants[i], err)
			}
			screened.Add(int64(found))
			n, err := t.pay(ctx, merchants[i])
			made.Add(int64(n))
			if err != nil {
				return fmt.Errorf("clockwork: pay %s: %w", merchants[i], err)
			}
			return nil
		})
		r.Payouts += int(made.Load())
		r.Screenings += int(screened.Load())
		return err
	})
}

// screenPaid screens a merchant before it is paid (F29): a payout waits for the review.
func (t *turn) screenPaid(ctx context.Context, merchant string) (int, error) {
	if t.s.cfg.Sanctions == nil {
		return 0, nil
	}
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error { return v.Load(s, credit.Keys{Merchants: []string{merchant}}) }); err != nil {
		return 0, err
	}
	var r Report
	err := t.record(ctx, credit.RecordScreening{Merchant: merchant, Names: merchantNames(s.Merchants[merchant])}, &r)
	return r.Screenings, err
}

// pay makes payouts for a merchant until nothing waits that one could hold.
func (t *turn) pay(ctx context.Context, merchant string) (n int, err error) {
	for {
		made, changed, err := t.make(ctx, credit.PayMerchant{Merchant: merchant})
		if err != nil || !changed {
			return n, err
		}
		if _, paid := made.(*credit.Payout); paid { // else what it owes was put together
			n++
		}
	}
}

// clawbacks debits and writes off what merchants have owed too long, once a day.
func (t *turn) clawbacks(ctx context.Context, r *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	return t.daily(ctx, doneOfClawbacks, today, func() error {
		var merchants []string
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			merchants, err = v.AgedMerchants(today)
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list merchants that owe: %w", err)
		}
		return together(ctx, t.s.cfg.InFlight, len(merchants), func(ctx context.Context, i int) error {
			for changed := true; changed; {
				var err error
				if _, changed, err = t.make(ctx, credit.AgeClawbacks{Merchant: merchants[i]}); err != nil {
					return fmt.Errorf("clockwork: age clawbacks of %s: %w", merchants[i], err)
				}
			}
			return nil
		})
	})
}

// daily does a job at most once to its end on a civil date, and again if it was not
// done to its end.
func (t *turn) daily(ctx context.Context, name string, day calendar.Date, job func() error) error {
	done, _, err := t.s.cfg.Backend.Setting(ctx, name)
	if err != nil || string(done) >= day.String() {
		return err
	}
	if err := job(); err != nil {
		return err
	}
	return t.s.cfg.Backend.PutSetting(ctx, name, []byte(day.String()))
}
