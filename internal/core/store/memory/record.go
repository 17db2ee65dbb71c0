package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// checkRecords demands that a record keeps whose it is, and that no secret is given twice.
func (d *data) checkRecords(r *store.Rows) error {
	for i, n := range store.Nouns {
		for j := range r.Nouns[i].Len() {
			x, ok := r.Nouns[i].Row(j).(*store.RecordRow)
			if !ok {
				break
			}
			h, old := x.Head(), d.records[x.Noun()].get(credit.KeyOf(x.Record), d.head.Q)
			if h.Version < 1 || old != nil && (old.Head().Merchant != h.Merchant || !old.Head().CreatedAt.Equal(h.CreatedAt) || h.Version < old.Head().Version) {
				return fmt.Errorf("%w: %s %s", store.ErrRefused, n.Name(), h.ID)
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
