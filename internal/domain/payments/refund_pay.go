package payments

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// PayRefund pays a payment's refund that is on 2110: one that the bank did not deliver, or one
// of money that came outside of a rail. It goes through the rail to an account of the company,
// or somebody has already paid it by hand. Result is the *Payment.
type PayRefund struct {
	Payment       string        `json:"payment"`
	IfMatch       []string      `json:"if_match"`
	Refund        string        `json:"refund"`
	PaymentMethod string        `json:"payment_method_id"` // account it goes to; "": Method is how it was paid
	Method        credit.Method `json:"method"`            // CHECK, WIRE, CASH or OTHER; "" with PaymentMethod
	Reference     string        `json:"reference"`         // of the check or wire
}

func (PayRefund) Name() string { return "payment.refund_pay" }

// Keys requests the payment, then its company, its orders and the account named.
func (c PayRefund) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Payments: []string{c.Payment}}
	if c.PaymentMethod != "" {
		k.Methods = []string{c.PaymentMethod}
	}
	p := s.Payments[c.Payment]
	if p == nil {
		return k
	}
	k.Companies = []int64{p.Company}
	if p.Order != "" {
		k.Orders = []string{p.Order}
	}
	for _, a := range p.Allocations { // a company-level payment has paid several
		if !slices.Contains(k.Orders, a.Order) {
			k.Orders = append(k.Orders, a.Order)
		}
	}
	return k
}

func (c PayRefund) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	p := s.Payments[c.Payment]
	if p == nil || !e.Actor.Operator {
		return credit.NotFound.Because("There is no such payment.")
	}
	if p.RefundAt(c.Refund) < 0 {
		return credit.NotFound.Because("The payment has no such refund.")
	}
	if m := s.Methods[c.PaymentMethod]; c.PaymentMethod != "" && (m == nil || m.Company != p.Company) {
		return credit.NotFound.Because("There is no such payment method.")
	}
	return nil
}

func (c PayRefund) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Payments[c.Payment]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	r := old.Refunds[old.RefundAt(c.Refund)]
	if r.Status == credit.RefundSettled && c.Method != "" && r.Method == c.Method && r.Reference == c.Reference {
		return credit.Changes{Result: old}, nil
	}
	if !r.ByHand() {
		return credit.Changes{}, credit.PaymentNotRefundable.With(fmt.Sprintf("The refund is %s: only one that has failed, or that is to be paid by hand, is paid.", r.Status),
			map[string]any{"refund_status": string(r.Status)})
	}
	if x := credit.MoneyMayLeave(s.Companies[old.Company]); x != nil {
		return credit.Changes{}, x
	}
	m := s.Methods[c.PaymentMethod]
	if m != nil && (!m.Type.Can().Credit || !m.Usable()) {
		return credit.Changes{}, credit.PaymentMethodRequired.Because("Only a bank account that is ACTIVE can be credited.")
	}
	d := credit.NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	changeRefund(d, p, c.Refund, func(r *credit.PaymentRefund) {
		r.Failure, r.SettledAt = nil, time.Time{}
		if m != nil {
			r.Status, r.Transfer = credit.RefundPending, sendRefund(d, p, *r, m, nil)
			return
		}
		r.Status, r.Transfer, r.Method, r.Reference, r.SettledAt = credit.RefundSettled, "", c.Method, c.Reference, e.Now
		dim := lending.PendingDims(d, p)
		d.Entry("PAYMENT_REFUND_PAID", r.ID, e.Today(), ledger.Posting{Account: ledger.RefundsInTransit, Amount: r.Amount, Dimensions: dim},
			ledger.Posting{Account: ledger.Cash, Amount: -r.Amount, Dimensions: dim})
	})
	return d.Done(p, false), nil
}

// changeRefund changes one refund of a payment and emits an event.
func changeRefund(d *credit.Draft, p *credit.Payment, id string, change func(*credit.PaymentRefund)) {
	i := p.RefundAt(id)
	p.Refunds = slices.Clone(p.Refunds)
	change(&p.Refunds[i])
	d.PaymentEvent(credit.PaymentRefundedEvent, p.ID)
}

// sendRefund creates the transfer that sends a refund to an account, or to a card charge.
func sendRefund(d *credit.Draft, p *credit.Payment, r credit.PaymentRefund, m *credit.PaymentMethod, charge *credit.Transfer) string {
	return sendBack(d, &credit.Transfer{Kind: credit.TransferRefund, Company: p.Company, Payment: p.ID, Refund: r.ID, Amount: r.Amount}, m, charge).ID
}

// sendBack creates a transfer to a company's account. What goes back to a card charge, for any
// reason, never exceeds the charge.
func sendBack(d *credit.Draft, t *credit.Transfer, m *credit.PaymentMethod, charge *credit.Transfer) *credit.Transfer {
	t.Rail, t.Method, t.Entry = m.Type, m.ID, lending.EntryRefund
	if charge != nil {
		t.Reference, t.Charge = charge.Reference, charge.ID
		x := d.Transfers.Edit(charge.ID)
		x.Back = x.Back.Add(t.Amount)
	}
	return lending.NewTransfer(d, t, calendar.None)
}

// chargeLeft is what can still be sent back to a card charge.
func chargeLeft(t *credit.Transfer) money.Amount { return t.Amount.Sub(t.Back) }

// refundArrived records that a refund's transfer has settled.
func refundArrived(d *credit.Draft, t *credit.Transfer) {
	changeRefund(d, d.Payments.Edit(t.Payment), t.Refund, func(r *credit.PaymentRefund) { r.Status, r.SettledAt = credit.RefundSettled, d.Env.Now })
}
