package httpapi

import (
	"tenor/internal/credit"
	"tenor/internal/wire"
)

type returnBody struct {
	Code    string  `json:"code" required:"true" enum:"bounced,called_back,recorded_in_error" doc:"Why the money is not there." example:"bounced"`
	Message *string `json:"message" doc:"A note." example:"check returned by the bank"`
}

// operator is what only the lender's back office does.
func (s *Service) operator() []Operation {
	return []Operation{
		{
			ID: "returnPayment", Method: "POST", Path: "/v1/operator/payments/{id}/return", Tag: "Operator", Summary: "Return a payment that did not hold",
			Doc:    "For a bounced check, a wire called back, an entry made in error. What the payment had paid is open again, as if it had never been made.",
			Scopes: []string{"operator:write"}, Response: wire.Payment{}, ETag: true, DryRun: wire.DryRun[wire.Payment]{},
			Problems: problems([]string{"precondition_failed", "invalid_transition"}), Endpoint: Handle(s.returnPayment),
		},
		{
			ID: "serviceOrder", Method: "POST", Path: "/v1/operator/order/{key}/service", Tag: "Operator", Summary: "Post what has become due on an order",
			Doc:    "Posts due charges, or expires an authorization whose time has passed. Nothing waits for it: every other command does the same first.",
			Scopes: []string{"operator:write"}, Response: wire.Order{}, ETag: true, DryRun: wire.DryRun[wire.Order]{}, BodyOptional: true,
			Problems: problems(), Endpoint: Handle(s.serviceOrder),
		},
	}
}

func (s *Service) returnPayment(c *Call, p *paymentID, b *returnBody) (Answer, error) {
	return s.do(c, credit.ReturnPayment{Payment: p.ID, IfMatch: ifMatch(c.IfMatch), Code: b.Code, Message: deref(b.Message)}, paymentAnswer)
}

func (s *Service) serviceOrder(c *Call, p *orderKey, _ *None) (Answer, error) {
	return s.do(c, credit.ServiceOrder{Order: p.Key}, orderAnswer)
}
