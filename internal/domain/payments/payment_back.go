package payments

import (
	"fmt"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RefundPayment refunds a payment in full or in part and reopens what it had paid, latest
// items first (F35).
type RefundPayment struct {
	Payment string        `json:"payment"`
	IfMatch []string      `json:"if_match"`
	Amount  *money.Amount `json:"amount"` // nil: everything that is left
	Reason  string        `json:"reason"`
	// Records is how many payments the merchant recorded this month, counted only as far as
	// needed (Merchant.RecordsThatCount).
	Records int `json:"records,omitzero"`
}

func (RefundPayment) Name() string { return "payment.refund" }

// Keys requests the payment, then what its event needs.
func (c RefundPayment) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventPaymentRefund, Date: e.Today()})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers, k.Methods = append(k.Transfers, p.Transfer), []string{p.MethodID}
	}
	if !e.Actor.Operator {
		k.Merchants = append(k.Merchants, e.Actor.Merchant)
	}
	return k
}

// paymentKeys requests a payment, then its order or account with history.
func paymentKeys(s *credit.State, id string, e schedule.Event) credit.Keys {
	k := credit.Keys{Payments: []string{id}}
	p := s.Payments[id]
	if p == nil {
		return k
	}
	if p.Order == "" {
		a := credit.AccountKeys(s, p.Company)
		a.Payments, a.Companies, a.Transfers = k.Payments, []int64{p.Company}, refundTransfers(s, p)
		return a
	}
	m := lending.MoneyKeys(s, p.Order, e)
	m.Payments, m.Companies, m.Transfers = k.Payments, []int64{p.Company}, refundTransfers(s, p)
	return m
}

func (c RefundPayment) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := lending.AdmitPayment(s, e, c.Payment); r != nil {
		return r
	}
	if p := s.Payments[c.Payment]; !e.Actor.Operator && (p.Merchant == "" || p.Autopay) {
		return credit.NotAllowed.Because("A merchant can refund only payments that a merchant recorded or debited. The lender refunds autopay debits and payments it recorded.")
	}
	return nil
}

