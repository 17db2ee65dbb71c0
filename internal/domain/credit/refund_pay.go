package credit

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// PayRefund pays a refund of a payment that stands on 2110: one that the bank has not
// delivered, or one of money that came outside of a rail. It goes through the rail to an
// account of the company, or somebody has paid it by hand already. Result is the
// *Payment.
type PayRefund struct {
	Payment       string   `json:"payment"`
	IfMatch       []string `json:"if_match"`
	Refund        string   `json:"refund"`
	PaymentMethod string   `json:"payment_method_id"` // account to which it goes; "": Method says how it was paid
	Method        Method   `json:"method"`            // CHECK, WIRE, CASH or OTHER; "" with PaymentMethod
	Reference     string   `json:"reference"`         // of the check or wire
}

func (PayRefund) Name() string { return "payment.refund_pay" }

// Keys asks for the payment, then for its company, its orders and the account named.
func (c PayRefund) Keys(s *State, _ Env) Keys {
	k := Keys{Payments: []string{c.Payment}}
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
	for _, a := range p.Allocations { // a payment of the company has paid several
		if !slices.Contains(k.Orders, a.Order) {
			k.Orders = append(k.Orders, a.Order)
		}
	}
	return k
}

func (c PayRefund) Admit(s *State, e Env) *Rejection {
	p := s.Payments[c.Payment]
	if p == nil || !e.Actor.Operator {
		return NotFound.Because("There is no such payment.")
	}
	if p.RefundAt(c.Refund) < 0 {
		return NotFound.Because("The payment has no such refund.")
	}
	if m := s.Methods[c.PaymentMethod]; c.PaymentMethod != "" && (m == nil || m.Company != p.Company) {
		return NotFound.Because("There is no such payment method.")
	}
	return nil
}

func (c PayRefund) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	r := old.Refunds[old.RefundAt(c.Refund)]
	if r.Status == RefundSettled && c.Method != "" && r.Method == c.Method && r.Reference == c.Reference {
		return Changes{Result: old}, nil
	}
	if !r.ByHand() {
		return Changes{}, PaymentNotRefundable.With(fmt.Sprintf("The refund is %s: only one that has failed, or that is to be paid by hand, is paid.", r.Status),
			map[string]any{"refund_status": string(r.Status)})
	}
	if x := MoneyMayLeave(s.Companies[old.Company]); x != nil {
		return Changes{}, x
	}
	m := s.Methods[c.PaymentMethod]
	if m != nil && (!m.Type.Can().Credit || !m.Usable()) {
		return Changes{}, PaymentMethodRequired.Because("Only a bank account that is ACTIVE can be credited.")
	}
	d := NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	d.changeRefund(p, c.Refund, func(r *PaymentRefund) {
		r.Failure, r.SettledAt = nil, time.Time{}
		if m != nil {
			r.Status, r.Transfer = RefundPending, d.sendRefund(p, *r, m, nil)
			return
		}
		r.Status, r.Transfer, r.Method, r.Reference, r.SettledAt = RefundSettled, "", c.Method, c.Reference, e.Now
		dim := d.pendingDims(p)
		d.Entry("PAYMENT_REFUND_PAID", r.ID, e.Today(), ledger.Posting{Account: ledger.RefundsInTransit, Amount: r.Amount, Dimensions: dim},
			ledger.Posting{Account: ledger.Cash, Amount: -r.Amount, Dimensions: dim})
	})
	return d.Done(p, false), nil
}

// RefundAt is the place of a refund among a payment's, -1 if it is not there.
func (p *Payment) RefundAt(id string) int {
	return slices.IndexFunc(p.Refunds, func(r PaymentRefund) bool { return r.ID == id })
}

// Open reports that a refund is still owed: it stands on 2110.
func (r PaymentRefund) Open() bool { return r.Status == RefundPending || r.Status == RefundFailed }

// ByHand reports that a refund is owed and that nothing pays it unless a person does
// (PayRefund): it has failed, or its money came outside of a rail.
func (r PaymentRefund) ByHand() bool {
	return r.Status == RefundFailed || r.Status == RefundPending && r.Transfer == ""
}

// InTransit is what stands on 2110 for a payment: refunds that have not arrived, or of
// credit that is sent back all of it until it has.
func (p *Payment) InTransit() money.Amount {
	if p.Direction == "OUT" {
		if p.Status == PaymentPending {
			return p.Amount
		}
		return 0
	}
	sum := money.Amount(0)
	for _, r := range p.Refunds {
		if r.Open() {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// owedSince is the instant since which money of a payment stands on 2110.
func (p *Payment) owedSince() time.Time {
	if p.Direction == "OUT" && p.Status == PaymentPending {
		return p.CreatedAt
	}
	for _, r := range p.Refunds { // oldest first
		if r.Open() {
			return r.CreatedAt
		}
	}
	return time.Time{}
}

// changeRefund changes one refund of a payment and tells.
func (d *Draft) changeRefund(p *Payment, id string, change func(*PaymentRefund)) {
	i := p.RefundAt(id)
	p.Refunds = slices.Clone(p.Refunds)
	change(&p.Refunds[i])
	d.paymentEvent(PaymentRefundedEvent, p.ID)
}

// RefundStatus is the status of the refund that a transfer sends.
func (t *Transfer) RefundStatus() RefundStatus {
	switch {
	case t.Status == TransferFailed || t.Status == TransferReturned:
		return RefundFailed
	case t.Status == TransferCanceled:
		return RefundCanceled
	case t.Status == TransferSettled || t.Rail.Can().Answer && t.Answered():
		return RefundSettled
	}
	return RefundPending
}

// sendRefund makes the transfer that sends a refund to an account, or to a card's charge.
func (d *Draft) sendRefund(p *Payment, r PaymentRefund, m *PaymentMethod, charge *Transfer) string {
	return d.sendBack(&Transfer{Kind: TransferRefund, Company: p.Company, Payment: p.ID, Refund: r.ID, Amount: r.Amount}, m, charge).ID
}

// sendBack makes a transfer to a company's account. What goes to a card's charge, for
// whatever reason, is never more than was charged.
func (d *Draft) sendBack(t *Transfer, m *PaymentMethod, charge *Transfer) *Transfer {
	t.Rail, t.Method, t.Entry = m.Type, m.ID, entryRefund
	if charge != nil {
		t.Reference, t.Charge = charge.Reference, charge.ID
		x := d.Transfers.Edit(charge.ID)
		x.Back = x.Back.Add(t.Amount)
	}
	return d.transfer(t, calendar.None)
}

// chargeLeft is what can still be sent back to a card's charge.
func (t *Transfer) chargeLeft() money.Amount { return t.Amount.Sub(t.Back) }

// refundArrived notes that a refund's transfer has settled.
func (d *Draft) refundArrived(t *Transfer) {
	d.changeRefund(d.Payments.Edit(t.Payment), t.Refund, func(r *PaymentRefund) { r.Status, r.SettledAt = RefundSettled, d.Env.Now })
}
