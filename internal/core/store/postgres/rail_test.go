package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// railDay is the business date of next.
const railDay = calendar.Date(20_500)

// railBook is a database with merchant m and companies 1 and 2, each with an order and a method.
func railBook(t *testing.T) *DB {
	t.Helper()
	db := fresh(t, Options{})
	t.Cleanup(func() { db.Close() })
	c := credit.Changes{Merchants: []*credit.Merchant{{ID: "m", Name: "Shop", Version: 1}}}
	for id := int64(1); id <= 2; id++ {
		c.Companies = append(c.Companies, &credit.Company{ID: id, Status: credit.CompanyApproved, Version: 1, CreatedAt: noon(0)})
		c.Orders = append(c.Orders, &credit.Order{
			Key: fmt.Sprint("o", id), Company: id, Merchant: "m", Currency: money.USD, Amount: 100, Status: credit.OrderAuthorized,
			Financing: credit.FinancingNone, CaptureDate: calendar.None, Version: 1, CreatedAt: noon(0),
		})
		c.Methods = append(c.Methods, &credit.PaymentMethod{
			ID: fmt.Sprint("pm", id), Company: id, Type: credit.ACH, Status: credit.MethodActive, Bank: &credit.BankAccount{Last4: "1234"},
			FirstSettled: calendar.None, CreatedAt: noon(0), UpdatedAt: noon(0), Version: 1,
		})
	}
	update(t, db, store.Committed, apply(next(t, db, 1, c)))
	return db
}

// waitingLines are lines of order o1 that merchant m waits for, due one after the other,
// with identifiers in the opposite order.
func waitingLines(n int) []*credit.PayoutLine {
	var out []*credit.PayoutLine
	for i := range n {
		out = append(out, &credit.PayoutLine{
			ID: fmt.Sprintf("l%04d", n-i), Merchant: "m", Kind: credit.LineCapture, Company: 1, Order: "o1", Source: "o1",
			Gross: 100, Amount: 100, Due: railDay.AddDays(i), At: noon(0), Version: 1,
		})
	}
	return out
}

// sentTransfers are sent debits of company 1, one per second.
func sentTransfers(n int) []*credit.Transfer {
	var out []*credit.Transfer
	for i := range n {
		out = append(out, &credit.Transfer{
			ID: fmt.Sprintf("t%04d", n-i), Rail: credit.ACH, Kind: credit.TransferPayment, Company: 1, Method: "pm1", Amount: 5,
			Entry: "LOAN PYMT", Status: credit.TransferSent, SendOn: railDay, SettlesOn: railDay + 1, ReleaseOn: calendar.None,
			NextAt: noon(1), CreatedAt: noon(0), UpdatedAt: noon(0), SentAt: noon(0).Add(time.Duration(i) * time.Second), Version: 1,
		})
	}
	return out
}

// payAll puts what waits for m, as loaded, into a payout.
func payAll(s *credit.State, payout string) (c credit.Changes) {
	p := &credit.Payout{ID: payout, Merchant: "m", Status: credit.PayoutPending, Date: railDay, CreatedAt: noon(0), UpdatedAt: noon(0), Version: 1}
	for _, id := range s.Waiting["m"] {
		l := *s.Lines[id]
		l.Payout, l.Version = payout, l.Version+1
		p.Gross, p.Net = p.Gross.Add(l.Gross), p.Net.Add(l.Amount)
		c.Lines = append(c.Lines, &l)
	}
	c.Payouts = append(c.Payouts, p)
	return c
}

