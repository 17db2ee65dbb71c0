package clockwork

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/office/alarm"
)

// The settings that store for which list and on which civil date everybody was screened,
// and when alarms were last checked.
const (
	doneOfScreening = "clockwork/screening"
	doneOfAlarms    = "clockwork/alarms"
)

// screen checks names against the sanctions list (F29): new names at once, every name once
// a day and for each version of the list. A name that resembles a listed one becomes a
// screening, which a person decides; a second scheduler finds it recorded.
func (t *turn) screen(ctx context.Context, r *Report) error {
	if t.s.cfg.Sanctions == nil {
		return nil
	}
	if err := t.screenNew(ctx, r); err != nil {
		return fmt.Errorf("clockwork: screen new names: %w", err)
	}
	mark := t.s.cfg.Zone.Date(t.now).String() + "@" + t.s.cfg.Sanctions.Version
	done, _, err := store.Setting(ctx, t.s.cfg.Backend, doneOfScreening)
	if err != nil || string(done) == mark {
		return err
	}
	if err := t.screenCompanies(ctx, func(v store.View, p store.Page) ([]*credit.Company, error) { return store.ListCompanies(v, "", p) }, r); err != nil {
		return fmt.Errorf("clockwork: screen companies: %w", err)
	}
	var merchants []*credit.Merchant
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) { merchants, err = store.AllMerchants(v); return err }); err != nil {
		return fmt.Errorf("clockwork: list merchants: %w", err)
	}
	if err := t.screenMerchants(ctx, merchants, r); err != nil {
		return fmt.Errorf("clockwork: screen merchants: %w", err)
	}
	return t.s.cfg.Backend.PutSetting(ctx, doneOfScreening, []byte(mark))
}

// screenNew screens the names that have not been yet: of companies and merchants that are
// new, or renamed. The command that names them marks them, so none is missed, and the mark
// is removed only if the names are still the screened ones.
func (t *turn) screenNew(ctx context.Context, r *Report) error {
	if err := t.screenCompanies(ctx, store.ListUnscreenedCompanies, r); err != nil {
		return err
	}
	var list []*credit.Merchant
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) { list, err = store.ListUnscreenedMerchants(v); return err }); err != nil {
		return err
	}
	return t.screenMerchants(ctx, list, r)
}

// screenCompanies screens the names of all companies of a list, many at a time.
func (t *turn) screenCompanies(ctx context.Context, of func(store.View, store.Page) ([]*credit.Company, error), r *Report) error {
	page := store.Page{Limit: pageSize}
	for {
		var list []*credit.Company
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) { list, err = of(v, page); return err }); err != nil {
			return err
		}
		if err := t.recordAll(ctx, r, len(list), func(i int) comparison {
			c := compliance.RecordScreening{Company: list[i].ID, Names: list[i].Names()}
			return comparison{c, c.Names, list[i].Servicing.Screened.Unscreened}
		}); err != nil || len(list) < page.Limit {
			return err
		}
		last := list[len(list)-1]
		page.AfterAt, page.AfterID = last.CreatedAt, store.CompanyKey(last.ID)
	}
}

func (t *turn) screenMerchants(ctx context.Context, list []*credit.Merchant, r *Report) error {
	slices.SortFunc(list, func(a, b *credit.Merchant) int { return cmp.Compare(a.ID, b.ID) })
	return t.recordAll(ctx, r, len(list), func(i int) comparison { return t.ofMerchant(list[i]) })
}

// comparison is what is checked against the list. names are the command's names in the
// clear, because the command contains a merchant's account holder as a fingerprint.
type comparison struct {
	compliance.RecordScreening
	names  []string
	marked bool // its names have not been screened yet
}

