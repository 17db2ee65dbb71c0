package clockwork

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tenor/internal/alarm"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// The settings that remember for which list and on which civil date everybody has been
// screened, and when alarms were last looked at.
const (
	doneOfScreening = "clockwork/screening"
	doneOfAlarms    = "clockwork/alarms"
)

// screen compares every company and merchant with the sanctions list, once each day and
// for each version of the list (F29). What resembles a listed name becomes a screening,
// which a person decides; a second scheduler finds it recorded.
func (t *turn) screen(ctx context.Context, r *Report) error {
	if t.s.cfg.Sanctions == nil {
		return nil
	}
	mark := t.s.cfg.Zone.Date(t.now).String() + "@" + t.s.cfg.Sanctions.Version
	done, _, err := t.s.cfg.Backend.Setting(ctx, doneOfScreening)
	if err != nil || string(done) == mark {
		return err
	}
	if err := t.screenCompanies(ctx, r); err != nil {
		return fmt.Errorf("clockwork: screen companies: %w", err)
	}
	var merchants []*credit.Merchant
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) { merchants, err = v.Merchants(); return err }); err != nil {
		return fmt.Errorf("clockwork: list merchants: %w", err)
	}
	for _, m := range merchants {
		if err := t.record(ctx, credit.RecordScreening{Merchant: m.ID, Names: merchantNames(m)}, r); err != nil {
			return fmt.Errorf("clockwork: screen %s: %w", m.ID, err)
		}
	}
	return t.s.cfg.Backend.PutSetting(ctx, doneOfScreening, []byte(mark))
}

func (t *turn) screenCompanies(ctx context.Context, r *Report) error {
	page := store.Page{Limit: pageSize}
	for {
		var list []*credit.Company
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) { list, err = v.Companies("", page); return err }); err != nil {
			return err
		}
		for _, c := range list {
			if err := t.record(ctx, credit.RecordScreening{Company: c.ID, Names: c.Names()}, r); err != nil {
				return fmt.Errorf("company %d: %w", c.ID, err)
			}
			page.AfterAt, page.AfterID = c.CreatedAt, store.CompanyKey(c.ID)
		}
		if len(list) < page.Limit {
			return nil
		}
	}
}

// merchantNames are the names of a merchant, and of the holder of its account.
func merchantNames(m *credit.Merchant) []string {
	if m.Account.Bank == nil || m.Account.Bank.HolderName == "" {
		return []string{m.Name}
	}
	return []string{m.Name, m.Account.Bank.HolderName}
}

// record submits what is found of names, if anything is.
func (t *turn) record(ctx context.Context, c credit.RecordScreening, r *Report) error {
	for _, h := range t.s.cfg.Sanctions.Find(c.Names...) {
		c.Matches = append(c.Matches, credit.Match{Entry: h.Entry, Name: h.Name, Score: h.Score})
	}
	if len(c.Matches) == 0 {
		return nil
	}
	c.List = t.s.cfg.Sanctions.Version
	made, _, err := t.make(ctx, c)
	if x, found := made.(*credit.Screening); found && err == nil {
		r.Screenings++
		t.s.cfg.Log.Warn("clockwork: a name resembles a listed one", "screening", x.ID, "company", x.Company, "merchant", x.Merchant)
	}
	return err
}

// alarms writes what waits for a person to the log, once each day and only what did not
// wait the last time: an alarm that ends and comes again is said again. Whichever
// scheduler settles the list of the day says it.
func (t *turn) alarms(ctx context.Context, _ *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	return t.daily(ctx, doneOfAlarms, today, func() error {
		known, err := t.alarmsBefore(ctx)
		if err != nil {
			return err
		}
		open, err := alarm.Open(ctx, t.s.cfg.Backend, t.s.cfg.Zone, t.now)
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

// alarmsOf and a civil date name the setting that keeps what waited on it.
const alarmsOf = doneOfAlarms + "/"

// waiting is what waited for a person on a day, as one scheduler found it.
type waiting struct {
	By    string   `json:"by"`
	Names []string `json:"names"`
}

// alarmsBefore are the names of what waited when somebody looked last.
func (t *turn) alarmsBefore(ctx context.Context) ([]string, error) {
	day, found, err := t.s.cfg.Backend.Setting(ctx, doneOfAlarms)
	if err != nil || !found {
		return nil, err
	}
	text, found, err := t.s.cfg.Backend.Setting(ctx, alarmsOf+string(day))
	if err != nil || !found {
		return nil, err
	}
	var last waiting
	if err := json.Unmarshal(text, &last); err != nil {
		return nil, fmt.Errorf("clockwork: read the alarms of %s: %w", day, err)
	}
	return last.Names, nil
}
