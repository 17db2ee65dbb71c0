package credit

import (
	"fmt"
	"slices"

	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RefundPayment gives a payment back in full or in part and opens again what it
// had paid, latest items first (F35).
type RefundPayment struct {
	Payment string        `json:"payment"`
	IfMatch []string      `json:"if_match"`
	Amount  *money.Amount `json:"amount"` // nil: all that is left
	Reason  string        `json:"reason"`
	// Records is how many payments the merchant has recorded this month, as far as they had
	// to be counted (Merchant.RecordsThatCount).
	Records int `json:"records,omitzero"`
}

func (RefundPayment) Name() string { return "payment.refund" }

// Keys asks for the payment, then for what its event needs.
func (c RefundPayment) Keys(s *State, e Env) Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventPaymentRefund, Date: e.Today()})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers, k.Methods = append(k.Transfers, p.Transfer), []string{p.MethodID}
	}
	if !e.Actor.Operator {
		k.Merchants = append(k.Merchants, e.Actor.Merchant)
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

func (c RefundPayment) Admit(s *State, e Env) *Rejection {
	if r := admitPayment(s, e, c.Payment); r != nil {
		return r
	}
	if p := s.Payments[c.Payment]; !e.Actor.Operator && (p.Merchant == "" || p.Autopay) {
		return NotAllowed.Because("A merchant refunds what merchants have recorded or debited one by one; autopay's debits and what the lender recorded are the lender's.")
	}
	return nil
}

func (c RefundPayment) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if !old.refundable() {
		return Changes{}, PaymentNotRefundable.With(fmt.Sprintf("A payment that is %s cannot be refunded.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	if r := c.mayGoBack(s, e, old); r != nil {
		return Changes{}, r
	}
	left, amount := old.Refundable(), c.asked(old)
	if amount > left || left == 0 {
		return Changes{}, RefundExceedsPayment.With(fmt.Sprintf("%s of the payment is left.", left), map[string]any{"refundable_amount": left})
	}
	if len(old.Refunds) >= maxPaymentRefunds && amount < left {
		return Changes{}, LimitExceeded.With(fmt.Sprintf("A payment has at most %d refunds; refund all that is left.", maxPaymentRefunds),
			map[string]any{"limit": "refunds_per_payment", "maximum": maxPaymentRefunds})
	}
	d := NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	was := *s.Companies[old.Company]
	if r := d.refund(p, &was, amount, c); r != nil {
		return Changes{}, r
	}
	done := d.Done(p, false)
	return done, d.lineAllows(&was)
}

// asked is what is to go back of a payment.
func (c RefundPayment) asked(p *Payment) money.Amount {
	if c.Amount != nil {
		return *c.Amount
	}
	return p.Refundable()
}

// maxPaymentRefunds bounds the refunds that a payment carries with it (F41.10). What is left
// can always be refunded in one piece.
const maxPaymentRefunds = 50

// refund gives a part of a payment back: what a merchant holds of it was never paid (F41.5),
// the rest goes back where it came from.
// What a payout has covered since is freed first: was then says how the line stands.
func (d *Draft) refund(p *Payment, was *Company, amount money.Amount, c RefundPayment) *Rejection {
	if p.FromMerchant {
		d.freeHeld(d.heldOwner(p))
		was.OnHold = was.OnHold.Add(d.heldBack(p.Company))
	}
	never := min(amount, p.Held)
	if never > 0 {
		if r := d.mayWithdraw(p); r != nil {
			return r
		}
		if r := d.countWithdrawn(p, never, c.Records); r != nil {
			return r
		}
		d.withdraw(p, never, c.Reason)
	}
	if back := amount.Sub(never); back > 0 {
		m, charge := d.wayBack(p, back)
		if p.FromMerchant {
			m, charge = nil, nil
		}
		d.giveBack(p, back, c.Reason, m, charge)
	}
	return nil
}

// lineAllows asks that what a merchant's token has opened again is within the company's line
// and that the company may owe more (F41.4, F41.7). was is the company before. Staff are not
// bound.
func (d *Draft) lineAllows(was *Company) *Rejection {
	now := d.Companies.Peek(was.ID)
	more := was.Available().Sub(now.Available())
	switch {
	case d.Env.Actor.Operator || more <= 0:
		return nil
	case was.Status != CompanyApproved:
		return CompanyNotEligible.With("Only an APPROVED company may owe more.", map[string]any{"company_status": string(was.Status)})
	case now.Available() < 0:
		return InsufficientCredit.With(fmt.Sprintf("The refund opens %s of principal again, and %s is available.", more, was.Available()),
			map[string]any{"available": was.Available()})
	}
	return nil
}

// wayBack is where a payment goes back to: the account or the card's charge that it came
// from, as far as a charge goes. It is nil if that is gone, or outside of a rail: then the
// refund is owed until staff pay it (PayRefund), and never goes to another account (F41.2).
func (d *Draft) wayBack(p *Payment, amount money.Amount) (m *PaymentMethod, charge *Transfer) {
	t := d.Transfers.Peek(p.Transfer)
	m = d.Methods.Peek(p.MethodID)
	switch {
	case t == nil || m == nil || m.Company != p.Company || t.Status == TransferReturned:
		return nil, nil
	case p.Method.Can().OnCharge:
		if amount > t.chargeLeft() {
			return nil, nil
		}
		return m, t
	case !m.Type.Can().Credit || !m.Usable():
		return nil, nil
	}
	return m, nil
}

// mayGoBack asks that money of a rail may be sent back: the company is not under
// review, and the money is good (F24, F35).
func (c RefundPayment) mayGoBack(s *State, e Env, p *Payment) *Rejection {
	if p.Transfer == "" {
		return nil
	}
	x, t := s.Companies[p.Company], s.Transfers[p.Transfer]
	if r := MoneyMayLeave(x); r != nil {
		return r
	}
	members := map[string]any{}
	if slices.Contains(x.Servicing.Unripe, p.ID) {
		if t != nil {
			members["refundable_from"] = t.ReleaseOn
		}
		return PaymentNotRefundable.With("The payment's money is not good yet.", members)
	}
	if r := x.recallable(p.ID); r != nil && !e.Actor.Operator && e.Today() <= r.Until && (r.Withheld || x.sendsTooMuch(c.asked(p), e.Today())) {
		members["refundable_from"] = r.Until.AddDays(1)
		return PaymentNotRefundable.With("The payer can still call the payment's money back; until then staff refund it.", members)
	}
	if from := returnableUntil(t, s.Methods[p.MethodID]); !e.Actor.Operator && e.Today() <= from {
		members["refundable_from"] = from.AddDays(1)
		return PaymentNotRefundable.With("The holder of a consumer's account can still have the debit returned; until then staff refund it.", members)
	}
	return nil
}

// Refundable is what is left of a payment to go back: not what has gone back, and not what
// refunds of its orders have freed, which is credit or goes back through the merchant
// (F41.3). Nothing of one that has not come in, or that was returned.
func (p *Payment) Refundable() money.Amount {
	if !p.refundable() {
		return 0
	}
	return max(0, p.Amount.Sub(p.Refunded).Sub(p.Freed))
}

// refundable reports that a payment is money of the company's that has come in.
func (p *Payment) refundable() bool {
	return p.Direction == "IN" && (p.Status == PaymentSucceeded || p.Status == PaymentPartiallyRefunded)
}

// consumerDays are the days in which the holder of a consumer's account can have a debit
// returned as unauthorized (F22, F41.3).
const consumerDays = 60

// consumer reports that an account counts as a consumer's: it is one, or only a merchant
// says that it is not (F41.3).
func (m *PaymentMethod) consumer() bool {
	return m.Bank != nil && (m.Bank.HolderType == "CONSUMER" || !m.Consented())
}

// giveBack refunds a part of a payment, through a rail if a method is given: its own
// credit first, then what it had paid, latest items first (F35).
func (d *Draft) giveBack(p *Payment, amount money.Amount, reason string, m *PaymentMethod, charge *Transfer) {
	order := d.debtor(p)
	r := PaymentRefund{ID: d.IDs.Next(prefixRefund), Amount: amount, Reason: reason, Status: RefundPending, CreatedAt: d.Env.Now}
	if p.FromMerchant && m == nil { // the merchant has the money, or had it, and pays it back
		r.Status, r.SettledAt = RefundSettled, d.Env.Now
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
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: d.Env.Today(), Seq: d.nextSeq(p.Company), Order: order, Payment: p.ID, Amount: amount,
		Sent: p.FromMerchant && m != nil,
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

func (ReturnPayment) Name() string { return "payment.return" }

// WritesOwners makes it an OwnersWriter.
func (ReturnPayment) WritesOwners(Env) bool { return true }

// Keys asks for the payment, then for what its return needs.
func (c ReturnPayment) Keys(s *State, e Env) Keys {
	return paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventReturn, Date: e.Today()})
}

func (c ReturnPayment) Admit(s *State, e Env) *Rejection { return admitPayment(s, e, c.Payment) }

func (c ReturnPayment) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == PaymentReturned {
		return Changes{Result: old}, nil
	}
	if old.Direction != "IN" || old.Transfer != "" || old.Status != PaymentSucceeded && old.Status != PaymentPartiallyRefunded && old.Status != PaymentRefunded {
		return Changes{}, InvalidTransition.With(fmt.Sprintf("A payment that is %s cannot be returned.", old.Status),
			map[string]any{"from": string(old.Status), "to": string(PaymentReturned)})
	}
	d := NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	d.takeBack(p, &Failure{Code: c.Code, Message: c.Message})
	return d.Done(p, false), nil
}

// debtor is the order on which money of a payment is owed that had left the house
// (F16): its own, else the first that it paid, else the company's first that no
// merchant manages, since a payment of the company never pays the others; "" if
// there is none.
func (d *Draft) debtor(p *Payment) string {
	switch {
	case p.Order != "":
		return p.Order
	case len(p.Allocations) > 0:
		return p.Allocations[0].Order
	}
	for _, key := range d.State.Accounts[p.Company] {
		if !d.State.Orders[key].External {
			return key
		}
	}
	return ""
}

// CancelPayment cancels a payment that has not been sent.
type CancelPayment struct {
	Payment string   `json:"payment"`
	IfMatch []string `json:"if_match"`
	Person  string   `json:"person,omitzero"` // who pays for the company, in a session of her own
}

func (CancelPayment) Name() string { return "payment.cancel" }

// Keys asks for the payment with its transfer, then for the orders on which it is on
// its way.
func (c CancelPayment) Keys(s *State, e Env) Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventFee, Date: latest})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers = append(k.Transfers, p.Transfer)
	}
	return k.OwnersWord(c.Person)
}