// ofMerchant returns the comparison of a merchant. If its account does not decrypt, the
// rest is screened, and the merchant stays unscreened.
func (t *turn) ofMerchant(m *credit.Merchant) comparison {
	c := comparison{compliance.RecordScreening{Merchant: m.ID, Names: m.Names()}, m.Names(), m.Account.Screened.Unscreened}
	for i, name := range c.names {
		if payments.HolderNamed(name) == "" {
			continue
		}
		x, err := t.open(m.Account.Bank, payments.PaidAccount(m.ID))
		if err != nil {
			t.s.cfg.Log.Error("clockwork: account holder cannot be screened", "merchant", m.ID, "error", err)
			c.Names, c.names = c.Names[:i], c.names[:i]
			return c
		}
		c.names[i] = x.Name
	}
	return c
}

// recordAll screens n companies or merchants and records the results.
func (t *turn) recordAll(ctx context.Context, r *Report, n int, of func(i int) comparison) error {
	var found atomic.Int64
	err := together(ctx, t.s.cfg.InFlight, n, func(ctx context.Context, i int) error {
		c := of(i)
		one, err := t.record(ctx, c)
		if err != nil {
			return fmt.Errorf("company %d%s: %w", c.Company, c.Merchant, err)
		}
		found.Add(int64(one))
		return nil
	})
	r.Screenings += int(found.Load())
	return err
}

// record submits the result for some names, if there is a match or they were not screened
// before, and returns 1 if it opened a screening, else 0.
func (t *turn) record(ctx context.Context, c comparison) (int, error) {
	c.Matches = t.s.cfg.Sanctions.Find(c.names...)
	if len(c.Matches) == 0 && !c.marked {
		return 0, nil
	}
	c.List = t.s.cfg.Sanctions.Version
	made, _, err := t.make(ctx, c.RecordScreening)
	x, found := made.(*credit.Screening)
	if !found || err != nil {
		return 0, err
	}
	t.s.cfg.Log.Warn("clockwork: a name resembles one on the sanctions list", "screening", x.ID, "company", x.Company, "merchant", x.Merchant)
	return 1, nil
}

// alarms logs what waits for a person, once a day and only what did not wait the last time:
// an alarm that ends and returns is logged again. Whichever scheduler settles the day's
// list logs it.
func (t *turn) alarms(ctx context.Context, _ *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	return t.daily(ctx, doneOfAlarms, today, func() error {
		known, err := t.alarmsBefore(ctx)
		if err != nil {
			return err
		}
		open, err := alarm.Open(ctx, t.s.cfg.Backend, alarm.Setup{Zone: t.s.cfg.Zone, Silent: t.s.cfg.Silent}, t.now)
		if err != nil {
			return err
		}
		now := waiting{By: t.s.token}
		for _, a := range open {
			now.Names = append(now.Names, a.Name())
		}
		ours, err := json.Marshal(now)
		if err != nil {
			return err
		}
		kept, err := t.s.cfg.Backend.Settle(ctx, alarmsOf+today.String(), ours)
		if err != nil || !bytes.Equal(kept, ours) {
			return err
		}
		for _, a := range open {
			if !slices.Contains(known, a.Name()) {
				t.s.cfg.Log.Error("alarm", "what", string(a.Kind), "subject", a.Subject, "detail", a.Detail, "next", a.Next)
			}
		}
		return nil
	})
}

// alarmsOf and a civil date name the setting that stores what waited on it.
const alarmsOf = doneOfAlarms + "/"

// waiting is what waited for a person on a day, as found by one scheduler.
type waiting struct {
	By    string   `json:"by"`
	Names []string `json:"names"`
}

// alarmsBefore returns the names of what waited the last time.
func (t *turn) alarmsBefore(ctx context.Context) ([]string, error) {
	day, found, err := store.Setting(ctx, t.s.cfg.Backend, doneOfAlarms)
	if err != nil || !found {
		return nil, err
	}
	text, found, err := store.Setting(ctx, t.s.cfg.Backend, alarmsOf+string(day))
	if err != nil || !found {
		return nil, err
	}
	var last waiting
	if err := json.Unmarshal(text, &last); err != nil {
		return nil, fmt.Errorf("clockwork: read alarms of %s: %w", day, err)
	}
	return last.Names, nil
}