// TestWaitingLinesOnce has two nodes pay the same merchant at once. The second waits for
// the first, finds nothing left, and no line is in two payouts (PO2).
func TestWaitingLinesOnce(t *testing.T) {
	db := railBook(t)
	other := secondNode(t, db)
	defer other.Close()
	patient(t, db, other)
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Lines: waitingLines(5)})))
	loaded, ended := make(chan struct{}), make(chan struct{})
	second := next(t, db, 4, credit.Changes{})
	var left []string
	var err error
	go func() {
		defer close(ended)
		<-loaded
		_, err = other.Update(t.Context(), func(tx store.Tx) error {
			s := credit.NewState()
			_, err := tx.Load(s, credit.Keys{Waiting: []string{"m"}, Lines: []string{"o1"}}, nil)
			left = s.Waiting["m"]
			for _, id := range s.OrderLines["o1"] {
				if s.Lines[id].Payout != "po1" {
					err = errors.Join(err, fmt.Errorf("line %s is read as it was before: %+v", id, s.Lines[id]))
				}
			}
			if len(s.OrderLines["o1"]) != 5 {
				err = errors.Join(err, fmt.Errorf("%d lines of the order", len(s.OrderLines["o1"])))
			}
			return err
		})
	}()
	update(t, db, store.Committed, func(tx store.Tx) error {
		s := credit.NewState()
		if _, err := tx.Load(s, credit.Keys{Waiting: []string{"m"}}, nil); err != nil {
			return err
		}
		if want := []string{"l0005", "l0004", "l0003", "l0002", "l0001"}; !slices.Equal(s.Waiting["m"], want) {
			t.Errorf("the waiting lines are %v", s.Waiting["m"])
		}
		close(loaded)
		awaitLock(t, db, ended)
		second.Decided[0].Changes = payAll(s, "po1")
		return tx.Apply(second)
	})
	if <-ended; err != nil || len(left) > 0 {
		t.Errorf("the second payout has %v, %v", left, err)
	}
}

// awaitLock waits until some session waits for a lock, and fails if the other node finishes
// without that.
func awaitLock(t *testing.T, db *DB, ended <-chan struct{}) {
	t.Helper()
	for waiting := false; !waiting; time.Sleep(time.Millisecond) {
		err := db.put(t.Context(), ask("SELECT count(*) FROM pg_locks WHERE NOT granted", nil, func(r *row) error { waiting = r.int(0) > 0; return nil }))
		if err != nil {
			t.Error(err)
			return
		}
		select {
		case <-ended:
			t.Error("nobody waits for the lock")
			return
		default:
		}
	}
}

// TestPayoutsAtOnce has two nodes pay a merchant in turn and at once, some lines at a time,
// until nothing waits: each line is in one payout.
func TestPayoutsAtOnce(t *testing.T) {
	db := railBook(t)
	other := secondNode(t, db)
	defer other.Close()
	const lines = 60
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Lines: waitingLines(lines)})))
	errs := make(chan error, 2)
	for n, node := range []*DB{db, other} {
		go func() { errs <- payInParts(t.Context(), node, byte(n)) }()
	}
	if err := errors.Join(<-errs, <-errs); err != nil {
		t.Fatal(err)
	}
	var sum money.Amount
	count := 0
	err := db.View(t.Context(), func(v store.View) error {
		err := store.EachOf(v, store.PayoutLineNoun, func(l *credit.PayoutLine) error {
			if count++; l.Payout == "" || l.Version != 2 {
				t.Errorf("line %+v", l)
			}
			return nil
		})
		return errors.Join(err, store.EachOf(v, store.PayoutNoun, func(p *credit.Payout) error { sum = sum.Add(p.Net); return nil }))
	})
	if err != nil || count != lines || sum != lines*100 {
		t.Errorf("%d lines, %s paid, %v", count, sum, err)
	}
}

// payInParts pays what waits for m, three lines at a time, until nothing does.
func payInParts(ctx context.Context, db *DB, node byte) error {
	for i := byte(0); ; i++ {
		left := 0
		_, err := db.Update(ctx, func(tx store.Tx) error {
			s := credit.NewState()
			if _, err := tx.Load(s, credit.Keys{Waiting: []string{"m"}}, nil); err != nil {
				return err
			}
			if left = len(s.Waiting["m"]); left == 0 {
				return nil
			}
			s.Waiting["m"] = s.Waiting["m"][:min(3, left)]
			h, err := tx.Head()
			if err != nil {
				return err
			}
			return tx.Apply(store.Batch{
				ID: store.BatchID{8, node, i}, Epoch: h.Epoch, At: h.At, BusinessDate: h.BusinessDate,
				Decided: []store.Decided{{
					Changes: payAll(s, fmt.Sprint("po_", node, "_", i)), Audit: store.Audit{At: h.At, Command: "test", Result: "ok"},
				}},
			})
		})
		if err != nil && !isPassing(err) {
			return err
		}
		if err == nil && left == 0 {
			return nil
		}
	}
}

