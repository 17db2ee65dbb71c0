package memory

import (
	"maps"
	"slices"

	"tenor/internal/core/store"
)

// Stored implements store.View.
func (v *view) Stored(s store.Schema, fn func([]store.Value) error) error {
	v.db.mu.RLock()
	rows := v.stored(s.Name)
	v.db.mu.RUnlock()
	for _, row := range rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// stored returns the rows of a table in key order.
func (v *view) stored(table string) [][]store.Value {
	d, q := v.db, v.q
	for i, n := range store.Nouns {
		switch past := n.Traits().Past; {
		case n.Schema().Name == table:
			return v.noun(n)
		case past != nil && past.Name == table:
			return d.past(i, n, q)
		}
	}
	if rows, found := v.ofBooks(table); found {
		return rows
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

// noun returns the rows of a noun as they are stored.
func (v *view) noun(n store.Noun) [][]store.Value {
	var rows [][]store.Value
	for _, row := range v.current(n) {
		rows = append(rows, n.Encode(row, nil))
	}
	return store.Sort(rows, n.Schema().Key)
}

// past returns the versions of a noun's rows that were replaced by commit q.
func (d *data) past(at int, n store.Noun, q int64) [][]store.Value {
	var rows [][]store.Value
	for _, versions := range d.nouns[at].table {
		for i, x := range versions[:len(versions)-1] {
			if until := versions[i+1].q; until <= q {
				row := n.Encode(*x.row, nil)
				row = row[:len(row)-n.Schema().Lookups]
				rows = append(rows, slices.Insert(row, 1, store.Value{Kind: store.Integer, Int: until}))
			}
		}
	}
	return store.Sort(rows, 2)
}

// ofBooks returns the rows of the tables that batches write other than nouns.
func (v *view) ofBooks(table string) ([][]store.Value, bool) {
	d, q := v.db, v.q
	switch table {
	case store.Books.Name:
		return store.EncodeRows(&store.Books, []store.BookRow{{Head: v.head, Book: store.Book}}), true
	case store.Batches.Name:
		return store.EncodeRows(&store.Batches, v.batches()), true
	case store.Programs.Name:
		return store.EncodeRows(&store.Programs, slices.Concat(d.programs.all(q)...)), true
	case store.CompanyMerchants.Name:
		return store.EncodeRows(&store.CompanyMerchants, v.links()), true
	case store.Loans.Name:
		return store.EncodeRows(&store.Loans, d.loans.all(q)), true
	case store.Installments.Name:
		return store.EncodeRows(&store.Installments, flat(d.loans.all(q), store.LoanRow.Installments)), true
	case store.Fees.Name:
		return store.EncodeRows(&store.Fees, flat(d.loans.all(q), store.LoanRow.FeeRows)), true
	case store.Credits.Name:
		return store.EncodeRows(&store.Credits, slices.Concat(d.credits.all(q)...)), true
	case store.MoneyEvents.Name:
		return store.EncodeRows(&store.MoneyEvents, d.money.all(q)), true
	case store.MoneyTouches.Name:
		return store.EncodeRows(&store.MoneyTouches, v.touches()), true
	case store.Entries.Name:
		return store.EncodeRows(&store.Entries, v.heads()), true
	case store.Postings.Name:
		return store.EncodeRows(&store.Postings, v.lines()), true
	case store.Balances.Name:
		return store.EncodeRows(&store.Balances, d.balances.all(q)), true
	case store.Positions.Name:
		return store.EncodeRows(&store.Positions, d.positions.all(q)), true
	case store.Events.Name:
		return store.EncodeRows(&store.Events, d.events[:until(d.events, q, func(e store.EventRow) int64 { return e.Q })]), true
	case store.EventReaders.Name:
		return store.EncodeRows(&store.EventReaders, v.readers()), true
	case store.Resends.Name:
		return store.EncodeRows(&store.Resends, d.resends[:until(d.resends, q, func(r store.ResendRow) int64 { return r.Q })]), true
	case store.Claims.Name:
		return store.EncodeRows(&store.Claims, d.claims.all(q)), true
	case store.Audits.Name:
		return store.EncodeRows(&store.Audits, d.audits[:until(d.audits, q, func(a store.AuditRow) int64 { return a.Q })]), true
	case store.Idempotency.Name:
		return store.EncodeRows(&store.Idempotency, d.answers.all(q)), true
	}
	return nil, false
}

// aside returns the rows of tables that no batch writes, and of the vault.
func (v *view) aside(table string) [][]store.Value {
	d, x := v.db, &v.db.exchange
	switch table {
	case store.Settings.Name:
		var rows []store.SettingRow
		for name, value := range d.settings {
			rows = append(rows, store.SettingRow{Name: name, Value: value})
		}
		return store.EncodeRows(&store.Settings, rows)
	case store.Vault.Name:
		var rows []store.VaultRow
		for id, sealed := range d.vault {
			rows = append(rows, store.VaultRow{ID: id, Sealed: sealed})
		}
		return store.EncodeRows(&store.Vault, rows)
	case store.Deliveries.Name:
		return store.EncodeRows(&store.Deliveries, d.deliveries.all(v.rev))
	case store.Attempts.Name:
		return store.EncodeRows(&store.Attempts, slices.Concat(d.attempts.all(v.rev)...))
	case store.Cursors.Name:
		return store.EncodeRows(&store.Cursors, d.cursors.all(v.rev))
	case store.Leases.Name:
		return store.EncodeRows(&store.Leases, slices.Collect(maps.Values(d.leases)))
	case store.ScratchTable.Name:
		return store.EncodeRows(&store.ScratchTable, slices.Collect(maps.Values(d.scratch)))
	case store.SignedHeads.Name:
		return store.EncodeRows(&store.SignedHeads, d.signed[:v.signed])
	case store.BankFiles.Name:
		return store.EncodeRows(&store.BankFiles, slices.Collect(maps.Values(x.files)))
	case store.BankEntries.Name:
		return store.EncodeRows(&store.BankEntries, x.entries)
	case store.BankNotices.Name:
		return store.EncodeRows(&store.BankNotices, slices.Collect(maps.Values(x.notices)))
	case store.BankLineTable.Name:
		return store.EncodeRows(&store.BankLineTable, slices.Collect(maps.Values(x.lines)))
	case store.BankMatches.Name:
		return store.EncodeRows(&store.BankMatches, slices.Collect(maps.Values(x.matches)))
	case store.Requests.Name:
		return store.EncodeRows(&store.Requests, slices.Collect(maps.Values(d.requests)))
	case store.CashItems.Name:
		return store.EncodeRows(&store.CashItems, slices.Collect(maps.Values(x.items)))
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

func (v *view) readers() []store.ReaderRow {
	var rows []store.ReaderRow
	for merchant, events := range v.db.readersOf {
		for _, i := range events {
			if e := v.db.events[i]; e.Q <= v.q {
				rows = append(rows, store.ReaderRow{Merchant: merchant, Place: placeOf(e)})
			}
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
