package operator

import (
	"math"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type auditFilter struct {
	rest.Page
	ClientID   *string           `query:"client_id" maxLength:"100" doc:"Requested by this client; system for Tenor itself." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	MerchantID *string           `query:"merchant_id" prefix:"mch_" doc:"Requested by any client of this merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	CompanyID  *values.CompanyID `query:"company_id" doc:"About this company." example:"1000000001"`
	Object     *string           `query:"object" maxLength:"100" doc:"Created or changed the object with this ID." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	Command    *string           `query:"command" maxLength:"100" doc:"Commands with this name." example:"company.update"`
	RequestID  *string           `query:"request_id" maxLength:"100" doc:"Done by this API request." example:"req_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	From       *time.Time        `query:"from" doc:"At or after this instant." example:"2026-01-15T00:00:00Z"`
	To         *time.Time        `query:"to" doc:"Before this instant." example:"2026-01-16T00:00:00Z"`
}

// Check refuses a reversed time span.
func (f *auditFilter) Check(report func(name, code, detail string)) {
	if f.From != nil && f.To != nil && f.To.Before(*f.From) {
		report("to", "reversed", "to is before from.")
	}
}

// Audit returns the reads of the audit log: who has done what.
func (s API) Audit() []rest.Operation {
	return []rest.Operation{{
		ID: "listAudit", Method: "GET", Path: "/v1/operator/audit", Tag: "Operator", Summary: "List the audit log",
		Doc: "Newest first: every command, accepted or rejected, with its changes to API clients, companies, merchants, their programs and the lender's settings. " +
			"Access to personal data by the lender's clients appears as `personal_data.read`, within seconds. Filter a long log by client, company, object, request or time.",
		Scopes: []string{access.ScopeRead}, Response: resource.List[resource.AuditRow]{}, Endpoint: rest.Handle(s.listAudit),
	}}
}

func (s API) listAudit(c *rest.Call, f *auditFilter, _ *rest.None) (rest.Answer, error) {
	filter := store.AuditFilter{
		Client: serve.Deref(f.ClientID), Merchant: serve.Deref(f.MerchantID), Object: serve.Deref(f.Object), Command: serve.Deref(f.Command), RequestID: serve.Deref(f.RequestID),
		Company: int64(serve.Deref(f.CompanyID)), From: serve.Deref(f.From), To: serve.Deref(f.To),
	}
	before := int64(math.MaxInt64)
	if f.After != nil {
		var err error
		if before, err = strconv.ParseInt(f.After.ID, 10, 64); err != nil {
			return rest.Answer{}, &rest.Problem{Code: rest.CodeInvalidCursor}
		}
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListAudits(v, filter, before, f.Limit+1)
		rows := make([]*store.AuditRow, len(found))
		for i := range found {
			rows[i] = &found[i]
		}
		at := func(a *store.AuditRow) rest.Position {
			return rest.Position{CreatedAt: a.At, ID: strconv.FormatInt(a.Q, 10)}
		}
		return serve.Listed(c, f.Page, rows, at, resource.NewAuditRow), err
	})
}
