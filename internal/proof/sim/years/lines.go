package years

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
	"tenor/internal/office/books"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
)

// account is the lender's account as the bank keeps it: a line for everything it has booked. Its
// statement comes a few days late, and parts of it come twice.
type account struct {
	lines  []store.BankLine
	of     map[string][]string // transfers of each line, by the last digits of their ids
	booked map[string]bool     // entries, their returns, and charges
	told   int                 // lines that the lender has
}

// book writes what the bank has booked by now into the account.
func (b *bankSide) book() {
	today := b.y.zone.Date(b.y.Clock.Now())
	if b.y.Mix.Statement == 0 || b.account.booked == nil && b.y.healed {
		return
	}
	if b.account.booked == nil {
		b.account.of, b.account.booked = map[string][]string{}, map[string]bool{}
	}
	for _, id := range sim.SortedKeys(b.moved) {
		x := b.moved[id]
		if x.prenote || x.rejected || x.settles > today {
			continue
		}
		sum, trace := x.amount, fmt.Sprintf("%s%07d", fake.Routing[:8], x.trace)
		if !x.debit {
			sum = -sum
		}
		b.line("", "ACH "+trace, x.id, sum)
		if x.returned {
			b.line(" back", "RETURN "+trace, x.id, -sum)
			b.line(" cost", "RETURN FEE "+trace, x.id, -int64(fake.ReturnCost))
		}
	}
	for _, key := range sim.SortedKeys(b.charges) {
		c := b.charges[key]
		last := key[max(0, len(key)-15):]
		if c.settled {
			b.line("", "CARD "+key, last, c.amount-c.cost)
		}
		if c.disputed {
			b.line(" back", "CHARGEBACK "+key, last, -c.amount)
			b.line(" fee", "CHARGEBACK FEE "+key, last, -c.fees)
			if c.won {
				b.line(" won", "CHARGEBACK REVERSED "+key, last, c.amount)
			}
		}
	}
}

// line books one line, once. Some lines do not say what they are.
func (b *bankSide) line(what, reference, id string, amount int64) {
	name := id + what
	if b.account.booked[name] || amount == 0 {
		return
	}
	b.account.booked[name] = true
	if sim.Chance(b.y.Source, 20) {
		reference = "TRANSFER"
	}
	l := store.BankLine{ID: fmt.Sprintf("bln_%06d", len(b.account.lines)), Date: b.y.zone.Date(b.y.Clock.Now()), Amount: money.Amount(amount), Reference: reference}
	b.account.lines = append(b.account.lines, l)
	b.account.of[l.ID] = []string{id}
}

// statement brings the bank's statement to the lender: what is new, and some of what it already
// has.
func (y *Years) statement() error {
	a := &y.bank.account
	if y.Mix.Statement == 0 || !y.healed && y.Source.Intn(1000) >= y.Mix.Statement || a.told == len(a.lines) {
		return nil
	}
	list := slices.Clone(a.lines[max(0, a.told-y.Source.Intn(9)):])
	y.reach(len(list) > len(a.lines)-a.told, sim.LinesTwice)
	if sim.Chance(y.Source, 30) {
		slices.Reverse(list)
	}
	n, err := y.Faulty.Backend.PutBankLines(context.Background(), list)
	if err == nil && n != len(a.lines)-a.told {
		err = fmt.Errorf("PO6: %d of %d lines of the bank were new, want %d", n, len(list), len(a.lines)-a.told)
	}
	a.told = len(a.lines)
	return err
}

// unmatch lets staff undo a match of bank lines: the next run finds it again.
func (y *Years) unmatch() error {
	ctx := context.Background()
	list, err := store.Matches(ctx, y.Faulty.Backend, store.Page{Limit: 50})
	list = slices.DeleteFunc(list, func(m store.BankMatch) bool { return !m.UndoneAt.IsZero() })
	if err != nil || len(list) == 0 {
		return err
	}
	y.Situations.Reached(sim.MatchUndone)
	return y.Faulty.Backend.UndoMatch(ctx, sim.Pick(y.Source, list).ID, "ops", y.Clock.Now())
}

// reconciled: the difference between the bank's statement and 1000 is what is open on both sides;
// and a line that says what it is was matched with that and nothing else (PO6).
func (y *Years) reconciled(b *sim.Books) error {
	if len(y.bank.account.lines) == 0 {
		return nil
	}
	matches := map[string]store.BankMatch{}
	err := y.Faulty.Backend.View(context.Background(), func(v store.View) error {
		r, err := books.Reconcile(v, y.zone.Date(y.Clock.Now()))
		if err == nil && !r.Proven() {
			err = fmt.Errorf("PO6: the bank has %s, the books %s, open lines come to %s and open entries to %s", r.Bank, r.Ledger, r.LinesSum, r.EntriesSum)
		}
		return errors.Join(err, store.Each(v, &store.BankMatches, func(m store.BankMatch) error { matches[m.ID] = m; return nil }))
	})
	if err != nil {
		return err
	}
	causes := map[string]string{}
	for _, e := range b.Entries {
		causes[e.ID] = e.Cause
	}
	for _, id := range sim.SortedKeys(matches) {
		m := matches[id]
		y.reach(m.Rule == store.MatchReference, sim.MatchedByName)
		y.reach(m.Rule == store.MatchAmount, sim.MatchedByAmount)
		if m.Rule != store.MatchReference {
			continue
		}
		for _, e := range m.Entries {
			if t := y.transferOf(b, causes[e]); t == "" || !slices.Contains(y.bank.account.of[m.Lines[0]], t[max(0, len(t)-15):]) {
				return fmt.Errorf("PO6: %s matches lines %v of %v with entry %s of %s", id, m.Lines, y.bank.account.of[m.Lines[0]], e, causes[e])
			}
		}
	}
	return nil
}

// transferOf returns the transfer that an entry with a cause has moved, "" if it belongs to none.
func (y *Years) transferOf(b *sim.Books, cause string) string {
	if p := b.Payout(cause); p != nil {
		return p.Transfer
	}
	if p := b.Payments[cause]; p != nil {
		return p.Transfer
	}
	if strings.HasPrefix(cause, "trf_") {
		return cause
	}
	for _, e := range b.Money {
		if e.ID == cause && b.Payments[e.Payment] != nil {
			return b.Payments[e.Payment].Transfer
		}
	}
	return ""
}
