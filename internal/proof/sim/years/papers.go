package years

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/payments"
	"tenor/internal/office/statement"
	"tenor/internal/proof/sim"
)

// sheet is what a company's statement said for a month.
type sheet struct {
	opening, closing, unappliedBefore, unapplied int64
	totals                                       string
	lines                                        int
}

// page identifies a sheet: the company and the first day of its month.
type page struct {
	company int64
	month   calendar.Date
}

// papers is a snapshot with the entries of one company preloaded, so that many of its statements
// do not each scan the whole journal.
type papers struct {
	store.View
	entries []store.EntryRow
}

// EachEntryOf implements store.View for the company.
func (p papers) EachEntryOf(f store.BookFilter, fn func(store.EntryRow) error) error {
	for _, e := range p.entries {
		if f.To != calendar.None && e.BookDate > f.To || f.From != calendar.None && e.BookDate < f.From {
			continue
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// sheetOf creates a company's statement of a past month, as of the books at its end; false if the
// company was created later.
func (y *Years) sheetOf(v papers, company int64, month calendar.Date) (sheet, bool, error) {
	q, err := store.SeqAt(v, y.zone.Start(month.EndOfMonth()+1).Add(-1))
	if err != nil {
		return sheet{}, false, err
	}
	x, err := statement.OfCompany(v, company, month, statement.Moment{Q: q, Day: month.EndOfMonth()})
	if err != nil || x == nil {
		return sheet{}, false, err
	}
	moved := int64(0)
	for _, kind := range statement.Kinds() {
		moved += int64(x.Totals[kind])
	}
	if int64(x.Opening)+moved != int64(x.Closing) {
		return sheet{}, false, fmt.Errorf("F38: company %d begins %s with %s and ends with %s: its lines come to %d", company, x.From, x.Opening, x.Closing, moved)
	}
	return sheet{int64(x.Opening), int64(x.Closing), int64(x.UnappliedOpening), int64(x.Unapplied), fmt.Sprint(x.Totals), len(x.Lines)}, true, nil
}

// keepSheets stores what statements say on the day after their month.
func (y *Years) keepSheets(b *sim.Books, today calendar.Date) error {
	return y.eachSheet(b, today-1, today-1, func(at page, s sheet) error { y.sheets[at] = s; return nil })
}

// eachSheet creates the statements of all companies for the months from one day to another.
func (y *Years) eachSheet(b *sim.Books, from, to calendar.Date, fn func(page, sheet) error) error {
	return y.Faulty.Backend.View(context.Background(), func(v store.View) error {
		for _, id := range slices.Sorted(maps.Keys(b.Companies)) {
			own := papers{v, b.EntriesOf(id)}
			for end := from.EndOfMonth(); end <= to.EndOfMonth(); end = (end + 1).EndOfMonth() {
				s, made, err := y.sheetOf(own, id, end)
				if err == nil && made {
					err = fn(page{id, end}, s)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// statements: each month begins where the previous one ended, the last one ends with what the
// books say, and the statement of a past month is the same whenever it is requested (F38).
func (y *Years) statements(b *sim.Books) error {
	last := map[int64]sheet{}
	today := y.zone.Date(y.Clock.Now())
	err := y.eachSheet(b, b.Entries[0].BookDate, today, func(at page, s sheet) error {
		before := last[at.company]
		if before.closing != s.opening || before.unapplied != s.unappliedBefore {
			return fmt.Errorf("F38: company %d ends a month with %d and %d, and begins that of %s with %d and %d", at.company, before.closing, before.unapplied, at.month, s.opening, s.unappliedBefore)
		}
		if kept, told := y.sheets[at]; told && kept != s {
			return fmt.Errorf("F38: the statement of company %d for %s was %+v, and is %+v", at.company, at.month, kept, s)
		}
		last[at.company] = s
		return nil
	})
	for id, c := range b.Companies {
		owed := int64(0)
		for _, e := range b.Entries {
			for _, p := range e.Postings {
				if p.Company == id && owing(p.Account) {
					owed += int64(p.Amount)
				}
			}
		}
		if s := last[id]; err == nil && (s.closing != owed || s.unapplied != int64(c.Credit)) {
			err = fmt.Errorf("F38: the last statement of company %d ends with %d and %d, it owes %d and has %s of credit", id, s.closing, s.unapplied, owed, c.Credit)
		}
	}
	return err
}

// owing reports whether an account holds what a company owes, including what left the balance
// sheet.
func owing(a ledger.Account) bool {
	return slices.Contains([]ledger.Account{
		ledger.LoanPrincipal, ledger.ChargeReceivable, ledger.FeesReceivable, ledger.OtherReceivable, ledger.NonaccrualCharge, ledger.ChargedOff, ledger.UnfundedExternal,
	}, a)
}

// stopped: once a person has confirmed a sanctions match, no money leaves to that party until the
// match is withdrawn (F29).
func (y *Years) stopped(b *sim.Books) error {
	companies, merchants := map[int64]bool{}, map[string]bool{}
	of, screenings := map[string]*credit.Transfer{}, map[string]*credit.Screening{}
	for _, t := range b.Transfers {
		of[t.ID] = t
	}
	for _, x := range b.Screenings {
		screenings[x.ID] = x
	}
	for q, a := range b.Audits {
		if a.Result != "ok" || a.Command != (compliance.DecideScreening{}).Name() && a.Command != (payments.ServiceTransfer{}).Name() {
			continue
		}
		c, err := journal.DecodeCommand(a.Command, a.Payload)
		if err != nil {
			return err
		}
		switch c := c.(type) {
		case compliance.DecideScreening:
			x := screenings[c.Screening]
			companies[x.Company], merchants[x.Merchant] = c.Confirmed && x.Company != 0, c.Confirmed && x.Merchant != ""
			y.reach(c.Confirmed && x.Merchant == "", sim.MatchConfirmed)
			y.reach(c.Confirmed && x.Merchant != "", sim.MerchantConfirmed)
		case payments.ServiceTransfer:
			t := of[c.Transfer]
			stopped := companies[t.Company] || merchants[t.Merchant] && t.Kind == credit.TransferPayout
			if stopped && t.Kind != credit.TransferPrenote && t.SentAt.Equal(a.At) {
				return fmt.Errorf("F29: commit %d has sent %s of %s although its party is listed", q+1, t.ID, t.Kind)
			}
		}
	}
	return nil
}
