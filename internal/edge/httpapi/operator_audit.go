package httpapi

import (
	"math"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type auditFilter struct {
	rest.Page
	ClientID   *string           `query:"client_id" maxLength:"100" doc:"What this client has asked for; the program itself is system." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	MerchantID *string           `query:"merchant_id" prefix:"mch_" doc:"What clients of this merchant have asked for." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	CompanyID  *values.CompanyID `query:"company_id" doc:"What is about this company." example:"1000000001"`
	Object     *string           `query:"object" maxLength:"100" doc:"What has made or changed what has this identifier." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	Command    *string           `query:"command" maxLength:"100" doc:"Commands of this name." example:"company.update"`
	RequestID  *string           `query:"request_id" maxLength:"100" doc:"What this request has done." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	From       *time.Time        `query:"from" doc:"At or after this instant." example:"2026-01-15T00:00:00Z"`
	To         *time.Time        `query:"to" doc:"Before this instant." example:"2026-01-16T00:00:00Z"`
}

// Check asks that the span of time is not reversed.
func (f *auditFilter) Check(report func(name, code, detail string)) {
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		report("to", "reversed", "to is before from.")
	}
}

// operatorAudit is who has done what.
func (s *Service) operatorAudit() []rest.Operation {
	return []rest.Operation{{
		ID: "listAudit", Method: "GET", Path: "/v1/operator/audit", Tag: "Operator", Summary: "List what was done, by whom and why",
		Doc: "The audit log, newest first: every command that was decided, done or refused, with what it has changed on API clients, companies, merchants, their programmes and the lender's settings. " +
			"Reads of personal data by the lender's clients are in it as `personal_data.read`, within seconds. Name a client, a company, an object, a request or a span of time where the log is long.",
		Scopes: []string{credit.ScopeRead}, Response: resource.List[resource.AuditRow]{}, Endpoint: rest.Handle(s.listAudit),
	}}
}

func (s *Service) listAudit(c *rest.Call, f *auditFilter, _ *rest.None) (rest.Answer, error) {
	filter := store.AuditFilter{
		Client: deref(f.ClientID), Merchant: deref(f.MerchantID), Object: deref(f.Object), Command: deref(f.Command), RequestID: deref(f.RequestID),
		Company: int64(deref(f.CompanyID)), From: deref(f.From), To: deref(f.To),
	}
	before := int64(math.MaxInt64)
	if f.After != nil {
		var err error
		if before, err = strconv.ParseInt(f.After.ID, 10, 64); err != nil {
			return rest.Answer{}, &rest.Problem{Code: rest.CodeInvalidCursor}
		}
	}
	return s.read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListAudits(v, filter, before, f.Limit+1)
		rows := make([]*store.AuditRow, len(found))
		for i := range found {
			rows[i] = &found[i]
		}
		at := func(a *store.AuditRow) rest.Position {
			return rest.Position{CreatedAt: a.At, ID: strconv.FormatInt(a.Q, 10)}
		}
		return listed(c, f.Page, rows, at, resource.NewAuditRow), err
	})
}
