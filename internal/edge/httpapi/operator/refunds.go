package operator

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type refundKey struct {
	serve.PaymentID
	RefundID string `path:"refund_id" prefix:"rfd_" doc:"The refund's identifier." example:"rfd_01KN4C8D2F6H0K4M8P2R6T0V4X"`
}

type payRefundBody struct {
	PaymentMethodID *string `json:"payment_method_id" prefix:"pm_" doc:"Company bank account to send it to. Give exactly one of payment_method_id and method." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Method          string  `json:"method" enum:"CHECK,WIRE,CASH,OTHER" doc:"How it was paid manually." example:"CHECK"`
	Reference       *string `json:"reference" doc:"Check or wire number." example:"check 1042"`
	serve.BecauseBody
}

// Check requires exactly one method.
func (b *payRefundBody) Check(report func(name, code, detail string)) {
	if (b.PaymentMethodID != nil) == (b.Method != "") {
		report("/payment_method_id", "exactly_one", "Give exactly one of payment_method_id and method.")
	}
	if b.PaymentMethodID != nil && b.Reference != nil {
		report("/reference", "not_allowed", "reference requires method; it is for refunds paid manually.")
	}
}

type owedFilter struct{ rest.Page }

// Refunds returns the back office's operations on refunds in transit.
func (s API) Refunds() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeMoney}.With([]rest.Operation{
		{
			ID: "listOwedRefunds", Method: "GET", Path: "/v1/operator/refunds", Summary: "List refunds and credit still owed",
			Doc: "The contents of account 2110 by payment, oldest first: in transit, failed, and to be paid manually. " +
				"All pages add up to the account's balance.",
			Response: resource.List[resource.OwedRefund]{}, Endpoint: rest.Handle(s.listOwedRefunds),
		},
		{
			ID: "payRefund", Method: "POST", Path: "/v1/operator/payments/{id}/refunds/{refund_id}/pay", Summary: "Pay a refund that did not arrive",
			Doc: "Sends a refund that is FAILED, or PENDING because the money did not come over a rail, to an account of the company, or records it as paid manually. " +
				"Recording the same manual payment again has no effect.",
			Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{},
			Problems: []string{"precondition_failed", "company_not_eligible", "payment_not_refundable", "payment_method_required"}, Endpoint: serve.Decides(s.Service, serve.PaymentAnswer, payRefund),
		},
	})
}

func (s API) listOwedRefunds(c *rest.Call, f *owedFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListOwedPayments(v, serve.PageOf(f.Page))
		item := func(p *credit.Payment) resource.OwedRefund { return resource.NewOwedRefund(p, s.Zone, s.Today()) }
		return serve.Listed(c, f.Page, found, func(p *credit.Payment) rest.Position { return rest.Position{CreatedAt: p.OwedSince, ID: p.ID} }, item), err
	})
}

func payRefund(c *rest.Call, p *refundKey, b *payRefundBody) credit.Command {
	return payments.PayRefund{
		Payment: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Refund: p.RefundID, PaymentMethod: serve.Deref(b.PaymentMethodID), Method: credit.Method(b.Method),
		Reference: serve.Deref(b.Reference),
	}
}
