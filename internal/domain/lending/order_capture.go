package lending

import (
	"fmt"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// unauthorized rejects what only an AUTHORIZED order allows.
func unauthorized(s credit.OrderStatus) *credit.Rejection {
	return credit.InvalidTransition.With(fmt.Sprintf("An order that is %s has no authorization.", s),
		map[string]any{"from": string(s), "to": string(credit.OrderAuthorized)})
}

// unexpired requires that the authorization has not expired (F14).
func unexpired(d *credit.Draft, o *credit.Order) *credit.Rejection {
	if d.Env.Now.Before(o.ExpiresAt) {
		return nil
	}
	return credit.AuthorizationExpired.With("The authorization has expired.", map[string]any{"expired_at": o.ExpiresAt})
}

// serviced requires that the company's reservations may become loans: it is neither SUSPENDED
// nor CLOSED (F26).
func serviced(c *credit.Company) *credit.Rejection {
	if c.Status != credit.CompanySuspended && c.Status != credit.CompanyClosed {
		return nil
	}
	return credit.CompanyNotEligible.With("The company is "+string(c.Status)+"; its reservation stays until it is canceled or expires.",
		map[string]any{"company_status": string(c.Status)})
}

// capture turns an AUTHORIZED order's reservation into a loan of the order's current amount: a
// lower one releases the rest, a higher one needs more of the line (OR5). The state stage and
// the offer of a higher amount have already been decided.
func capture(d *credit.Draft, o *credit.Order) *credit.Rejection {
	if o.Amount > o.Reserved {
		if r := Fits(o.Amount, d.State.Companies[o.Company].Available().Add(o.Reserved)); r != nil {
			return r
		}
		d.Reserve(o, o.Amount)
	}
	if r := originate(d, o, o.Amount); r != nil {
		return r
	}
	d.Reserve(o, 0)
	book(d, o)
	return nil
}

// originate fixes the terms for a capture today and creates the loan.
func originate(d *credit.Draft, o *credit.Order, amount money.Amount) *credit.Rejection {
	_, terms, r := FiguresOf(*o.Terms, amount, d.Env.Today())
	if r != nil {
		return r
	}
	loanOrder(d, o, terms, amount)
	return nil
}

// loanOrder creates the order's loan: from here on its figures follow from its money events.
func loanOrder(d *credit.Draft, o *credit.Order, terms credit.OrderTerms, amount money.Amount) {
	at := d.Env.Now.UnixMicro()
	p := &schedule.Portfolio{}
	capture := schedule.Event{
		Kind: schedule.EventCapture, ID: o.Key, Date: d.Env.Today(), Order: o.Key, CapturedAt: at, Amount: amount,
		Terms: LoanTerms(terms, amount, d.Env.Today()),
	}
	p.Apply(capture)
	loan := p.Loans[0]
	terms.FirstDueDate = loan.Rows[0].DueDate
	o.Terms = &terms
	o.Status, o.Financing = credit.OrderCaptured, credit.FinancingActive
	o.Amount, o.Captured, o.CapturedAt, o.CaptureDate, o.Revision = amount, amount, d.Env.Now, d.Env.Today(), 1
	o.Discount = o.DiscountOf(amount)
	d.Changes.Loans = append(d.Changes.Loans, loan)
	remember(d, capture, o.Company, nil)
}

// book posts a capture, issues the invoice and emits events (F39, F31).
func book(d *credit.Draft, o *credit.Order) {
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
	owe(d, o)
	issueInvoice(d, o, loan)
	discloseAgain(d, o)
	d.OrderEvent(credit.OrderCapturedEvent, o.Key)
	d.InvoiceEvent(credit.InvoiceIssuedEvent, o.Invoice)
}

// ExtendOrder extends an authorization by 30 days, once (F14).
type ExtendOrder struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match"`
}

func (ExtendOrder) Name() string { return "order.extend" }

// Keys requests the order, its company and its merchant's programs.
func (c ExtendOrder) Keys(s *credit.State, _ credit.Env) credit.Keys { return OrderKeys(s, c.Order) }

func (c ExtendOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c ExtendOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	old := s.Orders[c.Order]
	if r := Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Status != credit.OrderAuthorized {
		return credit.Changes{}, unauthorized(old.Status)
	}
	if r := unexpired(d, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Extended {
		return credit.Changes{}, credit.AlreadyExtended.Because("The authorization has already been extended once.")
	}
	if r := serviced(s.Companies[old.Company]); r != nil {
		return credit.Changes{}, r
	}
	o := d.Orders.Edit(c.Order)
	settings := s.Merchants[o.Merchant].VersionOf(o.Program).Settings
	o.Extended = true
	o.ExpiresAt = o.ExpiresAt.Add(time.Duration(settings.ExtensionDays) * credit.Day)
	d.OrderEvent(credit.OrderUpdatedEvent, o.Key)
	return d.Done(o, false), nil
}

// OrderKeys requests an order, then its company and its merchant.
func OrderKeys(s *credit.State, key string) credit.Keys {
	k := credit.Keys{Orders: []string{key}}
	if o := s.Orders[key]; o != nil {
		k.Companies = []int64{o.Company}
		k.Merchants = []string{o.Merchant}
	}
	return k
}
