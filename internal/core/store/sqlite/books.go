package sqlite

import (
	"fmt"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// ofCompany selects a company's lines: those of its orders, and those without an order.
const ofCompany = "SELECT p.q, p.n, p.account, p.amount, p.merchant_id FROM orders o INDEXED BY orders_company" +
	" CROSS JOIN postings p INDEXED BY postings_order ON p.order_key = o.order_key WHERE o.company_id = +?1 AND p.company_id = +?1" +
	" UNION ALL SELECT p.q, p.n, p.account, p.amount, p.merchant_id FROM postings p INDEXED BY postings_company" +
	" WHERE p.order_key IS NULL AND p.company_id <> 0 AND p.company_id = +?1"

// TrialBalance implements store.View. Of all, it is the totals of days. A company's lines are
// found through its orders. For a merchant, all entries of the dates are read: an index
// would cost each posting, and queries by merchant cover a month.
func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
	sums := map[ledger.Account]money.Amount{}
	if f.Company == 0 && f.Merchant == "" {
		return store.DaySums(v, f.From, f.To)
	}
	if err := v.sumOf(f, sums); err != nil {
		return nil, fmt.Errorf("trial balance: %w", err)
	}
	for account, sum := range sums {
		if sum == 0 {
			delete(sums, account)
		}
	}
	return sums, nil
}

// sumOf sums the lines that match a filter.
func (v *view) sumOf(f store.BookFilter, sums map[ledger.Account]money.Amount) error {
	if f.Company == 0 {
		return v.sumDates(f, sums)
	}
	l := list{args: []store.Value{integer(f.Company)}}
	l.dates(f)
	l.equal("c.merchant_id", f.Merchant)
	return v.addUp("SELECT c.account, sum(c.amount) FROM ("+ofCompany+") c CROSS JOIN entries e ON e.q = c.q AND e.n = c.n"+
		l.clause()+" GROUP BY c.account", l.args, sums)
}

// sumDates adds the lines booked on the filter's dates.
func (v *view) sumDates(f store.BookFilter, sums map[ledger.Account]money.Amount) error {
	var l list
	l.dates(f)
	l.equal("p.merchant_id", f.Merchant)
	return v.addUp("SELECT p.account, sum(p.amount) FROM entries e INDEXED BY entries_book CROSS JOIN postings p ON p.q = e.q AND p.n = e.n"+
		l.clause()+" GROUP BY p.account", l.args, sums)
}

// dates narrows to entries booked on the filter's dates.
func (l *list) dates(f store.BookFilter) {
	l.compare("e.book_date", ">=", date(f.From))
	l.compare("e.book_date", "<=", date(f.To))
}

func (v *view) addUp(sql string, args []store.Value, sums map[ledger.Account]money.Amount) error {
	return v.query(sql, args, func(s *sqlite.Stmt) error {
		sums[ledger.Account(s.ColumnInt64(0))] += money.Amount(s.ColumnInt64(1))
		return nil
	})
}

// Entries implements store.View. The order is that of posting, so dates become a range of
// commits, which contains hardly anything else: the business date never goes back.
func (v *view) Entries(f store.EntryFilter, fn func(store.EntryRow) error) error {
	var l list
	switch {
	case f.Order != "":
		return v.entries(" WHERE (e.q, e.n) IN (SELECT q, n FROM postings WHERE order_key = +?1)", fn, text(f.Order))
	case f.Company != 0:
		l.args = []store.Value{integer(f.Company)}
		l.where = append(l.where, "(e.q, e.n) IN (SELECT q, n FROM ("+ofCompany+"))", "p.company_id = +?1")
	case f.From != calendar.None || f.To != calendar.None:
		first, last, err := v.commitsOf(f.BookFilter)
		if err != nil || last == 0 {
			return err
		}
		l.where = append(l.where, "e.q >= "+l.arg(integer(first)), "e.q <= "+l.arg(integer(last)))
	}
	l.dates(f.BookFilter)
	l.equal("p.merchant_id", f.Merchant)
	return v.entries(l.clause(), fn, l.args...)
}

// commitsOf returns the first and last commit with an entry booked on the filter's dates, 0
// if there is none.
func (v *view) commitsOf(f store.BookFilter) (first, last int64, err error) {
	var l list
	l.dates(f)
	sql := "SELECT min(q), max(q) FROM entries e INDEXED BY entries_book" + l.clause()
	err = v.query(sql, l.args, func(s *sqlite.Stmt) error { first, last = s.ColumnInt64(0), s.ColumnInt64(1); return nil })
	if err != nil {
		return 0, 0, fmt.Errorf("commits of a span of dates: %w", err)
	}
	return first, last, nil
}
