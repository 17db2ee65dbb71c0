package sqlite

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
	index := "NOT INDEXED" // the table is in order of q
	switch {
	case f.RequestID != "":
		index = "INDEXED BY audit_request"
		l.where = append(l.where, "request_id <> ''") // for the partial index
	case f.Object != "":
		index = "INDEXED BY audit_object"
		l.where = append(l.where, "object <> ''") // for the partial index
	case f.Company != 0:
		index = "INDEXED BY audit_company"
		l.where = append(l.where, "company_id <> 0") // for the partial index
	case f.Client != "":
		index = "INDEXED BY audit_client"
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
	clause := " " + index + l.clause() + " ORDER BY q DESC LIMIT " + l.arg(integer(int64(max(limit, 0))))
	err = all(v.conn, &store.Audits, clause, func(r *store.AuditRow) error { out = append(out, *r); return nil }, l.args...)
	if err != nil {
		return nil, fmt.Errorf("list audit: %w", err)
	}
	return out, nil
}
