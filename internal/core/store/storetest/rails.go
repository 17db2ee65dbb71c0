package storetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// testEveryRailField writes records of rails, payouts and the books with every member set,
// and reads them back.
func testEveryRailField(t *testing.T, b store.Backend) {
	n := 0
	m, company, order, payment := filled[credit.Merchant](&n), filled[credit.Company](&n), filled[credit.Order](&n), filled[credit.Payment](&n)
	m.Programs, company.Status, company.Linked = nil, credit.CompanyApproved, []string{m.ID}
	order.Company, order.Merchant, order.Status, order.Financing = company.ID, m.ID, credit.OrderCaptured, credit.FinancingActive
	order.Installments, order.Captured, order.Refunded = 6, 1000, 0
	bank, card := filled[credit.PaymentMethod](&n), filled[credit.PaymentMethod](&n)
	bank.Company, bank.Type, bank.Status, bank.Card = company.ID, credit.ACH, credit.MethodDisabled, nil
	card.Company, card.Type, card.Status, card.Bank, card.DisabledReason = company.ID, credit.Card, credit.MethodActive, nil, ""
	payment.Company, payment.Order, payment.Currency, payment.Status = company.ID, order.Key, order.Currency, credit.PaymentSucceeded
	payment.Method, payment.Direction, payment.Amount, payment.MethodID = credit.ACH, "IN", payment.Refunded+payment.OnHold, bank.ID
	payout, line, owed := filled[credit.Payout](&n), filled[credit.PayoutLine](&n), filled[credit.PayoutLine](&n)
	payout.Merchant, payout.Status, payout.Gross = m.ID, credit.PayoutFailed, 1_000_000
	payout.Net = payout.Gross - payout.Discount - payout.Refunds + payout.Repaid - payout.Clawback - payout.Collected
	line.Merchant, line.Company, line.Order, line.Kind, line.Payout = m.ID, company.ID, order.Key, credit.LineCapture, payout.ID
	line.Amount, line.Netted, line.Gross = 1000, 0, 1000+line.Discount+line.Refunds
	owed.Merchant, owed.Company, owed.Order, owed.Kind, owed.Payout = m.ID, company.ID, "", credit.LineClawback, ""
	owed.Amount = owed.Netted + 1
	debit, paid := filled[credit.Transfer](&n), filled[credit.Transfer](&n)
	debit.Rail, debit.Kind, debit.Status, debit.Company, debit.Merchant = credit.ACH, credit.TransferPayment, credit.TransferSettled, company.ID, ""
	debit.Payment, debit.Refund, debit.Payout, debit.Method = payment.ID, "", "", bank.ID
	debit.Amount = debit.Back + 1
	payment.Transfer, payout.Transfer = debit.ID, paid.ID
	paid.Rail, paid.Kind, paid.Status, paid.Company, paid.Merchant = credit.ACH, credit.TransferPayout, credit.TransferSent, 0, m.ID
	paid.Payment, paid.Refund, paid.Payout, paid.Method, paid.Amount, paid.Back = "", "", payout.ID, "", payout.Net, 0
	notice, period := filled[credit.Notice](&n), filled[credit.Period](&n)
	notice.Kind, notice.Asked, notice.Company, period.Month = credit.NoticeClosure, "", company.ID, 20_423
	lender, screening := filled[credit.Lender](&n), filled[credit.Screening](&n)
	lender.ID, screening.Merchant, screening.Company, screening.Status = credit.TheLender, "", company.ID, credit.ScreeningConfirmed
	receipt := filled[credit.Receipt](&n)
	receipt.Method, receipt.Status, receipt.BackReference = credit.Wire, payments.ReceiptIdentified, ""
	c := credit.Changes{
		Merchants: []*credit.Merchant{m}, Companies: []*credit.Company{company}, Orders: []*credit.Order{order}, Receipts: []*credit.Receipt{receipt},
		Payments: []*credit.Payment{payment}, Methods: []*credit.PaymentMethod{bank, card}, Transfers: []*credit.Transfer{debit, paid},
		Payouts: []*credit.Payout{payout}, Lines: []*credit.PayoutLine{line, owed}, Notices: []*credit.Notice{notice},
		Periods: []*credit.Period{period}, Lenders: []*credit.Lender{lender}, Screenings: []*credit.Screening{screening},
	}
	commit(t, b, batchOf(b, c))
	keys := credit.Keys{
		Merchants: []string{m.ID}, Companies: []int64{company.ID}, Orders: []string{order.Key}, Payments: []string{payment.ID},
		Methods: []string{bank.ID, card.ID}, Transfers: []string{debit.ID, paid.ID}, Payouts: []string{payout.ID},
		Lines: []string{order.Key, linesOf(company.ID)}, Waiting: []string{m.ID}, Ended: []string{payout.ID, debit.ID}, Notices: []string{notice.ID},
		Periods: []calendar.Date{period.Month}, Lenders: []string{lender.ID}, Screenings: []string{screening.ID}, Receipts: []string{receipt.ID},
	}
	want, got := credit.NewState(), credit.NewState()
	want.OrderLines[order.Key], want.OrderLines[linesOf(company.ID)], want.Waiting[m.ID] = nil, nil, nil
	want.Ended[payout.ID], want.Ended[debit.ID] = nil, nil
	want.Apply(c)
	want.Loans[order.Key] = nil
	view(t, b, func(v store.View) {
		if err := v.Load(got, keys); err != nil {
			t.Fatal(err)
		}
		equal(t, "records", want, got)
		// What is already loaded is not read again, nor its dependents.
		changed := *line
		changed.Amount++
		got.Lines[line.ID] = &changed
		delete(got.OrderLines, order.Key)
		if err := v.Load(got, keys); err != nil {
			t.Fatal(err)
		}
		equal(t, "a line that was loaded before", &changed, got.Lines[line.ID])
		equal(t, "lines of the order", []string{line.ID}, got.OrderLines[order.Key])
	})
}

