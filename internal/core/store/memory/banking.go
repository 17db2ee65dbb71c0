package memory

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// exchange is what is sent to banks and what comes from them. No view shows it.
type exchange struct {
	files   map[string]store.BankFile
	entries []store.BankEntry // in order of filing
	entryOf map[string]int    // by transfer
	notices map[noticeKey]store.BankNotice
	lines   map[string]store.BankLine
	matches map[string]store.BankMatch
	items   map[string]store.CashItem // by entry
}

type noticeKey struct {
	rail credit.Method
	id   string
}

func newExchange() exchange {
	return exchange{
		files: map[string]store.BankFile{}, entryOf: map[string]int{}, notices: map[noticeKey]store.BankNotice{},
		lines: map[string]store.BankLine{}, matches: map[string]store.BankMatch{}, items: map[string]store.CashItem{},
	}
}

// fileable reports whether a transfer may be in a file.
func fileable(t *credit.Transfer) bool {
	return t.Rail == credit.ACH && (t.Status == credit.TransferSent || t.Status == credit.TransferSettled)
}

// PutFile implements store.Banking.
func (db *DB) PutFile(_ context.Context, f store.BankFile, transfers []string) (store.BankFile, []store.BankEntry, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.checkFile(f, transfers); err != nil {
		return store.BankFile{}, nil, fmt.Errorf("put file %s: %w", f.ID, err)
	}
	f, err := canonical(&store.BankFiles, f)
	if err != nil {
		return store.BankFile{}, nil, err
	}
	last, _ := strconv.ParseInt(string(db.settings[store.LastTrace]), 10, 64) // 0 before the first
	f.FirstTrace, f.Entries = store.NextTrace(last, 1), len(transfers)
	x := &db.exchange
	first := len(x.entries)
	for i, id := range transfers {
		x.entryOf[id] = len(x.entries)
		x.entries = append(x.entries, store.BankEntry{Transfer: id, File: f.ID, Trace: store.NextTrace(last, i+1)})
	}
	x.files[f.ID] = f
	db.settings[store.LastTrace] = strconv.AppendInt(nil, store.NextTrace(last, len(transfers)), 10)
	return f, slices.Clone(x.entries[first:]), nil
}

// checkFile refuses what the constraints of a database refuse.
func (d *data) checkFile(f store.BankFile, transfers []string) error {
	if _, found := d.exchange.files[f.ID]; found {
		return store.ErrTaken
	}
	if len(transfers) == 0 || !slices.Contains(fileStates, f.State) || f.Debits < 0 || f.Credits < 0 {
		return store.ErrRefused
	}
	seen := map[string]bool{}
	for _, id := range transfers {
		t := d.transfers.get(id, d.head.Q)
		if t == nil || !fileable(t.Transfer) {
			return fmt.Errorf("%w: transfer %s", store.ErrRefused, id)
		}
		if _, found := d.exchange.entryOf[id]; found || seen[id] {
			return fmt.Errorf("transfer %s: %w", id, store.ErrTaken)
		}
		seen[id] = true
	}
	return nil
}

// fileStates are in the order in which a file passes through them. The last two are
// alternative ends.
var fileStates = []store.FileState{store.FileBuilt, store.FileSent, store.FileAccepted, store.FileRefused}

// MoveFile implements store.Banking.
func (db *DB) MoveFile(_ context.Context, id string, to store.FileState, at time.Time) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	f, found := db.exchange.files[id]
	from, next := slices.Index(fileStates, f.State), slices.Index(fileStates, to)
	switch {
	case found && f.State == to:
		return nil
	case !found || next < from || from >= slices.Index(fileStates, store.FileAccepted):
		return fmt.Errorf("move file %s to %s: %w", id, to, store.ErrRefused)
	}
	f.State, f.MovedAt = to, store.Micros(at).Time()
	db.exchange.files[id] = f
	return nil
}

// PutNotice implements store.Banking.
func (db *DB) PutNotice(_ context.Context, n store.BankNotice) (bool, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	key := noticeKey{n.Rail, n.ID}
	if _, found := db.exchange.notices[key]; found {
		return false, nil
	}
	sound := (n.Result == "" || !n.ClosedAt.IsZero()) && n.ReviewedAt.IsZero() && n.ReviewedBy == "" && n.ReviewNote == ""
	if n.Rail != credit.ACH && n.Rail != credit.Card || n.Transfer != "" && !db.transfers.has(n.Transfer) || !sound {
		return false, fmt.Errorf("put notice %s: %w", n.ID, store.ErrRefused)
	}
	row, err := canonical(&store.BankNotices, n)
	if err != nil {
		return false, err
	}
	db.exchange.notices[key] = row
	return true, nil
}

// CloseNotice implements store.Banking.
func (db *DB) CloseNotice(_ context.Context, rail credit.Method, id, result string, at time.Time) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	n, found := db.exchange.notices[noticeKey{rail, id}]
	if !found {
		return fmt.Errorf("close notice %s: %w", id, store.ErrRefused)
	}
	if n.ClosedAt.IsZero() {
		n.Result, n.ClosedAt = result, store.Micros(at).Time()
		db.exchange.notices[noticeKey{rail, id}] = n
	}
	return nil
}

// ReviewNotice implements store.Banking.
func (db *DB) ReviewNotice(_ context.Context, rail credit.Method, id, by, note string, at time.Time) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	n, found := db.exchange.notices[noticeKey{rail, id}]
	switch {
	case !found || !n.Left() || n.Waits() && (by == "" || note == ""):
		return fmt.Errorf("review notice %s: %w", id, store.ErrRefused)
	case n.Waits():
		n.ReviewedAt, n.ReviewedBy, n.ReviewNote = store.Micros(at).Time(), by, note
		db.exchange.notices[noticeKey{rail, id}] = n
	}
	return nil
}

// A view's walks over the exchange show its current state: its data has no commits.
