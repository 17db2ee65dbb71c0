package orders

import (
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type cartItemBody struct {
	MerchantID string       `json:"merchant_id" nullable:"true" doc:"The product's identifier at the merchant." example:"sku-100"`
	Name       string       `json:"name" required:"true" minLength:"1" doc:"What it is." example:"Steel shelf"`
	Price      money.Amount `json:"price" required:"true" doc:"Price of one unit." example:"600.00"`
	SKU        string       `json:"sku" nullable:"true" doc:"Stock keeping unit." example:"SHELF-1"`
	Quantity   int          `json:"quantity" nullable:"true" minimum:"1" maximum:"1000000" default:"1" doc:"How many." example:"2"`
	Size       string       `json:"size" nullable:"true" doc:"Size." example:"L"`
	Color      string       `json:"color" nullable:"true" doc:"Color." example:"grey"`
}

type chargesBody struct {
	Total          money.Amount `json:"total" nullable:"true" doc:"Sum of the cart." example:"1100.00"`
	Shipping       money.Amount `json:"shipping" nullable:"true" doc:"Shipping." example:"50.00"`
	Tax            money.Amount `json:"tax" nullable:"true" doc:"Tax." example:"50.00"`
	DiscountAmount money.Amount `json:"discount_amount" nullable:"true" doc:"Discount." example:"0.00"`
	GrandTotal     money.Amount `json:"grand_total" required:"true" doc:"Total the buyer pays; equals the order's amount." example:"1200.00"`
}

type orderBody struct {
	CompanyID       values.CompanyID  `json:"company_id" required:"true" doc:"Company that buys; must be linked to the merchant and APPROVED." example:"1000000001"`
	Amount          money.Amount      `json:"amount" required:"true" minimum:"0.01" doc:"Amount to finance." example:"1200.00"`
	Currency        string            `json:"currency" enum:"USD" default:"USD" doc:"ISO 4217 code." example:"USD"`
	MerchantOrderID *string           `json:"merchant_order_id" minLength:"1" maxLength:"100" doc:"The merchant's order number, unique among its orders that are not CANCELED." example:"PO-1"`
	Installments    *int              `json:"installments" minimum:"1" maximum:"36" doc:"Number of installments; can be chosen later." example:"6"`
	Status          string            `json:"status" enum:"CREATED,AUTHORIZED" default:"CREATED" doc:"AUTHORIZED creates and authorizes in one step, all or nothing." example:"AUTHORIZED"`
	External        bool              `json:"externally_managed_payments" doc:"Whether the merchant collects the payments itself." example:"false"`
	MerchantStatus  *string           `json:"merchant_status" doc:"Status text of the shop." example:"packed"`
	CartItems       []cartItemBody    `json:"cart_items" nullable:"true" maxItems:"1000" doc:"The cart, for information; it does not affect amounts."`
	Charges         *chargesBody      `json:"charges" doc:"The shop's totals."`
	Shipping        *addressBody      `json:"shipping_address" doc:"Shipping address."`
	Billing         *addressBody      `json:"billing_address" doc:"Billing address."`
	Metadata        map[string]string `json:"metadata" nullable:"true" maxLength:"500" maxProperties:"50" maxKeyLength:"40" doc:"Merchant metadata." example:"{\"warehouse\":\"7\"}"`
}

type orderQuery struct {
	serve.OrderKey
	serve.AsOfQuery
}

// Problems that several operations share.
var (
	authorizeProblems = []string{"installments_required", "company_not_eligible", "acceptance_required", "term_not_available", "insufficient_credit", "limit_exceeded"}
	captureProblems   = []string{"authorization_expired", "company_not_eligible", "term_not_available", "insufficient_credit"}
)

// Orders returns the operations that create, change and list orders.
func (s API) Orders() []rest.Operation {
	return rest.Group{Tag: "Orders", Reads: "orders:read", Writes: "orders:write", Response: resource.Order{}, ETag: true, DryRun: resource.DryRun[resource.Order]{}}.With([]rest.Operation{
		{
			ID: "createOrder", Method: "POST", Path: "/order", Summary: "Create an order",
			Doc:        "Creates an order for a company linked to the merchant. With `status` AUTHORIZED it also reserves the credit line.",
			TenantOnly: true, Success: 201, Problems: slices.Concat([]string{"not_found", "company_not_linked", "company_not_eligible", "duplicate_merchant_order_id", "charges_mismatch", "amount_out_of_bounds"}, authorizeProblems),
			Endpoint: rest.Handle(s.createOrder),
		},
		{
			ID: "getOrder", Method: "GET", Path: "/v1/order/{key}", Summary: "Retrieve an order", Endpoint: rest.Handle(s.getOrder),
		},
		{
			ID: "updateOrder", Method: "PATCH", Path: "/v1/order/{key}", Summary: "Update, authorize, capture or cancel an order",
			Doc:      "A merge patch (RFC 7396). Fields are applied first, then the transition to `status`, all or nothing. If the order already has that status, it is returned unchanged.",
			Problems: slices.Concat([]string{"precondition_failed", "company_not_linked", "amount_locked", "order_locked", "duplicate_merchant_order_id", "invalid_transition", "charges_mismatch", "amount_out_of_bounds"}, authorizeProblems, captureProblems),
			Endpoint: rest.Handle(s.updateOrder),
		},
		{
			ID: "listOrders", Method: "GET", Path: "/v1/orders", Summary: "List orders",
			Response: resource.List[resource.Order]{}, Endpoint: rest.Handle(s.listOrders),
		},
	})
}

// Check requires an address to name each part in only one way.
func (b *orderBody) Check(report func(name, code, detail string)) {
	b.Shipping.check("/shipping_address", report)
	b.Billing.check("/billing_address", report)
}

func (s API) createOrder(c *rest.Call, _ *rest.None, b *orderBody) (rest.Answer, error) {
	cmd := lending.CreateOrder{
		Company: int64(b.CompanyID), Amount: b.Amount, MerchantOrderID: serve.Deref(b.MerchantOrderID), Installments: serve.Deref(b.Installments),
		External: b.External, MerchantStatus: serve.Deref(b.MerchantStatus), Cart: cart(b.CartItems), Charges: charges(b.Charges),
		Shipping: b.Shipping.stored(), Billing: b.Billing.stored(), Metadata: b.Metadata, Authorize: b.Status == "AUTHORIZED",
	}
	return s.Do(c, cmd, serve.OrderAnswer)
}

func cart(items []cartItemBody) []credit.CartItem {
	out := make([]credit.CartItem, len(items))
	for i, x := range items {
		out[i] = credit.CartItem(x)
	}
	return out
}

func charges(b *chargesBody) *credit.Charges {
	if b == nil {
		return nil
	}
	c := credit.Charges(*b)
	return &c
}

func (s API) getOrder(c *rest.Call, p *orderQuery, _ *rest.None) (rest.Answer, error) {
	return s.ReadAt(c, p.AsOf, func(v store.View, m serve.Moment) (rest.Answer, error) {
		o, err := serve.OrderAt(c, v, p.Key, m)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(resource.NewOrder(o), serve.VersionTag(o.Version))
	})
}

type orderFilter struct {
	rest.Page
	CompanyID *values.CompanyID `query:"company_id" doc:"Orders of this company." example:"1000000001"`
	OrderFilters
}

// OrderFilters are those of every list of orders.
type OrderFilters struct {
	MerchantOrderID *string        `query:"merchant_order_id" minLength:"1" maxLength:"100" doc:"The merchant's order number." example:"PO-1"`
	Status          string         `query:"status" enum:"CREATED,AUTHORIZED,CAPTURED,CANCELED,RETURNED" doc:"Orders with this status."`
	Financing       string         `query:"financing_status" enum:"NONE,ACTIVE,PAID_OFF,OVERDUE,CHARGED_OFF" doc:"Orders with this financing status."`
	CreatedFrom     *calendar.Date `query:"created_from" doc:"Created on or after this business date." example:"2026-01-01"`
	CreatedTo       *calendar.Date `query:"created_to" doc:"Created on or before this business date." example:"2026-01-31"`
	CapturedFrom    *calendar.Date `query:"captured_from" doc:"Captured on or after this date." example:"2026-01-01"`
	CapturedTo      *calendar.Date `query:"captured_to" doc:"Captured on or before this date." example:"2026-01-31"`
	UpdatedSince    *time.Time     `query:"updated_since" doc:"Changed at or after this instant." example:"2026-01-15T00:00:00Z"`
}

// Check refuses reversed ranges.
func (f *OrderFilters) Check(report func(name, code, detail string)) {
	if f.CreatedFrom != nil && f.CreatedTo != nil && *f.CreatedFrom > *f.CreatedTo {
		report("created_to", "reversed", "created_to is before created_from.")
	}
	if f.CapturedFrom != nil && f.CapturedTo != nil && *f.CapturedFrom > *f.CapturedTo {
		report("captured_to", "reversed", "captured_to is before captured_from.")
	}
}

func (s API) listOrders(c *rest.Call, f *orderFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		return s.OrdersOf(c, v, int64(serve.Deref(f.CompanyID)), &f.OrderFilters, f.Page)
	})
}

// OrdersOf lists the orders of a company, 0 for all, that the caller may see.
func (s API) OrdersOf(c *rest.Call, v store.View, company int64, f *OrderFilters, p rest.Page) (rest.Answer, error) {
	q := store.OrderFilter{
		Merchant: c.Principal.Tenant, MerchantOrderID: serve.Deref(f.MerchantOrderID), Company: company,
		Status: credit.OrderStatus(f.Status), Financing: credit.FinancingStatus(f.Financing),
		CapturedFrom: serve.DateOr(f.CapturedFrom), CapturedTo: serve.DateOr(f.CapturedTo), UpdatedSince: serve.Deref(f.UpdatedSince),
	}
	if f.CreatedFrom != nil {
		q.CreatedFrom = s.Zone.Start(*f.CreatedFrom)
	}
	if f.CreatedTo != nil {
		q.CreatedTo = s.Zone.Start(*f.CreatedTo + 1)
	}
	found, err := store.ListOrders(v, q, serve.PageOf(p))
	return serve.Listed(c, p, found, func(o *credit.Order) rest.Position { return rest.Position{CreatedAt: o.CreatedAt, ID: o.Key} }, resource.NewOrder), err
}