// testRails compares every list of rails and payouts with a plain loop.
func testRails(t *testing.T, b store.Backend) {
	w := NewWorld(seed(t))
	for i := 0; i < 40 || i < 4000 && (records(w) == 0 || len(owed(w)) == 0); i++ {
		commit(t, b, w.Batch(25))
	}
	view(t, b, func(v store.View) {
		listDue(t, w, v)
		listOwed(t, w, v)
		listTransfers(t, w, v)
		listPayouts(t, w, v)
		countDebits(t, w, v)
		owedAt(t, w, v)
		listLines(t, w, v)
		for _, company := range append([]int64{0}, w.companies...) {
			at := func(x *credit.Notice) (time.Time, string) { return x.ActionAt, x.ID }
			want := expected(items(all(w.State.Notices), at), func(x any) bool { return company == 0 || x.(*credit.Notice).Company == company })
			walk(t, "notices", want, func(p store.Page) ([]item, error) {
				list, err := store.ListNotices(v, store.NoticeFilter{Company: company, DueFrom: calendar.None, DueTo: calendar.None}, p)
				return items(list, at), err
			})
			listLender(t, w, v, company)
			if company == 0 {
				listReceipts(t, w, v)
			}
			var methods []any
			for _, i := range expected(items(all(w.State.Methods), func(x *credit.PaymentMethod) (time.Time, string) { return x.CreatedAt, x.ID }),
				func(x any) bool { return x.(*credit.PaymentMethod).Company == company }) {
				methods = append(methods, i.record)
			}
			var got []any
			for _, m := range must(store.ListMethods(v, company))(t) {
				got = append(got, m)
			}
			equal(t, "methods", methods, got)
		}
		periods := all(w.State.Periods)
		slices.SortFunc(periods, func(a, b *credit.Period) int { return cmp.Compare(a.Month, b.Month) })
		equal(t, "periods", periods, must(store.AllOf(v, store.PeriodNoun))(t))
		walkRails(t, w, v)
	})
}

