package postgres

import (
	"fmt"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/store"
)

// DueOrders implements store.RailView.
func (v *view) DueOrders(now time.Time, p store.Page) ([]store.Due, error) {
	return v.due("orders", "order_key", now, p)
}

// DueTransfers implements store.RailView.
func (v *view) DueTransfers(now time.Time, p store.Page) ([]store.Due, error) {
	return v.due("transfers", "id", now, p)
}

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

// due lists what time alone changes, in order of the index of next_at.
func (v *view) due(table, key string, now time.Time, p store.Page) ([]store.Due, error) {
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

// Methods implements store.RailView.
func (v *view) Methods(company int64) ([]*credit.PaymentMethod, error) {
	var out []*credit.PaymentMethod
	err := all(v, &store.PaymentMethods, " WHERE company_id = $1 ORDER BY created_at DESC, id DESC",
		func(r *store.MethodRow) error { out = append(out, r.PaymentMethod); return nil }, integer(company))
	if err != nil {
		return nil, fmt.Errorf("list payment methods: %w", err)
	}
	return out, nil
}

// Transfers implements store.RailView.
func (v *view) Transfers(f store.TransferFilter, p store.Page) ([]*credit.Transfer, error) {
	var l list
	l.company("company_id", f.Company)
	if f.Company != 0 {
		l.where = append(l.where, "company_id <> 0") // for the partial index, as the others below
	}
	l.equal("merchant_id", f.Merchant)
	if f.Merchant != "" {
		l.where = append(l.where, "merchant_id <> ''")
	}
	l.equal("payment_id", f.Payment)
	l.equal("rail", string(f.Rail))
	if f.Rail == credit.Card {
		l.where = append(l.where, "rail = 'CARD'")
	}
	l.equal("status", string(f.Status))
	if f.Status != "" && f.Status != credit.TransferSettled {
		l.where = append(l.where, "status <> 'SETTLED'")
	}
	if f.Unanswered {
		l.where = append(l.where, store.Unanswered)
	}
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Transfer
	clause := l.clause() + l.newest("created_at", "id", p)
	err := all(v, &store.Transfers, clause, func(r *store.TransferRow) error { out = append(out, r.Transfer); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list transfers: %w", err)
	}
	return out, nil
}

// OwedPayments implements store.RailView.
func (v *view) OwedPayments(p store.Page) ([]*credit.Payment, error) {
	l := list{where: []string{"owed_since IS NOT NULL"}}
	if !p.AfterAt.IsZero() {
		l.where = append(l.where, "(owed_since, id) > ("+l.arg(store.Micros(p.AfterAt))+", "+l.arg(text(p.AfterID))+")")
	}
	var out []*credit.Payment
	clause := l.clause() + " ORDER BY owed_since, id LIMIT " + number(max(p.Limit, 0))
	err := all(v, &store.Payments, clause, func(r *store.PaymentRow) error { out = append(out, r.Payment); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list owed payments: %w", err)
	}
	return out, nil
}

// Payouts implements store.RailView.
func (v *view) Payouts(f store.PayoutFilter, p store.Page) ([]*credit.Payout, error) {
	var l list
	l.equal("merchant_id", f.Merchant)
	l.equal("status", string(f.Status))
	if f.Status != "" && f.Status != credit.PayoutSettled {
		l.where = append(l.where, "status <> 'SETTLED'") // for the partial index
	}
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Payout
	clause := l.clause() + l.newest("created_at", "id", p)
	err := all(v, &store.Payouts, clause, func(r *store.PayoutRow) error { out = append(out, r.Payout); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list payouts: %w", err)
	}
	return out, nil
}

// PayoutLines implements store.RailView.
func (v *view) PayoutLines(f store.LineFilter, p store.Page) ([]*credit.PayoutLine, error) {
	var l list
	l.equal("payout_id", f.Payout)
	l.equal("merchant_id", f.Waiting)
	if f.Waiting != "" {
		l.where = append(l.where, "payout_id IS NULL")
	}
	if p.AfterID != "" {
		l.where = append(l.where, "(due_on, id) > (SELECT due_on, id FROM payout_lines WHERE id = "+l.arg(text(p.AfterID))+")")
	}
	var out []*credit.PayoutLine
	clause := l.clause() + " ORDER BY due_on, id LIMIT " + number(max(p.Limit, 0))
	err := all(v, &store.PayoutLines, clause, func(r *store.LineRow) error { out = append(out, r.PayoutLine); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list payout lines: %w", err)
	}
	return out, nil
}

// Notices implements store.RailView.
func (v *view) Notices(f store.NoticeFilter, p store.Page) ([]*credit.Notice, error) {
	var l list
	l.company("company_id", f.Company)
	if f.Late {
		l.where = append(l.where, "late") // for the partial index
	}
	l.unsent(f)
	l.kept(f)
	l.after("action_at", "id", p, text(p.AfterID))
	var out []*credit.Notice
	clause := l.clause() + l.newest("action_at", "id", p)
	err := all(v, &store.Notices, clause, func(r *store.NoticeRow) error { out = append(out, r.Notice); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list notices: %w", err)
	}
	return out, nil
}

// unsent narrows a list of notices to those that are still to be sent.
func (l *list) unsent(f store.NoticeFilter) {
	if !f.Unsent {
		return
	}
	l.where = append(l.where, "sent_at IS NULL") // for the partial index
	l.compare("due_on", ">=", date(f.DueFrom))
	l.compare("due_on", "<=", date(f.DueTo))
}

// kept narrows a list of notices to those that were sent before an instant and are not
// erased: an action is not later than its notice.
func (l *list) kept(f store.NoticeFilter) {
	if f.KeptBefore.IsZero() {
		return
	}
	l.where = append(l.where, "sent_at IS NOT NULL AND erased_at IS NULL") // for the partial index
	for _, column := range []string{"action_at", "sent_at"} {
		l.where = append(l.where, column+" < "+l.arg(store.Micros(f.KeptBefore)))
	}
}

// Screenings implements store.RailView.
func (v *view) Screenings(f store.ScreeningFilter, p store.Page) ([]*credit.Screening, error) {
	var l list
	l.company("company_id", f.Company)
	l.equal("merchant_id", f.Merchant)
	if f.Merchant != "" {
		l.where = append(l.where, "merchant_id <> ''") // for the partial index
	}
	l.equal("status", string(f.Status))
	l.after("opened_at", "id", p, text(p.AfterID))
	var out []*credit.Screening
	clause := l.clause() + l.newest("opened_at", "id", p)
	err := all(v, &store.Screenings, clause, func(r *store.ScreeningRow) error { out = append(out, r.Screening); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list screenings: %w", err)
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
