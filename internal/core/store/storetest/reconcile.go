package storetest

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
)

// cashEntries are entries on 1000, booked on two days: c1 5.00 in, c2 of −5.00 in two
// lines, c3 12.00 in, and one that only passes through, plus one on other accounts.
func cashEntries() credit.Changes {
	entry := func(id string, day calendar.Date, amounts ...money.Amount) ledger.Entry {
		e := ledger.Entry{ID: id, BookDate: day, ValueDate: day, Currency: money.USD, Event: "ACH_SETTLED", Cause: "trf_" + id}
		sum := money.Amount(0)
		for _, a := range amounts {
			e.Postings = append(e.Postings, ledger.Posting{Account: ledger.Cash, Amount: a, Dimensions: ledger.Dimensions{Payment: "pay_" + id}})
			sum += a
		}
		if sum != 0 {
			e.Postings = append(e.Postings, ledger.Posting{Account: ledger.LenderFunding, Amount: -sum})
		}
		return e
	}
	other := entry("c5", 20_456, 5)
	other.Postings[0].Account = ledger.CardCost
	return credit.Changes{Entries: []ledger.Entry{
		entry("c1", 20_455, 500), entry("c2", 20_455, -300, -200), entry("c3", 20_456, 1200), entry("c4", 20_456, 5, -5), other,
	}}
}

// testReconciliation matches lines with entries, undoes the match, and tries invalid ones.
func testReconciliation(t *testing.T, b store.Backend) {
	ctx := context.Background()
	commit(t, b, batchOf(b, cashEntries()))
	line := func(id string, day calendar.Date, amount money.Amount) store.BankLine {
		return store.BankLine{ID: id, Date: day, Amount: amount, Reference: "é " + id}
	}
	list := []store.BankLine{line("c", 20_454, 700), line("a", 20_455, -500), line("b", 20_455, 500), line("d", 20_456, 9), line("e", 20_456, -9)}
	told := slices.Clone(list[:3]) // the source of lines does not match them
	told[2].Match, told[1].Owner, told[0].Note = "none", "me", "n"
	equal(t, "fresh lines", 3, must(b.PutBankLines(ctx, told))(t))
	equal(t, "fresh lines", 2, must(b.PutBankLines(ctx, []store.BankLine{line("a", 20_454, 99), list[3], list[3], list[4]}))(t))
	equal(t, "no lines", 0, must(b.PutBankLines(ctx, nil))(t))
	match := func(id string, amount money.Amount, lines, entries []string) store.BankMatch {
		return store.BankMatch{ID: id, Rule: store.MatchByHand, Lines: lines, Entries: entries, Amount: amount, Note: "ü", MadeAt: wall(1), MadeBy: "ops"}
	}
	one := match("mtc_1", 1200, []string{"c", "b"}, []string{"c3"})
	two := match("mtc_2", 0, []string{"d", "e"}, nil)
	two.MadeAt = wall(2)
	if err := b.PutMatches(ctx, []store.BankMatch{one, two}); err != nil {
		t.Fatal(err)
	}
	for i, m := range map[int]string{0: "mtc_1", 2: "mtc_1", 3: "mtc_2", 4: "mtc_2"} {
		list[i].Match = m
	}
	refuseMatches(t, b, match)
	for _, err := range []error{b.AssignLine(ctx, "a", "ann", "asked"), b.AssignEntry(ctx, "c2", "bob", "ü"), b.AssignEntry(ctx, "c3", "ann", ""), b.AssignEntry(ctx, "c2", "bob", "called")} {
		if err != nil {
			t.Error(err)
		}
	}
	list[1].Owner, list[1].Note = "ann", "asked"
	read := func(open bool) func(store.Page) ([]item, error) {
		return func(p store.Page) ([]item, error) {
			lines, err := store.BankLines(ctx, b, open, p)
			return lineItems(lines), err
		}
	}
	walk(t, "lines of the bank", lineItems(list), read(false))
	equal(t, "lines", list, must(store.BankLines(ctx, b, false, store.Page{Limit: 9}))(t))
	equal(t, "open lines", list[1:2], must(store.BankLines(ctx, b, true, store.Page{Limit: 9}))(t))
	equal(t, "open lines after a matched one", []store.BankLine(nil), must(store.BankLines(ctx, b, true, store.Page{Limit: 9, AfterID: "b"}))(t))
	walk(t, "matches", matchItems([]store.BankMatch{two, one}), func(p store.Page) ([]item, error) {
		list, err := store.Matches(ctx, b, p)
		return matchItems(list), err
	})
	testCash(t, b)
	if err := b.UndoMatch(ctx, "mtc_1", "ann", wall(7)); err != nil {
		t.Fatal(err)
	}
	if err := b.UndoMatch(ctx, "mtc_1", "ann", wall(8)); !errors.Is(err, store.ErrRefused) {
		t.Errorf("undone twice: %v", err)
	}
	one.UndoneAt, one.UndoneBy = wall(7), "ann"
	equal(t, "undone matches", []store.BankMatch{one}, must(store.UndoneMatches(ctx, b))(t))
	if got, found, err := store.MatchByID(ctx, b, "mtc_1"); !found || err != nil {
		t.Errorf("an undone match: %t %v", found, err)
	} else {
		equal(t, "an undone match", one, got)
	}
	if _, found, err := store.MatchByID(ctx, b, "none"); found || err != nil {
		t.Errorf("a match that is not there: %t %v", found, err)
	}
	list[0].Match, list[2].Match = "", ""
	equal(t, "open lines", []store.BankLine{list[0], list[1], list[2]}, must(store.BankLines(ctx, b, true, store.Page{Limit: 9}))(t))
	if err := b.PutMatches(ctx, []store.BankMatch{match("mtc_3", 1200, []string{"c", "b"}, []string{"c3"})}); err != nil {
		t.Errorf("matched again: %v", err)
	}
}

