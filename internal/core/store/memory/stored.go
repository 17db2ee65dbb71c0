package memory

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
)

// held contains the rows of a table: pointers to its row type, or values if it has none.
type held struct {
	of     store.Source
	rows   []any
	values [][]store.Value
}

// hold wraps rows without copying them, so they must not change any more.
func hold[R any](t *store.Table[R], rows []R) held {
	h := held{of: store.RowsOf(t), rows: make([]any, len(rows))}
	for i := range rows {
		h.rows[i] = &rows[i]
	}
	return h
}

// Stored implements store.View.
func (v *view) Stored(s store.Schema, fn func([]store.Value) error) error {
	v.db.mu.RLock()
	h := v.held(s.Name)
	rows := h.values
	for _, row := range h.rows {
		values := make([]store.Value, len(s.Columns))
		for i := range values {
			values[i] = h.of.Value(row, i)
		}
		rows = append(rows, values)
	}
	v.db.mu.RUnlock()
	for _, row := range store.Sort(rows, s.Key) {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// Rows implements store.Holder. It encodes only the keys of the rows.
func (v *view) Rows(s store.Schema) ([]any, bool) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	h := v.held(s.Name)
	if h.values != nil {
		return nil, false
	}
	keys := make([][]store.Value, len(h.rows))
	for at, row := range h.rows {
		keys[at] = make([]store.Value, 0, s.Key+1)
		for i := range s.Key {
			keys[at] = append(keys[at], h.of.Value(row, i))
		}
		keys[at] = append(keys[at], store.Value{Int: int64(at)})
	}
	out := make([]any, len(keys))
	for i, k := range store.Sort(keys, s.Key) {
		out[i] = h.rows[k[s.Key].Int]
	}
	return out, true
}

// held returns the rows of a table, in no particular order.
func (v *view) held(table string) held {
	d, q := v.db, v.q
	if i := slices.Index(d.tables, table); i >= 0 {
		return held{of: store.Nouns[i], rows: v.current(store.Nouns[i])}
	}
	for i, n := range store.Nouns {
		if past := n.Traits().Past; past != nil && past.Name == table {
			return held{values: d.past(i, n, q)}
		}
	}
	if h, found := v.ofBooks(table); found {
		return h
	}
	return v.aside(table)
}

// current returns the current rows of a noun.
func (v *view) current(n store.Noun) []any {
	rows := v.db.nouns[n.Index()].all(v.q)
	if n == store.Noun(store.TransferNoun) {
		for i, row := range rows {
			filed := *row.(*store.TransferRow)
			_, filed.Filed = v.db.exchange.entryOf[filed.ID]
			rows[i] = &filed
		}
	}
	return rows
}

// past returns the versions of a noun's rows that were replaced by commit q.
func (d *data) past(at int, n store.Noun, q int64) [][]store.Value {
	rows := [][]store.Value{}
	for _, versions := range d.nouns[at].table {
		for i, x := range versions[:len(versions)-1] {
			if until := versions[i+1].q; until <= q {
				row := n.Encode(*x.row, nil)
				row = row[:len(row)-n.Schema().Lookups]
				rows = append(rows, slices.Insert(row, 0, store.Value{Kind: store.Integer, Int: until}))
			}
		}
	}
	return rows
}

// ofBooks returns the rows of the tables that batches write other than nouns.
func (v *view) ofBooks(table string) (held, bool) {
	d, q := v.db, v.q
	switch table {
	case store.Books.Name:
		return hold(&store.Books, []store.BookRow{{Head: v.head, Book: store.Book}}), true
	case store.Batches.Name:
		return hold(&store.Batches, v.batches()), true
	case store.Programs.Name:
		return hold(&store.Programs, slices.Concat(d.programs.all(q)...)), true
	case store.CompanyMerchants.Name:
		return hold(&store.CompanyMerchants, v.links()), true
	case store.Loans.Name:
		return hold(&store.Loans, d.loans.all(q)), true
	case store.Installments.Name:
		return hold(&store.Installments, flat(d.loans.all(q), store.LoanRow.Installments)), true
	case store.Fees.Name:
		return hold(&store.Fees, flat(d.loans.all(q), store.LoanRow.FeeRows)), true
	case store.Credits.Name:
		return hold(&store.Credits, slices.Concat(d.credits.all(q)...)), true
	case store.MoneyEvents.Name:
		return hold(&store.MoneyEvents, d.money.all(q)), true
	case store.MoneyTouches.Name:
		return hold(&store.MoneyTouches, v.touches()), true
	case store.Entries.Name:
		return hold(&store.Entries, v.heads()), true
	case store.Postings.Name:
		return hold(&store.Postings, v.lines()), true
	case store.Balances.Name:
		return hold(&store.Balances, d.balances.all(q)), true
	case store.DayTotals.Name:
		return hold(&store.DayTotals, d.totals.all(q)), true
	case store.DueTotals.Name:
		return hold(&store.DueTotals, d.dues.all(q)), true
	case store.Positions.Name:
		return hold(&store.Positions, d.positions.all(q)), true
	case store.Events.Name:
		return hold(&store.Events, d.events[:until(d.events, q, func(e store.EventRow) int64 { return e.Q })]), true
	case store.EventReaders.Name:
		return hold(&store.EventReaders, d.readers[:until(d.readers, q, func(x store.ReaderRow) int64 { return x.Q })]), true
	case store.EventObjects.Name:
		return hold(&store.EventObjects, d.objects[:until(d.objects, q, func(x store.ObjectRow) int64 { return x.Q })]), true
	case store.Resends.Name:
		return hold(&store.Resends, d.resends[:until(d.resends, q, func(r store.ResendRow) int64 { return r.Q })]), true
	case store.Claims.Name:
		return hold(&store.Claims, d.claims.all(q)), true
	case store.Audits.Name:
		return hold(&store.Audits, d.audits[:until(d.audits, q, func(a store.AuditRow) int64 { return a.Q })]), true
	case store.Idempotency.Name:
		return hold(&store.Idempotency, d.answers.all(q)), true
	}
	return held{}, false
}

// aside returns the rows of tables that no batch writes, and of the vault.
func (v *view) aside(table string) held {
	d, x := v.db, &v.db.exchange
	switch table {
	case store.Settings.Name:
		var rows []store.SettingRow
		for name, value := range d.settings {
			rows = append(rows, store.SettingRow{Name: name, Value: value})
		}
		return hold(&store.Settings, rows)
	case store.Vault.Name:
		var rows []store.VaultRow
		for id, sealed := range d.vault {
			rows = append(rows, store.VaultRow{ID: id, Sealed: sealed})
		}
		return hold(&store.Vault, rows)
	case store.Deliveries.Name:
		return hold(&store.Deliveries, d.deliveries.all(v.rev))
	case store.Attempts.Name:
		return hold(&store.Attempts, slices.Concat(d.attempts.all(v.rev)...))
	case store.Cursors.Name:
		return hold(&store.Cursors, d.cursors.all(v.rev))
	case store.Leases.Name:
		return hold(&store.Leases, slices.Collect(maps.Values(d.leases)))
	case store.ScratchTable.Name:
		return hold(&store.ScratchTable, slices.Collect(maps.Values(d.scratch)))
	case store.SignedHeads.Name:
		return hold(&store.SignedHeads, d.signed[:v.signed])
	case store.BankFiles.Name:
		return hold(&store.BankFiles, slices.Collect(maps.Values(x.files)))
	case store.BankEntries.Name:
		return hold(&store.BankEntries, x.entries)
	case store.BankNotices.Name:
		return hold(&store.BankNotices, slices.Collect(maps.Values(x.notices)))
	case store.BankLineTable.Name:
		return hold(&store.BankLineTable, slices.Collect(maps.Values(x.lines)))
	case store.BankMatches.Name:
		return hold(&store.BankMatches, slices.Collect(maps.Values(x.matches)))
	case store.Requests.Name:
		return hold(&store.Requests, slices.Collect(maps.Values(d.requests)))
	case store.CashItems.Name:
		return hold(&store.CashItems, slices.Collect(maps.Values(x.items)))
	}
	panic("memory: there is no table " + table) // a bug: its rows are stored nowhere
}

func flat[T any](loans []store.LoanRow, of func(store.LoanRow) []T) []T {
	var out []T
	for _, l := range loans {
		out = append(out, of(l)...)
	}
	return out
}

func (v *view) batches() []store.BatchRow {
	return slices.DeleteFunc(slices.Clone(v.db.batches), func(b store.BatchRow) bool { return b.FirstQ > v.q })
}

func (v *view) touches() []store.TouchRow {
	var rows []store.TouchRow
	for order, list := range v.db.touches {
		for _, t := range list {
			if t.q <= v.q {
				rows = append(rows, store.TouchRow{Order: order, Event: t.event, Company: v.db.money.get(t.event, v.q).Company})
			}
		}
	}
	return rows
}

func (v *view) heads() []store.EntryHead {
	var rows []store.EntryHead
	for _, e := range v.db.entries {
		if e.head.Q <= v.q {
			rows = append(rows, e.head)
		}
	}
	return rows
}

func (v *view) lines() []store.PostingRow {
	var rows []store.PostingRow
	for _, e := range v.db.entries {
		for i, p := range e.postings {
			if e.head.Q <= v.q {
				rows = append(rows, store.PostingRow{Posting: p, Q: e.head.Q, N: e.head.N, Line: i})
			}
		}
	}
	return rows
}

func (v *view) links() []store.LinkRow {
	var rows []store.LinkRow
	for _, c := range v.db.companies.all(v.q) {
		for _, m := range slices.Compact(slices.Sorted(slices.Values(c.Linked))) {
			rows = append(rows, store.LinkRow{Company: c.ID, Merchant: m, CreatedAt: c.CreatedAt})
		}
	}
	return rows
}

// At implements store.View.
func (v *view) At(n store.Noun, key store.Value, q int64) (any, error) {
	v.db.mu.RLock()
	defer v.db.mu.RUnlock()
	k := any(key.Text)
	if key.Kind == store.Integer {
		k = key.Int
	}
	row := v.db.nouns[n.Index()].get(k, min(q, v.q))
	if row == nil {
		return nil, nil
	}
	return *row, nil
}
