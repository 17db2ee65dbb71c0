package postgres

import (
	"fmt"

	"tenor/internal/core/store"
)

// Audits implements store.View.
func (v *view) Audits(f store.AuditFilter, before int64, limit int) ([]store.AuditRow, error) {
	low, high, err := f.Span(v.SeqAt)
	if err != nil {
		return nil, fmt.Errorf("list audit: %w", err)
	}
	var l list
	for _, x := range []struct{ column, value string }{{"request_id", f.RequestID}, {"object", f.Object}} {
		if x.value != "" {
			l.where = append(l.where, x.column+" <> ''") // for the partial index
		}
	}
	if f.Company != 0 {
		l.where = append(l.where, "company_id <> 0") // for the partial index
	}
	l.equal("client_id", f.Client)
	l.equal("merchant_id", f.Merchant)
	l.equal("object", f.Object)
	l.equal("command", f.Command)
	l.equal("request_id", f.RequestID)
	l.company("company_id", f.Company)
	l.compare("q", ">", integer(low))
	l.compare("q", "<=", integer(min(high, before-1)))
	var out []store.AuditRow
	clause := l.clause() + " ORDER BY q DESC LIMIT " + number(max(limit, 0))
	err = all(v, &store.Audits, clause, func(r *store.AuditRow) error { out = append(out, *r); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list audit: %w", err)
	}
	return out, nil
}
