package client

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// AuditRow is a row of the audit log: one command that was decided, done or refused.
type AuditRow struct {
	Raw
	CommitSeq  int64     `json:"commit_seq"`
	At         time.Time `json:"at"`
	ClientID   string    `json:"client_id"`
	MerchantID string    `json:"merchant_id"`
	Address    string    `json:"address"`
	RequestID  string    `json:"request_id"`
	Command    string    `json:"command"`
	Object     string    `json:"object"`
	CompanyID  int64     `json:"company_id"`
	Result     string    `json:"result"`
	Reason     string    `json:"reason"`
	// What has changed, by record and member, as it was and as it is since.
	Was map[string]json.RawMessage `json:"was"`
	Is  map[string]json.RawMessage `json:"is"`
	Act map[string]json.RawMessage `json:"act"`
}

// AuditFilter narrows the audit log. From ≤ a row's instant < To.
type AuditFilter struct {
	ClientID, MerchantID, Object, Command, RequestID string
	CompanyID                                        int64
	From, To                                         time.Time
}

// ListAudit returns one page of the audit log, newest first.
func (c *Client) ListAudit(ctx context.Context, f AuditFilter, p Paging, options ...Option) (*Page[AuditRow], error) {
	q := query{}
	q.text("client_id", f.ClientID)
	q.text("merchant_id", f.MerchantID)
	q.number("company_id", f.CompanyID)
	q.text("object", f.Object)
	q.text("command", f.Command)
	q.text("request_id", f.RequestID)
	q.instant("from", f.From)
	q.instant("to", f.To)
	q.paging(p)
	return list[AuditRow](ctx, c, "/v1/operator/audit", q, options)
}

// Audit walks the audit log, newest first.
func (c *Client) Audit(ctx context.Context, f AuditFilter) iter.Seq2[*AuditRow, error] {
	return each(func(p Paging) (*Page[AuditRow], error) { return c.ListAudit(ctx, f, p) })
}