// all returns the records of a state's map, without those that were not found.
func all[K comparable, T any](m map[K]*T) []*T {
	var out []*T
	for _, x := range m {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// listDue lists what is due at several instants.
func listDue(t *testing.T, w *World, v store.View) {
	t.Helper()
	var orders, transfers, credits, held []store.Due
	first := map[string]time.Time{}
	for _, x := range all(w.State.Lines) {
		if at := first[x.Of()]; !x.NextAt.IsZero() && (at.IsZero() || x.NextAt.Before(at)) {
			first[x.Of()] = x.NextAt
		}
	}
	for of, at := range first {
		held = append(held, store.Due{ID: of, At: at})
	}
	for _, key := range w.orders {
		orders = append(orders, store.Due{ID: key, At: w.State.Orders[key].NextAt})
	}
	for _, x := range all(w.State.Transfers) {
		transfers = append(transfers, store.Due{ID: x.ID, At: x.NextAt})
	}
	for id, open := range w.State.Credits {
		first := store.Due{ID: store.CompanyKey(id)}
		for _, x := range open {
			if first.At.IsZero() || !x.NextAt.IsZero() && x.NextAt.Before(first.At) {
				first.At = x.NextAt
			}
		}
		credits = append(credits, first)
	}
	at := func(d store.Due) (time.Time, string) { return d.At, d.ID }
	for _, now := range []time.Time{{}, w.at, w.at.Add(30 * 24 * time.Hour), w.later(), w.later().Add(-time.Microsecond)} {
		for _, c := range []struct {
			name string
			all  []store.Due
			read func(store.View, time.Time, store.Page) ([]store.Due, error)
		}{
			{"due orders", orders, store.DueOf(store.OrderNoun)}, {"due transfers", transfers, store.DueOf(store.TransferNoun)},
			{"due credits", credits, store.ListDueCredits}, {"due held money", held, store.ListDueHeld},
		} {
			want := slices.DeleteFunc(slices.Clone(c.all), func(d store.Due) bool { return d.At.IsZero() || d.At.After(now) })
			slices.SortFunc(want, func(a, b store.Due) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
			walk(t, c.name, items(want, at), func(p store.Page) ([]item, error) {
				list, err := c.read(v, now, p)
				return items(list, at), err
			})
		}
	}
}

func listTransfers(t *testing.T, w *World, v store.View) {
	t.Helper()
	transfers := all(w.State.Transfers)
	slices.SortFunc(transfers, func(a, b *credit.Transfer) int { return cmp.Compare(a.ID, b.ID) })
	some := pick(w, transfers)
	type f = store.TransferFilter
	filters := []f{
		{}, {Company: some.Company}, {Merchant: some.Merchant}, {Payment: some.Payment}, {Rail: credit.Card}, {Rail: credit.ACH},
		{Status: some.Status}, {Status: credit.TransferSettled}, {Status: credit.TransferReturned, Rail: credit.ACH},
		{Company: some.Company, Status: some.Status}, {Merchant: w.merchants[0], Status: credit.TransferQueued},
		{Company: some.Company, Payment: some.Payment, Rail: some.Rail}, {Company: 7}, {Unanswered: true}, {Unanswered: true, Company: some.Company},
	}
	at := func(x *credit.Transfer) (time.Time, string) { return x.CreatedAt, x.ID }
	for _, f := range filters {
		want := expected(items(transfers, at), func(x any) bool { return f.Takes(x.(*credit.Transfer)) })
		walk(t, fmt.Sprintf("transfers by %+v", f), want, func(p store.Page) ([]item, error) {
			list, err := store.ListTransfers(v, f, p)
			return items(list, at), err
		})
	}
}

func listPayouts(t *testing.T, w *World, v store.View) {
	t.Helper()
	at := func(x *credit.Payout) (time.Time, string) { return x.CreatedAt, x.ID }
	for _, merchant := range append([]string{"", "none"}, w.merchants...) {
		for _, status := range []credit.PayoutStatus{"", credit.PayoutPending, credit.PayoutSettled, credit.PayoutFailed} {
			want := expected(items(all(w.State.Payouts), at), func(r any) bool {
				x := r.(*credit.Payout)
				return (merchant == "" || merchant == x.Merchant) && (status == "" || status == x.Status)
			})
			walk(t, "payouts", want, func(p store.Page) ([]item, error) {
				list, err := store.ListPayouts(v, store.PayoutFilter{Merchant: merchant, Status: status}, p)
				return items(list, at), err
			})
		}
	}
}

// listLines compares what is in payouts, what waits, and who is due a payout.
func listLines(t *testing.T, w *World, v store.View) {
	t.Helper()
	lines := all(w.State.Lines)
	slices.SortFunc(lines, func(a, b *credit.PayoutLine) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) })
	of := func(match func(*credit.PayoutLine) bool) []*credit.PayoutLine {
		return slices.DeleteFunc(slices.Clone(lines), func(l *credit.PayoutLine) bool { return !match(l) })
	}
	at := func(l *credit.PayoutLine) (time.Time, string) { return time.Time{}, l.ID }
	check := func(f store.LineFilter, match func(*credit.PayoutLine) bool) {
		walk(t, fmt.Sprintf("lines by %+v", f), items(of(match), at), func(p store.Page) ([]item, error) {
			list, err := store.ListPayoutLines(v, f, p)
			return items(list, at), err
		})
	}
	for _, id := range append([]string{"none"}, w.payouts...) {
		check(store.LineFilter{Payout: id}, func(l *credit.PayoutLine) bool { return l.Payout == id })
	}
	for _, m := range w.merchants {
		check(store.LineFilter{Waiting: m}, func(l *credit.PayoutLine) bool { return l.Merchant == m && l.Payout == "" })
	}
	merchants := func(day calendar.Date, kind func(credit.PayoutLineKind) bool) []string {
		var out []string
		for _, l := range lines {
			if l.Payout == "" && kind(l.Kind) && l.Left() > 0 && l.Due <= day {
				out = append(out, l.Merchant)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for days := -15; days < 10; days += 4 {
		day := w.today().AddDays(days)
		equal(t, "due merchants", merchants(day, func(k credit.PayoutLineKind) bool { return !k.Owes() }), must(store.ListDueMerchants(v, day))(t))
		for _, kind := range []credit.PayoutLineKind{credit.LineClawback, credit.LineCollected} {
			equal(t, "aged merchants", merchants(day, func(k credit.PayoutLineKind) bool { return k == kind }), must(store.ListAgedMerchants(v, kind, day))(t))
		}
		for _, m := range append([]string{"none"}, w.merchants...) {
			equal(t, "due of "+m, dueOf(lines, m, day), must(store.DueMoneyOf(v, m, day))(t))
		}
	}
}

// dueOf sums what is due between a merchant and the lender; the lines are in date order.
func dueOf(lines []*credit.PayoutLine, merchant string, day calendar.Date) store.DueMoney {
	sum := store.DueMoney{Since: calendar.None}
	for _, l := range lines {
		switch {
		case l.Merchant != merchant || l.Payout != "" || l.Due > day || l.Left() <= 0:
		case l.Kind.Owes():
			sum.ByMerchant += l.Left()
		default:
			sum.ToMerchant += l.Left()
			if sum.Since == calendar.None {
				sum.Since = l.Due
			}
		}
	}
	return sum
}

// testWaiting gives two merchants more waiting lines on each side than a payout may have:
// deductions, which are older, do not hide additions (F32).
func testWaiting(t *testing.T, b store.Backend) {
	c := credit.Changes{Merchants: []*credit.Merchant{{ID: "m1", Name: "One"}, {ID: "m2", Name: "Two"}}}
	const many = credit.MaxLines + 5
	for i := range many {
		for _, kind := range []credit.PayoutLineKind{credit.LineClawback, credit.LineRepaid, credit.LineCollected} {
			l := &credit.PayoutLine{
				ID: fmt.Sprintf("pol_%s_%05d", kind, i), Merchant: "m1", Kind: kind, Company: 7, Source: "pay", Amount: 5,
				Due: calendar.Date(20_500 - i/100), Version: 1,
			}
			switch kind { // one side before the other
			case credit.LineClawback:
				l.Due -= 200
			case credit.LineCollected:
				l.Due -= 100
			}
			c.Lines = append(c.Lines, l)
		}
	}
	only := *c.Lines[0]
	only.ID, only.Merchant = "pol_only", "m2"
	c.Lines = append(c.Lines, &only)
	commit(t, b, batchOf(b, c))
	sorted := slices.Clone(c.Lines[:3*many])
	slices.SortFunc(sorted, func(a, b *credit.PayoutLine) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) })
	var want []string
	for _, l := range slices.Concat(sorted[:credit.MaxLines], sorted[many:many+credit.MaxLines], sorted[2*many:2*many+credit.MaxLines]) {
		want = append(want, l.ID)
	}
	view(t, b, func(v store.View) {
		one, two := credit.NewState(), credit.NewState()
		if err := errors.Join(v.Load(one, credit.Keys{Waiting: []string{"m1"}}), v.Load(two, credit.Keys{Waiting: []string{"m2", "m1"}})); err != nil {
			t.Fatal(err)
		}
		equal(t, "lines of one merchant", map[string][]string{"m1": want}, one.Waiting)
		equal(t, "lines of two", map[string][]string{"m1": want, "m2": {"pol_only"}}, two.Waiting)
		if len(one.Lines) != 3*credit.MaxLines || len(two.Lines) != 3*credit.MaxLines+1 {
			t.Errorf("%d and %d lines are loaded", len(one.Lines), len(two.Lines))
		}
		both := credit.NewState() // those of the account also wait
		if err := v.Load(both, credit.Keys{Waiting: []string{"m1"}, Lines: []string{linesOf(7)}}); err != nil {
			t.Fatal(err)
		}
		equal(t, "lines of one, with all of the account", map[string][]string{"m1": want}, both.Waiting)
	})
}

// testOnce tries a second one where only one is allowed: a transfer for a payout, a closing
// of a month.
func testOnce(t *testing.T, b store.Backend) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	paid := credit.Transfer{
		ID: "t1", Rail: credit.ACH, Kind: credit.TransferPayout, Merchant: "m", Payout: "po1", Amount: 5, Status: credit.TransferSettled, SentAt: at, CreatedAt: at, Version: 1,
	}
	payout := credit.Payout{ID: "po1", Merchant: "m", Status: credit.PayoutSettled, Date: 20_454, Gross: 5, Net: 5, CreatedAt: at, Version: 1}
	month := &credit.Period{Month: 20_423, ClosedAt: at}
	commit(t, b, batchOf(b, credit.Changes{
		Merchants: []*credit.Merchant{{ID: "m", Name: "M"}}, Payouts: []*credit.Payout{&payout}, Transfers: []*credit.Transfer{&paid}, Periods: []*credit.Period{month},
	}))
	second := paid
	second.ID = "t2"
	for name, c := range map[string]credit.Changes{
		"a second transfer of a payout": {Transfers: []*credit.Transfer{&second}},
		"a month closed twice":          {Periods: []*credit.Period{month}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := refuse(t, b, batchOf(b, c)); !errors.Is(err, store.ErrTaken) {
				t.Error(err)
			}
		})
	}
}
