package orders

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type refundItemBody struct {
	SKU        string `json:"sku" doc:"Stock keeping unit." example:"SHELF-1"`
	MerchantID string `json:"merchant_id" doc:"The product's identifier at the merchant." example:"sku-100"`
	Quantity   int    `json:"quantity" required:"true" minimum:"1" maximum:"1000000" doc:"Quantity returned." example:"1"`
}

type refundBody struct {
	Amount    rest.Opt[money.Amount] `json:"amount" minimum:"0.01" doc:"Amount to refund. Default: everything not yet refunded." example:"300.00"`
	Reason    *string                `json:"reason" doc:"Why." example:"damaged goods"`
	Reference *string                `json:"reference" minLength:"1" maxLength:"100" doc:"The merchant's reference; repeating it has no second effect." example:"RMA-7"`
	Items     []refundItemBody       `json:"items" maxItems:"1000" doc:"Returned items, for information; they do not affect amounts."`
}

type partialBody struct {
	Amount          money.Amount   `json:"amount" required:"true" minimum:"0.01" doc:"Amount to capture; less than what is left on the order." example:"400.00"`
	Items           []cartItemBody `json:"items" maxItems:"1000" doc:"Cart of the captured part."`
	MerchantOrderID *string        `json:"merchant_order_id" minLength:"1" maxLength:"100" doc:"Merchant's order number for the captured part." example:"PO-1-A"`
}

// OrderActs returns the operations on an existing order: refunds, extensions, captures of a
// part.
func (s API) OrderActs() []rest.Operation {
	return rest.Group{Tag: "Orders", Writes: "orders:write", Response: resource.Order{}, ETag: true, DryRun: resource.DryRun[resource.Order]{}}.With([]rest.Operation{
		{
			ID: "refundOrder", Method: "PATCH", Path: "/v1/order/{key}/refund", Summary: "Refund a captured order",
			Doc:      "Full or partial. The order is RETURNED once refunds reach the captured amount.",
			Problems: []string{"precondition_failed", "order_not_captured", "refund_reference_used", "limit_exceeded", "refund_exceeds_captured", "refund_window_closed"}, Endpoint: rest.Handle(s.refundOrder),
		},
		{
			ID: "extendOrder", Method: "POST", Path: "/v1/order/{key}/extend", Summary: "Extend an authorization",
			Doc:          "Adds 30 days to the authorization, once.",
			BodyOptional: true, Problems: []string{"precondition_failed", "invalid_transition", "authorization_expired", "already_extended", "company_not_eligible"},
			Endpoint: serve.Decides(s.Service, serve.OrderAnswer, extendOrder),
		},
		{
			ID: "capturePart", Method: "POST", Path: "/v1/order/{key}/partial", Summary: "Capture a part of an order",
			Doc:     "Captures part of the amount as a child order with its own schedule. The order keeps the rest. A part is at least 1.00 (422 `amount_out_of_bounds`), and an order has at most 250 parts (422 `limit_exceeded`). The merchant discount is computed on all parts together; each part takes its increment.",
			Success: 201, Problems: slices.Concat([]string{"precondition_failed", "invalid_transition", "duplicate_merchant_order_id", "amount_out_of_bounds", "limit_exceeded", "partial_too_large"}, captureProblems),
			Endpoint: rest.Handle(s.capturePart),
		},
	})
}

func (s API) refundOrder(c *rest.Call, p *serve.OrderKey, b *refundBody) (rest.Answer, error) {
	cmd := lending.RefundOrder{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Reason: serve.Deref(b.Reason), Reference: serve.Deref(b.Reference)}
	if b.Amount.Set {
		cmd.Amount = &b.Amount.Value
	}
	for _, i := range b.Items {
		cmd.Items = append(cmd.Items, credit.RefundItem(i))
	}
	return s.Do(c, cmd, serve.OrderAnswer)
}

func extendOrder(c *rest.Call, p *serve.OrderKey, _ *rest.None) credit.Command {
	return lending.ExtendOrder{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch)}
}

func (s API) capturePart(c *rest.Call, p *serve.OrderKey, b *partialBody) (rest.Answer, error) {
	cmd := lending.CapturePart{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Amount: b.Amount, Cart: cart(b.Items), MerchantOrderID: serve.Deref(b.MerchantOrderID)}
	return s.Do(c, cmd, serve.OrderAnswer)
}
