package books

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Reconciliation compares the bank's statement with account 1000 at the end of a day, with
// the proof: the difference equals what is open on both sides (PO6).
type Reconciliation struct {
	AsOf       calendar.Date
	Bank       money.Amount // sum of the bank's lines
	Ledger     money.Amount // balance of 1000
	Lines      []OpenItem   // bank lines without a known entry; oldest first
	Entries    []OpenItem   // on 1000, missing at the bank
	LinesSum   money.Amount
	EntriesSum money.Amount
}

// Difference is the bank's balance minus the ledger's.
func (r *Reconciliation) Difference() money.Amount { return r.Bank.Sub(r.Ledger) }

// Proven reports whether the open items explain the difference to the cent.
func (r *Reconciliation) Proven() bool { return r.Difference() == r.LinesSum.Sub(r.EntriesSum) }

// OpenItem is a bank line, or an entry on 1000, without a counterpart.
type OpenItem struct {
	ID     string
	Date   calendar.Date
	Amount money.Amount
	Age    int    // banking days since its date
	Text   string // a line's reference; an entry's event
	Cause  string // of an entry
	Owner  string
	Note   string
}

// Reconcile compares the two as of the end of a day. A match with a member of a later day
// is open on that day: the bank's statement of Friday does not contain what is booked on
// Monday, whatever is known today.
func Reconcile(v store.View, asOf calendar.Date) (*Reconciliation, error) {
	r := &Reconciliation{AsOf: asOf}
	trial, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: asOf})
	if err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	r.Ledger = trial[ledger.Cash]
	late := map[string]bool{} // matches with a member of a later day
	if err := store.Each(v, &store.BankLineTable, func(l store.BankLine) error {
		if l.Date > asOf && l.Match != "" {
			late[l.Match] = true
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	if err := v.EachCash(store.CashFilter{From: asOf.AddDays(1), To: calendar.None}, func(c store.CashRow) error {
		if c.Match != "" {
			late[c.Match] = true
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	age := ages(asOf)
	if err := store.Each(v, &store.BankLineTable, func(l store.BankLine) error {
		if l.Date > asOf {
			return nil
		}
		r.Bank = r.Bank.Add(l.Amount)
		if l.Match == "" || late[l.Match] {
			r.LinesSum = r.LinesSum.Add(l.Amount)
			r.Lines = append(r.Lines, OpenItem{ID: l.ID, Date: l.Date, Amount: l.Amount, Age: age(l.Date), Text: l.Reference, Owner: l.Owner, Note: l.Note})
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	if err := v.EachCash(store.CashFilter{From: calendar.None, To: asOf, Open: len(late) == 0}, func(c store.CashRow) error {
		if c.Amount != 0 && (c.Match == "" || late[c.Match]) {
			r.EntriesSum = r.EntriesSum.Add(c.Amount)
			r.Entries = append(r.Entries, OpenItem{
				ID: c.Entry, Date: c.Date, Amount: c.Amount, Age: age(c.Date), Text: c.Event, Cause: c.Cause, Owner: c.Owner, Note: c.Note,
			})
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("reconcile: %w", err)
	}
	for _, list := range [][]OpenItem{r.Lines, r.Entries} {
		slices.SortStableFunc(list, func(a, b OpenItem) int { return cmp.Compare(a.Date, b.Date) })
	}
	return r, nil
}

// ages counts banking days up to a day, each date once.
func ages(asOf calendar.Date) func(calendar.Date) int {
	known := map[calendar.Date]int{}
	return func(from calendar.Date) int {
		if n, seen := known[from]; seen {
			return n
		}
		n := 0
		for d := from + 1; d <= asOf; d++ {
			if d.IsBankingDay() {
				n++
			}
		}
		known[from] = n
		return n
	}
}

// Clearing is money in transit on one of the clearing accounts: those of 1010, 1020, 2010
// and 2110 are 0.00 once their file or batch has settled (F39).
type Clearing struct {
	Account   ledger.Account
	File      string // "": not in a file, or not yet
	Rail      credit.Method
	SettlesOn calendar.Date // None if unknown
	Transfers int           // 0: what no transfer explains
	Amount    money.Amount  // debit +
	Late      bool          // it should have cleared by now
}

// Clearings lists the current balances of the clearing accounts, by account and file. What
// no transfer explains has a row of its own: money that is sent manually, or that was
// returned and is still owed.
func Clearings(ctx context.Context, b Bank, v store.View, today calendar.Date) ([]Clearing, error) {
	sums := map[Clearing]*Clearing{}
	left, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: calendar.None})
	if err != nil {
		return nil, fmt.Errorf("clearing accounts: %w", err)
	}
	for _, status := range []credit.TransferStatus{credit.TransferSent, credit.TransferQueued} {
		for page := (store.Page{Limit: 1000}); ; {
			list, err := store.ListTransfers(v, store.TransferFilter{Status: status}, page)
			if err != nil {
				return nil, fmt.Errorf("clearing accounts: %w", err)
			}
			if err := underWay(ctx, b, list, today, sums, left); err != nil {
				return nil, err
			}
			if len(list) < page.Limit {
				break
			}
			last := list[len(list)-1]
			page.AfterAt, page.AfterID = last.CreatedAt, last.ID
		}
	}
	var out []Clearing
	for _, c := range sums {
		out = append(out, *c)
	}
	for _, a := range []ledger.Account{ledger.ACHDebitsInTransit, ledger.CardReceivable, ledger.ACHCreditsInTransit, ledger.RefundsInTransit} {
		if left[a] != 0 {
			out = append(out, Clearing{Account: a, SettlesOn: calendar.None, Amount: left[a]})
		}
	}
	slices.SortFunc(out, func(a, b Clearing) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.SettlesOn, b.SettlesOn), cmp.Compare(a.File, b.File), cmp.Compare(b.Transfers, a.Transfers))
	})
	return out, nil
}

// underWay adds transfers on the account where the books have them, and subtracts them from
// what is left to explain.
func underWay(ctx context.Context, b Bank, list []*credit.Transfer, today calendar.Date, sums map[Clearing]*Clearing, left map[ledger.Account]money.Amount) error {
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = t.ID
	}
	filed, err := store.FiledTransfers(ctx, b, ids)
	if err != nil {
		return err
	}
	file := map[string]string{}
	for _, f := range filed {
		file[f.Transfer] = f.File
	}
	for _, t := range list {
		account, amount := clearingOf(t)
		if amount == 0 {
			continue
		}
		left[account] = left[account].Sub(amount)
		k := Clearing{Account: account, File: file[t.ID], Rail: t.Rail, SettlesOn: t.SettlesOn}
		if sums[k] == nil {
			x := k
			x.Late = t.SettlesOn != calendar.None && t.SettlesOn < today
			sums[k] = &x
		}
		sums[k].Transfers++
		sums[k].Amount = sums[k].Amount.Add(amount)
	}
	return nil
}

// clearingOf returns where the books have a transfer in transit.
func clearingOf(t *credit.Transfer) (ledger.Account, money.Amount) {
	sent := t.Status == credit.TransferSent
	charged := t.Rail.Can().Answer && sent && (t.Reference != "" && t.Kind == credit.TransferPayment || t.Kind != credit.TransferPayment && !t.SettledAt.IsZero())
	switch t.Kind {
	case credit.TransferPayment:
		switch {
		case charged:
			return ledger.CardReceivable, t.Amount
		case sent && t.Rail.Can().InTransit != 0:
			return t.Rail.Can().InTransit, t.Amount
		}
	case credit.TransferPayout:
		if sent {
			return ledger.ACHCreditsInTransit, -t.Amount
		}
	case credit.TransferRefund, credit.TransferCredit:
		if charged {
			return ledger.CardReceivable, -t.Amount
		}
		return ledger.RefundsInTransit, -t.Amount
	}
	return 0, 0
}
