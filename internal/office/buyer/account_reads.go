package buyer

import (
	"context"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/statement"
)

// Statement returns a company's statement of the month that begins on a day, nil if there
// is none: as of the month's end, or current if the month is not over (F38).
func (d *Desk) Statement(ctx context.Context, company int64, month calendar.Date) (x *statement.Company, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) { x, err = d.statementIn(v, company, month); return err })
	return x, err
}

func (d *Desk) statementIn(v store.View, company int64, month calendar.Date) (*statement.Company, error) {
	today := d.Zone.Date(d.Now())
	at, until := statement.Moment{Q: store.Latest, Day: today}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if end := month.EndOfMonth(); end < today {
		until = d.Zone.Start(end + 1).Add(-time.Microsecond)
		q, err := store.SeqAt(v, until)
		if err != nil {
			return nil, err
		}
		at.Q, at.Day = q, end
	}
	at.Loans = func(c *credit.Company) (map[string]*schedule.Loan, error) {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Accounts: []int64{c.ID}}); err != nil {
			return nil, err
		}
		return store.LoansAt(v, c, s.Accounts[c.ID], until, at.Day)
	}
	return statement.OfCompany(v, company, month, at)
}

// AccountNotices lists the notices that the lender owed a company, newest first (F28).
func (d *Desk) AccountNotices(ctx context.Context, company int64) (out []*credit.Notice, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) {
		out, err = store.ListNotices(v, store.NoticeFilter{Company: company, DueFrom: calendar.None, DueTo: calendar.None}, store.Page{Limit: shown})
		return err
	})
	return out, err
}

// CompanyApplications lists a company's applications, newest first.
func (d *Desk) CompanyApplications(ctx context.Context, company int64) (out []*credit.Application, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{Company: company}, store.Page{Limit: 50})
		for _, r := range list {
			out = append(out, r.(*credit.Application))
		}
		return err
	})
	return out, err
}

// Merchant reads a merchant, nil if there is none.
func (d *Desk) Merchant(ctx context.Context, id string) (m *credit.Merchant, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		err := v.Load(s, credit.Keys{Merchants: []string{id}})
		m = s.Merchants[id]
		return err
	})
	return m, err
}

// NoticePaper prints a notice that a company was sent; nil if it is another company's, or
// does not exist.
func (d *Desk) NoticePaper(ctx context.Context, company int64, id string) (p *statement.Paper, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Notices: []string{id}}); err != nil {
			return err
		}
		n := s.Notices[id]
		if n == nil || n.Company != company || n.SentAt.IsZero() || n.Erased() {
			return nil
		}
		x, err := statement.PrintNotice(v, n, d.Zone.Date(n.SentAt))
		p = &x
		return err
	})
	return p, err
}

// Invoices lists the invoices of a company's order, oldest first.
func (d *Desk) Invoices(ctx context.Context, company int64, order string) (out []*credit.Invoice, err error) {
	err = d.Store.View(ctx, func(v store.View) (err error) {
		out, err = store.ListInvoices(v, store.InvoiceFilter{Company: company, Order: order}, store.Page{Limit: shown})
		return err
	})
	slices.Reverse(out)
	return out, err
}