// TestRailStatements counts the statements and round trips of batches that load and write
// rail records: neither grows with their number.
func TestRailStatements(t *testing.T) {
	db := railBook(t)
	steps, trips := map[int]int{}, map[int]int{}
	for i, size := range []int{1, 200} {
		transfers, lines := sentTransfers(size), waitingLines(size)
		keys := credit.Keys{Waiting: []string{"m"}, Lines: []string{"o1"}, Methods: []string{"pm1"}, Payouts: []string{"none"}, Periods: []calendar.Date{railDay}}
		for n := range size {
			transfers[n].ID, lines[n].ID = fmt.Sprint(transfers[n].ID, i), fmt.Sprint(lines[n].ID, i)
		}
		update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Transfers: transfers, Lines: lines})))
		for _, x := range transfers {
			keys.Transfers = append(keys.Transfers, x.ID)
		}
		b := next(t, db, 3, credit.Changes{})
		k := idle(t, db)
		s, n := k.steps, k.trips
		update(t, db, store.Committed, func(tx store.Tx) error {
			s := credit.NewState()
			if _, err := tx.Load(s, keys, nil); err != nil {
				return err
			}
			c := payAll(s, fmt.Sprint("po", i))
			for _, id := range keys.Transfers {
				x := *s.Transfers[id]
				x.Status, x.Version = credit.TransferSettled, 2
				c.Transfers = append(c.Transfers, &x)
			}
			b.Decided[0].Changes = c
			return tx.Apply(b)
		})
		steps[size], trips[size] = k.steps-s, k.trips-n
	}
	if steps[1] != steps[200] || trips[1] != 2 || trips[200] != 2 {
		t.Errorf("statements by number of records: %v, round trips: %v", steps, trips)
	}
	t.Logf("%d statements", steps[1])
}

// TestMostLines loads the first lines of a merchant that waits for more than a payout can
// include.
func TestMostLines(t *testing.T) {
	db := railBook(t)
	lines := waitingLines(credit.MaxLines + 5)
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Lines: lines})))
	var want []string
	for _, l := range lines[:credit.MaxLines] {
		want = append(want, l.ID)
	}
	update(t, db, store.NotCommitted, func(tx store.Tx) error {
		for _, keys := range []credit.Keys{{Waiting: []string{"m"}}, {Waiting: []string{"m"}, Lines: []string{"o1"}}} {
			s := credit.NewState()
			_, err := tx.Load(s, keys, nil)
			if err != nil || !slices.Equal(s.Waiting["m"], want) {
				t.Errorf("%d lines are loaded with %v: %v", len(s.Waiting["m"]), keys, err)
			}
			if n := len(s.OrderLines["o1"]); len(keys.Lines) > 0 && n != len(lines) {
				t.Errorf("%d lines of the order", n)
			}
		}
		return nil
	})
}

// TestMerchantAccountChanges decides a payout on a merchant's account that another node
// changes meanwhile: the batch is decided again (EN8).
func TestMerchantAccountChanges(t *testing.T) {
	db := railBook(t)
	other := secondNode(t, db)
	defer other.Close()
	held := &credit.Merchant{ID: "m", Name: "Shop", Version: 2, Account: credit.MerchantAccount{HeldReason: "R02"}}
	mine := next(t, db, 2, credit.Changes{})
	err := update(t, db, store.NotCommitted, func(tx store.Tx) error {
		s := credit.NewState()
		_, err := tx.Load(s, credit.Keys{Merchants: []string{"m"}}, nil)
		if a := s.Merchants["m"].Account; a.HeldReason != "" || a.Bank != nil {
			t.Errorf("the account is %+v", a)
		}
		update(t, other, store.Committed, apply(next(t, other, 3, credit.Changes{Merchants: []*credit.Merchant{held}})))
		return errors.Join(err, tx.Apply(mine))
	})
	if !isPassing(err) {
		t.Errorf("a payout to an account that is held: %v", err)
	}
}

