package verify

import (
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// companyIDs lists the companies in order.
func (r *run) companyIDs() []int64 { return slices.Sorted(maps.Keys(r.companies)) }

// notices checks adverse-action records and their deadlines, and compares requests with the
// actions they refer to (F28).
func notices(r *run) error {
	sent, asked := map[string]calendar.Date{}, map[string]*credit.Notice{}
	err := store.EachOf(r.view, store.NoticeNoun, func(n *credit.Notice) error {
		r.notice(n)
		if !n.SentAt.IsZero() && n.Asked == "" {
			sent[n.ID] = r.options.Zone.Date(n.SentAt)
		}
		if n.Asked != "" {
			asked[n.ID] = n
		}
		return r.each(0)
	})
	for id, n := range asked {
		if on, known := sent[n.Asked]; !known || n.ClockStart < on || n.ClockStart > on.AddDays(askDays) {
			r.broken("F28", "notice "+id, "was requested on %s, in answer to notice %s, which was sent on %s", n.ClockStart, n.Asked, on)
		}
	}
	return err
}

// notice checks that one record is consistent.
func (r *run) notice(n *credit.Notice) {
	object, at := "notice "+n.ID, r.options.Zone.Date(n.ActionAt)
	if r.companies[n.Company] == nil {
		r.broken("AU1", object, "is for company %d, which does not exist", n.Company)
	}
	begins := n.ClockStart == at || n.Asked != "" && n.ClockStart < at
	if !begins || n.DueOn != n.ClockStart.AddDays(noticeDays) || len(n.Reasons) > maxReasons || (n.Kind == credit.NoticeFurtherReasons) != (n.Asked != "") {
		r.broken("F28", object, "for the action at %s runs from %s to %s with %d reasons", stamp(n.ActionAt), n.ClockStart, n.DueOn, len(n.Reasons))
	}
	if n.SentAt.IsZero() != (n.Channel == "") || !n.SentAt.IsZero() && n.SentAt.Before(n.ActionAt) ||
		n.Late && (n.SentAt.IsZero() || r.options.Zone.Date(n.SentAt) <= n.DueOn) {
		r.broken("F28", object, "was sent at %q by %q (late: %t)", stamp(n.SentAt), n.Channel, n.Late)
	}
	if s := n.Lender; s != nil && (n.SentAt.IsZero() || s.Missing() != nil || s.Text < 1 || s.Text > credit.NoticeText) {
		r.broken("F28", object, "was sent at %q without %v, in version %d of the text", stamp(n.SentAt), s.Missing(), s.Text)
	}
}

// Deadlines of an adverse-action notice (F28).
const (
	noticeDays = 30
	askDays    = 60
	maxReasons = 4
)

// month sums up the entries of a month.
type month struct {
	debits money.Amount // without memo
	last   string       // entry, in commit order
	at     time.Time    // of that entry
}

// monthOf returns the first day of a date's month.
func monthOf(d calendar.Date) calendar.Date {
	_, _, day := d.Civil()
	return d.AddDays(1 - day)
}

// noteBooks records what closed months and payout lines are compared with.
func (w *booker) noteBooks(e store.EntryRow) {
	m := w.months[monthOf(e.BookDate)]
	m.last, m.at = e.ID, e.At
	for _, p := range e.Postings {
		if p.Amount > 0 && !p.Account.Memo() {
			m.debits = m.debits.Add(p.Amount)
		}
	}
	w.months[monthOf(e.BookDate)] = m
	switch e.Event {
	case "CLAWBACK_WRITTEN_OFF", "CLAWBACK_PAID", "COLLECTED_REMITTED", "MERCHANT_DEBT_MERGED":
		w.ending[e.ID] = true
	}
}

// periods compares each closed month with the entries booked in it: none after it was
// closed, and the same total as then (LG7).
func periods(r *run) error {
	for _, p := range r.periods {
		object := "period " + p.Month.String()
		m := r.months[p.Month]
		r.equal("LG7", object, "total booked in it", p.Debits, m.debits)
		if m.at.After(p.ClosedAt) {
			r.broken("LG7", object, "was closed at %s, but entry %s was booked at %s", stamp(p.ClosedAt), m.last, stamp(m.at))
		}
		if monthOf(p.Month) != p.Month || r.options.Zone.Date(p.ClosedAt) <= p.Month.EndOfMonth() {
			r.broken("LG7", object, "was closed at %s, before the month ended, or does not begin a month", stamp(p.ClosedAt))
		}
		if err := r.each(0); err != nil {
			return err
		}
	}
	return nil
}
