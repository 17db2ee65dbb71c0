package storetest

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// listLender compares lists of notices to be sent, and of screenings.
func listLender(t *testing.T, w *World, v store.View, company int64) {
	t.Helper()
	at := func(x *credit.Notice) (time.Time, string) { return x.ActionAt, x.ID }
	for _, f := range []store.NoticeFilter{
		{Company: company, Unsent: true, DueFrom: calendar.None, DueTo: w.today().AddDays(25)},
		{Company: company, Unsent: true, DueFrom: w.today().AddDays(20), DueTo: calendar.None},
		{Company: company, Late: true, DueFrom: calendar.None, DueTo: calendar.None},
	} {
		want := expected(items(all(w.State.Notices), at), func(x any) bool { return f.Takes(x.(*credit.Notice)) })
		walk(t, "notices to send", want, func(p store.Page) ([]item, error) {
			list, err := store.ListNotices(v, f, p)
			return items(list, at), err
		})
	}
	opened := func(x *credit.Screening) (time.Time, string) { return x.OpenedAt, x.ID }
	for _, status := range []credit.ScreeningStatus{"", credit.ScreeningOpen, credit.ScreeningConfirmed} {
		want := expected(items(all(w.State.Screenings), opened), func(x any) bool {
			s := x.(*credit.Screening)
			return (company == 0 || s.Company == company) && (status == "" || s.Status == status)
		})
		walk(t, "screenings", want, func(p store.Page) ([]item, error) {
			list, err := store.ListScreenings(v, store.ScreeningFilter{Company: company, Status: status}, p)
			return items(list, opened), err
		})
	}
}

// owedAt compares what merchants owed after each commit.
func owedAt(t *testing.T, w *World, v store.View) {
	t.Helper()
	want, last, seen := map[string]money.Amount{}, int64(-1), 0
	check := func(q int64) {
		for _, m := range all(w.State.Merchants) {
			equal(t, fmt.Sprintf("%s owed after %d", m.ID, q), want[m.ID], must(store.OwedAt(v, m.ID, q))(t))
		}
	}
	if err := store.EachEntry(v, func(e store.EntryRow) error {
		if e.Q != last && last%50 == 0 {
			check(last)
		}
		last = e.Q
		for _, p := range e.Postings {
			if p.Account == ledger.ClawbackReceivable || p.Account == ledger.DueFromMerchant {
				want[p.Merchant], seen = want[p.Merchant].Add(p.Amount), seen+1
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	check(v.Seq())
	equal(t, "owed by nobody", money.Amount(0), must(store.OwedAt(v, "mch_nobody", v.Seq()))(t))
	if seen == 0 {
		t.Error("no merchant owes anything")
	}
}

// countDebits compares how many debits were sent since an instant.
func countDebits(t *testing.T, w *World, v store.View) {
	t.Helper()
	for _, at := range []time.Time{{}, w.at.Add(-3 * time.Hour), w.at.Add(time.Hour)} {
		want := 0
		for _, x := range all(w.State.Transfers) {
			if x.Rail == credit.ACH && (x.Kind == credit.TransferPayment || x.Kind == credit.TransferClawback) && !x.SentAt.IsZero() && !x.SentAt.Before(at) {
				want++
			}
		}
		equal(t, "debits since", want, must(store.DebitsSince(v, at))(t))
	}
}

// testKeptNotices finds notices until they are erased, with their contents.
func testKeptNotices(t *testing.T, b store.Backend) {
	at := time.Date(2026, 3, 2, 15, 0, 0, 0, time.UTC)
	n := credit.Notice{
		ID: "ntc_1", Kind: credit.NoticeSuspension, Company: 7, ActionAt: at, ClockStart: 20_514, DueOn: 20_544, Reasons: []string{"late"}, Version: 1,
	}
	said := credit.NoticeLender{Creditor: credit.Party{Name: "Elm", Address: "Albany"}, Contact: "555", Regulator: credit.Party{Name: "FTC", Address: "Washington"}, Text: 1}
	change := func(set func(*credit.Notice)) credit.Changes {
		x := n
		x.Version++
		set(&x)
		return credit.Changes{Notices: []*credit.Notice{&x}}
	}
	first := credit.Changes{Companies: []*credit.Company{{ID: 7, Status: credit.CompanySuspended, Version: 1}}, Notices: []*credit.Notice{&n}}
	commit(t, b, batchOf(b, first))
	sent := change(func(x *credit.Notice) { x.SentAt, x.Channel, x.Lender = at.Add(time.Hour), "MAIL", &said })
	commit(t, b, batchOf(b, sent))
	n = *sent.Notices[0]
	commit(t, b, batchOf(b, change(func(x *credit.Notice) { same := said; x.Lender, x.Evidence = &same, "lot 7" })))
	view(t, b, func(v store.View) {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Notices: []string{n.ID}}); err != nil {
			t.Fatal(err)
		}
		equal(t, "what was said", &said, s.Notices[n.ID].Lender)
	})
	erase := func(x *credit.Notice) {
		x.Reasons, x.Evidence, x.Lender, x.ErasedAt = nil, "", nil, at.Add(18_000*time.Hour)
	}
	kept := func(before time.Time) (found int) {
		view(t, b, func(v store.View) {
			f := store.NoticeFilter{KeptBefore: before, DueFrom: calendar.None, DueTo: calendar.None}
			found = len(must(store.ListNotices(v, f, store.Page{Limit: 9}))(t))
		})
		return found
	}
	equal(t, "kept before it was sent", 0, kept(n.SentAt))
	equal(t, "kept after that", 1, kept(n.SentAt.Add(time.Second)))
	commit(t, b, batchOf(b, change(erase)))
	equal(t, "kept once it is erased", 0, kept(n.SentAt.Add(time.Second)))
}
