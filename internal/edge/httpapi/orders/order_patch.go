package orders

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

type chargesPatch struct {
	Total          rest.Opt[money.Amount] `json:"total" nullable:"true" doc:"Sum of the cart." example:"1100.00"`
	Shipping       rest.Opt[money.Amount] `json:"shipping" nullable:"true" doc:"Shipping." example:"50.00"`
	Tax            rest.Opt[money.Amount] `json:"tax" nullable:"true" doc:"Tax." example:"50.00"`
	DiscountAmount rest.Opt[money.Amount] `json:"discount_amount" nullable:"true" doc:"Discount." example:"0.00"`
	GrandTotal     rest.Opt[money.Amount] `json:"grand_total" doc:"Total the buyer pays; equals the order's amount." example:"1200.00"`
}

func (p chargesPatch) members() map[string]*money.Amount {
	m := map[string]*money.Amount{}
	serve.Put(m, "total", p.Total)
	serve.Put(m, "shipping", p.Shipping)
	serve.Put(m, "tax", p.Tax)
	serve.Put(m, "discount_amount", p.DiscountAmount)
	serve.Put(m, "grand_total", p.GrandTotal)
	return m
}

type orderPatch struct {
	MerchantOrderID rest.Opt[string]             `json:"merchant_order_id" nullable:"true" minLength:"1" maxLength:"100" doc:"The merchant's order number." example:"PO-1"`
	Amount          rest.Opt[money.Amount]       `json:"amount" minimum:"0.01" doc:"Amount to finance; with status CAPTURED, the amount to capture." example:"1100.00"`
	Installments    rest.Opt[int]                `json:"installments" nullable:"true" minimum:"1" maximum:"36" doc:"Number of installments." example:"6"`
	CartItems       rest.Opt[[]cartItemBody]     `json:"cart_items" nullable:"true" maxItems:"1000" doc:"Replaces the cart."`
	Charges         rest.Opt[chargesPatch]       `json:"charges" nullable:"true" doc:"Merged into the shop's totals."`
	Shipping        rest.Opt[addressPatch]       `json:"shipping_address" nullable:"true" doc:"Merged into the shipping address."`
	Billing         rest.Opt[addressPatch]       `json:"billing_address" nullable:"true" doc:"Merged into the billing address."`
	MerchantStatus  rest.Opt[string]             `json:"merchant_status" nullable:"true" doc:"Status text of the shop." example:"shipped"`
	Metadata        rest.Opt[map[string]*string] `json:"metadata" nullable:"true" maxLength:"500" maxProperties:"50" maxKeyLength:"40" doc:"Merged; null removes an entry." example:"{\"warehouse\":\"7\"}"`
	Status          rest.Opt[string]             `json:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"Target status; the current status has no effect." example:"CAPTURED"`
}

// Check requires an address to name each part in only one way.
func (b *orderPatch) Check(report func(name, code, detail string)) {
	b.Shipping.Value.check("/shipping_address", report)
	b.Billing.Value.check("/billing_address", report)
}

func (s API) updateOrder(c *rest.Call, p *serve.OrderKey, b *orderPatch) (rest.Answer, error) {
	cmd := lending.UpdateOrder{
		Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), MerchantOrderID: serve.Patch(b.MerchantOrderID), Installments: serve.Patch(b.Installments),
		MerchantStatus: serve.Patch(b.MerchantStatus), Status: credit.OrderStatus(b.Status.Value),
	}
	if b.Amount.Set {
		cmd.Amount = &b.Amount.Value
	}
	if b.CartItems.Set {
		cmd.Cart = &lending.Patch[[]credit.CartItem]{Null: b.CartItems.Null, Value: cart(b.CartItems.Value)}
	}
	if b.Charges.Set {
		cmd.Charges = &lending.MapPatch[money.Amount]{Null: b.Charges.Null, Members: b.Charges.Value.members()}
	}
	if b.Shipping.Set {
		cmd.Shipping = &lending.MapPatch[string]{Null: b.Shipping.Null, Members: b.Shipping.Value.members()}
	}
	if b.Billing.Set {
		cmd.Billing = &lending.MapPatch[string]{Null: b.Billing.Null, Members: b.Billing.Value.members()}
	}
	if b.Metadata.Set {
		cmd.Metadata = &lending.MapPatch[string]{Null: b.Metadata.Null, Members: b.Metadata.Value}
	}
	return s.Do(c, cmd, serve.OrderAnswer)
}
