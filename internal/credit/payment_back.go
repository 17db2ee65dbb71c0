package credit

import (
	"fmt"
	"slices"

	"tenor/internal/money"
	"tenor/internal/schedule"
)

// RefundPayment gives a payment back in full or in part and opens again what it
// had paid, latest items first (F35).
type RefundPayment struct {
	Payment string        `json:"payment"`
	IfMatch []string      `json:"if_match"`
	Amount  *money.Amount `json:"amount"` // nil: all that is left
	Reason  string        `json:"reason"`
}

// Name is the command's word in the audit log.
func (RefundPayment) Name() string { return "payment.refund" }

// Keys asks for the payment, then for what its event needs.
func (c RefundPayment) Keys(s *State, e Env) Keys {
	return paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventPaymentRefund, Date: e.Today()})
}

// paymentKeys asks for a payment, then for its order or account with history.
func paymentKeys(s *State, id string, e schedule.Event) Keys {
	k := Keys{Payments: []string{id}}
	p := s.Payments[id]
	if p == nil {
		return k
	}
	if p.Order == "" {
		a := accountKeys(s, p.Company)
		a.Payments, a.Companies = k.Payments, []int64{p.Company}
		return a
	}
	m := moneyKeys(s, p.Order, e)
	m.Payments, m.Companies = k.Payments, []int64{p.Company}
	return m
}

// admitPayment asks that the payment exists and that the caller may see it: it
// recorded it, or it names its order.
func admitPayment(s *State, e Env, id string) *Rejection {
	p := s.Payments[id]
	if p == nil {
		return NotFound.because("There is no such payment.")
	}
	if e.Actor.Operator || p.Merchant == e.Actor.Merchant {
		return nil
	}
	if o := s.Orders[p.Order]; p.Order == "" || o == nil || o.Merchant != e.Actor.Merchant {
		return NotFound.because("There is no such payment.")
	}
	return nil
}

func (c RefundPayment) admit(s *State, e Env) *Rejection { return admitPayment(s, e, c.Payment) }

func (c RefundPayment) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Direction != "IN" || old.Status != PaymentSucceeded && old.Status != PaymentPartiallyRefunded {
		return Changes{}, PaymentNotRefundable.with(fmt.Sprintf("A payment that is %s cannot be refunded.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	left := old.Amount.Sub(old.Refunded)
	amount := left
	if c.Amount != nil {
		amount = *c.Amount
	}
	if amount > left {
		return Changes{}, RefundExceedsPayment.with(fmt.Sprintf("%s of the payment is left.", left), map[string]any{"refundable_amount": left})
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	r := PaymentRefund{ID: d.ids.next(prefixRefund), Amount: amount, Reason: c.Reason, CreatedAt: e.Now}
	p.Refunds = append(slices.Clone(p.Refunds), r)
	p.Refunded = p.Refunded.Add(amount)
	p.Status = PaymentPartiallyRefunded
	if p.Refunded == p.Amount {
		p.Status = PaymentRefunded
	}
	d.paymentEvent(PaymentRefundedEvent, p.ID)
	d.play(p.Company, d.scope(p), schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: e.Today(), Seq: d.nextSeq(p.Company), Order: d.debtor(old), Payment: p.ID, Amount: amount,
	}, nil)
	d.settlePayment(p)
	return d.done(p, false), nil
}

// ReturnPayment takes back a payment that did not hold: a bounced check, a wire
// called back, an entry made in error. Staff do it (F16).
type ReturnPayment struct {
	Payment string   `json:"payment"`
	IfMatch []string `json:"if_match"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

// Name is the command's word in the audit log.
func (ReturnPayment) Name() string { return "payment.return" }

// Keys asks for the payment, then for what its return needs.
func (c ReturnPayment) Keys(s *State, e Env) Keys {
	return paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventReturn, Date: e.Today()})
}

func (c ReturnPayment) admit(s *State, e Env) *Rejection { return admitPayment(s, e, c.Payment) }

func (c ReturnPayment) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == PaymentReturned {
		return Changes{Result: old}, nil
	}
	if old.Direction != "IN" || old.Status != PaymentSucceeded && old.Status != PaymentPartiallyRefunded && old.Status != PaymentRefunded {
		return Changes{}, InvalidTransition.with(fmt.Sprintf("A payment that is %s cannot be returned.", old.Status),
			map[string]any{"from": string(old.Status), "to": string(PaymentReturned)})
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	p.Status, p.Allocations, p.Unapplied = PaymentReturned, nil, 0
	p.Failure = &Failure{Code: c.Code, Message: c.Message}
	d.paymentEvent(PaymentReturnedEvent, p.ID)
	event := schedule.Event{
		Kind: schedule.EventReturn, ID: d.ids.next(prefixRefund), Date: e.Today(), Seq: d.nextSeq(p.Company), Order: d.debtor(old), Payment: p.ID,
	}
	if event.Order != "" {
		event.Amount = p.Refunded
	}
	d.play(p.Company, d.scope(p), event, nil)
	return d.done(p, false), nil
}

// debtor is the order on which money of a payment is owed that had left the house
// (F16): its own, else the first that it paid, else the company's first that no
// merchant manages, since a payment of the company never pays the others; "" if
// there is none.
func (d *draft) debtor(p *Payment) string {
	switch {
	case p.Order != "":
		return p.Order
	case len(p.Allocations) > 0:
		return p.Allocations[0].Order
	}
	for _, key := range d.s.Accounts[p.Company] {
		if !d.s.Orders[key].External {
			return key
		}
	}
	return ""
}

// CancelPayment cancels a payment that has not been sent.
type CancelPayment struct {
	Payment string   `json:"payment"`
	IfMatch []string `json:"if_match"`
}

// Name is the command's word in the audit log.
func (CancelPayment) Name() string { return "payment.cancel" }

// Keys asks for the payment and, to know who may see it, its order.
func (c CancelPayment) Keys(s *State, _ Env) Keys {
	k := Keys{Payments: []string{c.Payment}}
	if p := s.Payments[c.Payment]; p != nil {
		k.Companies = []int64{p.Company}
		if p.Order != "" {
			k.Orders = []string{p.Order}
		}
	}
	return k
}

func (c CancelPayment) admit(s *State, e Env) *Rejection { return admitPayment(s, e, c.Payment) }

func (c CancelPayment) decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := matchesVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == PaymentCanceled {
		return Changes{Result: old}, nil
	}
	unsent := old.Status == PaymentPending && old.SubmittedAt.IsZero()
	if old.Status != PaymentScheduled && !unsent {
		return Changes{}, PaymentNotCancelable.with(fmt.Sprintf("A payment that is %s cannot be canceled.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	p.Status = PaymentCanceled
	d.paymentEvent(PaymentCanceledEvent, p.ID)
	return d.done(p, false), nil
}
