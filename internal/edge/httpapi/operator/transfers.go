package operator

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type transferID struct {
	ID string `path:"id" prefix:"trf_" doc:"The transfer's identifier." example:"trf_01KB0A4E7WAN3R1P9M8K6J4H2G"`
}

type transferFilter struct {
	rest.Page
	CompanyID  *values.CompanyID `query:"company_id" doc:"Transfers of this company." example:"1000000001"`
	MerchantID *string           `query:"merchant_id" prefix:"mch_" doc:"Transfers of this merchant."`
	PaymentID  *string           `query:"payment_id" prefix:"pay_" doc:"Transfers of this payment."`
	Rail       string            `query:"rail" enum:"ACH,CARD" doc:"Transfers on this rail."`
	Status     string            `query:"status" enum:"QUEUED,SENT,SETTLED,FAILED,RETURNED,CANCELED" doc:"Transfers with this status."`
}

func (s API) transfers() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeBooks}.With([]rest.Operation{
		{
			ID: "listTransfers", Method: "GET", Path: "/v1/operator/transfers", Summary: "List transfers", Doc: "Newest first.",
			Response: resource.List[resource.Transfer]{}, Endpoint: rest.Handle(s.listTransfers),
		},
		{
			ID: "sendSameDay", Method: "POST", Path: "/v1/operator/transfers/{id}/same_day", Summary: "Send a transfer by same-day settlement",
			Doc: "For an ACH transfer queued for today's file, created at 16:00 in the business zone: it settles the same evening instead of the next banking day. " +
				"At most 1,000,000.00; not for account verification. If it misses the file, it settles one day after the next file, like any other.",
			Response: resource.Transfer{}, DryRun: resource.DryRun[resource.Transfer]{},
			Problems: []string{"transfer_locked", "invalid_transition", "limit_exceeded"}, Endpoint: rest.Handle(s.sendSameDay),
		},
	})
}

func (s API) listTransfers(c *rest.Call, f *transferFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListTransfers(v, store.TransferFilter{
			Company: int64(serve.Deref(f.CompanyID)), Merchant: serve.Deref(f.MerchantID), Payment: serve.Deref(f.PaymentID),
			Rail: credit.Method(f.Rail), Status: credit.TransferStatus(f.Status),
		}, serve.PageOf(f.Page))
		return serve.Listed(c, f.Page, found, func(t *credit.Transfer) rest.Position { return rest.Position{CreatedAt: t.CreatedAt, ID: t.ID} }, resource.NewTransfer), err
	})
}

func (s API) sendSameDay(c *rest.Call, p *transferID, b *serve.BecauseBody) (rest.Answer, error) {
	return s.Do(c, payments.SendSameDay{Transfer: p.ID, Reason: b.Reason}, func(ch credit.Changes) serve.Success {
		w := resource.NewTransfer(ch.Result.(*credit.Transfer))
		return serve.Success{Body: &w}
	})
}
