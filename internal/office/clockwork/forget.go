package clockwork

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
)

// forget erases adverse-action notices whose retention is over (F28). The personal data of
// applications and cases is erased when these are served.
func (t *turn) forget(ctx context.Context, r *Report) error {
	for {
		var rows []store.Due
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
			s := credit.NewState()
			if err := v.Load(s, credit.Keys{Lenders: []string{credit.TheLender}}); err != nil {
				return err
			}
			today := t.s.cfg.Zone.Date(t.now)
			before := t.s.cfg.Zone.Start(today.AddMonths(-s.TheLender().Settings.Kept().Applications) + 1)
			list, err := store.ListNotices(v, store.NoticeFilter{KeptBefore: before, DueFrom: calendar.None, DueTo: calendar.None}, store.Page{Limit: pageSize})
			for _, n := range list {
				rows = append(rows, store.Due{ID: n.ID, At: n.SentAt})
			}
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list notices to erase: %w", err)
		}
		served, err := t.serve(ctx, rows, func(id string) credit.Command { return compliance.ForgetNotice{Notice: id} })
		r.Buyers += served
		if err != nil {
			return fmt.Errorf("clockwork: erase notices: %w", err)
		}
		if len(rows) < pageSize || served == 0 {
			return nil
		}
	}
}