func (c RefundPayment) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Payments[c.Payment]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if !old.HasComeIn() {
		return credit.Changes{}, credit.PaymentNotRefundable.With(fmt.Sprintf("A payment that is %s cannot be refunded.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	if r := c.mayGoBack(s, e, old); r != nil {
		return credit.Changes{}, r
	}
	left, amount := old.Refundable(), c.asked(old)
	if amount > left || left == 0 {
		return credit.Changes{}, credit.RefundExceedsPayment.With(fmt.Sprintf("%s of the payment is left.", left), map[string]any{"refundable_amount": left})
	}
	if len(old.Refunds) >= maxPaymentRefunds && amount < left {
		return credit.Changes{}, credit.LimitExceeded.With(fmt.Sprintf("A payment has at most %d refunds; refund all that is left.", maxPaymentRefunds),
			map[string]any{"limit": "refunds_per_payment", "maximum": maxPaymentRefunds})
	}
	d := credit.NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	was := *s.Companies[old.Company]
	if r := refundPayment(d, p, &was, amount, c); r != nil {
		return credit.Changes{}, r
	}
	done := d.Done(p, false)
	return done, lineAllows(d, &was)
}

// asked is the amount to refund.
func (c RefundPayment) asked(p *credit.Payment) money.Amount {
	if c.Amount != nil {
		return *c.Amount
	}
	return p.Refundable()
}

// maxPaymentRefunds bounds the refunds that a payment contains (F41.10). The remainder can
// always be refunded at once.
const maxPaymentRefunds = 50

// refundPayment gives part of a payment back: what a merchant holds of it was never paid
// (F41.5); the rest goes back where it came from. What a payout has covered since is freed
// first, and was is adjusted to show the line after that.
func refundPayment(d *credit.Draft, p *credit.Payment, was *credit.Company, amount money.Amount, c RefundPayment) *credit.Rejection {
	if p.FromMerchant {
		d.FreeHeld(d.HeldOwner(p))
		was.OnHold = was.OnHold.Add(lending.HeldBack(d, p.Company))
	}
	never := min(amount, p.Held)
	if never > 0 {
		if r := lending.MayWithdraw(d, p); r != nil {
			return r
		}
		if r := lending.CountWithdrawn(d, p, never, c.Records); r != nil {
			return r
		}
		lending.Withdraw(d, p, never, c.Reason)
	}
	if back := amount.Sub(never); back > 0 {
		m, charge := wayBack(d, p, back)
		if p.FromMerchant {
			m, charge = nil, nil
		}
		giveBack(d, p, back, c.Reason, m, charge)
	}
	return nil
}

// lineAllows requires that what a merchant's token has reopened is within the company's line
// and that the company may owe more (F41.4, F41.7). was is the company before. Staff are not
// limited.
func lineAllows(d *credit.Draft, was *credit.Company) *credit.Rejection {
	now := d.Companies.Peek(was.ID)
	more := was.Available().Sub(now.Available())
	switch {
	case d.Env.Actor.Operator || more <= 0:
		return nil
	case was.Status != credit.CompanyApproved:
		return credit.CompanyNotEligible.With("Only an APPROVED company can take on more debt.", map[string]any{"company_status": string(was.Status)})
	case now.Available() < 0:
		return credit.InsufficientCredit.With(fmt.Sprintf("The refund opens %s of principal again, and %s is available.", more, was.Available()),
			map[string]any{"available": was.Available()})
	}
	return nil
}

// wayBack is where a payment goes back to: the account or card charge that it came from, up to
// the amount left on the charge. It is nil if that is gone, or outside of a rail: the refund
// is then owed until staff pay it (PayRefund), and never goes to another account (F41.2).
func wayBack(d *credit.Draft, p *credit.Payment, amount money.Amount) (m *credit.PaymentMethod, charge *credit.Transfer) {
	t := d.Transfers.Peek(p.Transfer)
	m = d.Methods.Peek(p.MethodID)
	switch {
	case t == nil || m == nil || m.Company != p.Company || t.Status == credit.TransferReturned:
		return nil, nil
	case p.Method.Can().OnCharge:
		if amount > chargeLeft(t) {
			return nil, nil
		}
		return m, t
	case !m.Type.Can().Credit || !m.Usable():
		return nil, nil
	}
	return m, nil
}

// mayGoBack requires that rail money may be sent back: the company is not under review, and
// the money is good (F24, F35).
func (c RefundPayment) mayGoBack(s *credit.State, e credit.Env, p *credit.Payment) *credit.Rejection {
	if p.Transfer == "" {
		return nil
	}
	x, t := s.Companies[p.Company], s.Transfers[p.Transfer]
	if r := credit.MoneyMayLeave(x); r != nil {
		return r
	}
	members := map[string]any{}
	if slices.Contains(x.Servicing.Unripe, p.ID) {
		if t != nil {
			members["refundable_from"] = t.ReleaseOn
		}
		return credit.PaymentNotRefundable.With("The payment's funds are not final yet.", members)
	}
	if r := x.Recallable(p.ID); r != nil && !e.Actor.Operator && e.Today() <= r.Until && (r.Withheld || lending.SendsTooMuch(x, c.asked(p), e.Today())) {
		members["refundable_from"] = r.Until.AddDays(1)
		return credit.PaymentNotRefundable.With("The payer can still reverse the payment. Until that period ends, only the lender can refund it.", members)
	}
	if from := credit.ReturnableUntil(t, s.Methods[p.MethodID]); !e.Actor.Operator && e.Today() <= from {
		members["refundable_from"] = from.AddDays(1)
		return credit.PaymentNotRefundable.With("The holder of a consumer account can still have the debit returned. Until that period ends, only the lender can refund it.", members)
	}
	return nil
}

// giveBack refunds part of a payment, through a rail if a method is given: its own credit
// first, then what it had paid, latest items first (F35).
func giveBack(d *credit.Draft, p *credit.Payment, amount money.Amount, reason string, m *credit.PaymentMethod, charge *credit.Transfer) {
	order := lending.Debtor(d, p)
	r := credit.PaymentRefund{ID: d.IDs.Next(credit.PrefixRefund), Amount: amount, Reason: reason, Status: credit.RefundPending, CreatedAt: d.Env.Now}
	if p.FromMerchant && m == nil { // the merchant has or had the money, and pays it back
		r.Status, r.SettledAt = credit.RefundSettled, d.Env.Now
	}
	if m != nil {
		r.Transfer = sendRefund(d, p, r, m, charge)
	}
	p.Refunds = append(slices.Clone(p.Refunds), r)
	p.Refunded = p.Refunded.Add(amount)
	p.Status = credit.PaymentPartiallyRefunded
	if p.Refunded == p.Amount {
		p.Status = credit.PaymentRefunded
	}
	d.PaymentEvent(credit.PaymentRefundedEvent, p.ID)
	was := lending.PaidBy(d, p)
	lending.Play(d, p.Company, lending.ScopeOf(d, p), schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: r.ID, Date: d.Env.Today(), Seq: lending.NextSeq(d, p.Company), Order: order, Payment: p.ID, Amount: amount,
		Sent: p.FromMerchant && m != nil,
	}, nil)
	lending.Reopened(d, was, true)
	lending.SettlePayment(d, p)
}