// refuseMatches tries invalid matches; nothing of them stays.
func refuseMatches(t *testing.T, b store.Backend, match func(string, money.Amount, []string, []string) store.BankMatch) {
	t.Helper()
	ctx := context.Background()
	before := dump(t, b)
	put := func(id string, amount money.Amount, lines, entries []string) error {
		good := match("mtc_good", -500, []string{"a"}, []string{"c2"})
		return b.PutMatches(ctx, []store.BankMatch{good, match(id, amount, lines, entries)})
	}
	rule := match("x", -500, []string{"a"}, []string{"c2"})
	rule.Rule = "GUESS"
	for name, c := range map[string]struct{ got, want error }{
		"a name that is taken":         {b.PutMatches(ctx, []store.BankMatch{match("mtc_1", -500, []string{"a"}, []string{"c2"})}), store.ErrTaken},
		"a line in two matches":        {put("x", 700, []string{"c"}, []string{"c1"}), store.ErrTaken},
		"an entry in two matches":      {put("x", 500, nil, []string{"c1", "c3"}), store.ErrTaken},
		"a line in two at once":        {put("x", -500, []string{"a"}, []string{"c1"}), store.ErrTaken},
		"an entry in two at once":      {put("x", 0, nil, []string{"c1", "c2"}), store.ErrTaken},
		"a line twice":                 {put("x", 0, []string{"b", "b"}, nil), store.ErrRefused},
		"one line alone":               {put("x", 0, []string{"b"}, nil), store.ErrRefused},
		"a line that is not there":     {put("x", 500, []string{"none"}, []string{"c1"}), store.ErrRefused},
		"an entry that is not there":   {put("x", 500, nil, []string{"c1", "none"}), store.ErrRefused},
		"an entry that is not on 1000": {put("x", 5, nil, []string{"c5", "c4"}), store.ErrRefused},
		"sums that differ":             {put("x", 500, nil, []string{"c1", "c4"}), store.ErrRefused},
		"another amount":               {put("x", 501, nil, []string{"c1", "c4"}), store.ErrRefused},
		"a rule that is none":          {b.PutMatches(ctx, []store.BankMatch{rule}), store.ErrRefused},
		"a match that is not there":    {b.UndoMatch(ctx, "none", "ann", wall(1)), store.ErrRefused},
		"a line of nobody":             {b.AssignLine(ctx, "none", "ann", ""), store.ErrRefused},
		"an entry of nobody":           {b.AssignEntry(ctx, "none", "ann", ""), store.ErrRefused},
		"an entry on other accounts":   {b.AssignEntry(ctx, "c5", "ann", ""), store.ErrRefused},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v", name, c.got)
		}
	}
	same(t, before, dump(t, b))
	sums := func(lines, entries []string) string {
		x, y, err := store.SumsOf(ctx, b, lines, entries)
		return fmt.Sprint(x, y, errors.Is(err, store.ErrRefused))
	}
	equal(t, "sums", "7.00 -5.00 false 0.00 5.00 false", sums([]string{"c"}, []string{"c2", "c4"})+" "+sums(nil, []string{"c1"}))
	for _, wrong := range [][2][]string{{{"none"}, nil}, {{"c", "c"}, nil}, {nil, {"none"}}, {nil, {"c5"}}, {{"c"}, {"c1", "c1"}}} {
		if got := sums(wrong[0], wrong[1]); !strings.HasSuffix(got, "true") {
			t.Errorf("sums of %q: %s", wrong, got)
		}
	}
	if err := b.PutMatches(ctx, nil); err != nil {
		t.Errorf("no matches: %v", err)
	}
}

