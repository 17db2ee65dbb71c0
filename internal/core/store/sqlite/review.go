package sqlite

import (
	"fmt"
	"strconv"
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
// bank_notices_waiting; see migration 0011.
const (
	noticeLeft  = "result NOT IN ('', 'done', 'ignored')"
	noticeWaits = "reviewed_at IS NULL"
	noticePlace = "rail || '/' || id"
)

// BankNotices implements store.ReviewView.
func (v *view) BankNotices(f store.BankNoticeFilter, p store.Page) (out []store.BankNotice, err error) {
	l, index := list{where: []string{noticeLeft}}, "bank_notices_left"
	if f.Waiting {
		l.where, index = append(l.where, noticeWaits), "bank_notices_waiting"
	}
	l.after("at", noticePlace, p, text(p.AfterID))
	clause := " INDEXED BY " + index + l.clause() + l.newest("at", noticePlace, p)
	if err = all(v.conn, &store.BankNotices, clause, func(r *store.BankNotice) error { out = append(out, *r); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list bank notices: %w", err)
	}
	return out, nil
}

// BankNotice implements store.ReviewView.
func (v *view) BankNotice(rail credit.Method, id string) (n store.BankNotice, found bool, err error) {
	err = all(v.conn, &store.BankNotices, " WHERE rail = +?1 AND id = +?2", func(r *store.BankNotice) error { n, found = *r, true; return nil },
		text(string(rail)), text(id))
	if err != nil {
		return n, false, fmt.Errorf("read bank notice %s: %w", id, err)
	}
	return n, found, nil
}

// The conditions of the partial indexes; see migrations 0008, 0015 and 0020.
const (
	proposedOrder      = `instr(servicing, '"proposed":true') > 0 AND instr(servicing, '"charged_off":') = 0`
	stoppedOrder       = `instr(servicing, '"stopped":[') > 0`
	pausedCompany      = `instr(servicing, '"paused":"') > 0`
	suspendedCompany   = "status = 'SUSPENDED'"
	unscreenedCompany  = `instr(servicing, '"unscreened":true') > 0`
	unscreenedMerchant = `instr(account, '"unscreened":true') > 0`
)

// ProposedOrders implements store.ReviewView.
func (v *view) ProposedOrders(p store.Page) ([]*credit.Order, error) {
	return v.ordersThat(proposedOrder, "orders_proposed", p)
}

// StoppedOrders implements store.ReviewView.
func (v *view) StoppedOrders(p store.Page) ([]*credit.Order, error) {
	return v.ordersThat(stoppedOrder, "orders_stopped", p)
}

// ordersThat is a page of the orders of a partial index.
func (v *view) ordersThat(condition, index string, p store.Page) (out []*credit.Order, err error) {
	l := list{where: []string{condition}}
	l.after("created_at", "order_key", p, text(p.AfterID))
	clause := " INDEXED BY " + index + l.clause() + l.newest("created_at", "order_key", p)
	if err = all(v.conn, &store.Orders, clause, func(r *store.OrderRow) error { out = append(out, r.Order); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list %s: %w", index, err)
	}
	return out, nil
}

// sharedAccount is the condition on a method that another company's has come before, with
// the same account; see migration 0029.
const sharedAccount = `bank IS NOT NULL AND EXISTS (SELECT 1 FROM payment_methods x
WHERE x.bank ->> '$.fingerprint' = payment_methods.bank ->> '$.fingerprint' AND x.company_id <> payment_methods.company_id
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

// SameAccount implements store.ReviewView.
func (v *view) SameAccount(fingerprint string) (out []*credit.PaymentMethod, err error) {
	var l list
	clause := " INDEXED BY payment_methods_account WHERE bank ->> '$.fingerprint' = " + l.arg(text(fingerprint)) + " ORDER BY created_at, id LIMIT " + l.arg(integer(store.MaxSame))
	if err = all(v.conn, &store.PaymentMethods, clause, func(r *store.MethodRow) error { out = append(out, r.PaymentMethod); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list methods with an account: %w", err)
	}
	return out, nil
}

// FilesIn implements store.ReviewView.
func (v *view) FilesIn(state store.FileState, p store.Page) (out []store.BankFile, err error) {
	var l list
	l.equal("state", string(state))
	l.after("created_at", "id", p, text(p.AfterID))
	clause := " INDEXED BY bank_files_state" + l.clause() + l.newest("created_at", "id", p)
	if err = all(v.conn, &store.BankFiles, clause, func(r *store.BankFile) error { out = append(out, *r); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list files that are %s: %w", state, err)
	}
	return out, nil
}

// PausedCompanies implements store.ReviewView.
func (v *view) PausedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(pausedCompany, "companies_paused", p)
}

// SuspendedCompanies implements store.ReviewView.
func (v *view) SuspendedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(suspendedCompany, "companies_suspended", p)
}

// UnscreenedCompanies implements store.ReviewView.
func (v *view) UnscreenedCompanies(p store.Page) ([]*credit.Company, error) {
	return v.companiesThat(unscreenedCompany, "companies_unscreened", p)
}

// companiesThat is a page of the companies of a partial index.
func (v *view) companiesThat(condition, index string, p store.Page) ([]*credit.Company, error) {
	l := list{where: []string{condition}}
	key, err := int64(0), error(nil)
	if !p.AfterAt.IsZero() {
		if key, err = strconv.ParseInt(p.AfterID, 10, 64); err != nil {
			return nil, fmt.Errorf("list %s: %w", index, err)
		}
	}
	l.after("created_at", "company_id", p, integer(key))
	var out []*credit.Company
	clause := " INDEXED BY " + index + l.clause() + l.newest("created_at", "company_id", p)
	if err = all(v.conn, &store.Companies, clause, func(r *store.CompanyRow) error { out = append(out, r.Company); return nil }, l.args...); err != nil {
		return nil, fmt.Errorf("list %s: %w", index, err)
	}
	return out, nil
}

// UnscreenedMerchants implements store.ReviewView.
func (v *view) UnscreenedMerchants() (out []string, err error) {
	err = v.query("SELECT id FROM merchants INDEXED BY merchants_unscreened WHERE "+unscreenedMerchant+" ORDER BY id", nil,
		func(s *sqlite.Stmt) error { out = append(out, s.ColumnText(0)); return nil })
	if err != nil {
		return nil, fmt.Errorf("list unscreened merchants: %w", err)
	}
	return out, nil
}
