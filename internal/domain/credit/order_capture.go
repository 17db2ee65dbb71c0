package credit

import (
	"fmt"
	"time"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// unauthorized refuses what only an AUTHORIZED order allows.
func unauthorized(s OrderStatus) *Rejection {
	return InvalidTransition.With(fmt.Sprintf("An order that is %s has no authorization.", s),
		map[string]any{"from": string(s), "to": string(OrderAuthorized)})
}

// unexpired asks that the authorization has not run out (F14).
func (d *Draft) unexpired(o *Order) *Rejection {
	if d.Env.Now.Before(o.ExpiresAt) {
		return nil
	}
	return AuthorizationExpired.With("The authorization has expired.", map[string]any{"expired_at": o.ExpiresAt})
}

// serviced asks that the company's reservations may become loans: it is neither
// SUSPENDED nor CLOSED (F26).
func serviced(c *Company) *Rejection {
	if c.Status != CompanySuspended && c.Status != CompanyClosed {
		return nil
	}
	return CompanyNotEligible.With("The company is "+string(c.Status)+"; its reservation stays until it is canceled or expires.",
		map[string]any{"company_status": string(c.Status)})
}

// capture turns an AUTHORIZED order's reservation into a loan of the amount that
// the order now has: less releases the rest, more asks for the line again (OR5).
// The state stage has been answered, and so has the offer of a higher amount.
func (d *Draft) capture(o *Order) *Rejection {
	if o.Amount > o.Reserved {
		if r := Fits(o.Amount, d.State.Companies[o.Company].Available().Add(o.Reserved)); r != nil {
			return r
		}
		d.reserve(o, o.Amount)
	}
	if r := d.originate(o, o.Amount); r != nil {
		return r
	}
	d.reserve(o, 0)
	d.book(o)
	return nil
}

// originate fixes the terms for a capture today and makes the loan.
func (d *Draft) originate(o *Order, amount money.Amount) *Rejection {
	_, terms, r := FiguresOf(*o.Terms, amount, d.Env.Today())
	if r != nil {
		return r
	}
	d.loanOrder(o, terms, amount)
	return nil
}

// loanOrder gives the order its loan: from here on its figures are those of its
// money events.
func (d *Draft) loanOrder(o *Order, terms OrderTerms, amount money.Amount) {
	at := d.Env.Now.UnixMicro()
	p := &schedule.Portfolio{}
	capture := schedule.Event{
		Kind: schedule.EventCapture, ID: o.Key, Date: d.Env.Today(), Order: o.Key, CapturedAt: at, Amount: amount,
		Terms: terms.loanTerms(amount, d.Env.Today()),
	}
	p.Apply(capture)
	loan := p.Loans[0]
	terms.FirstDueDate = loan.Rows[0].DueDate
	o.Terms = &terms
	o.Status, o.Financing = OrderCaptured, FinancingActive
	o.Amount, o.Captured, o.CapturedAt, o.CaptureDate, o.Revision = amount, amount, d.Env.Now, d.Env.Today(), 1
	o.Discount = o.DiscountOf(amount)
	d.Changes.Loans = append(d.Changes.Loans, loan)
	d.remember(capture, o.Company, nil)
}

// DiscountOf is the merchant discount of a capture: what it adds to the discount of all that
// is captured under one authorization, so that no split into parts avoids any of it (F41.10,
// F0).
func (o *Order) DiscountOf(captured money.Amount) money.Amount {
	before := o.Servicing.CapturedBefore
	return o.Terms.DiscountRate.Of(before.Add(captured)).Sub(o.Terms.DiscountRate.Of(before))
}

// book posts a capture, issues the invoice and tells (F39, F31).
func (d *Draft) book(o *Order) {
	dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
	line := func(a ledger.Account, amount money.Amount) ledger.Posting {
		return ledger.Posting{Account: a, Amount: amount, Dimensions: dim}
	}
	loan := d.LoanOf(o.Key)
	switch {
	case o.Terms.Unfunded:
		d.Entry("ORDER_CAPTURED", o.Key, d.Env.Today(),
			line(ledger.UnfundedExternal, o.Captured), line(ledger.UnfundedExternalContra, -o.Captured))
	default:
		d.Entry("ORDER_CAPTURED", o.Key, d.Env.Today(), line(ledger.LoanPrincipal, o.Captured),
			line(ledger.MerchantPayable, o.Discount.Sub(o.Captured)), line(ledger.MerchantDiscount, -o.Discount))
	}
	if o.Terms.Plan == schedule.FlatFee {
		fee := money.Amount(0)
		for _, r := range loan.Rows {
			fee = fee.Add(r.Charge)
		}
		d.Entry("FLAT_FEE_BOOKED", o.Key, d.Env.Today(), line(ledger.ChargeReceivable, fee), line(ledger.UnearnedCharge, -fee))
	}
	c := d.Companies.Edit(o.Company)
	c.Outstanding = c.Outstanding.Add(o.Captured)
	d.owe(o)
	d.issueInvoice(o, loan)
	d.discloseAgain(o)
	d.OrderEvent(OrderCapturedEvent, o.Key)
	d.invoiceEvent(InvoiceIssuedEvent, o.Invoice)
}

// cancel releases the reservation and ends the order before capture (F14).
func (d *Draft) cancel(o *Order, reason string) {
	d.reserve(o, 0)
	o.Status, o.CanceledAt, o.CancelReason = OrderCanceled, d.Env.Now, reason
	if o.MerchantOrderID != "" {
		d.Claim(OrderNumber(o.Merchant, o.MerchantOrderID), "")
	}
	d.OrderEvent(OrderCanceledEvent, o.Key)
}

// ExtendOrder gives an authorization 30 days more, once (F14).
type ExtendOrder struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match"`
}

func (ExtendOrder) Name() string { return "order.extend" }

// Keys asks for the order, its company and its merchant's programs.
func (c ExtendOrder) Keys(s *State, _ Env) Keys { return OrderKeys(s, c.Order) }

func (c ExtendOrder) Admit(s *State, e Env) *Rejection { return AdmitOrder(s, e, c.Order) }

func (c ExtendOrder) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	old := s.Orders[c.Order]
	if r := matches(c.IfMatch, old); r != nil {
		return Changes{}, r
	}
	if old.Status != OrderAuthorized {
		return Changes{}, unauthorized(old.Status)
	}
	if r := d.unexpired(old); r != nil {
		return Changes{}, r
	}
	if old.Extended {
		return Changes{}, AlreadyExtended.Because("The authorization has already been extended once.")
	}
	if r := serviced(s.Companies[old.Company]); r != nil {
		return Changes{}, r
	}
	o := d.Orders.Edit(c.Order)
	settings := s.Merchants[o.Merchant].VersionOf(o.Program).Settings
	o.Extended = true
	o.ExpiresAt = o.ExpiresAt.Add(time.Duration(settings.ExtensionDays) * Day)
	d.OrderEvent(OrderUpdatedEvent, o.Key)
	return d.Done(o, false), nil
}

// OrderKeys asks for an order, then for its company and its merchant.
func OrderKeys(s *State, key string) Keys {
	k := Keys{Orders: []string{key}}
	if o := s.Orders[key]; o != nil {
		k.Companies = []int64{o.Company}
		k.Merchants = []string{o.Merchant}
	}
	return k
}
