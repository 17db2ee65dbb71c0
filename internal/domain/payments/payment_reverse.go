package payments

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// The reasons for a reversal (F22).
const (
	ReversalDuplicate     credit.ReversalReason = "DUPLICATE"
	ReversalWrongReceiver credit.ReversalReason = "WRONG_RECEIVER"
	ReversalWrongAmount   credit.ReversalReason = "WRONG_AMOUNT"
	ReversalWrongDate     credit.ReversalReason = "WRONG_DATE"
)

// reversalDays is how many banking days after its settlement a debit may be reversed (F22).
const reversalDays = 5

// FailureReversed is the failure code of a payment that the lender reversed. It is not a
// bank's code.
const FailureReversed = "reversed"

// DisabledWrongReceiver is why an account is disabled that was debited by mistake for somebody
// else.
const DisabledWrongReceiver = "wrong_receiver"

// ReversePayment takes back a debit that the lender made in error: the payment is RETURNED as
// if it had never been made, and its whole amount goes back to the debited account by an entry
// in the next file (F16, F22). Result is the *Payment.
type ReversePayment struct {
	Payment string                `json:"payment"`
	IfMatch []string              `json:"if_match"`
	Reason  credit.ReversalReason `json:"reason"`
	Note    string                `json:"note"` // for the refund that gives the money back
}

func (ReversePayment) Name() string { return "payment.reverse" }

// Keys requests the payment, then its transfer and its account, and what its return needs.
func (c ReversePayment) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := paymentKeys(s, c.Payment, schedule.Event{Kind: schedule.EventReturn, Date: e.Today()})
	if p := s.Payments[c.Payment]; p != nil && p.Transfer != "" {
		k.Transfers, k.Methods = append(k.Transfers, p.Transfer), append(lending.AutopayMethod(s, p.Company), p.MethodID)
	}
	return k
}

func (c ReversePayment) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such payment.")
	}
	return lending.AdmitPayment(s, e, c.Payment)
}

func (c ReversePayment) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Payments[c.Payment]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	if r := c.refuse(s, e, old); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	p := d.Payments.Edit(c.Payment)
	reverseDebit(d, p, c.Reason, c.Note)
	return d.Done(p, false), nil
}

// refuse decides the state stage: it rejects a payment that is not a settled debit or is
// already partly refunded, whose time to reverse is over, or whose company may not be sent
// money now.
func (c ReversePayment) refuse(s *credit.State, e credit.Env, p *credit.Payment) *credit.Rejection {
	switch {
	case p.Direction != "IN" || p.Transfer == "" || !p.Method.Can().Reverse:
		return credit.PaymentNotRefundable.Because("Only a debit of a bank account can be reversed.")
	case p.Status == credit.PaymentPartiallyRefunded || p.Status == credit.PaymentRefunded:
		return credit.PaymentNotRefundable.With("A reversal returns the full debit, and part of this one was already refunded.",
			map[string]any{"payment_status": string(p.Status), "refunded_amount": p.Refunded})
	case p.Status != credit.PaymentSucceeded:
		return credit.InvalidTransition.With(fmt.Sprintf("A payment that is %s cannot be reversed.", p.Status),
			map[string]any{"from": string(p.Status), "to": string(credit.PaymentReturned)})
	}
	if last := reversibleUntil(p); lending.NextFile(e) > last {
		return credit.PaymentNotRefundable.With(fmt.Sprintf("A debit is reversed within %d banking days of its settlement.", reversalDays),
			map[string]any{"reversible_until": last})
	}
	return credit.MoneyMayLeave(s.Companies[p.Company])
}

// reversibleUntil is the last banking day whose file may contain the reversal of a debit.
func reversibleUntil(p *credit.Payment) calendar.Date {
	return p.ScheduledDate.AddBankingDays(reversalDays)
}

// reverseDebit makes a debit RETURNED by our own entry and sends all of it back. What that
// reopens gets new grace days: the error was not the company's. Reopened items that are due
// need review until account, amount or date are corrected. After a duplicate nothing is wrong
// with what is left to pay, and it is collected like any open item.
func reverseDebit(d *credit.Draft, p *credit.Payment, reason credit.ReversalReason, note string) {
	was := lending.PaidBy(d, p)
	debit := d.Transfers.Edit(p.Transfer)
	debit.ReleaseOn, debit.NextAt = calendar.None, time.Time{}
	lending.EndHold(d, p)
	takeBack(d, p, &credit.Failure{Code: FailureReversed, Message: reasonText(reason)})
	r := credit.PaymentRefund{ID: d.IDs.Next(credit.PrefixRefund), Amount: p.Amount, Reason: note, Reversal: reason, Status: credit.RefundPending, CreatedAt: d.Env.Now}
	t := sendBack(d, &credit.Transfer{Kind: credit.TransferRefund, Company: p.Company, Payment: p.ID, Refund: r.ID, Amount: r.Amount}, d.Methods.Peek(p.MethodID), nil)
	t.Entry, r.Transfer = lending.EntryReversal, t.ID
	p.Refunds, p.Refunded = append(slices.Clone(p.Refunds), r), p.Amount
	if reason == ReversalWrongReceiver && d.Methods.Peek(p.MethodID).Status != credit.MethodDisabled {
		disable(d, p.MethodID, DisabledWrongReceiver)
	}
	lending.Reopened(d, was, reason != ReversalDuplicate)
	for _, l := range was {
		lending.CollectRest(d, l.Key)
	}
}

// reasonText is the reason as a sentence for people.
func reasonText(r credit.ReversalReason) string {
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

// tooLateToReverse reports whether a reversing entry has missed every file that may contain
// it, as after a review.
func tooLateToReverse(d *credit.Draft, t *credit.Transfer) bool {
	return t.Entry == lending.EntryReversal && d.Env.Today() > reversibleUntil(d.Payments.Peek(t.Payment))
}

// refundInstead sends back as an ordinary refund what a reversing entry may no longer send.
func refundInstead(d *credit.Draft, t *credit.Transfer) {
	t.Status, t.NextAt = credit.TransferCanceled, time.Time{}
	p := d.Payments.Edit(t.Payment)
	p.Refunds = slices.Clone(p.Refunds)
	r := &p.Refunds[p.RefundAt(t.Refund)]
	r.Transfer = sendRefund(d, p, *r, d.Methods.Peek(t.Method), nil)
}

// returnedTwice reports whether a bank has returned a debit that had been reversed.
func returnedTwice(d *credit.Draft, p *credit.Payment) bool {
	return p.Reversed() && d.Transfers.Peek(p.Transfer).Status == credit.TransferReturned
}
