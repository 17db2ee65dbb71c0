package memory

import (
	"context"
	"io"
	"maps"
	"slices"

	"tenor/internal/store"
)

// Dump implements store.Backend.
func (db *DB) Dump(_ context.Context, w io.Writer) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	d, q := store.NewDump(w), db.head.Q
	store.DumpRows(d, &store.Books, []store.BookRow{db.head})
	store.DumpRows(d, &store.Batches, db.batches)
	store.DumpRows(d, &store.Merchants, db.merchants.all(q))
	store.DumpRows(d, &store.Programmes, slices.Concat(db.programmes.all(q)...))
	db.dumpCompanies(d)
	db.dumpOrders(d)
	store.DumpRows(d, &store.Payments, db.payments.all(q))
	store.DumpRows(d, &store.Invoices, db.invoices.all(q))
	store.DumpRows(d, &store.Credits, slices.Concat(db.credits.all(q)...))
	store.DumpRows(d, &store.MoneyEvents, db.money.all(q))
	db.dumpTouches(d)
	db.dumpEntries(d)
	store.DumpRows(d, &store.Balances, db.balances.all(q))
	store.DumpRows(d, &store.Events, db.events)
	store.DumpRows(d, &store.Claims, db.claims.all(q))
	store.DumpRows(d, &store.Audits, db.audits)
	store.DumpRows(d, &store.Idempotency, db.answers.all(q))
	db.dumpOutbox(d)
	db.dumpWebhooks(d)
	db.dumpRails(d)
	return d.Close()
}

func (db *DB) dumpCompanies(d *store.Dump) {
	var now []store.CompanyRow
	var old []store.CompanyPast
	var links []store.LinkRow
	for _, versions := range db.companies {
		for i, v := range versions {
			if i < len(versions)-1 {
				old = append(old, store.CompanyPast{CompanyRow: *v.row, UntilQ: versions[i+1].q})
				continue
			}
			now = append(now, *v.row)
			for _, m := range v.row.Linked {
				links = append(links, store.LinkRow{Company: v.row.ID, Merchant: m, CreatedAt: v.row.CreatedAt})
			}
		}
	}
	store.DumpRows(d, &store.Companies, now)
	store.DumpRows(d, &store.CompanyHistory, old)
	store.DumpRows(d, &store.CompanyMerchants, links)
}

func (db *DB) dumpOrders(d *store.Dump) {
	var now []store.OrderRow
	var old []store.OrderPast
	for _, versions := range db.orders {
		for i, v := range versions {
			if i < len(versions)-1 {
				old = append(old, store.OrderPast{OrderRow: *v.row, UntilQ: versions[i+1].q})
				continue
			}
			now = append(now, *v.row)
		}
	}
	store.DumpRows(d, &store.Orders, now)
	store.DumpRows(d, &store.OrderHistory, old)
	loans := db.loans.all(db.head.Q)
	var rows []store.InstallmentRow
	var fees []store.FeeRow
	for _, l := range loans {
		rows = append(rows, l.Installments()...)
		fees = append(fees, l.FeeRows()...)
	}
	store.DumpRows(d, &store.Loans, loans)
	store.DumpRows(d, &store.Installments, rows)
	store.DumpRows(d, &store.Fees, fees)
}

func (db *DB) dumpTouches(d *store.Dump) {
	var rows []store.TouchRow
	for order, list := range db.touches {
		for _, t := range list {
			rows = append(rows, store.TouchRow{Order: order, Event: t.event, Company: db.money.get(t.event, db.head.Q).Company})
		}
	}
	store.DumpRows(d, &store.MoneyTouches, rows)
}

func (db *DB) dumpEntries(d *store.Dump) {
	var heads []store.EntryHead
	var lines []store.PostingRow
	for _, e := range db.entries {
		heads = append(heads, e.head)
		for i, p := range e.postings {
			lines = append(lines, store.PostingRow{Posting: p, Q: e.head.Q, N: e.head.N, Line: i})
		}
	}
	store.DumpRows(d, &store.Entries, heads)
	store.DumpRows(d, &store.Postings, lines)
}

func (db *DB) dumpOutbox(d *store.Dump) {
	clients := db.clients.all(db.head.Q)
	var tokens []store.TokenRow
	var settings []store.SettingRow
	for _, t := range db.tokens {
		tokens = append(tokens, t)
	}
	for name, value := range db.settings {
		settings = append(settings, store.SettingRow{Name: name, Value: value})
	}
	store.DumpRows(d, &store.Clients, clients)
	store.DumpRows(d, &store.Tokens, tokens)
	store.DumpRows(d, &store.Settings, settings)
}

func (db *DB) dumpWebhooks(d *store.Dump) {
	var readers []store.ReaderRow
	for merchant, events := range db.readersOf {
		for _, i := range events {
			readers = append(readers, store.ReaderRow{Merchant: merchant, Place: placeOf(db.events[i])})
		}
	}
	var now []store.EndpointRow
	var old []store.EndpointPast
	for _, versions := range db.endpoints {
		for i, v := range versions {
			if i < len(versions)-1 {
				old = append(old, store.EndpointPast{EndpointRow: *v.row, UntilQ: versions[i+1].q})
				continue
			}
			now = append(now, *v.row)
		}
	}
	store.DumpRows(d, &store.EventReaders, readers)
	store.DumpRows(d, &store.Endpoints, now)
	store.DumpRows(d, &store.EndpointHistory, old)
	store.DumpRows(d, &store.Resends, db.resends)
	store.DumpRows(d, &store.Deliveries, db.deliveries.all(db.rev))
	store.DumpRows(d, &store.Attempts, slices.Concat(db.attempts.all(db.rev)...))
	store.DumpRows(d, &store.Cursors, db.cursors.all(db.rev))
	store.DumpRows(d, &store.Leases, slices.Collect(maps.Values(db.leases)))
}
