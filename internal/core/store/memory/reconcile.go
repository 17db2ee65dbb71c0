package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// PutBankLines implements store.Reconciliation.
func (db *DB) PutBankLines(_ context.Context, lines []store.BankLine) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	fresh := 0
	for _, l := range lines {
		if _, found := db.exchange.lines[l.ID]; !found {
			fresh++
			l.Match, l.Owner, l.Note = "", "", ""
			db.exchange.lines[l.ID] = l
		}
	}
	return fresh, nil
}

// BankLines implements store.Reconciliation.
func (db *DB) BankLines(_ context.Context, open bool, p store.Page) ([]store.BankLine, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	order := func(a, b store.BankLine) int { return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.ID, b.ID)) }
	after, found := db.exchange.lines[p.AfterID]
	out := slices.DeleteFunc(slices.Collect(maps.Values(db.exchange.lines)), func(l store.BankLine) bool {
		return open && l.Match != "" || p.AfterID != "" && (!found || order(l, after) <= 0)
	})
	slices.SortFunc(out, order)
	return cut(out, p.Limit), nil
}

// Sums implements store.Reconciliation.
func (db *DB) Sums(_ context.Context, lines, entries []string) (ofLines, ofEntries money.Amount, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	seen := map[string]bool{}
	for _, id := range lines {
		l, found := db.exchange.lines[id]
		if !found || seen["line "+id] {
			return 0, 0, fmt.Errorf("line %s of the bank: %w", id, store.ErrRefused)
		}
		seen["line "+id], ofLines = true, ofLines.Add(l.Amount)
	}
	for _, id := range entries {
		sum, found := db.cash(id)
		if !found || seen["entry "+id] {
			return 0, 0, fmt.Errorf("entry %s on 1000: %w", id, store.ErrRefused)
		}
		seen["entry "+id], ofEntries = true, ofEntries.Add(sum)
	}
	return ofLines, ofEntries, nil
}

// PutMatches implements store.Reconciliation.
func (db *DB) PutMatches(_ context.Context, list []store.BankMatch) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	lines, items, matches := maps.Clone(db.exchange.lines), maps.Clone(db.exchange.items), maps.Clone(db.exchange.matches)
	for _, m := range list {
		if err := m.Check(); err != nil {
			return err
		}
		if _, taken := matches[m.ID]; taken {
			return fmt.Errorf("put match %s: %w", m.ID, store.ErrTaken)
		}
		if !slices.Contains(matchRules, m.Rule) {
			return fmt.Errorf("put match %s: %w", m.ID, store.ErrRefused)
		}
		if err := db.hold(m, lines, items); err != nil {
			return fmt.Errorf("put match %s: %w", m.ID, err)
		}
		m.UndoneAt, m.UndoneBy = time.Time{}, ""
		row, err := canonical(&store.BankMatches, m)
		if err != nil {
			return err
		}
		matches[m.ID] = row
	}
	db.exchange.lines, db.exchange.items, db.exchange.matches = lines, items, matches
	return nil
}

var matchRules = []store.MatchRule{store.MatchReference, store.MatchBatch, store.MatchAmount, store.MatchByHand}

// hold notes a match with its members, and adds both sides up.
func (d *data) hold(m store.BankMatch, lines map[string]store.BankLine, items map[string]store.CashItem) error {
	var ofLines, ofEntries money.Amount
	for _, id := range m.Lines {
		l, found := lines[id]
		switch {
		case !found:
			return store.ErrRefused
		case l.Match != "":
			return store.ErrTaken
		}
		l.Match, ofLines = m.ID, ofLines.Add(l.Amount)
		lines[id] = l
	}
	for _, id := range m.Entries {
		sum, cash := d.cash(id)
		x := items[id]
		switch {
		case !cash:
			return store.ErrRefused
		case x.Match != "":
			return store.ErrTaken
		}
		x.Entry, x.Match, ofEntries = id, m.ID, ofEntries.Add(sum)
		items[id] = x
	}
	if ofLines != m.Amount || ofEntries != m.Amount {
		return store.ErrRefused
	}
	return nil
}