// TestRailPlans checks the plans of reads of rails, payouts and the exchange: each uses an
// index, and nothing sorts more than a company's lines.
func TestRailPlans(t *testing.T) {
	db := railBook(t)
	page := store.Page{Limit: 20, AfterAt: noon(0), AfterID: "x"}
	ctx := t.Context()
	_, e1 := store.Unfiled(ctx, db, 20) // all of them on the only reading session
	_, e2 := store.Files(ctx, db, store.FileBuilt, 20)
	_, e3 := store.FileEntries(ctx, db, "f")
	_, e4 := store.EntryByTrace(ctx, db, 7)
	_, e5 := store.OpenNotices(ctx, db, 20)
	_, e6 := store.NoticesSince(ctx, db, noon(0))
	_, e7 := store.BankLines(ctx, db, true, page)
	_, e8 := store.BankLines(ctx, db, false, store.Page{Limit: 20})
	_, e9 := store.Matches(ctx, db, page)
	_, _, e10 := store.MatchByID(ctx, db, "m")
	_, e11 := store.FiledTransfers(ctx, db, []string{"t"})
	if err := errors.Join(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11); err != nil {
		t.Fatal(err)
	}
	err := db.View(t.Context(), func(sv store.View) error {
		v := sv.(*view)
		for _, p := range []store.Page{{Limit: 20}, page} {
			_, e1 := store.ListDue(v, store.OrderNoun, noon(1), p)
			_, e2 := store.ListDue(v, store.TransferNoun, noon(1), p)
			_, credits := store.ListDueCredits(v, noon(1), p)
			_, owed := store.ListOwedPayments(v, p)
			for _, f := range []store.TransferFilter{{}, {Company: 1}, {Merchant: "m"}, {Payment: "p"}, {Rail: credit.Card}, {Status: credit.TransferQueued}, {Rail: credit.ACH, Company: 1}, {Unanswered: true}} {
				_, err := store.ListTransfers(v, f, p)
				e2 = errors.Join(e2, err)
			}
			for _, f := range []store.PayoutFilter{{}, {Merchant: "m"}, {Status: credit.PayoutFailed}, {Merchant: "m", Status: credit.PayoutSettled}} {
				_, err := store.ListPayouts(v, f, p)
				e2 = errors.Join(e2, err)
			}
			_, e3 := store.ListPayoutLines(v, store.LineFilter{Payout: "po"}, p)
			_, e4 := store.ListPayoutLines(v, store.LineFilter{Waiting: "m"}, p)
			for _, f := range []store.NoticeFilter{
				{DueFrom: calendar.None, DueTo: calendar.None}, {Company: 1, DueFrom: calendar.None, DueTo: calendar.None},
				{Unsent: true, DueFrom: calendar.None, DueTo: railDay}, {Unsent: true, Company: 1, DueFrom: railDay, DueTo: railDay},
				{Late: true, DueFrom: calendar.None, DueTo: calendar.None},
			} {
				_, err := store.ListNotices(v, f, p)
				e4 = errors.Join(e4, err)
			}
			if err := errors.Join(e1, e2, e3, e4, credits, owed); err != nil {
				return err
			}
		}
		_, e1 := store.ListDueMerchants(v, railDay)
		_, e2 := store.ListAgedMerchants(v, credit.LineClawback, railDay)
		_, owed := store.OwedAt(v, "m", 7)
		e2 = errors.Join(e2, owed)
		_, e3 := store.ListMethods(v, 1)
		_, e4 := store.AllOf(v, store.PeriodNoun)
		_, e5 := v.TrialBalance(store.BookFilter{From: calendar.None, To: railDay})
		_, e6 := v.TrialBalance(store.BookFilter{From: calendar.None, To: railDay, Company: 1})
		e7 := v.Load(credit.NewState(), credit.Keys{
			Methods: []string{"x"}, Transfers: []string{"x"}, Payouts: []string{"x"}, Lines: []string{"x"}, Waiting: []string{"x"},
			Notices: []string{"x"}, Periods: []calendar.Date{railDay},
		})
		return errors.Join(e1, e2, e3, e4, e5, e6, e7, explainAll(t, v, 50))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestReviewPlans checks the plans of review lists, of counts, and of the sums for a match.
// A plan that uses an index may still scan all of it: so each statement names the index by
// which it finds its rows.
func TestReviewPlans(t *testing.T) {
	db := railBook(t)
	ctx := t.Context()
	if _, _, err := store.SumsOf(ctx, db, []string{"l"}, []string{"e"}); !errors.Is(err, store.ErrRefused) {
		t.Fatal(err)
	}
	plans := map[string]string{}
	err := db.View(ctx, func(sv store.View) error {
		v := sv.(*view)
		var all []error
		for _, p := range []store.Page{{Limit: 20}, {Limit: 20, AfterAt: noon(0), AfterID: "7"}} {
			_, e1 := store.ListSuspendedCompanies(v, p)
			_, e2 := store.ListUnscreenedCompanies(v, p)
			_, e3 := store.ListPausedCompanies(v, p)
			_, e4 := store.ListProposedOrders(v, p)
			_, e5 := store.ListStoppedOrders(v, p)
			_, e6 := store.ListFiles(v, store.FileSent, p)
			all = append(all, e1, e2, e3, e4, e5, e6)
			for _, f := range []store.ScreeningFilter{{}, {Company: 1}, {Merchant: "m"}, {Status: credit.ScreeningOpen}} {
				_, err := store.ListScreenings(v, f, p)
				all = append(all, err)
			}
			for _, f := range []store.ReceiptFilter{{}, {Status: payments.ReceiptOpen}} {
				_, err := store.ListReceipts(v, f, p)
				all = append(all, err)
			}
			_, e7 := store.ListNotices(v, store.NoticeFilter{Unsent: true, DueFrom: calendar.None, DueTo: railDay}, p)
			all = append(all, e7)
		}
		_, e1 := store.ListUnscreenedMerchants(v)
		_, e2 := store.DebitReturnsSince(v, noon(0))
		_, e3 := store.DebitsSince(v, noon(0))
		_, e4 := v.TrialBalance(store.BookFilter{From: railDay, To: railDay, Merchant: "m"})
		_, e5 := store.DueMoneyOf(v, "m", railDay)
		return errors.Join(append(all, e1, e2, e3, e4, e5, explainAll(t, v, 20), explain(v, plans))...)
	})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string][]string{
		"FROM companies WHERE status = 'SUSPENDED' ORDER":                               {"companies_suspended"},
		"FROM companies WHERE status = 'SUSPENDED' AND (":                               {"companies_suspended", "Index Cond: (ROW("},
		"FROM companies WHERE unscreened ORDER":                                         {"companies_unscreened"},
		"FROM companies WHERE unscreened AND (":                                         {"companies_unscreened", "Index Cond: (ROW("},
		"FROM companies WHERE paused ORDER":                                             {"companies_paused"},
		"FROM companies WHERE paused AND (":                                             {"companies_paused", "Index Cond: (ROW("},
		"FROM orders WHERE proposed ORDER":                                              {"orders_proposed"},
		"FROM orders WHERE proposed AND (":                                              {"orders_proposed", "Index Cond: (ROW("},
		"FROM orders WHERE stopped ORDER":                                               {"orders_stopped"},
		"FROM orders WHERE stopped AND (":                                               {"orders_stopped", "Index Cond: (ROW("},
		"FROM bank_files WHERE state = $1 ORDER":                                        {"bank_files_state", "Index Cond: (state = $1)"},
		"FROM bank_files WHERE state = $1 AND (":                                        {"bank_files_state", "Index Cond: ((state = $1) AND (ROW("},
		"FROM merchants WHERE unscreened":                                               {"merchants_unscreened"},
		"FROM screenings ORDER":                                                         {"screenings_opened"},
		"FROM screenings WHERE company_id = $1 ORDER":                                   {"screenings_company", "Index Cond: (company_id = $1)"},
		"FROM screenings WHERE merchant_id <> '' AND merchant_id = $1 ORDER":            {"screenings_merchant", "Index Cond: (merchant_id = $1)"},
		"FROM screenings WHERE merchant_id <> '' AND merchant_id = $1 AND (":            {"screenings_merchant", "Index Cond: ((merchant_id = $1) AND (ROW("},
		"FROM screenings WHERE status = $1 ORDER":                                       {"screenings_status", "Index Cond: (status = $1)"},
		"FROM receipts ORDER":                                                           {"receipts_created"},
		"FROM receipts WHERE status = $1 ORDER":                                         {"receipts_status", "Index Cond: (status = $1)"},
		"FROM notices WHERE sent_at IS NULL AND due_on <= $1 ORDER":                     {"notices_waiting"},
		"FROM notices WHERE sent_at IS NULL AND due_on <= $1 AND (":                     {"notices_waiting", "Index Cond: (ROW("},
		"FROM bank_notices WHERE code <> '' AND at >= $1 AND (":                         {"bank_notices_code", "Index Cond: (at >= $1)", "transfers_pkey", "Index Cond: (id = bank_notices.transfer_id)"},
		"FROM transfers WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sen": {"transfers_debited", "Index Cond: (sent_at >= $1)"},
		"FROM payout_lines WHERE payout_id IS NULL AND due_on <= $1":                    {"payout_lines_waiting", "Index Cond: ((merchant_id = $2) AND (due_on <= $1))"},
		"FROM bank_lines WHERE id = ANY":                                                {"bank_lines_pkey", "Index Cond: (id = ANY"},
		"FROM entries WHERE id = ANY":                                                   {"entries_id", "Index Cond: (id = ANY"},
		"SELECT p.account, sum(p.amount)::bigint FROM entries":                          {"entries_book", "Index Cond: ((book_date >= $1) AND (book_date <= $2))"},
	} {
		plan := ""
		for sql, p := range plans {
			if strings.Contains(sql, part) {
				plan = p
			}
		}
		for _, x := range want {
			if !strings.Contains(plan, x) {
				t.Errorf("%s: no %s in\n%s", part, x, plan)
			}
		}
	}
}

// TestBooksOf reads a company's lines, with and without an order, and another company's.
func TestBooksOf(t *testing.T) {
	db := railBook(t)
	entry := func(id string, day calendar.Date, p ...ledger.Posting) ledger.Entry {
		return ledger.Entry{ID: id, BookDate: day, ValueDate: day, Currency: money.USD, Postings: p}
	}
	post := func(account ledger.Account, amount money.Amount, company int64, order, merchant string) ledger.Posting {
		return ledger.Posting{Account: account, Amount: amount, Dimensions: ledger.Dimensions{Company: company, Order: order, Merchant: merchant}}
	}
	update(t, db, store.Committed, apply(next(t, db, 2, credit.Changes{Entries: []ledger.Entry{
		entry("e1", railDay-1, post(ledger.Cash, 5, 1, "o1", "m"), post(ledger.Cash, -5, 1, "", "")),
		entry("e2", railDay, post(ledger.Cash, 7, 1, "", "m"), post(ledger.Cash, -7, 2, "o2", "m")),
	}})))
	err := db.View(t.Context(), func(v store.View) error {
		for want, f := range map[string]store.BookFilter{
			"e1:2 e2:2": {From: calendar.None, To: calendar.None},
			"e1:2 e2:1": {From: calendar.None, To: calendar.None, Company: 1},
			"e2:1":      {From: calendar.None, To: calendar.None, Company: 2},
			"e1:1 e2:1": {From: calendar.None, To: railDay, Company: 1, Merchant: "m"},
			"e1:1 e2:2": {From: calendar.None, To: railDay, Merchant: "m"},
			"e1:2":      {From: railDay - 1, To: railDay - 1},
			"":          {From: railDay + 1, To: calendar.None},
		} {
			var got []string
			var sum money.Amount
			err := store.EachEntryOf(v, f, func(e store.EntryRow) error {
				got = append(got, fmt.Sprint(e.ID, ":", len(e.Postings)))
				for _, p := range e.Postings {
					sum = sum.Add(p.Amount)
				}
				return nil
			})
			if text := strings.Join(got, " "); err != nil || text != want {
				t.Errorf("%+v: %q instead of %q, %v", f, text, want, err)
			}
			trial, err := v.TrialBalance(f)
			if at, found := trial[ledger.Cash]; err != nil || at != sum || found != (sum != 0) {
				t.Errorf("%+v: %v instead of %s, %v", f, trial, sum, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
