package httpapi

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type refundKey struct {
	paymentID
	RefundID string `path:"refund_id" prefix:"rfd_" doc:"The refund's identifier." example:"rfd_01KN4C8D2F6H0K4M8P2R6T0V4X"`
}

type payRefundBody struct {
	PaymentMethodID *string `json:"payment_method_id" prefix:"pm_" doc:"Bank account of the company to which it goes. Exactly one of payment_method_id and method is given." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Method          string  `json:"method" enum:"CHECK,WIRE,CASH,OTHER" doc:"How somebody has paid it by hand." example:"CHECK"`
	Reference       *string `json:"reference" doc:"The number of that check or wire." example:"check 1042"`
	becauseBody
}

// Check asks for exactly one way.
func (b *payRefundBody) Check(report func(name, code, detail string)) {
	if (b.PaymentMethodID != nil) == (b.Method != "") {
		report("/payment_method_id", "exactly_one", "Give exactly one of payment_method_id and method.")
	}
	if b.PaymentMethodID != nil && b.Reference != nil {
		report("/reference", "not_allowed", "Only what was paid by hand has a reference.")
	}
}

type owedFilter struct{ rest.Page }

// operatorRefunds is what the back office does with money that is on its way back.
func (s *Service) operatorRefunds() []rest.Operation {
	return rest.Group{Tag: "Operator", Reads: credit.ScopeRead, Writes: credit.ScopeMoney}.With([]rest.Operation{
		{
			ID: "listOwedRefunds", Method: "GET", Path: "/v1/operator/refunds", Summary: "List what is owed of payments' refunds and of credit sent back",
			Doc: "What stands on account 2110, payment by payment, the longest owed first: what is on its way, what a bank has not delivered, and what is to be paid by hand. " +
				"The sum of all pages is the account's balance.",
			Response: resource.List[resource.OwedRefund]{}, Endpoint: rest.Handle(s.listOwedRefunds),
		},
		{
			ID: "payRefund", Method: "POST", Path: "/v1/operator/payments/{id}/refunds/{refund_id}/pay", Summary: "Pay a refund that has not arrived",
			Doc: "A refund that is FAILED, or PENDING because its money came outside of a rail, is sent to an account of the company, or recorded as paid by hand. " +
				"Recording the same payment by hand again changes nothing.",
			Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{},
			Problems: []string{"precondition_failed", "company_not_eligible", "payment_not_refundable", "payment_method_required"}, Endpoint: decides(s, paymentAnswer, payRefund),
		},
	})
}

func (s *Service) listOwedRefunds(c *rest.Call, f *owedFilter, _ *rest.None) (rest.Answer, error) {
	return s.read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListOwedPayments(v, pageOf(f.Page))
		item := func(p *credit.Payment) resource.OwedRefund { return resource.NewOwedRefund(p, s.Zone, s.today()) }
		return listed(c, f.Page, found, func(p *credit.Payment) rest.Position { return rest.Position{CreatedAt: p.OwedSince, ID: p.ID} }, item), err
	})
}

func payRefund(c *rest.Call, p *refundKey, b *payRefundBody) credit.Command {
	return credit.PayRefund{
		Payment: p.ID, IfMatch: ifMatch(c.IfMatch), Refund: p.RefundID, PaymentMethod: deref(b.PaymentMethodID), Method: credit.Method(b.Method),
		Reference: deref(b.Reference),
	}
}
