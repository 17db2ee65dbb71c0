package lending

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// CreateOrder creates an order of a company that is linked to the caller's merchant, and
// authorizes it in the same step if Authorize is set.
type CreateOrder struct {
	Company         int64             `json:"company_id"`
	Amount          money.Amount      `json:"amount"`
	MerchantOrderID string            `json:"merchant_order_id"`
	Installments    int               `json:"installments"` // 0: not chosen yet
	External        bool              `json:"externally_managed_payments"`
	MerchantStatus  string            `json:"merchant_status"`
	Cart            []credit.CartItem `json:"cart_items"`
	Charges         *credit.Charges   `json:"charges"`
	Shipping        *credit.Address   `json:"shipping_address"`
	Billing         *credit.Address   `json:"billing_address"`
	Metadata        map[string]string `json:"metadata"`
	Authorize       bool              `json:"authorize"`
}

func (CreateOrder) Name() string { return "order.create" }

// Keys requests the company, the merchant's program, and the claim on the
// merchant's order number.
func (c CreateOrder) Keys(_ *credit.State, e credit.Env) credit.Keys {
	k := credit.Keys{Merchants: []string{e.Actor.Merchant}, Companies: []int64{c.Company}}
	if c.MerchantOrderID != "" {
		k.Claims = []credit.Claim{OrderNumber(e.Actor.Merchant, c.MerchantOrderID)}
	}
	return k
}

func (c CreateOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitCompany(s, c.Company, e.Actor.Merchant)
}

func (c CreateOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	merchant := s.Merchants[e.Actor.Merchant]
	program := merchant.InForce(e.Today())
	if r := c.refuse(s, e, program); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	o := &credit.Order{
		Key: d.IDs.Next(credit.PrefixOrder), Company: c.Company, Merchant: merchant.ID, MerchantOrderID: c.MerchantOrderID,
		Currency: money.USD, Amount: c.Amount, Status: credit.OrderCreated, Financing: credit.FinancingNone,
		Installments: c.Installments, External: c.External, MerchantStatus: c.MerchantStatus,
		Cart: slices.Clone(c.Cart), Charges: c.Charges, Shipping: c.Shipping, Billing: c.Billing, Metadata: maps.Clone(c.Metadata),
		CaptureDate: calendar.None, CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	}
	d.Orders.Add(o.Key, o)
	if o.MerchantOrderID != "" {
		d.Claim(OrderNumber(o.Merchant, o.MerchantOrderID), o.Key)
	}
	d.OrderEvent(credit.OrderCreatedEvent, o.Key)
	if c.Authorize {
		if r := Authorize(d, o); r != nil {
			return credit.Changes{}, r
		}
	}
	return d.Done(o, true), nil
}

// refuse decides the state stage of a creation, then its rules. Authorize decides what an
// authorization in the same step needs beyond that.
func (c CreateOrder) refuse(s *credit.State, e credit.Env, p *credit.Program) *credit.Rejection {
	company := s.Companies[c.Company]
	if c.Authorize {
		if r := chosen(c.Installments); r != nil {
			return r
		}
	}
	if r := MayBuy(company); r != nil {
		return r
	}
	if c.Authorize {
		if r := acceptedBy(p, company, nil, ""); r != nil {
			return r
		}
	}
	if c.MerchantOrderID != "" && s.Claims[OrderNumber(e.Actor.Merchant, c.MerchantOrderID)] != "" {
		return duplicateOrderNumber()
	}
	if c.Charges != nil && c.Charges.GrandTotal != c.Amount {
		return ChargesDiffer()
	}
	_, r := Offer(p, company, c.Amount, c.Installments, c.External, e.Today())
	return r
}

// MayBuy requires that the company's status allows new orders (F26).
func MayBuy(c *credit.Company) *credit.Rejection {
	if c.Status != credit.CompanyApproved {
		return credit.CompanyNotEligible.With(fmt.Sprintf("The company is %s; only APPROVED companies may buy.", c.Status),
			map[string]any{"company_status": string(c.Status)})
	}
	return nil
}

func duplicateOrderNumber() *credit.Rejection {
	return credit.DuplicateMerchantOrderID.Because("Another order that is not CANCELED has this merchant_order_id.")
}

// ChargesDiffer rejects charges that do not sum to the order's amount.
func ChargesDiffer() *credit.Rejection {
	return credit.ChargesMismatch.Because("charges.grand_total must equal the order's amount.")
}

// OrderNumber is the claim on a merchant's own order number.
func OrderNumber(merchant, id string) credit.Claim {
	return credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: merchant, Name: id}
}
