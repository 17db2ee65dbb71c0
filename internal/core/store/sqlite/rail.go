package sqlite

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// DueCredits implements store.RailView. Of a company's credit only what is due first
// counts.
func (v *view) DueCredits(now time.Time, p store.Page) ([]store.Due, error) {
	var l list
	l.where = []string{"c.next_at IS NOT NULL", "c.next_at <= " + l.arg(integer(now.UnixMicro())), store.FirstCredit}
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "(c.next_at, c.company_id) > ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(integer(store.CompanyID(p.AfterID)))+")")
	}
	sql := "SELECT c.company_id, c.next_at FROM credits c INDEXED BY credits_next" + l.clause() + " ORDER BY c.next_at, c.company_id" + l.limit(p)
	var out []store.Due
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		out = append(out, store.Due{ID: store.CompanyKey(s.ColumnInt64(0)), At: column(s, 1, store.Instant).Time()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("due credits: %w", err)
	}
	return out, nil
}

// DueHeld implements store.RailView.
func (v *view) DueHeld(now time.Time, p store.Page) ([]store.Due, error) {
	var l list
	l.where = []string{"next_at IS NOT NULL", "next_at <= " + l.arg(integer(now.UnixMicro()))}
	sql := "SELECT of_key, min(next_at) AS at FROM payout_lines INDEXED BY payout_lines_next" + l.clause() + " GROUP BY of_key"
	if !p.AfterAt.IsZero() {
		sql += " HAVING (min(next_at), of_key) > (" + l.arg(store.Micros(p.AfterAt)) + ", " + l.arg(text(p.AfterID)) + ")"
	}
	sql += " ORDER BY at, of_key" + l.limit(p)
	var out []store.Due
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		out = append(out, store.Due{ID: s.ColumnText(0), At: column(s, 1, store.Instant).Time()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("due held money: %w", err)
	}
	return out, nil
}

// Due implements store.RailView. The index of what time alone changes holds no more than
// is read.
func (v *view) Due(n store.Noun, now time.Time, p store.Page) ([]store.Due, error) {
	table, key := n.Schema().Name, n.Schema().Columns[0]
	l := list{where: []string{"next_at IS NOT NULL"}}
	l.where = append(l.where, "next_at <= "+l.arg(integer(now.UnixMicro())))
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "(next_at, "+key+") > ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(text(p.AfterID))+")")
	}
	sql := "SELECT " + key + ", next_at FROM " + table + " INDEXED BY " + table + "_next" + l.clause() +
		" ORDER BY next_at, " + key + l.limit(p)
	var out []store.Due
	err := v.query(sql, l.args, func(s *sqlite.Stmt) error {
		out = append(out, store.Due{ID: s.ColumnText(0), At: column(s, 1, store.Instant).Time()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("due %s: %w", table, err)
	}
	return out, nil
}

// limit is the length of a page.
func (l *list) limit(p store.Page) string { return " LIMIT " + l.arg(integer(int64(max(p.Limit, 0)))) }

// DueMerchants implements store.RailView.
func (v *view) DueMerchants(day calendar.Date) ([]string, error) {
	return v.merchantsWith("payout_lines_waiting", "l.kind NOT IN ('CLAWBACK', 'COLLECTED')", day)
}

// DebitsSince implements store.RailView.
func (v *view) DebitsSince(at time.Time) (n int, err error) {
	err = v.query("SELECT count(*) FROM transfers INDEXED BY transfers_debited"+
		" WHERE rail = 'ACH' AND kind IN ('PAYMENT', 'CLAWBACK') AND sent_at IS NOT NULL AND sent_at >= +?1",
		[]store.Value{integer(at.UnixMicro())}, func(s *sqlite.Stmt) error { n = s.ColumnInt(0); return nil })
	if err != nil {
		return 0, fmt.Errorf("count debits: %w", err)
	}
	return n, nil
}

// AgedMerchants implements store.RailView.
func (v *view) AgedMerchants(kind credit.PayoutLineKind, day calendar.Date) ([]string, error) {
	return v.merchantsWith("payout_lines_owed", owed("l", string(kind)), day)
}

// DueOf implements store.RailView. It reads what waits for the merchant until the day.
func (v *view) DueOf(merchant string, day calendar.Date) (store.DueMoney, error) {
	const owes = "kind IN ('CLAWBACK', 'COLLECTED')"
	const left = "coalesce(sum(amount - netted) FILTER (WHERE "
	sum := store.DueMoney{Since: calendar.None}
	err := v.query("SELECT "+left+"NOT "+owes+"), 0), "+left+owes+"), 0), coalesce(min(due_on) FILTER (WHERE NOT "+owes+"), +?3)"+
		" FROM payout_lines INDEXED BY payout_lines_waiting WHERE merchant_id = +?1 AND payout_id IS NULL AND due_on <= +?2 AND amount > netted",
		[]store.Value{text(merchant), date(day), integer(int64(calendar.None))}, func(s *sqlite.Stmt) error {
			sum = store.DueMoney{ToMerchant: money.Amount(s.ColumnInt64(0)), ByMerchant: money.Amount(s.ColumnInt64(1)), Since: calendar.Date(s.ColumnInt64(2))}
			return nil
		})
	if err != nil {
		return sum, fmt.Errorf("what is due to merchant %s: %w", merchant, err)
	}
	return sum, nil
}

// merchantsWith looks, for each merchant, for the first line of a kind that waits
// since a day, along an index.
func (v *view) merchantsWith(index, kind string, day calendar.Date) ([]string, error) {
	sql := "SELECT m.id FROM merchants m WHERE EXISTS (SELECT 1 FROM payout_lines l INDEXED BY " + index +
		" WHERE l.merchant_id = m.id AND l.payout_id IS NULL AND l.due_on <= +?1 AND " + kind + " AND l.amount > l.netted) ORDER BY m.id"
	var out []string
	err := v.query(sql, []store.Value{date(day)}, func(s *sqlite.Stmt) error { out = append(out, s.ColumnText(0)); return nil })
	if err != nil {
		return nil, fmt.Errorf("merchants with lines that wait: %w", err)
	}
	return out, nil
}