// cash sums an entry's lines on 1000, and reports whether it has any.
func (d *data) cash(id string) (sum money.Amount, found bool) {
	at, known := d.entryAt[id]
	if !known {
		return 0, false
	}
	for _, p := range d.entries[at].postings {
		if p.Account == ledger.Cash {
			sum, found = sum.Add(p.Amount), true
		}
	}
	return sum, found
}

// UndoMatch implements store.Reconciliation.
func (db *DB) UndoMatch(_ context.Context, id, by string, at time.Time) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	x := &db.exchange
	m, found := x.matches[id]
	if !found || !m.UndoneAt.IsZero() {
		return fmt.Errorf("undo match %s: %w", id, store.ErrRefused)
	}
	m.UndoneAt, m.UndoneBy = store.Micros(at).Time(), by
	x.matches[id] = m
	for _, id := range m.Lines {
		l := x.lines[id]
		l.Match = ""
		x.lines[id] = l
	}
	for _, id := range m.Entries {
		i := x.items[id]
		i.Match = ""
		x.items[id] = i
	}
	return nil
}

// Matches implements store.Reconciliation.
func (db *DB) Matches(_ context.Context, p store.Page) ([]store.BankMatch, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	order := func(a, b store.BankMatch) int { return cmp.Or(b.MadeAt.Compare(a.MadeAt), cmp.Compare(b.ID, a.ID)) }
	out := slices.DeleteFunc(slices.Collect(maps.Values(db.exchange.matches)), func(m store.BankMatch) bool {
		return !p.AfterAt.IsZero() && order(m, store.BankMatch{ID: p.AfterID, MadeAt: p.AfterAt}) <= 0
	})
	slices.SortFunc(out, order)
	return cut(out, p.Limit), nil
}

// UndoneMatches implements store.Reconciliation.
func (db *DB) UndoneMatches(context.Context) ([]store.BankMatch, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	out := slices.DeleteFunc(slices.Collect(maps.Values(db.exchange.matches)), func(m store.BankMatch) bool { return m.UndoneAt.IsZero() })
	slices.SortFunc(out, func(a, b store.BankMatch) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// MatchByID implements store.Reconciliation.
func (db *DB) MatchByID(_ context.Context, id string) (store.BankMatch, bool, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	m, found := db.exchange.matches[id]
	return m, found, nil
}

// AssignLine implements store.Reconciliation.
func (db *DB) AssignLine(_ context.Context, id, owner, note string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	l, found := db.exchange.lines[id]
	if !found {
		return fmt.Errorf("assign line %s of the bank: %w", id, store.ErrRefused)
	}
	l.Owner, l.Note = owner, note
	db.exchange.lines[id] = l
	return nil
}

// AssignEntry implements store.Reconciliation.
func (db *DB) AssignEntry(_ context.Context, entry, owner, note string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if _, cash := db.cash(entry); !cash {
		return fmt.Errorf("assign entry %s: %w", entry, store.ErrRefused)
	}
	x := db.exchange.items[entry]
	x.Entry, x.Owner, x.Note = entry, owner, note
	db.exchange.items[entry] = x
	return nil
}

// EntriesOf implements store.Reconciliation.
func (db *DB) EntriesOf(_ context.Context, transfers []string) ([]store.BankEntry, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	var out []store.BankEntry
	for _, id := range transfers {
		if at, filed := db.exchange.entryOf[id]; filed {
			out = append(out, db.exchange.entries[at])
		}
	}
	return out, nil
}

// EachCash implements store.View. What is known of an entry is shown as it is now.
func (v *view) EachCash(f store.CashFilter, fn func(store.CashRow) error) error {
	v.db.mu.RLock()
	items := maps.Clone(v.db.exchange.items)
	v.db.mu.RUnlock()
	dates := store.BookFilter{From: f.From, To: f.To}
	return store.EachEntryOf(v, dates, func(e store.EntryRow) error {
		x, cash := items[e.ID], false
		row := store.CashRow{Entry: e.ID, Q: e.Q, Date: e.BookDate, Event: e.Event, Cause: e.Cause, Match: x.Match, Owner: x.Owner, Note: x.Note}
		for _, p := range e.Postings {
			if p.Account == ledger.Cash {
				row.Amount, row.Payment, cash = row.Amount.Add(p.Amount), max(row.Payment, p.Payment), true
			}
		}
		if !cash || f.Open && x.Match != "" {
			return nil
		}
		return fn(row)
	})
}
