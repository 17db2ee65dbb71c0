package postgres

import (
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// DueCredits implements store.RailView. Of a company's credit only what is due first
// counts.
func (v *view) DueCredits(now time.Time, p store.Page) ([]store.Due, error) {
	var l list
	l.where = append(l.where, "c.next_at <= "+l.arg(store.Micros(now)), store.FirstCredit)
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "(c.next_at, c.company_id) > ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(integer(store.CompanyID(p.AfterID)))+")")
	}
	sql := "SELECT c.company_id, c.next_at FROM credits c" + l.clause() + " ORDER BY c.next_at, c.company_id LIMIT " + number(max(p.Limit, 0))
	var out []store.Due
	err := v.query(sql, l.args, func(r *row) error {
		at, err := r.value(1, store.Instant)
		out = append(out, store.Due{ID: store.CompanyKey(r.int(0)), At: at.Time()})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list due credits: %w", err)
	}
	return out, nil
}

// DueHeld implements store.RailView.
func (v *view) DueHeld(now time.Time, p store.Page) ([]store.Due, error) {
	var l list
	l.where = append(l.where, "next_at <= "+l.arg(store.Micros(now)))
	sql := "SELECT of_key, min(next_at) FROM payout_lines" + l.clause() + " GROUP BY of_key"
	if !p.AfterAt.IsZero() {
		sql += " HAVING (min(next_at), of_key) > (" + l.arg(store.Micros(p.AfterAt)) + ", " + l.arg(text(p.AfterID)) + ")"
	}
	sql += " ORDER BY min(next_at), of_key LIMIT " + number(max(p.Limit, 0))
	var out []store.Due
	err := v.query(sql, l.args, func(r *row) error {
		at, err := r.value(1, store.Instant)
		out = append(out, store.Due{ID: r.text(0), At: at.Time()})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list due held money: %w", err)
	}
	return out, nil
}

// Due implements store.RailView, in order of the index of next_at.
func (v *view) Due(n store.Noun, now time.Time, p store.Page) ([]store.Due, error) {
	table, key := n.Schema().Name, n.Schema().Columns[0]
	var l list
	l.where = append(l.where, "next_at <= "+l.arg(store.Micros(now)))
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "(next_at, "+key+") > ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(text(p.AfterID))+")")
	}
	sql := "SELECT " + key + ", next_at FROM " + table + l.clause() +
		" ORDER BY next_at, " + key + " LIMIT " + number(max(p.Limit, 0))
	var out []store.Due
	err := v.query(sql, l.args, func(r *row) error {
		at, err := r.value(1, store.Instant)
		out = append(out, store.Due{ID: r.text(0), At: at.Time()})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list due %s: %w", table, err)
	}
	return out, nil
}

// The merchants for whom a line waits. Each merchant's waiting lines are sought in turn.
const (
	dueMerchants = `SELECT m.id FROM merchants m CROSS JOIN LATERAL (
			SELECT FROM payout_lines l WHERE l.merchant_id = m.id AND l.payout_id IS NULL AND l.due_on <= $1::date
			AND l.kind IN ('CAPTURE', 'REPAID', 'CARRIED') AND l.amount > l.netted ORDER BY l.due_on, l.id LIMIT 1) w ORDER BY m.id`
	agedMerchants = `SELECT m.id FROM merchants m CROSS JOIN LATERAL (
			SELECT FROM payout_lines l WHERE l.merchant_id = m.id AND l.payout_id IS NULL AND l.due_on <= $1::date
			AND l.kind = $2 AND l.amount > l.netted ORDER BY l.due_on, l.id LIMIT 1) w ORDER BY m.id`
)

// DueMerchants implements store.RailView.
func (v *view) DueMerchants(day calendar.Date) ([]string, error) {
	return v.merchants(dueMerchants, date(day))
}

// DebitsSince implements store.RailView.
func (v *view) DebitsSince(at time.Time) (n int, err error) {
	err = v.query("SELECT count(*) FROM transfers WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sent_at IS NOT NULL AND sent_at >= $1",
		[]store.Value{{Kind: store.Instant, Int: at.UnixMicro()}}, func(r *row) error { n = int(r.int(0)); return nil })
	if err != nil {
		return 0, fmt.Errorf("count debits: %w", err)
	}
	return n, nil
}

// AgedMerchants implements store.RailView.
func (v *view) AgedMerchants(kind credit.PayoutLineKind, day calendar.Date) ([]string, error) {
	return v.merchants(agedMerchants, date(day), text(string(kind)))
}

// DueOf implements store.RailView. It reads what waits for the merchant until the day.
func (v *view) DueOf(merchant string, day calendar.Date) (store.DueMoney, error) {
	const owes = "kind IN ('CLAWBACK', 'COLLECTED')"
	const left = "coalesce(sum(amount - netted) FILTER (WHERE "
	sum := store.DueMoney{Since: calendar.None}
	err := v.query("SELECT "+left+"NOT "+owes+"), 0)::bigint, "+left+owes+"), 0)::bigint, (min(due_on) FILTER (WHERE NOT "+owes+") - date '1970-01-01')::bigint"+
		" FROM payout_lines WHERE merchant_id = $1 AND payout_id IS NULL AND due_on <= $2 AND amount > netted",
		[]store.Value{text(merchant), date(day)}, func(r *row) error {
			sum.ToMerchant, sum.ByMerchant = money.Amount(r.int(0)), money.Amount(r.int(1))
			if sum.ToMerchant > 0 {
				sum.Since = calendar.Date(r.int(2))
			}
			return nil
		})
	if err != nil {
		return sum, fmt.Errorf("what is due to merchant %s: %w", merchant, err)
	}
	return sum, nil
}

func (v *view) merchants(sql string, args ...store.Value) (out []string, err error) {
	err = v.query(sql, args, func(r *row) error { out = append(out, r.text(0)); return nil })
	if err != nil {
		return nil, fmt.Errorf("list merchants with waiting lines: %w", err)
	}
	return out, nil
}

// booked selects the entries e and lines p that a filter takes. A company's lines are
// those of its orders, found through them, and those that are of no order.
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

// TrialBalance implements store.RailView.
func (v *view) TrialBalance(f store.BookFilter) (map[ledger.Account]money.Amount, error) {
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

// OwedAt implements store.RailView.
func (v *view) OwedAt(merchant string, q int64) (sum money.Amount, err error) {
	err = v.query("SELECT coalesce(sum(amount), 0)::bigint FROM postings WHERE account IN (1200, 1210) AND merchant_id = $1 AND q <= $2",
		[]store.Value{text(merchant), integer(q)}, func(r *row) error { sum = money.Amount(r.int(0)); return nil })
	if err != nil {
		return 0, fmt.Errorf("what a merchant owed: %w", err)
	}
	return sum, nil
}

// EachEntryOf implements store.RailView.
func (v *view) EachEntryOf(f store.BookFilter, fn func(store.EntryRow) error) error {
	from, l := booked(f)
	return v.entries(from+l.clause(), fn, l.args...)
}
