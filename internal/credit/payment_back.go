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
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventPaymentRefund, Date: e.Today()})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers, k.Methods = append(k.Transfers, p.Transfer), append(autopayMethod(s, p.Company), p.MethodID)
	}
	return k
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
		a.Payments, a.Companies, a.Transfers = k.Payments, []int64{p.Company}, refundTransfers(s, p)
		return a
	}
	m := moneyKeys(s, p.Order, e)
	m.Payments, m.Companies, m.Transfers = k.Payments, []int64{p.Company}, refundTransfers(s, p)
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
	if r := c.mayGoBack(s, old); r != nil {
		return Changes{}, r
	}
	left := old.Amount.Sub(old.Refunded)
	amount := left
	if c.Amount != nil {
		amount = *c.Amount
	}
	if amount > left {
		return Changes{}, RefundExceedsPayment.with(fmt.Sprintf("%s of the payment is left.", left), map[string]any{"refundable_amount": left})
	}
	m, charge, r := c.wayBack(s, old, amount)
	if r != nil {
		return Changes{}, r
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	d.giveBack(p, amount, c.Reason, m, charge)
	return d.done(p, false), nil
}

// wayBack is where a payment through a rail goes back to: the account that it came
// from, or the one that is debited now; a card by its charge, as far as that goes. It is
// nil outside of a rail.
func (c RefundPayment) wayBack(s *State, p *Payment, amount money.Amount) (m *PaymentMethod, charge *Transfer, r *Rejection) {
	if p.Transfer == "" {
		return nil, nil, nil
	}
	m = s.Methods[p.MethodID]
	if t := s.Transfers[p.Transfer]; p.Method == Card && amount <= t.chargeLeft() {
		return m, t, nil
	}
	if m == nil || m.Type != ACH || m.Status == MethodDisabled {
		m = s.Methods[s.Companies[p.Company].Servicing.Autopay.Method]
	}
	if m == nil || m.Type != ACH || m.Status != MethodActive {
		return nil, nil, PaymentMethodRequired.because("The company has no bank account to which the payment can be sent back.")
	}
	return m, nil, nil
}

// mayGoBack asks that money of a rail may be sent back: the company is not under
// review, and the money is good (F24, F35).
func (c RefundPayment) mayGoBack(s *State, p *Payment) *Rejection {
	if p.Transfer == "" {
		return nil
	}
	x := s.Companies[p.Company]
	if r := moneyMayLeave(x); r != nil {
		return r
	}
	if !slices.Contains(x.Servicing.Unripe, p.ID) {
		return nil
	}
	members := map[string]any{}
	if t := s.Transfers[p.Transfer]; t != nil {
		members["refundable_from"] = t.ReleaseOn
	}
	return PaymentNotRefundable.with("The payment's money is not good yet.", members)
}

// giveBack refunds a part of a payment, through a rail if a method is given: its own
// credit first, then what it had paid, latest items first (F35).
func (d *draft) giveBack(p *Payment, amount money.Amount, reason string, m *PaymentMethod, charge *Transfer) {
	order := d.debtor(p)
	r := PaymentRefund{ID: d.ids.next(prefixRefund), Amount: amount, Reason: reason, Status: RefundPending, CreatedAt: d.e.Now}
	if p.FromMerchant { // who has the money, and pays it back
		r.Status, r.SettledAt = RefundSettled, d.e.Now
	}
	if m != nil {
		r.Transfer = d.sendRefund(p, r, m, charge)
	}
	p.Refunds = append(slices.Clone(p.Refunds), r)
	p.Refunded = p.Refunded.Add(amount)
	p.Status = PaymentPartiallyRefunded
	if p.Refunded == p.Amount {
		p.Status = PaymentRefunded
	}
	d.paymentEvent(PaymentRefundedEvent, p.ID)
	was := d.paidBy(p)
	d.play(p.Company, d.scope(p), schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: d.e.Today(), Seq: d.nextSeq(p.Company), Order: order, Payment: p.ID, Amount: amount,
	}, nil)
	d.reopened(was, true)
	d.settlePayment(p)
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
	if old.Direction != "IN" || old.Transfer != "" || old.Status != PaymentSucceeded && old.Status != PaymentPartiallyRefunded && old.Status != PaymentRefunded {
		return Changes{}, InvalidTransition.with(fmt.Sprintf("A payment that is %s cannot be returned.", old.Status),
			map[string]any{"from": string(old.Status), "to": string(PaymentReturned)})
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	d.takeBack(p, &Failure{Code: c.Code, Message: c.Message})
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

// Keys asks for the payment with its transfer, then for the orders on which it is on
// its way.
func (c CancelPayment) Keys(s *State, e Env) Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventFee, Date: latest})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers = append(k.Transfers, p.Transfer)
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
	if old.Direction != "IN" { // the credit has left the company's balance and is on its way
		return Changes{}, PaymentNotCancelable.with("Credit that is being sent back cannot be stopped.", map[string]any{"payment_status": string(old.Status)})
	}
	unsent := old.Status == PaymentPending && old.SubmittedAt.IsZero()
	if old.Status != PaymentScheduled && !unsent {
		return Changes{}, PaymentNotCancelable.with(fmt.Sprintf("A payment that is %s cannot be canceled.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	d := newDraft(s, e)
	p := d.payments.edit(c.Payment)
	if p.Transfer != "" {
		d.cancelDebit(d.transfers.edit(p.Transfer), p)
	} else {
		d.cancelPayment(p)
	}
	return d.done(p, false), nil
}
