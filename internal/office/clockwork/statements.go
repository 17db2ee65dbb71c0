package clockwork

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// statementDays is how many days into a month the previous month's statements are
// announced: a server that was down longer, or has just been upgraded to announce them,
// does not send old ones.
const statementDays = 10

// statements tells the people of companies that the statement of the month that has just
// ended is ready. It walks only people, so that companies without people cost nothing; it
// runs once a month, and again after a start in the first days of one.
func (t *turn) statements(ctx context.Context, r *Report) error {
	today := t.s.cfg.Zone.Date(t.now)
	month := today.AddMonths(-1).EndOfMonth()
	if t.s.stated == month || int(month.DaysUntil(today)) > statementDays {
		return nil
	}
	page := store.Page{Limit: pageSize}
	for {
		var persons []credit.Record
		var due []int64
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			if persons, err = store.ListRecords(v, credit.NounPerson, store.RecordFilter{}, page); err == nil {
				due, err = t.statementsOf(v, persons, month)
			}
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list companies with statements ready: %w", err)
		}
		var told atomic.Int64
		err := together(ctx, t.s.cfg.InFlight, len(due), func(ctx context.Context, i int) error {
			_, changed, err := t.make(ctx, people.TellStatement{Company: due[i], Month: month})
			if changed {
				told.Add(1)
			}
			return err
		})
		r.Buyers += int(told.Load())
		if err != nil {
			return fmt.Errorf("clockwork: announce statements: %w", err)
		}
		if len(persons) < page.Limit {
			t.s.stated = month
			return nil
		}
		last := persons[len(persons)-1].Head()
		page.AfterAt, page.AfterID = last.CreatedAt, last.ID
	}
}

// statementsOf returns the companies of people who are due to be told of a month's
// statement.
func (t *turn) statementsOf(v store.View, persons []credit.Record, month calendar.Date) (due []int64, err error) {
	var k credit.Keys
	for _, x := range persons {
		for _, role := range x.(*credit.Person).Roles {
			k.Companies = append(k.Companies, role.Company)
		}
	}
	slices.Sort(k.Companies)
	k.Companies = slices.Compact(k.Companies)
	s := credit.NewState()
	if err := v.Load(s, k); err != nil {
		return nil, err
	}
	for _, id := range k.Companies {
		if x := s.Companies[id]; x != nil && x.StatementDue(t.s.cfg.Zone, month) {
			due = append(due, id)
		}
	}
	return due, nil
}