// testCash reads account 1000 through a view.
func testCash(t *testing.T, b store.Backend) {
	t.Helper()
	err := b.View(context.Background(), func(v store.View) error {
		q := v.Seq()
		row := func(id string, day calendar.Date, amount money.Amount) store.CashRow {
			return store.CashRow{Entry: id, Q: q, Date: day, Event: "ACH_SETTLED", Cause: "trf_" + id, Payment: "pay_" + id, Amount: amount}
		}
		all := []store.CashRow{row("c1", 20_455, 500), row("c2", 20_455, -500), row("c3", 20_456, 1200), row("c4", 20_456, 0)}
		all[1].Owner, all[1].Note = "bob", "called"
		all[2].Match, all[2].Owner = "mtc_1", "ann"
		none := calendar.None
		for _, c := range []struct {
			f    store.CashFilter
			want []store.CashRow
		}{
			{store.CashFilter{From: none, To: none}, all},
			{store.CashFilter{From: none, To: none, Open: true}, []store.CashRow{all[0], all[1], all[3]}},
			{store.CashFilter{From: none, To: 20_455}, all[:2]},
			{store.CashFilter{From: 20_456, To: none}, all[2:]},
			{store.CashFilter{From: 20_456, To: 20_456, Open: true}, all[3:]},
			{store.CashFilter{From: 20_457, To: none}, nil},
		} {
			var got []store.CashRow
			if err := v.EachCash(c.f, func(r store.CashRow) error { got = append(got, r); return nil }); err != nil {
				return err
			}
			equal(t, fmt.Sprintf("cash of %+v", c.f), c.want, got)
		}
		var ids []string
		err := errors.Join(store.Each(v, &store.BankMatches, func(m store.BankMatch) error { ids = append(ids, m.ID); return nil }),
			store.Each(v, &store.CashItems, func(x store.CashItem) error { ids = append(ids, x.Entry); return nil }))
		equal(t, "walks", []string{"mtc_1", "mtc_2", "c2", "c3"}, ids)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func lineItems(lines []store.BankLine) []item {
	return items(lines, func(l store.BankLine) (time.Time, string) { return time.Time{}, l.ID })
}

func matchItems(list []store.BankMatch) []item {
	return items(list, func(m store.BankMatch) (time.Time, string) { return m.MadeAt, m.ID })
}

// reconcile generates acts on bank lines.
func (r *banker) reconcile(at time.Time, said func(any, error) string) func(store.Backend) string {
	ctx := context.Background()
	pick := func(prefix string, n, most int) (out []string) {
		for range r.rng.IntN(most + 1) {
			out = append(out, fmt.Sprint(prefix, r.rng.IntN(n)))
		}
		return out
	}
	switch r.rng.IntN(5) {
	case 0:
		id := fmt.Sprint("m", r.rng.IntN(30))
		return func(b store.Backend) string { return said("", b.UndoMatch(ctx, id, "ann", at)) }
	case 1:
		id, owner := fmt.Sprint("l", r.rng.IntN(40)), fmt.Sprint(r.rng.IntN(3))
		entry := []string{"ent", "none"}[r.rng.IntN(2)]
		return func(b store.Backend) string {
			return said("", b.AssignLine(ctx, id, owner, "")) + said("", b.AssignEntry(ctx, entry, owner, "n"))
		}
	case 2:
		limit := 1 + r.rng.IntN(9)
		return func(b store.Backend) string { return said(store.Matches(ctx, b, store.Page{Limit: limit})) }
	}
	m := store.BankMatch{
		ID: fmt.Sprint("m", r.rng.IntN(30)), Rule: store.MatchBatch, Lines: pick("l", 40, 2), MadeAt: at,
		Amount: money.Amount(r.rng.IntN(2)), Entries: []string{"ent"}[:r.rng.IntN(2)],
	}
	return func(b store.Backend) string { return said("", b.PutMatches(ctx, []store.BankMatch{m})) }
}
