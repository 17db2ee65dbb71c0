package postgres

import (
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// debitReturns counts what DebitsSince counts of what has come back. OFFSET 0 keeps the
// rail apart from the day: by its rail a plan would find all notices that there ever were.
const debitReturns = "SELECT n.code, count(DISTINCT t.id)" +
	" FROM (SELECT * FROM bank_notices WHERE code <> '' AND at >= $1 OFFSET 0) n JOIN transfers t ON t.id = n.transfer_id" +
	" WHERE n.rail = 'ACH' AND n.kind = 'RETURN' AND t.kind IN ('PAYMENT', 'CLAWBACK') AND t.return_code = n.code GROUP BY n.code"

// DebitReturnsSince implements store.ReviewView.
func (v *view) DebitReturnsSince(at time.Time) (map[string]int, error) {
	counts := map[string]int{}
	err := v.query(debitReturns, []store.Value{{Kind: store.Instant, Int: at.UnixMicro()}}, func(r *row) error {
		counts[r.text(0)] = int(r.int(1))
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
	noticeLeft  = "result NOT IN ('', 'done', 'ignored')"
	noticeWaits = "reviewed_at IS NULL"
	noticePlace = "(rail || '/' || id)"
)

// sharedAccount is the condition on a method that another company's has come before, with
// the same account. A single value is looked up for each method, in the
// index: EXISTS would be joined, with all methods that there are.
const sharedAccount = `fingerprint IS NOT NULL AND (SELECT x.company_id FROM payment_methods x
WHERE x.fingerprint = payment_methods.fingerprint AND x.company_id <> payment_methods.company_id
AND (x.created_at, x.id) < (payment_methods.created_at, payment_methods.id) LIMIT 1) IS NOT NULL`

// SharedAccounts implements store.ReviewView.
func (v *view) SharedAccounts(since time.Time, p store.Page) (out []*credit.PaymentMethod, err error) {
	l := list{where: []string{sharedAccount}}
	l.compare("created_at", ">=", store.Micros(since))
	l.after("created_at", "id", p, text(p.AfterID))
	clause := l.clause() + l.newest("created_at", "id", p)
	if err = all(v, &store.PaymentMethods, clause, func(r *store.MethodRow) error { out = append(out, r.PaymentMethod); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list shared accounts: %w", err)
	}
	return out, nil
}