func (c CancelPayment) Admit(s *State, e Env) *Rejection {
	if r := admitPayment(s, e, c.Payment); r != nil || c.Person == "" {
		return r
	}
	return admitPayer(s, e, c.Person, s.Payments[c.Payment].Company)
}

func (c CancelPayment) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if old.Status == PaymentCanceled {
		return Changes{Result: old}, nil
	}
	if old.Direction != "IN" { // the credit has left the company's balance and is on its way
		return Changes{}, PaymentNotCancelable.With("Credit that is being sent back cannot be stopped.", map[string]any{"payment_status": string(old.Status)})
	}
	unsent := old.Status == PaymentPending && old.SubmittedAt.IsZero()
	if old.Status != PaymentScheduled && !unsent {
		return Changes{}, PaymentNotCancelable.With(fmt.Sprintf("A payment that is %s cannot be canceled.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	if (!e.Actor.Operator || c.Person != "") && old.Original != "" {
		return Changes{}, NotAllowed.Because("A second try of a debit that came back is the lender's to cancel.")
	}
	d := NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	if p.Transfer != "" {
		d.cancelDebit(d.Transfers.Edit(p.Transfer), p)
	} else {
		d.cancelPayment(p)
	}
	if p.Original == "" { // a retry has its own days (F23)
		for _, key := range d.scope(p) {
			d.recollect(key)
		}
	}
	return d.Done(p, false), nil
}
