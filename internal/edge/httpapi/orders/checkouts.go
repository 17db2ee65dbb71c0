package orders

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/buyer"
)

type buyerBody struct {
	Email       string `json:"email" nullable:"true" format:"email" doc:"Work e-mail, prefilled on the first page." example:"ada@alder.example"`
	FirstName   string `json:"first_name" nullable:"true" doc:"First name." example:"Ada"`
	LastName    string `json:"last_name" nullable:"true" doc:"Last name." example:"Marsh"`
	Phone       string `json:"phone" nullable:"true" doc:"Phone number." example:"+1 212 555 0142"`
	CompanyName string `json:"company_name" nullable:"true" doc:"The business." example:"Alder Kitchens"`
}

type checkoutBody struct {
	Amount           *money.Amount     `json:"amount" minimum:"0.01" doc:"Amount to finance. Give amount or charges; if both, they must agree." example:"1200.00"`
	Currency         string            `json:"currency" enum:"USD" default:"USD" doc:"ISO 4217 code." example:"USD"`
	Charges          *chargesBody      `json:"charges" doc:"The shop's totals."`
	CartItems        []cartItemBody    `json:"cart_items" nullable:"true" maxItems:"1000" doc:"The cart, for information; it does not affect amounts."`
	Billing          *addressBody      `json:"billing_address" doc:"Billing address."`
	Shipping         *addressBody      `json:"shipping_address" doc:"Shipping address."`
	Buyer            *buyerBody        `json:"buyer" doc:"The buyer, as far as the shop knows. Without an e-mail, the one in the billing address is prefilled."`
	CompanyID        *values.CompanyID `json:"company_id" doc:"The company, if known to the shop; only people who act for it can then accept." example:"1000000001"`
	OrderKey         *string           `json:"order_key" prefix:"ord_" doc:"With mode link: the CREATED order whose terms the buyer should accept. Amount, charges, items and company come from the order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Installments     []int             `json:"installments" minimum:"1" maximum:"36" maxItems:"36" doc:"Offer only these numbers of installments." example:"[3,6]"`
	RemoteID         *string           `json:"remote_id" minLength:"1" maxLength:"100" doc:"The shop's cart ID. Sent again with the same cart, it returns the open checkout; with a different cart, the open checkout is replaced." example:"cart-8812"`
	RemoteCustomerID *string           `json:"remote_customer_id" minLength:"1" maxLength:"100" doc:"The shop's buyer ID." example:"cust-77"`
	ReturnURL        *string           `json:"return_url" maxLength:"2048" doc:"Return URL after acceptance. Placeholders: %ORDER_KEY% (also %CKKEY%), %CHECKOUT_ID%. Optional with mode link." example:"https://shop.example.com/done?order=%ORDER_KEY%"`
	CancelURL        *string           `json:"cancel_url" maxLength:"2048" doc:"Return URL otherwise; also takes %REASON%. Optional with mode link." example:"https://shop.example.com/cart?reason=%REASON%"`
	CompleteURL      *string           `json:"order_complete_url" maxLength:"2048" doc:"URL that receives checkout.accepted after each acceptance, signed and retried like any webhook. Placeholders as in return_url. Its deliveries are listed under the merchant's endpoint of kind CHECKOUT." example:"https://shop.example.com/tenor/accepted"`
	Mode             string            `json:"mode" enum:"redirect,modal,link" default:"redirect" doc:"How the buyer opens it. link: by e-mail, or through a clerk who passes the URL on." example:"redirect"`
	ExpiresIn        *int              `json:"expires_in" minimum:"900" maximum:"2592000" doc:"Seconds until it expires. Default: one day; one week with mode link." example:"86400"`
	Metadata         map[string]string `json:"metadata" nullable:"true" maxLength:"500" maxProperties:"50" maxKeyLength:"40" doc:"Merchant metadata." example:"{\"cart\":\"8812\"}"`
}

// Check requires an amount and the URLs that a mode needs, and refuses a direct order's own
// members next to it.
func (b *checkoutBody) Check(report func(name, code, detail string)) {
	b.Shipping.check("/shipping_address", report)
	b.Billing.check("/billing_address", report)
	link := b.Mode == string(onboarding.ModeLink)
	if b.OrderKey != nil {
		if !link {
			report("/order_key", "not_allowed", "order_key requires mode link.")
		}
		for name, given := range map[string]bool{"amount": b.Amount != nil, "charges": b.Charges != nil, "cart_items": len(b.CartItems) > 0, "company_id": b.CompanyID != nil} {
			if given {
				report("/"+name, "not_allowed", "It comes from the order; give it or order_key, not both.")
			}
		}
	} else if b.Amount == nil && b.Charges == nil {
		report("/amount", "required", "Give amount or charges.")
	}
	if !link && b.ReturnURL == nil {
		report("/return_url", "required", "The buyer returns to the shop.")
	}
	if !link && b.CancelURL == nil {
		report("/cancel_url", "required", "The buyer may leave.")
	}
}

type checkoutFilter struct {
	rest.Page
	Status string         `query:"status" enum:"OPEN,PENDING_REVIEW,ACCEPTED,COMPLETED,CANCELED,DECLINED,EXPIRED" doc:"Checkouts with this status."`
	From   *calendar.Date `query:"from" doc:"Created on or after this business date." example:"2026-01-01"`
	To     *calendar.Date `query:"to" doc:"Created on or before this business date." example:"2026-01-31"`
}

// Check refuses a reversed range.
func (f *checkoutFilter) Check(report func(name, code, detail string)) {
	serve.CheckRange(f.From, f.To, report)
}

// Checkouts returns the operations on checkouts: orders whose terms a buyer accepts on
// Tenor's pages.
func (s API) Checkouts() []rest.Operation {
	const path = "/v1/checkouts"
	return rest.Group{Tag: "Checkouts", Reads: "orders:read", Writes: "checkout:write"}.With([]rest.Operation{
		{
			ID: "createCheckout", Method: "POST", Path: path, Summary: "Create a checkout",
			Doc: "The buyer opens `checkout_url`, verifies an e-mail address, applies if the business is new, chooses terms and accepts them. " +
				"The order key is assigned now; the order exists once the buyer accepts. A buyer arriving at `return_url` is no proof of acceptance: the shop's server must complete the checkout. " +
				"With mode `link` the URL is e-mailed to the buyer: at most fifty e-mails per day per merchant, five of them to one address (422 `limit_exceeded`). Repeating the call sends no e-mail.",
			TenantOnly: true, Success: 201, Response: resource.Checkout{},
			Again: "A checkout with this `remote_id` and the same cart is already open; it is returned.",
			Problems: []string{"company_not_linked", "not_found", "invalid_transition", "charges_mismatch", "checkout_already_completed", "amount_out_of_bounds",
				"term_not_available", "url_not_allowed", "mail_unavailable", "limit_exceeded"},
			Endpoint: rest.Handle(s.createCheckout),
		},
		{
			ID: "getCheckout", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a checkout",
			Response: resource.Checkout{}, ETag: true, Endpoint: rest.Handle(s.GetCheckout),
		},
		{
			ID: "listCheckouts", Method: "GET", Path: path, Summary: "List checkouts", Doc: "Newest first.",
			Response: resource.List[resource.Checkout]{}, Endpoint: rest.Handle(s.listCheckouts),
		},
		{
			ID: "completeCheckout", Method: "POST", Path: path + "/{id}/complete", Summary: "Complete a checkout: authorize its order",
			Doc: "Confirms that the merchant has the order: CREATED becomes AUTHORIZED under the accepted terms. Calling it again returns the same order in its current state. " +
				"An error includes the status of the checkout in `checkout_status`.",
			Response: resource.Order{}, ETag: true,
			Problems: []string{"checkout_not_accepted", "checkout_expired", "company_not_eligible", "invalid_transition", "insufficient_credit", "limit_exceeded"}, Endpoint: serve.Decides(s.Service, serve.OrderAnswer, completeCheckout),
		},
		{
			ID: "expireCheckout", Method: "POST", Path: path + "/{id}/expire", Summary: "End a checkout",
			Doc:      "The checkout becomes CANCELED with `merchant_canceled`, and so does its accepted order. A checkout that already ended is unchanged.",
			Response: resource.Checkout{}, Problems: []string{"checkout_already_completed"}, Endpoint: rest.Handle(s.expireCheckout),
		},
	})
}

func (s API) createCheckout(c *rest.Call, _ *rest.None, b *checkoutBody) (rest.Answer, error) {
	if s.Desk.MayMail() != nil {
		return rest.Answer{}, rest.NewProblem("mail_unavailable", "Buyers cannot be e-mailed: this deployment has no mail server.")
	}
	if err := s.addresses(c, b); err != nil {
		return rest.Answer{}, err
	}
	s.Hidden(c)
	cmd := onboarding.CreateCheckout{
		Charges: charges(b.Charges), Cart: cart(b.CartItems), Billing: b.Billing.stored(), Shipping: b.Shipping.stored(), Company: int64(serve.Deref(b.CompanyID)),
		Order: serve.Deref(b.OrderKey), Installments: only(b.Installments), RemoteID: serve.Deref(b.RemoteID), RemoteCustomerID: serve.Deref(b.RemoteCustomerID),
		ReturnURL: serve.Deref(b.ReturnURL), CancelURL: serve.Deref(b.CancelURL), CompleteURL: serve.Deref(b.CompleteURL), Mode: credit.CheckoutMode(b.Mode),
		Life: time.Duration(serve.Deref(b.ExpiresIn)) * time.Second, Metadata: b.Metadata,
	}
	switch {
	case b.Amount != nil:
		cmd.Amount = *b.Amount
	case b.Charges != nil:
		cmd.Amount = b.Charges.GrandTotal
	}
	if err := s.Desk.Buyer(&cmd, b.contact()); err != nil {
		return rest.Answer{}, err
	}
	if err := s.Desk.Address(&cmd); err != nil {
		return rest.Answer{}, err
	}
	if cmd.CompleteURL != "" {
		cmd.Endpoint = credit.EndpointID(s.Seed(), s.Now())
		_, cmd.Sealed = s.SigningSecret(cmd.Endpoint) // the merchant sees one when it rotates it
	}
	known, err := s.standingURLs(c, cmd)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		x := ch.Result.(*credit.Checkout)
		w := resource.NewCheckout(x, known(x.URL), x.Accepted != nil) // accepting has linked the company
		if !ch.Created {
			return serve.Success{Body: &w, Secret: true}
		}
		return serve.Success{Body: &w, Secret: true, Location: "/v1/checkouts/" + x.ID}
	})
}

// only returns the offered numbers of installments, deduplicated and sorted, so that equal
// sets are equal.
func only(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// contact is the shop's data about the buyer.
func (b *checkoutBody) contact() buyer.Contact {
	x := buyer.Contact{}
	if p := b.Buyer; p != nil {
		x = buyer.Contact{Email: p.Email, FirstName: p.FirstName, LastName: p.LastName, Phone: p.Phone, Company: p.CompanyName}
	}
	if a := b.Billing; a != nil && x.Email == "" {
		x.Email = a.Email
		x.FirstName, x.LastName = cmp.Or(x.FirstName, a.FirstName), cmp.Or(x.LastName, a.LastName)
		x.Phone, x.Company = cmp.Or(x.Phone, a.PhoneNumber), cmp.Or(x.Company, a.CompanyName)
	}
	x.Email = strings.TrimSpace(x.Email)
	return x
}
