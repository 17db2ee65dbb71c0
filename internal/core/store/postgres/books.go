package postgres

import (
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// booked selects the entries e and lines p that match a filter. A company's lines are those
// of its orders, found through them, and those without an order.
func booked(f store.BookFilter) (from string, l *list) {
	l = &list{}
	from = " FROM entries e CROSS JOIN LATERAL (SELECT * FROM postings x WHERE x.q = e.q AND x.n = e.n OFFSET 0) p"
	if f.Company != 0 {
		id := l.arg(integer(f.Company))
		from = " FROM (SELECT x.* FROM orders o CROSS JOIN LATERAL (SELECT * FROM postings y WHERE y.order_key = o.order_key" +
			" AND y.company_id = " + id + " OFFSET 0) x WHERE o.company_id = " + id +
			" UNION ALL SELECT * FROM postings x WHERE x.order_key IS NULL AND x.company_id <> 0 AND x.company_id = " + id + ") p" +
			" CROSS JOIN LATERAL (SELECT * FROM entries x WHERE x.q = p.q AND x.n = p.n OFFSET 0) e"
	}
	l.compare("e.book_date", ">=", date(f.From))
	l.compare("e.book_date", "<=", date(f.To))
	l.equal("p.merchant_id", f.Merchant)
	return from, l
}

// TrialBalance implements store.View.
func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
	if f.Company == 0 && f.Merchant == "" {
		return store.DaySums(v, f.From, f.To)
	}
	from, l := booked(f)
	out := map[ledger.Account]money.Amount{}
	sql := "SELECT p.account, sum(p.amount)::bigint" + from + l.clause() + " GROUP BY p.account HAVING sum(p.amount) <> 0"
	err := v.query(sql, l.args, func(r *row) error {
		out[ledger.Account(r.int(0))] = money.Amount(r.int(1))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("trial balance: %w", err)
	}
	return out, nil
}

// Entries implements store.View.
func (v *view) Entries(f store.EntryFilter, fn func(store.EntryRow) error) error {
	if f.Order != "" {
		return v.entries(allEntries+" WHERE (e.q, e.n) IN (SELECT q, n FROM postings WHERE order_key = $1)", fn, text(f.Order))
	}
	if f.BookFilter == (store.BookFilter{From: calendar.None, To: calendar.None}) {
		return v.entries(allEntries, fn)
	}
	from, l := booked(f.BookFilter)
	return v.entries(from+l.clause(), fn, l.args...)
}
