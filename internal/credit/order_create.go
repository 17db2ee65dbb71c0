package credit

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/money"
)

// CreateOrder makes an order of a company that is linked to the caller's
// merchant, and authorizes it in the same step if Authorize is set.
type CreateOrder struct {
	Company         int64             `json:"company_id"`
	Amount          money.Amount      `json:"amount"`
	MerchantOrderID string            `json:"merchant_order_id"`
	Installments    int               `json:"installments"` // 0: not chosen yet
	External        bool              `json:"externally_managed_payments"`
	MerchantStatus  string            `json:"merchant_status"`
	Cart            []CartItem        `json:"cart_items"`
	Charges         *Charges          `json:"charges"`
	Shipping        *Address          `json:"shipping_address"`
	Billing         *Address          `json:"billing_address"`
	Metadata        map[string]string `json:"metadata"`
	Authorize       bool              `json:"authorize"`
}

// Name is the command's word in the audit log.
func (CreateOrder) Name() string { return "order.create" }

// Keys asks for the company, the merchant's programme, and the claim on the
// merchant's order number.
func (c CreateOrder) Keys(_ *State, e Env) Keys {
	k := Keys{Merchants: []string{e.Actor.Merchant}, Companies: []int64{c.Company}}
	if c.MerchantOrderID != "" {
		k.Claims = []Claim{orderNumber(e.Actor.Merchant, c.MerchantOrderID)}
	}
	return k
}

func orderNumber(merchant, id string) Claim {
	return Claim{Kind: ClaimMerchantOrderID, Scope: merchant, Name: id}
}

func (c CreateOrder) admit(s *State, e Env) *Rejection {
	return admitCompany(s, c.Company, e.Actor.Merchant)
}

// admitCompany asks that the company exists and is linked to the merchant.
func admitCompany(s *State, company int64, merchant string) *Rejection {
	x := s.Companies[company]
	if x == nil {
		return NotFound.because("There is no such company.")
	}
	if !x.IsLinked(merchant) {
		return CompanyNotLinked.because("The company is not linked to the merchant.")
	}
	return nil
}

func (c CreateOrder) decide(s *State, e Env) (Changes, *Rejection) {
	merchant := s.Merchants[e.Actor.Merchant]
	programme := merchant.InForce(e.Today())
	if r := c.refuse(s, e, programme); r != nil {
		return Changes{}, r
	}
	d := newDraft(s, e)
	o := &Order{
		Key: d.ids.next(prefixOrder), Company: c.Company, Merchant: merchant.ID, MerchantOrderID: c.MerchantOrderID,
		Currency: money.USD, Amount: c.Amount, Status: OrderCreated, Financing: FinancingNone,
		Installments: c.Installments, External: c.External, MerchantStatus: c.MerchantStatus,
		Cart: slices.Clone(c.Cart), Charges: c.Charges, Shipping: c.Shipping, Billing: c.Billing, Metadata: maps.Clone(c.Metadata),
		CaptureDate: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	d.addOrder(o)
	if o.MerchantOrderID != "" {
		d.claim(orderNumber(o.Merchant, o.MerchantOrderID), o.Key)
	}
	d.orderEvent(OrderCreatedEvent, o.Key, nil)
	if c.Authorize {
		if r := d.authorize(o); r != nil {
			return Changes{}, r
		}
	}
	return d.done(o, true), nil
}

// refuse checks what creation itself asks for, state before rules.
func (c CreateOrder) refuse(s *State, e Env, p *Programme) *Rejection {
	if c.Authorize && c.Installments == 0 {
		return InstallmentsRequired.because("Choose a number of installments before the order is authorized.")
	}
	if r := mayBuy(s.Companies[c.Company]); r != nil {
		return r
	}
	if c.Authorize && p != nil && p.Settings.Acceptance == PerOrder {
		return AcceptanceRequired.because("The buyer accepts the terms of this merchant's orders in the hosted checkout.")
	}
	if c.MerchantOrderID != "" && s.Claims[orderNumber(e.Actor.Merchant, c.MerchantOrderID)] != "" {
		return DuplicateMerchantOrderID.because("Another order that is not CANCELED has this merchant_order_id.")
	}
	if c.Charges != nil && c.Charges.GrandTotal != c.Amount {
		return ChargesMismatch.because("charges.grand_total must equal the order's amount.")
	}
	return offered(p, c.Amount, c.Installments)
}

// mayBuy asks that the company's status allows new orders (F26).
func mayBuy(c *Company) *Rejection {
	if c.Status != CompanyApproved {
		return CompanyNotEligible.with(fmt.Sprintf("The company is %s; only APPROVED companies may buy.", c.Status),
			map[string]any{"company_status": string(c.Status)})
	}
	return nil
}

// offered asks that the amount is within the merchant's bounds and the number of
// installments, when chosen, is one that the programme offers.
func offered(p *Programme, amount money.Amount, installments int) *Rejection {
	if p == nil {
		return TermNotAvailable.because("The merchant has no programme in force.")
	}
	if r := bounds(p, amount); r != nil || installments == 0 {
		return r
	}
	if _, ok := p.Settings.Offer(installments); !ok {
		return TermNotAvailable.because("The merchant's programme does not offer this number of installments.")
	}
	return nil
}

func bounds(p *Programme, amount money.Amount) *Rejection {
	if p.Settings.inBounds(amount) {
		return nil
	}
	m := map[string]any{"minimum": p.Settings.MinOrder}
	if p.Settings.MaxOrder != 0 {
		m["maximum"] = p.Settings.MaxOrder
	}
	return AmountOutOfBounds.with("The amount is outside the merchant's bounds.", m)
}
