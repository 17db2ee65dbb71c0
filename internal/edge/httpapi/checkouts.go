package httpapi

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/buyer"
)

type buyerBody struct {
	Email       string `json:"email" nullable:"true" format:"email" doc:"Work e-mail, which the first page proposes." example:"ada@alder.example"`
	FirstName   string `json:"first_name" nullable:"true" doc:"First name." example:"Ada"`
	LastName    string `json:"last_name" nullable:"true" doc:"Last name." example:"Marsh"`
	Phone       string `json:"phone" nullable:"true" doc:"Telephone number." example:"+1 212 555 0142"`
	CompanyName string `json:"company_name" nullable:"true" doc:"The business." example:"Alder Kitchens"`
}

type checkoutBody struct {
	Amount           *money.Amount     `json:"amount" minimum:"0.01" doc:"What is to be financed. One of amount and charges suffices; both must agree." example:"1200.00"`
	Currency         string            `json:"currency" enum:"USD" default:"USD" doc:"ISO 4217 code." example:"USD"`
	Charges          *chargesBody      `json:"charges" doc:"The shop's own totals."`
	CartItems        []cartItemBody    `json:"cart_items" nullable:"true" maxItems:"1000" doc:"The cart. It never changes money."`
	Billing          *addressBody      `json:"billing_address" doc:"Where the merchant's bill goes."`
	Shipping         *addressBody      `json:"shipping_address" doc:"Where the goods go."`
	Buyer            *buyerBody        `json:"buyer" doc:"Who buys, as far as the shop knows. Without an e-mail that of the billing address is proposed."`
	CompanyID        *values.CompanyID `json:"company_id" doc:"The company, if the shop knows it: only people of that company may accept then." example:"1000000001"`
	OrderKey         *string           `json:"order_key" prefix:"ord_" doc:"With mode link: a CREATED order whose terms the buyer is to accept. Amount, charges, items and company are the order's then." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Installments     []int             `json:"installments" minimum:"1" maximum:"36" maxItems:"36" doc:"Offer only these numbers of installments." example:"[3,6]"`
	RemoteID         *string           `json:"remote_id" minLength:"1" maxLength:"100" doc:"The shop's identifier of the cart. The same one again with the same cart is answered with the open checkout; with another cart the open one is replaced." example:"cart-8812"`
	RemoteCustomerID *string           `json:"remote_customer_id" minLength:"1" maxLength:"100" doc:"The shop's identifier of the buyer." example:"cust-77"`
	ReturnURL        *string           `json:"return_url" maxLength:"2048" doc:"Where the buyer goes after accepting. Placeholders: %ORDER_KEY% (also %CKKEY%), %CHECKOUT_ID%. Optional with mode link." example:"https://shop.example.com/done?order=%ORDER_KEY%"`
	CancelURL        *string           `json:"cancel_url" maxLength:"2048" doc:"Where the buyer goes otherwise; %REASON% too. Optional with mode link." example:"https://shop.example.com/cart?reason=%REASON%"`
	CompleteURL      *string           `json:"order_complete_url" maxLength:"2048" doc:"Is sent the event checkout.accepted after each acceptance, signed and retried like every webhook. Placeholders: as in return_url. What becomes of it stands in the deliveries of the merchant's endpoint of kind CHECKOUT." example:"https://shop.example.com/tenor/accepted"`
	Mode             string            `json:"mode" enum:"redirect,modal,link" default:"redirect" doc:"How the buyer comes to it. link: by mail, or by a clerk who hands the address on." example:"redirect"`
	ExpiresIn        *int              `json:"expires_in" minimum:"900" maximum:"2592000" doc:"Seconds until it expires; absent: a day, with mode link a week." example:"86400"`
	Metadata         map[string]string `json:"metadata" nullable:"true" maxLength:"500" maxProperties:"50" maxKeyLength:"40" doc:"The merchant's own notes." example:"{\"cart\":\"8812\"}"`
}

// Check asks for an amount, for the addresses that a mode needs, and that a direct order's
// own members are not given beside it.
func (b *checkoutBody) Check(report func(name, code, detail string)) {
	b.Shipping.check("/shipping_address", report)
	b.Billing.check("/billing_address", report)
	link := b.Mode == string(credit.ModeLink)
	if b.OrderKey != nil {
		if !link {
			report("/order_key", "not_allowed", "An order's terms are accepted with mode link.")
		}
		for name, given := range map[string]bool{"amount": b.Amount != nil, "charges": b.Charges != nil, "cart_items": len(b.CartItems) > 0, "company_id": b.CompanyID != nil} {
			if given {
				report("/"+name, "not_allowed", "It is the order's: give it or order_key.")
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

type checkoutID struct {
	ID string `path:"id" prefix:"chk_" doc:"The checkout's identifier." example:"chk_01KAG7N5B3D1F9H7K5M3P1R9T7"`
}

type checkoutFilter struct {
	rest.Page
	Status string         `query:"status" enum:"OPEN,PENDING_REVIEW,ACCEPTED,COMPLETED,CANCELED,DECLINED,EXPIRED" doc:"Checkouts with this status."`
	From   *calendar.Date `query:"from" doc:"Created on or after this business date." example:"2026-01-01"`
	To     *calendar.Date `query:"to" doc:"Created on or before this business date." example:"2026-01-31"`
}

// Check asks that the range is not reversed.
func (f *checkoutFilter) Check(report func(name, code, detail string)) {
	checkRange(f.From, f.To, report)
}

func checkRange(from, to *calendar.Date, report func(name, code, detail string)) {
	if from != nil && to != nil && *from > *to {
		report("to", "reversed", "to is before from.")
	}
}

// checkouts are orders whose terms a buyer is to accept on pages of Tenor's.
func (s *Service) checkouts() []rest.Operation {
	const path = "/v1/checkouts"
	return rest.Group{Tag: "Checkouts", Reads: "orders:read", Writes: "checkout:write"}.With([]rest.Operation{
		{
			ID: "createCheckout", Method: "POST", Path: path, Summary: "Create a checkout",
			Doc: "The buyer goes to `checkout_url`, proves an e-mail, applies if the business is not known yet, chooses terms and accepts them. " +
				"The key of the order is drawn now; the order is there once the buyer has accepted. That a buyer arrives at `return_url` proves nothing: the shop's server completes the checkout. " +
				"With mode `link` the address is mailed to the buyer: fifty mails a day for a merchant, five of them to one address (422 `limit_exceeded`); a repeat mails nothing.",
			TenantOnly: true, Success: 201, Response: resource.Checkout{},
			Again: "A checkout with this `remote_id` and the same cart is open already: that one.",
			Problems: []string{"company_not_linked", "not_found", "invalid_transition", "charges_mismatch", "checkout_already_completed", "amount_out_of_bounds",
				"term_not_available", "url_not_allowed", "mail_unavailable", "limit_exceeded"},
			Endpoint: rest.Handle(s.createCheckout),
		},
		{
			ID: "getCheckout", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a checkout",
			Response: resource.Checkout{}, ETag: true, Endpoint: rest.Handle(s.getCheckout),
		},
		{
			ID: "listCheckouts", Method: "GET", Path: path, Summary: "List checkouts", Doc: "Newest first.",
			Response: resource.List[resource.Checkout]{}, Endpoint: rest.Handle(s.listCheckouts),
		},
		{
			ID: "completeCheckout", Method: "POST", Path: path + "/{id}/complete", Summary: "Complete a checkout: authorize its order",
			Doc: "The merchant's word that it has the order: CREATED becomes AUTHORIZED under the terms that the buyer has accepted. Again: the same order as it is then. " +
				"A refusal says where the checkout stands: `checkout_status`.",
			Response: resource.Order{}, ETag: true,
			Problems: []string{"checkout_not_accepted", "checkout_expired", "company_not_eligible", "invalid_transition", "insufficient_credit", "limit_exceeded"},
			Endpoint: decides(s, orderAnswer, completeCheckout),
		},
		{
			ID: "expireCheckout", Method: "POST", Path: path + "/{id}/expire", Summary: "End a checkout",
			Doc:      "CANCELED, `merchant_canceled`, and so is the order if the buyer has accepted one. One that has ended already stays as it is.",
			Response: resource.Checkout{}, Problems: []string{"checkout_already_completed"}, Endpoint: rest.Handle(s.expireCheckout),
		},
	})
}

// hidden keeps what a body tells of people out of the hash that is stored of a request.
func (s *Service) hidden(c *rest.Call) { c.HideBody(s.Desk.Hash("request", string(c.Body))) }

func (s *Service) createCheckout(c *rest.Call, _ *rest.None, b *checkoutBody) (rest.Answer, error) {
	if s.Desk.MayMail() != nil {
		return rest.Answer{}, rest.NewProblem("mail_unavailable", "Buyers cannot be written to: this deployment has no mail server.")
	}
	if err := s.addresses(c, b); err != nil {
		return rest.Answer{}, err
	}
	s.hidden(c)
	cmd := credit.CreateCheckout{
		Charges: charges(b.Charges), Cart: cart(b.CartItems), Billing: b.Billing.stored(), Shipping: b.Shipping.stored(), Company: int64(deref(b.CompanyID)),
		Order: deref(b.OrderKey), Installments: only(b.Installments), RemoteID: deref(b.RemoteID), RemoteCustomerID: deref(b.RemoteCustomerID),
		ReturnURL: deref(b.ReturnURL), CancelURL: deref(b.CancelURL), CompleteURL: deref(b.CompleteURL), Mode: credit.CheckoutMode(b.Mode),
		Life: time.Duration(deref(b.ExpiresIn)) * time.Second, Metadata: b.Metadata,
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
		_, cmd.Sealed = s.signingSecret(cmd.Endpoint) // the merchant sees one when it rotates it
	}
	known, err := s.standingURLs(c, cmd)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.do(c, cmd, func(ch credit.Changes) success {
		x := ch.Result.(*credit.Checkout)
		w := resource.NewCheckout(x, known(x.URL), x.Accepted != nil) // which has linked the company
		if !ch.Created {
			return success{body: &w, secret: true}
		}
		return success{body: &w, secret: true, location: "/v1/checkouts/" + x.ID}
	})
}

// only are the numbers of installments that are offered, each once, fewest first, so that
// the same ones are equal.
func only(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// contact is what the shop says of the buyer.
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
