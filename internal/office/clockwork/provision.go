package clockwork

import (
	"context"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// provisions provides for past month ends, one after the other (F17). The lender's record
// tells which one is next, so that a second scheduler, or an interrupted run, does nothing
// twice.
func (t *turn) provisions(ctx context.Context, r *Report) error {
	for {
		on, err := t.nextProvision(ctx)
		if err != nil || on == calendar.None {
			return err
		}
		sums, err := t.principalAt(ctx, on)
		if err != nil {
			return fmt.Errorf("clockwork: sum principal on %s: %w", on, err)
		}
		made, _, err := t.make(ctx, compliance.Provision{On: on, Principal: sums})
		if err != nil {
			return fmt.Errorf("clockwork: provision for %s: %w", on, err)
		}
		if x, done := made.(*credit.Lender); !done || x.ProvisionedThrough < on {
			t.s.cfg.Log.Warn("clockwork: a month end was not provisioned", "on", on.String())
			return nil
		}
		r.Provisions++
	}
}

// nextProvision returns the next past month end that is not provided for, None if there is
// none.
func (t *turn) nextProvision(ctx context.Context) (calendar.Date, error) {
	s := credit.NewState()
	err := t.s.cfg.Backend.View(ctx, func(v store.View) error { return v.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}) })
	if err != nil {
		return calendar.None, fmt.Errorf("clockwork: read the lender: %w", err)
	}
	if next := s.TheLender().NextProvision(); next < t.s.cfg.Zone.Date(t.now) {
		return next, nil
	}
	return calendar.None, nil
}

// companiesAtOnce is how many companies are summed in one snapshot: a long one would keep a
// database from discarding old row versions.
const companiesAtOnce = 50

// principalAt sums the unpaid principal of all orders by bucket, as of the end of a day:
// from what had been recorded then, whenever this runs.
func (t *turn) principalAt(ctx context.Context, on calendar.Date) (map[credit.Bucket]money.Amount, error) {
	sums := map[credit.Bucket]money.Amount{}
	end := t.s.cfg.Zone.Start(on + 1).Add(-time.Microsecond)
	page := store.Page{Limit: companiesAtOnce}
	for {
		var list []*credit.Company
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			if list, err = store.ListCompanies(v, "", page); err != nil {
				return err
			}
			for _, c := range list {
				if c.CreatedAt.After(end) || c.Outstanding == 0 && !c.UpdatedAt.After(end) {
					continue // it owed nothing then
				}
				if err := addPrincipal(v, c, end, on, sums); err != nil {
					return fmt.Errorf("company %d: %w", c.ID, err)
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
		if len(list) < page.Limit {
			return sums, nil
		}
		last := list[len(list)-1]
		page.AfterAt, page.AfterID = last.CreatedAt, store.CompanyKey(last.ID)
	}
}

// addPrincipal adds what a company owed at the end of a day to the sums.
func addPrincipal(v store.View, c *credit.Company, end time.Time, on calendar.Date, sums map[credit.Bucket]money.Amount) error {
	s := credit.NewState()
	if err := v.Load(s, credit.Keys{Accounts: []int64{c.ID}}); err != nil {
		return err
	}
	var keys []string
	for _, key := range s.Accounts[c.ID] {
		if o := s.Orders[key]; !o.CapturedAt.After(end) {
			keys = append(keys, key)
		}
	}
	loans, err := store.LoansAt(v, c, keys, end, on)
	if err != nil {
		return err
	}
	for _, key := range keys {
		bucket, principal := compliance.ProvisionPart(s.Orders[key], loans[key], on)
		if principal != 0 {
			sums[bucket] = sums[bucket].Add(principal)
		}
	}
	return nil
}
