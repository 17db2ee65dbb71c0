package sqlite

import (
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// debitReturns counts what DebitsSince counts of what has come back.
const debitReturns = "SELECT n.code, count(DISTINCT t.id) FROM bank_notices n INDEXED BY bank_notices_code CROSS JOIN transfers t ON t.id = n.transfer_id" +
	" WHERE n.code <> '' AND n.at >= +?1 AND n.rail = 'ACH' AND n.kind = 'RETURN' AND t.kind IN ('PAYMENT', 'CLAWBACK') AND t.return_code = n.code GROUP BY n.code"

// DebitReturnsSince implements store.ReviewView.
func (v *view) DebitReturnsSince(at time.Time) (map[string]int, error) {
	counts := map[string]int{}
	err := v.query(debitReturns, []store.Value{integer(at.UnixMicro())}, func(s *sqlite.Stmt) error {
		counts[s.ColumnText(0)] = s.ColumnInt(1)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count returned debits: %w", err)
	}
	return counts, nil
}

// noticeLeft is the condition of bank_notices_left, and with noticeWaits that of
// bank_notices_waiting.
const (
	noticeLeft  = "result <> '' AND result <> 'done' AND result <> 'ignored'"
	noticeWaits = "reviewed_at IS NULL"
	noticePlace = "rail || '/' || id"
)

// sharedAccount is the condition on a method that another company's has come before, with
// the same account.
const sharedAccount = `fingerprint IS NOT NULL AND EXISTS (SELECT 1 FROM payment_methods x
WHERE x.fingerprint = payment_methods.fingerprint AND x.company_id <> payment_methods.company_id
AND (x.created_at, x.id) < (payment_methods.created_at, payment_methods.id))`

// SharedAccounts implements store.ReviewView.
func (v *view) SharedAccounts(since time.Time, p store.Page) (out []*credit.PaymentMethod, err error) {
	l := list{where: []string{sharedAccount}}
	l.compare("created_at", ">=", store.Micros(since))
	l.after("created_at", "id", p, text(p.AfterID))
	clause := " INDEXED BY payment_methods_added" + l.clause() + l.newest("created_at", "id", p)
	if err = all(v.conn, &store.PaymentMethods, clause, func(r *store.MethodRow) error { out = append(out, r.PaymentMethod); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list shared accounts: %w", err)
	}
	return out, nil
}