// ReturnPayment takes back a payment that failed after all: a bounced check, a recalled wire,
// an entry made in error. Only staff use it (F16).
type ReturnPayment struct {
	Payment string   `json:"payment"`
	IfMatch []string `json:"if_match"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
}

func (ReturnPayment) Name() string { return "payment.return" }

// WritesOwners implements credit.OwnersWriter.
func (ReturnPayment) WritesOwners(credit.Env) bool { return true }

// Keys requests the payment, then what its return needs.
func (c ReturnPayment) Keys(s *credit.State, e credit.Env) credit.Keys {
	return paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventReturn, Date: e.Today()})
}

func (c ReturnPayment) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitPayment(s, e, c.Payment)
}

func (c ReturnPayment) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Payments[c.Payment]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Status == credit.PaymentReturned {
		return credit.Changes{Result: old}, nil
	}
	if old.Direction != "IN" || old.Transfer != "" || old.Status != credit.PaymentSucceeded && old.Status != credit.PaymentPartiallyRefunded && old.Status != credit.PaymentRefunded {
		return credit.Changes{}, credit.InvalidTransition.With(fmt.Sprintf("A payment that is %s cannot be returned.", old.Status),
			map[string]any{"from": string(old.Status), "to": string(credit.PaymentReturned)})
	}
	d := credit.NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	takeBack(d, p, &credit.Failure{Code: c.Code, Message: c.Message})
	return d.Done(p, false), nil
}

// CancelPayment cancels a payment that has not been sent.
type CancelPayment struct {
	Payment string   `json:"payment"`
	IfMatch []string `json:"if_match"`
	Person  string   `json:"person,omitzero"` // who pays for the company, in her own session
}

func (CancelPayment) Name() string { return "payment.cancel" }

// Keys requests the payment with its transfer, then the orders on which it is pending.
func (c CancelPayment) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventFee, Date: credit.Latest})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers = append(k.Transfers, p.Transfer)
	}
	return k.OwnersWord(c.Person)
}

func (c CancelPayment) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := lending.AdmitPayment(s, e, c.Payment); r != nil || c.Person == "" {
		return r
	}
	return lending.AdmitPayer(s, e, c.Person, s.Payments[c.Payment].Company)
}

func (c CancelPayment) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Payments[c.Payment]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if old.Status == credit.PaymentCanceled {
		return credit.Changes{Result: old}, nil
	}
	if old.Direction != "IN" { // the credit has left the company's balance and is in transit
		return credit.Changes{}, credit.PaymentNotCancelable.With("Credit that is being sent back cannot be stopped.", map[string]any{"payment_status": string(old.Status)})
	}
	unsent := old.Status == credit.PaymentPending && old.SubmittedAt.IsZero()
	if old.Status != credit.PaymentScheduled && !unsent {
		return credit.Changes{}, credit.PaymentNotCancelable.With(fmt.Sprintf("A payment that is %s cannot be canceled.", old.Status),
			map[string]any{"payment_status": string(old.Status)})
	}
	if (!e.Actor.Operator || c.Person != "") && old.Original != "" {
		return credit.Changes{}, credit.NotAllowed.Because("Only the lender can cancel the retry of a returned debit.")
	}
	d := credit.NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	if p.Transfer != "" {
		lending.CancelDebit(d, d.Transfers.Edit(p.Transfer), p)
	} else {
		lending.CancelPayment(d, p)
	}
	if p.Original == "" { // a retry has its own days (F23)
		for _, key := range lending.ScopeOf(d, p) {
			lending.Recollect(d, key)
		}
	}
	return d.Done(p, false), nil
}
