package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/internal/credit"
	"tenor/internal/store"
)

func newRecords() map[credit.Noun]table[string, store.RecordRow] {
	out := map[credit.Noun]table[string, store.RecordRow]{}
	for _, t := range store.RecordTables {
		out[t.Noun] = table[string, store.RecordRow]{}
	}
	return out
}

// loadRecords adds records by their keys, nil for those that are not there.
func (d *data) loadRecords(s *credit.State, keys []credit.RecordKey, q int64) {
	for _, k := range keys {
		if _, ok := s.Records[k]; ok {
			continue
		}
		s.Records[k] = nil
		if row := d.records[k.Noun].get(k.ID, q); row != nil {
			s.Records[k] = row.Record
		}
	}
}

// checkRecords demands that a record keeps whose it is, and that no secret is given twice.
func (d *data) checkRecords(r *store.Rows) error {
	for noun, rows := range r.Records {
		for _, x := range rows {
			h, old := x.Head(), d.records[noun].get(x.Head().ID, d.head.Q)
			if h.Version < 1 || old != nil && (old.Head().Merchant != h.Merchant || !old.Head().CreatedAt.Equal(h.CreatedAt) || h.Version < old.Head().Version) {
				return fmt.Errorf("%w: %s %s", store.ErrRefused, noun, h.ID)
			}
		}
	}
	seen := map[string]bool{}
	for _, x := range r.Vault {
		if _, found := d.vault[x.ID]; found || seen[x.ID] {
			return fmt.Errorf("secret %s: %w", x.ID, store.ErrTaken)
		}
		seen[x.ID] = true
	}
	return nil
}

func (d *data) writeRecords(r *store.Rows) {
	for noun, rows := range r.Records {
		for _, x := range rows {
			d.records[noun].put(x.Head().ID, x.Q, &x)
		}
	}
	for _, x := range r.Vault {
		d.vault[x.ID] = slices.Clone(x.Sealed)
	}
	for _, x := range r.Erased {
		delete(d.vault, x.ID)
	}
}

func (db *DB) dumpRecords(d *store.Dump) {
	for _, t := range store.RecordTables {
		store.DumpRows(d, t.Table, db.records[t.Noun].all(db.head.Q))
	}
	var vault []store.VaultRow
	for id, sealed := range db.vault {
		vault = append(vault, store.VaultRow{ID: id, Sealed: sealed})
	}
	store.DumpRows(d, &store.Vault, vault)
	store.DumpRows(d, &store.ScratchTable, slices.Collect(maps.Values(db.scratch)))
}

// Records implements store.RecordView.
func (v *view) Records(n credit.Noun, f store.RecordFilter, p store.Page) ([]credit.Record, error) {
	if _, err := store.RecordsOf(n); err != nil {
		return nil, err
	}
	rows := list(v, v.db.records[n], p, func(r store.RecordRow) (*store.RecordRow, bool) {
		return &r, f.Takes(r.Record)
	}, func(r *store.RecordRow) (time.Time, string) { return r.Head().CreatedAt, r.Head().ID })
	out := make([]credit.Record, len(rows))
	for i, r := range rows {
		out[i] = r.Record
	}
	return out, nil
}

// DueRecords implements store.RecordView.
func (v *view) DueRecords(n credit.Noun, now time.Time, p store.Page) ([]store.Due, error) {
	return due(v, now, p, func() []store.Due {
		var out []store.Due
		for _, r := range v.db.records[n].all(v.q) {
			out = append(out, store.Due{ID: r.Head().ID, At: r.Head().NextAt})
		}
		return out
	}), nil
}

// DueMails implements store.RecordView.
func (v *view) DueMails(now time.Time, limit int) ([]store.Due, error) {
	of := func(urgent bool, limit int) []store.Due {
		return due(v, now, store.Page{Limit: limit}, func() (out []store.Due) {
			for _, r := range v.db.records[credit.NounMail].all(v.q) {
				if r.Record.(*credit.Mail).Urgent() == urgent {
					out = append(out, store.Due{ID: r.Head().ID, At: r.Head().NextAt})
				}
			}
			return out
		})
	}
	first := of(true, limit)
	return append(first, of(false, limit-len(first))...), nil
}

// EachRecord implements store.RecordView.
func (v *view) EachRecord(n credit.Noun, fn func(credit.Record) error) error {
	return each(gather(v, func() []store.RecordRow { return v.db.records[n].all(v.q) },
		func(a, b store.RecordRow) int { return cmp.Compare(a.Head().ID, b.Head().ID) }), func(r store.RecordRow) error { return fn(r.Record) })
}

// Secrets implements store.RecordView.
func (v *view) Secrets(ids []string) (map[string][]byte, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	out := map[string][]byte{}
	for _, id := range ids {
		if sealed, found := v.db.vault[id]; found {
			out[id] = slices.Clone(sealed)
		}
	}
	return out, nil
}

// CompaniesByEmail implements store.RecordView.
func (v *view) CompaniesByEmail(email string, limit int) ([]*credit.Company, error) {
	rows := gather(v, func() []store.CompanyRow { return v.db.companies.all(v.q) },
		func(a, b store.CompanyRow) int { return cmp.Compare(a.ID, b.ID) })
	var out []*credit.Company
	for _, r := range rows {
		if len(out) < limit && email != "" && strings.ToLower(r.Email) == email {
			out = append(out, r.Company)
		}
	}
	return out, nil
}

// EachSecret implements store.RecordView.
func (v *view) EachSecret(fn func(id string, sealed []byte) error) error {
	v.db.mu.RLock()
	vault := maps.Clone(v.db.vault)
	v.db.mu.RUnlock()
	for _, id := range slices.Sorted(maps.Keys(vault)) {
		if err := fn(id, vault[id]); err != nil {
			return err
		}
	}
	return nil
}

// Scratched implements store.Scratch.
func (db *DB) Scratched(_ context.Context, name string, now time.Time) (value []byte, version int64, found bool, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	row, found := db.scratch[name]
	if !found || !row.Until.After(now) {
		return nil, 0, false, nil
	}
	return slices.Clone(row.Value), row.Version, true, nil
}

// Scratch implements store.Scratch.
func (db *DB) Scratch(_ context.Context, s store.ScratchRow, now time.Time) (kept bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	row, found := db.scratch[s.Name]
	if there := found && row.Until.After(now); there && row.Version != s.Version || !there && s.Version != 0 {
		return false, nil
	}
	s.Value, s.Version, s.Until = slices.Clone(s.Value), row.Version+1, s.Until.UTC().Truncate(time.Microsecond)
	db.scratch[s.Name] = s
	return true, nil
}

// Unscratch implements store.Scratch.
func (db *DB) Unscratch(_ context.Context, name string) (gone bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	_, gone = db.scratch[name]
	delete(db.scratch, name)
	return gone, nil
}

// SweepScratch implements store.Scratch.
func (db *DB) SweepScratch(_ context.Context, now time.Time, limit int) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	n := 0
	for _, name := range slices.Sorted(maps.Keys(db.scratch)) {
		if n < limit && !db.scratch[name].Until.After(now) {
			delete(db.scratch, name)
			n++
		}
	}
	return n, nil
}
