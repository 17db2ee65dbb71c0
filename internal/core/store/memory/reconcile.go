package memory

import (
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

// hold stores a match with its members, and sums both sides.
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

// AssignLine implements store.Reconciliation.
func (db *DB) AssignLine(_ context.Context, id, owner, note string) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	l, found := db.exchange.lines[id]
	if !found {
		return fmt.Errorf("assign bank line %s: %w", id, store.ErrRefused)
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

// EachCash implements store.View. Reconciliation data is shown in its current state.
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
