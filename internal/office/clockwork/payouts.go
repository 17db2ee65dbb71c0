package clockwork

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
)

// CutOffHour is the hour of a banking day, in the business zone, at which files are made
// and merchants are paid (F22, F32).
const CutOffHour = 16

// The settings that store the last civil date on which a daily job was done.
const (
	doneOfPayouts   = "clockwork/payouts"
	doneOfClawbacks = "clockwork/clawbacks"
)

// payouts pays merchants, once each banking day at its cut-off. An interrupted run
// continues where it stopped: a paid line no longer waits.
func (t *turn) payouts(ctx context.Context, r *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	if !today.IsBankingDay() || t.now.Before(t.s.cfg.Zone.At(today, CutOffHour, 0)) {
		return nil
	}
	return t.daily(ctx, doneOfPayouts, today, func() error {
		if err := t.changes(ctx, today); err != nil {
			return err
		}
		var shops []string
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			shops, err = store.ListDueMerchants(v, today)
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list due merchants: %w", err)
		}
		var made, screened atomic.Int64
		err := together(ctx, t.s.cfg.InFlight, len(shops), func(ctx context.Context, i int) error {
			paid, found, err := t.payScreened(ctx, shops[i])
			made.Add(int64(paid))
			screened.Add(int64(found))
			return err
		})
		r.Payouts += int(made.Load())
		r.Screenings += int(screened.Load())
		return err
	})
}

// changes puts account changes whose cooling-off period is over into effect, before
// merchants are paid (F41.12).
func (t *turn) changes(ctx context.Context, today calendar.Date) error {
	var all []*credit.Merchant
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
		all, err = store.AllMerchants(v)
		return err
	}); err != nil {
		return fmt.Errorf("clockwork: list merchants: %w", err)
	}
	for _, m := range all {
		if p := m.Account.Pending; p != nil && p.Due(today) {
			if _, err := t.patient(ctx, merchants.ConfirmMerchantAccount{Merchant: m.ID, ByTime: true}); err != nil {
				return fmt.Errorf("clockwork: account of %s: %w", m.ID, err)
			}
		}
	}
	return nil
}

// payScreened pays a merchant right after screening its names against the sanctions list
// (F29): a payout waits for the review. A merchant whose name changes in between is
// screened again.
func (t *turn) payScreened(ctx context.Context, merchant string) (paid, found int, err error) {
	for {
		var names []string
		if t.s.cfg.Sanctions != nil {
			m, err := t.merchant(ctx, merchant)
			if err != nil {
				return paid, found, err
			}
			names = m.Names()
			n, err := t.record(ctx, t.ofMerchant(m))
			if found += n; err != nil {
				return paid, found, fmt.Errorf("clockwork: screen %s: %w", merchant, err)
			}
		}
		n, err := t.pay(ctx, merchants.PayMerchant{Merchant: merchant, Names: names})
		if paid += n; err != nil {
			return paid, found, fmt.Errorf("clockwork: pay %s: %w", merchant, err)
		}
		if names == nil {
			return paid, found, nil
		}
		if m, err := t.merchant(ctx, merchant); err != nil || slices.Equal(names, m.Names()) {
			return paid, found, err
		}
	}
}

func (t *turn) merchant(ctx context.Context, id string) (*credit.Merchant, error) {
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error { return v.Load(s, credit.Keys{Merchants: []string{id}}) }); err != nil {
		return nil, fmt.Errorf("clockwork: read %s: %w", id, err)
	}
	return s.Merchants[id], nil
}

// pay makes payouts for a merchant until nothing waits that one could include.
func (t *turn) pay(ctx context.Context, c merchants.PayMerchant) (n int, err error) {
	for {
		made, changed, err := t.make(ctx, c)
		if err != nil || !changed {
			return n, err
		}
		if _, paid := made.(*credit.Payout); paid { // otherwise its debts were combined
			n++
		}
	}
}

// clawbacks debits and writes off what merchants have owed too long, once a day.
func (t *turn) clawbacks(ctx context.Context, r *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	return t.daily(ctx, doneOfClawbacks, today, func() error {
		var owing []string
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			for _, kind := range []credit.PayoutLineKind{credit.LineClawback, credit.LineCollected} {
				owe, err := store.ListAgedMerchants(v, kind, today)
				if err != nil {
					return err
				}
				owing = append(owing, owe...)
			}
			slices.Sort(owing)
			owing = slices.Compact(owing)
			return nil
		}); err != nil {
			return fmt.Errorf("clockwork: list merchants that owe: %w", err)
		}
		return together(ctx, t.s.cfg.InFlight, len(owing), func(ctx context.Context, i int) error {
			for changed := true; changed; {
				var err error
				if _, changed, err = t.make(ctx, merchants.AgeClawbacks{Merchant: owing[i]}); err != nil {
					return fmt.Errorf("clockwork: age clawbacks of %s: %w", owing[i], err)
				}
			}
			return nil
		})
	})
}

// daily completes a job at most once on a civil date, and repeats it if it was interrupted.
func (t *turn) daily(ctx context.Context, name string, day calendar.Date, job func() error) error {
	done, _, err := store.Setting(ctx, t.s.cfg.Backend, name)
	if err != nil || string(done) >= day.String() {
		return err
	}
	if err := job(); err != nil {
		return err
	}
	return t.s.cfg.Backend.PutSetting(ctx, name, []byte(day.String()))
}
