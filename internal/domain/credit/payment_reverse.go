package credit

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// ReversalReason is what was wrong with a debit that the lender reverses. There is no
// other reason for a reversing entry (F22).
type ReversalReason string

// The reasons (F22).
const (
	ReversalDuplicate     ReversalReason = "DUPLICATE"
	ReversalWrongReceiver ReversalReason = "WRONG_RECEIVER"
	ReversalWrongAmount   ReversalReason = "WRONG_AMOUNT"
	ReversalWrongDate     ReversalReason = "WRONG_DATE"
)

// reversalDays are the banking days after its settlement in which a debit may be reversed
// (F22).
const reversalDays = 5

// FailureReversed is the code of the failure of a payment that the lender has reversed. It
// is no bank's.
const FailureReversed = "reversed"

// DisabledWrongReceiver is why an account is disabled that was debited for somebody else.
const DisabledWrongReceiver = "wrong_receiver"

// ReversePayment takes back a debit that the lender's own error has made: the payment is
// RETURNED as if it had never been made, and its whole amount goes back to the account that
// was debited, by an entry of the next file (F16, F22). Result is the *Payment.
type ReversePayment struct {
	Payment string         `json:"payment"`
	IfMatch []string       `json:"if_match"`
	Reason  ReversalReason `json:"reason"`
	Note    string         `json:"note"` // of the refund that gives the money back
}

func (ReversePayment) Name() string { return "payment.reverse" }

// Keys asks for the payment, then for its transfer and its account, and for what its
// return needs.
func (c ReversePayment) Keys(s *State, e Env) Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventReturn, Date: e.Today()})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers, k.Methods = append(k.Transfers, p.Transfer), append(autopayMethod(s, p.Company), p.MethodID)
	}
	return k
}

func (c ReversePayment) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such payment.")
	}
	return admitPayment(s, e, c.Payment)
}

func (c ReversePayment) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Payments[c.Payment]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	if r := c.refuse(s, e, old); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	d.reverseDebit(p, c.Reason, c.Note)
	return d.Done(p, false), nil
}

// refuse answers the state stage: what is no debit that has settled, of which money has
// gone back already, whose days are over, or whose company gets no money now.
func (c ReversePayment) refuse(s *State, e Env, p *Payment) *Rejection {
	switch {
	case p.Direction != "IN" || p.Transfer == "" || !p.Method.Can().Reverse:
		return PaymentNotRefundable.Because("Only a debit of a bank account is reversed.")
	case p.Status == PaymentPartiallyRefunded || p.Status == PaymentRefunded:
		return PaymentNotRefundable.With("A reversal gives back the whole debit, and money of this one has gone back already.",
			map[string]any{"payment_status": string(p.Status), "refunded_amount": p.Refunded})
	case p.Status != PaymentSucceeded:
		return InvalidTransition.With(fmt.Sprintf("A payment that is %s cannot be reversed.", p.Status),
			map[string]any{"from": string(p.Status), "to": string(PaymentReturned)})
	}
	if last := reversibleUntil(p); nextFile(e) > last {
		return PaymentNotRefundable.With(fmt.Sprintf("A debit is reversed within %d banking days of its settlement.", reversalDays),
			map[string]any{"reversible_until": last})
	}
	return MoneyMayLeave(s.Companies[p.Company])
}

// reversibleUntil is the last banking day whose file may take the reversal of a debit.
func reversibleUntil(p *Payment) calendar.Date { return p.ScheduledDate.AddBankingDays(reversalDays) }

// Reversal is the refund by which the lender has reversed a payment, false if it has not.
func (p *Payment) Reversal() (PaymentRefund, bool) {
	for _, r := range p.Refunds {
		if r.Reversal != "" {
			return r, true
		}
	}
	return PaymentRefund{}, false
}

// Reversed reports that the lender has reversed a payment. A bank may return it besides.
func (p *Payment) Reversed() bool {
	_, reversed := p.Reversal()
	return reversed
}

// reverseDebit makes a debit RETURNED by our own word and sends all of it back. What that
// opens again has its days of grace anew: the error was not the company's. What is due of it
// needs review until account, amount or date are right; after a duplicate nothing is
// wrong with what is left to pay, and it is collected as any open item is.
func (d *Draft) reverseDebit(p *Payment, reason ReversalReason, note string) {
	was := d.paidBy(p)
	debit := d.Transfers.Edit(p.Transfer)
	debit.ReleaseOn, debit.NextAt = calendar.None, time.Time{}
	d.endHold(p)
	d.takeBack(p, &Failure{Code: FailureReversed, Message: reason.says()})
	r := PaymentRefund{ID: d.IDs.Next(prefixRefund), Amount: p.Amount, Reason: note, Reversal: reason, Status: RefundPending, CreatedAt: d.Env.Now}
	t := d.sendBack(&Transfer{Kind: TransferRefund, Company: p.Company, Payment: p.ID, Refund: r.ID, Amount: r.Amount}, d.Methods.Peek(p.MethodID), nil)
	t.Entry, r.Transfer = entryReversal, t.ID
	p.Refunds, p.Refunded = append(slices.Clone(p.Refunds), r), p.Amount
	if reason == ReversalWrongReceiver && d.Methods.Peek(p.MethodID).Status != MethodDisabled {
		d.disable(p.MethodID, DisabledWrongReceiver)
	}
	d.reopened(was, reason != ReversalDuplicate)
	for _, l := range was {
		d.collectRest(l.Key)
	}
}

// paidBy lists the loans that a payment has paid, as they stand before it goes back.
func (d *Draft) paidBy(p *Payment) []*schedule.Loan {
	var was []*schedule.Loan
	for _, a := range p.Allocations {
		if l := d.LoanOf(a.Order); !slices.Contains(was, l) {
			was = append(was, l)
		}
	}
	return was
}

// says is the reason in a sentence for people.
func (r ReversalReason) says() string {
	switch r {
	case ReversalDuplicate:
		return "We reversed the debit: it was a duplicate."
	case ReversalWrongReceiver:
		return "We reversed the debit: it was of the wrong account."
	case ReversalWrongAmount:
		return "We reversed the debit: its amount was wrong."
	}
	return "We reversed the debit: its date was wrong."
}

// tooLateToReverse reports that the entry that reverses a debit has missed the files that
// may take it, as after a review.
func (d *Draft) tooLateToReverse(t *Transfer) bool {
	return t.Entry == entryReversal && d.Env.Today() > reversibleUntil(d.Payments.Peek(t.Payment))
}

// refundInstead lets money go back as any refund does that no reversing entry may take any
// more.
func (d *Draft) refundInstead(t *Transfer) {
	t.Status, t.NextAt = TransferCanceled, time.Time{}
	p := d.Payments.Edit(t.Payment)
	p.Refunds = slices.Clone(p.Refunds)
	r := &p.Refunds[p.RefundAt(t.Refund)]
	r.Transfer = d.sendRefund(p, *r, d.Methods.Peek(t.Method), nil)
}

// reversing reports that this command reverses a debit: its payment comes back, and the
// debit itself stays settled.
func (d *Draft) reversing(p *Payment) bool {
	t := d.Transfers.Peek(p.Transfer)
	return t != nil && t.Rail.Can().Reverse && t.Status == TransferSettled
}

// returnedTwice reports that a bank has returned a debit that had been reversed.
func (d *Draft) returnedTwice(p *Payment) bool {
	return p.Reversed() && d.Transfers.Peek(p.Transfer).Status == TransferReturned
}
