package operator

import (
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type returnBody struct {
	Code    string  `json:"code" required:"true" enum:"bounced,called_back,recorded_in_error" doc:"Cause of the return." example:"bounced"`
	Message *string `json:"message" doc:"A note." example:"check returned by the bank"`
}

type reversalBody struct {
	Reason string  `json:"reason" required:"true" enum:"DUPLICATE,WRONG_RECEIVER,WRONG_AMOUNT,WRONG_DATE" doc:"The error in the debit. No other reason permits a reversal." example:"DUPLICATE"`
	Note   *string `json:"note" doc:"Note, visible to the buyer and the merchant." example:"sent twice on 20 March"`
}

// BackOffice returns operations that only the lender's back office has.
func (s API) BackOffice() []rest.Operation {
	return rest.Group{Tag: "Operator", Writes: access.ScopeMoney, Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{}}.With([]rest.Operation{
		{
			ID: "returnPayment", Method: "POST", Path: "/v1/operator/payments/{id}/return", Summary: "Return a failed payment",
			Doc:      "For a bounced check, a recalled wire, or a payment recorded in error. What it paid becomes unpaid again, as if the payment had never been made.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: serve.Decides(s.Service, serve.PaymentAnswer, returnPayment),
		},
		{
			ID: "reversePayment", Method: "POST", Path: "/v1/operator/payments/{id}/reverse", Summary: "Reverse an erroneous debit",
			Doc: "For a bank debit that was a duplicate, or had the wrong account, amount or date, within 5 banking days of its settlement. " +
				"The payment becomes RETURNED as if it had never been made, without a fee, and the full amount goes back to the account with the next file. " +
				"Amounts due again need review, unless it was a duplicate. A payment with refunds cannot be reversed.",
			Problems: []string{"precondition_failed", "invalid_transition", "company_not_eligible", "payment_not_refundable"}, Endpoint: serve.Decides(s.Service, serve.PaymentAnswer, reversePayment),
		},
		{
			ID: "serviceOrder", Method: "POST", Path: "/v1/operator/order/{key}/service", Summary: "Post what has become due on an order",
			Doc:      "Posts due charges, or expires an authorization. Never required: every other command does this first.",
			Response: resource.Order{}, ETag: true, DryRun: resource.DryRun[resource.Order]{}, BodyOptional: true,
			Endpoint: serve.Decides(s.Service, serve.OrderAnswer, serviceOrder),
		},
	})
}

func returnPayment(c *rest.Call, p *serve.PaymentID, b *returnBody) credit.Command {
	return payments.ReturnPayment{Payment: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Code: b.Code, Message: serve.Deref(b.Message)}
}

func reversePayment(c *rest.Call, p *serve.PaymentID, b *reversalBody) credit.Command {
	return payments.ReversePayment{
		Payment: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reason: credit.ReversalReason(b.Reason), Note: serve.Deref(b.Note),
	}
}

func serviceOrder(_ *rest.Call, p *serve.OrderKey, _ *rest.None) credit.Command {
	return lending.ServiceOrder{Order: p.Key}
}
