package sqlite

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/calendar"
	"tenor/internal/credit"
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

// due reads the index of what time alone changes; it holds no more than that.
func (v *view) due(table, key string, now time.Time, p store.Page) ([]store.Due, error) {
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

// behind starts, in a list that is ordered by a day, behind the row whose id is the
// page's.
func (l *list) behind(day, table string, p store.Page) {
	if p.AfterID != "" {
		id := l.arg(text(p.AfterID))
		l.where = append(l.where, "("+day+", id) > ((SELECT "+day+" FROM "+table+" WHERE id = "+id+"), "+id+")")
	}
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

// Methods implements store.RailView.
func (v *view) Methods(company int64) ([]*credit.PaymentMethod, error) {
	var out []*credit.PaymentMethod
	err := all(v.conn, &store.PaymentMethods, " WHERE company_id = +?1 ORDER BY created_at DESC, id DESC",
		func(r *store.MethodRow) error { out = append(out, r.PaymentMethod); return nil }, integer(company))
	if err != nil {
		return nil, fmt.Errorf("list payment methods: %w", err)
	}
	return out, nil
}

// Transfers implements store.RailView.
func (v *view) Transfers(f store.TransferFilter, p store.Page) ([]*credit.Transfer, error) {
	index, holds := transferIndex(f)
	var l list
	if holds != "" {
		l.where = append(l.where, holds)
	}
	l.company("company_id", f.Company)
	l.equal("merchant_id", f.Merchant)
	l.equal("payment_id", f.Payment)
	l.equal("rail", string(f.Rail))
	l.equal("status", string(f.Status))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Transfer
	clause := " INDEXED BY " + index + l.clause() + l.newest("created_at", "id", p)
	err := all(v.conn, &store.Transfers, clause, func(r *store.TransferRow) error { out = append(out, r.Transfer); return nil }, l.args...)
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
	clause := " INDEXED BY payments_owed" + l.clause() + " ORDER BY owed_since, id" + l.limit(p)
	err := all(v.conn, &store.Payments, clause, func(r *store.PaymentRow) error { out = append(out, r.Payment); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list owed payments: %w", err)
	}
	return out, nil
}

// transferIndex names the index for a list, and the condition of a partial one.
// Nearly all transfers are by ACH and have settled: these are found by the way.
func transferIndex(f store.TransferFilter) (name, holds string) {
	switch {
	case f.Unanswered:
		return "transfers_unanswered", store.Unanswered
	case f.Payment != "":
		return "transfers_payment", "payment_id IS NOT NULL"
	case f.Merchant != "":
		return "transfers_merchant", "merchant_id <> ''"
	case f.Company != 0:
		return "transfers_company", "company_id <> 0"
	case f.Status != "" && f.Status != credit.TransferSettled:
		return "transfers_status", "status <> 'SETTLED'"
	case f.Rail == credit.Card:
		return "transfers_card", "rail = 'CARD'"
	}
	return "transfers_created", ""
}

// Payouts implements store.RailView. A merchant has one a day, and nearly all have
// settled.
func (v *view) Payouts(f store.PayoutFilter, p store.Page) ([]*credit.Payout, error) {
	var l list
	index := "payouts_created"
	switch {
	case f.Merchant != "":
		index = "payouts_merchant"
	case f.Status != "" && f.Status != credit.PayoutSettled:
		index = "payouts_status"
		l.where = append(l.where, "status <> 'SETTLED'")
	}
	l.equal("merchant_id", f.Merchant)
	l.equal("status", string(f.Status))
	l.after("created_at", "id", p, text(p.AfterID))
	var out []*credit.Payout
	clause := " INDEXED BY " + index + l.clause() + l.newest("created_at", "id", p)
	err := all(v.conn, &store.Payouts, clause, func(r *store.PayoutRow) error { out = append(out, r.Payout); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list payouts: %w", err)
	}
	return out, nil
}

// PayoutLines implements store.RailView.
func (v *view) PayoutLines(f store.LineFilter, p store.Page) ([]*credit.PayoutLine, error) {
	l := list{where: []string{"payout_id IS NULL"}}
	index := "payout_lines_waiting"
	if f.Payout != "" {
		index, l.where[0] = "payout_lines_payout", "payout_id IS NOT NULL"
		l.equal("payout_id", f.Payout)
	} else {
		l.where = append(l.where, "merchant_id = "+l.arg(text(f.Waiting)))
	}
	l.behind("due_on", "payout_lines", p)
	var out []*credit.PayoutLine
	clause := " INDEXED BY " + index + l.clause() + " ORDER BY due_on, id" + l.limit(p)
	err := all(v.conn, &store.PayoutLines, clause, func(r *store.LineRow) error { out = append(out, r.PayoutLine); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list payout lines: %w", err)
	}
	return out, nil
}

// Notices implements store.RailView.
func (v *view) Notices(f store.NoticeFilter, p store.Page) ([]*credit.Notice, error) {
	var l list
	index := "notices_action"
	switch {
	case f.Company != 0:
		index = "notices_company"
	case !f.KeptBefore.IsZero():
		index = "notices_kept"
	case f.Unsent:
		index = "notices_waiting"
	case f.Late:
		index = "notices_late"
	}
	l.company("company_id", f.Company)
	if f.Late {
		l.where = append(l.where, "late") // for the partial index
	}
	l.unsent(f)
	l.kept(f)
	l.after("action_at", "id", p, text(p.AfterID))
	var out []*credit.Notice
	clause := " INDEXED BY " + index + l.clause() + l.newest("action_at", "id", p)
	err := all(v.conn, &store.Notices, clause, func(r *store.NoticeRow) error { out = append(out, r.Notice); return nil }, l.args...)
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
	index := "screenings_opened"
	switch {
	case f.Merchant != "":
		index = "screenings_merchant"
		l.where = append(l.where, "merchant_id <> ''") // for the partial index
	case f.Company != 0:
		index = "screenings_company"
	case f.Status != "":
		index = "screenings_status"
	}
	l.company("company_id", f.Company)
	l.equal("merchant_id", f.Merchant)
	l.equal("status", string(f.Status))
	l.after("opened_at", "id", p, text(p.AfterID))
	var out []*credit.Screening
	clause := " INDEXED BY " + index + l.clause() + l.newest("opened_at", "id", p)
	err := all(v.conn, &store.Screenings, clause, func(r *store.ScreeningRow) error { out = append(out, r.Screening); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list screenings: %w", err)
	}
	return out, nil
}
