package credit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RejectTransfer records that the bank did not take a transfer: no money has moved. What
// had been booked as settled, because the bank's word came after the settlement date, is
// taken back. The same again changes nothing.
type RejectTransfer struct {
	Transfer string `json:"transfer"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// Codes of what we reject ourselves, because no file to a bank can hold its entry (F41.11).
const (
	CodeUnusable = "account_unusable"  // its account cannot be named in one; it is used no more
	CodeUnbuilt  = "entry_unbuildable" // anything else about it
	// CodeUnopened is of an entry whose account number does not open: it is not rejected, and
	// waits for the key.
	CodeUnopened = "account_sealed"
)

func (RejectTransfer) Name() string { return "transfer.reject" }

// WritesOwners makes it an OwnersWriter.
func (RejectTransfer) WritesOwners(Env) bool { return true }

// Keys asks for the transfer and all that its outcome concerns.
func (c RejectTransfer) Keys(s *State, _ Env) Keys { return transferKeys(s, c.Transfer) }

func (c RejectTransfer) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

func (c RejectTransfer) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Return && (old.Status == TransferFailed || old.Status == TransferReturned && old.ReturnCode == c.Code):
		return Changes{Result: old}, nil
	case old.Status != TransferSent && old.Status != TransferSettled || !old.Rail.Can().Return:
		return Changes{}, lockedTransfer(old)
	}
	d := NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	d.end(t, c.Code, failureOf(c.Code, c.Message, false))
	if c.Code == CodeUnusable && t.Method != "" && d.Methods.Peek(t.Method).Status != MethodDisabled {
		d.disable(t.Method, CodeUnusable) // before what it was to pay needs review
	}
	if _, known := LookUpReturn(c.Code); known {
		d.follow(t, c.Code)
	} else if t.Kind == TransferPayment { // nothing follows a code of the bank's own
		d.leaveLasts(d.Payments.Peek(t.Payment))
	}
	return d.Done(t, false), nil
}

func lockedTransfer(t *Transfer) *Rejection {
	return TransferLocked.With(fmt.Sprintf("The transfer is %s.", t.Status), map[string]any{"transfer_status": string(t.Status)})
}

// ReturnTransfer records that a transfer came back with a return code (F16, F23). The
// same return again changes nothing. One that comes back before its settlement date has
// failed.
type ReturnTransfer struct {
	Transfer string       `json:"transfer"`
	Code     string       `json:"code"` // R01 …
	Message  string       `json:"message"`
	Cost     money.Amount `json:"cost"` // that the bank charges for it, to 5010
}

func (ReturnTransfer) Name() string { return "transfer.return" }

// WritesOwners makes it an OwnersWriter.
func (ReturnTransfer) WritesOwners(Env) bool { return true }

// Keys asks for the transfer and all that its outcome concerns.
func (c ReturnTransfer) Keys(s *State, _ Env) Keys { return transferKeys(s, c.Transfer) }

func (c ReturnTransfer) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

func (c ReturnTransfer) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Return && (old.Status == TransferReturned || old.Status == TransferFailed && old.ReturnCode == c.Code):
		return Changes{Result: old}, nil
	case old.Status != TransferSent && old.Status != TransferSettled || !old.Rail.Can().Return:
		return Changes{}, lockedTransfer(old)
	}
	d := NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	d.end(t, c.Code, failureOf(c.Code, c.Message, false))
	if c.Cost != 0 {
		d.amountEntry("RETURN_COST", t, e.Today(), c.Cost, ledger.ACHCost, ledger.Cash)
	}
	d.follow(t, c.Code)
	return d.Done(t, false), nil
}

// end ends a transfer of which the bank says that it has not been, or does not stay,
// settled.
func (d *Draft) end(t *Transfer, code string, f *Failure) {
	if t.Status == TransferSent {
		d.fail(t, code, f)
		return
	}
	d.comeBack(t, code, f)
}

// fail ends a transfer that has been sent and has not settled.
func (d *Draft) fail(t *Transfer, code string, f *Failure) {
	t.Status, t.ReturnCode, t.NextAt = TransferFailed, code, time.Time{}
	switch t.Kind {
	case TransferPayment:
		p := d.Payments.Edit(t.Payment)
		d.serveOn(p)
		p.Status, p.Failure = PaymentFailed, f
		d.paymentEvent(PaymentFailedEvent, p.ID)
		d.moneyEntry("ACH_REJECTED", t, d.Env.Today(), ledger.PaymentsPending, ledger.ACHDebitsInTransit)
		d.closeDebit(p)
		d.catchUpOn(p)
		d.assessReturned(p, code, p.Allocations)
	case TransferRefund:
		d.refundFailed(t, f)
	case TransferCredit:
		d.creditCameBack(t, f, PaymentFailed, nil)
	case TransferPayout, TransferClawback:
		d.moved(t, f)
	case TransferMicro, TransferPrenote:
		d.unproven(t, code)
	}
}

// comeBack takes back a transfer that had settled (F16). A refund that comes back is
// still owed: it stands on 2110 until a person sends it again.
func (d *Draft) comeBack(t *Transfer, code string, f *Failure) {
	t.Status, t.ReturnCode, t.NextAt, t.ReleaseOn = TransferReturned, code, time.Time{}, calendar.None
	switch t.Kind {
	case TransferPayment:
		p := d.Payments.Edit(t.Payment)
		paid := p.Allocations
		d.endHold(p)
		d.takeBack(p, f)
		if !p.Reversed() { // the entry was our own error (F11)
			d.assessReturned(p, code, paid)
		}
	case TransferRefund:
		d.refundFailed(t, f)
		d.moneyEntry("ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.RefundsInTransit)
	case TransferCredit:
		d.creditCameBack(t, f, PaymentReturned, func() {
			d.moneyEntry("ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.RefundsInTransit)
		})
	case TransferPayout, TransferClawback:
		d.moved(t, f)
	case TransferMicro:
		if t.Debit() {
			d.moneyEntry("ACH_RETURNED", t, d.Env.Today(), ledger.ACHCost, ledger.Cash)
		} else {
			d.moneyEntry("ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.ACHCost)
		}
		d.unproven(t, code)
	case TransferPrenote:
		d.unproven(t, code)
	}
}

// unproven ends the use of an account that does not take what was to prove it. One from
// which a few cents could not be taken back for want of funds is there (F22, F23).
func (d *Draft) unproven(t *Transfer, code string) {
	m := d.Methods.Peek(t.Method)
	if r, _ := LookUpReturn(code); t.Debit() && r.Class == ClassRetryFunds || m.Status == MethodDisabled {
		return
	}
	decision := DisableAccount
	if DecideReturn(code, 0, 0, 0) == StopComplianceReview { // no money in or out until it is reviewed
		decision = StopComplianceReview
	}
	d.proved(m, true)
	d.stopAccount(t, code, decision)
}

// takeBack makes a payment RETURNED: what it had paid opens again as if it had never
// been made, and what had left the house is owed (F16, F34).
func (d *Draft) takeBack(p *Payment, f *Failure) {
	d.withdrawRefunds(p)
	event := schedule.Event{
		Kind: schedule.EventReturn, ID: d.IDs.Next(prefixRefund), Date: d.Env.Today(), Seq: d.nextSeq(p.Company), Order: d.debtor(p), Payment: p.ID,
	}
	if event.Order != "" {
		event.Amount = p.Refunded.Sub(p.withdrawn()) // what was never paid has not left the house
	}
	p.Status, p.Allocations, p.Unapplied, p.Failure = PaymentReturned, nil, 0, f
	d.paymentEvent(PaymentReturnedEvent, p.ID)
	d.play(p.Company, d.scope(p), event, nil)
}

// original is the first attempt of a debit: itself if it is that.
func (d *Draft) original(p *Payment) *Payment {
	if p.Original == "" {
		return p
	}
	return d.Payments.Peek(p.Original)
}

// assessReturned assesses the fee for a debit that found no money: once for an original
// entry and its retries, on the earliest row of the debit (F11). paid is what it had
// paid.
func (d *Draft) assessReturned(p *Payment, code string, paid []Allocation) {
	if r, _ := LookUpReturn(code); r.Class != ClassRetryFunds {
		return
	}
	order, row := d.feeRow(p, paid)
	o := d.Orders.Peek(order)
	if o == nil || o.External || d.original(p).FeeAssessed || o.Servicing.ChargedOff != 0 { // fees end with a charge-off (F17)
		return
	}
	fee := min(d.orderSettings(order).ReturnedPaymentFee, p.Amount) // never more than what came back (F41.8)
	if fee == 0 || d.harmer(p, code) != "" {
		return
	}
	d.Payments.Edit(d.original(p).ID).FeeAssessed = true
	d.play(o.Company, []string{order}, schedule.Event{
		Kind: schedule.EventFee, ID: d.IDs.Next(prefixFee), Date: d.Env.Today(), Seq: d.nextSeq(o.Company), Order: order,
		Fee: schedule.ReturnedPaymentFee, Installment: max(1, row), Amount: fee,
	}, nil)
}

// feeRow is the earliest installment of a debit, with its order: of its ear-marks; else of
// what it had paid; else of what it would have paid. The order is "" if there is none (F11).
func (d *Draft) feeRow(p *Payment, paid []Allocation) (order string, row int) {
	for _, ref := range p.Items {
		if ref.Installment > 0 && (row == 0 || ref.Installment < row) {
			row = ref.Installment
		}
	}
	if row > 0 {
		return p.Order, row
	}
	var due calendar.Date
	for _, key := range d.paid(p) { // in order of capture, as the waterfall goes (F12)
		o, l := d.standing(key)
		if o.Servicing.ChargedOff != 0 {
			continue
		}
		for _, n := range rowsOf(l, paid) {
			if on := l.Rows[n-1].DueDate; order == "" || on < due {
				order, row, due = key, n, on
			}
		}
	}
	return cmp.Or(order, p.Order), row
}

// rowsOf lists the installments of a loan that a debit had paid; if it had paid nothing
// yet, those that are unpaid.
func rowsOf(l *schedule.Loan, paid []Allocation) (rows []int) {
	for _, r := range l.Rows {
		of := slices.ContainsFunc(paid, func(a Allocation) bool { return a.Order == l.Key && a.Installment == r.Number })
		if of || len(paid) == 0 && r.Unpaid() > 0 {
			rows = append(rows, r.Number)
		}
	}
	return rows
}

// Returned originals (F23): so many within so many days stop autopay and the line.
const (
	maxReturned  = 2
	returnedDays = 60
)

// Why a company is suspended, or its autopay paused, besides a return code.
const (
	returnedPayments = "returned_payments"
	complianceReview = "compliance_review"
)

// follow does what a returned debit leads to (F23): a retry, or an end of the account,
// of autopay, or of these items' collection. An account that does not take a credit is
// no account for debits either, and one that is frozen stops all of the company's money.
func (d *Draft) follow(t *Transfer, code string) {
	if t.Kind == TransferRefund || t.Kind == TransferCredit {
		switch decision := DecideReturn(code, 0, 0, 0); decision {
		case DisableAccount, StopComplianceReview:
			d.stopAccount(t, code, decision)
		}
	}
	if t.Kind != TransferPayment {
		return
	}
	p := d.Payments.Peek(t.Payment)
	if p.Reversed() {
		d.followReversed(t, code)
		return
	}
	merchant := d.harmer(p, code)
	if p.Attempt == 1 && merchant == "" {
		d.countReturned(p.Company)
	}
	if asked := cmp.Or(merchant, p.Merchant); p.Attempt == 1 && asked != "" && (merchant != "" || !p.Autopay) {
		d.blame(t, asked)
	}
	settles := RetryDay(d.Env, p.Attempt)
	// The original's settlement date, whenever it was noted that it had settled (F37).
	decision := DecideReturn(code, p.Attempt-1, d.original(p).ScheduledDate.DaysUntil(settles), 0)
	paused := d.Companies.Peek(p.Company).AutopayPaused() != ""
	switch decision {
	case RetryAllowed:
		if p.Autopay && !paused && d.Methods.Peek(t.Method).Status == MethodActive {
			d.Payments.Edit(p.ID).Failure.Retryable = true
			d.retry(p, settles)
			return
		}
		d.leaveLasts(p)
	case DisableAccount, UnauthorizedStop, StopComplianceReview:
		d.stopAccount(t, code, decision)
		d.leaveLasts(p)
	default:
		d.stopItems(p)
		d.needConsent(p, code, decision)
	}
}

// leaveLasts leaves for review what no coming debit collects of the orders of a payment.
func (d *Draft) leaveLasts(p *Payment) {
	for _, key := range d.scope(p) {
		d.leaveLast(key)
	}
}

// stopAccount ends debits of an account; of the company's too if that is not enough (F23).
func (d *Draft) stopAccount(t *Transfer, code string, decision ReturnDecision) {
	m := d.disable(t.Method, code)
	d.proved(m, true)
	if decision == DisableAccount || m.blamed() != "" { // a merchant's account, not the company's (F41.8)
		return
	}
	d.Companies.Edit(t.Company).Servicing.Autopay.pause(code)
	if decision == StopComplianceReview {
		d.suspend(t.Company, complianceReview, "A bank account of the company is frozen; no money moves until it has been looked into.")
		if c := d.Companies.Peek(t.Company); c.Status == CompanyClosed && c.Servicing.Frozen == "" {
			d.Companies.Edit(t.Company).Servicing.Frozen = complianceReview
		}
	}
}

// followReversed does what a bank's return says of the account that an entry was reversed
// of. Nothing is tried again, and the return is not held against the company: the entry
// was our own error.
func (d *Draft) followReversed(t *Transfer, code string) {
	switch decision := DecideReturn(code, 0, 0, 0); decision {
	case DisableAccount, UnauthorizedStop, StopComplianceReview:
		d.stopAccount(t, code, decision)
	}
}

// needConsent notes that stopped items are not collected again without a new
// authorization: at once after a stopped payment; after a debit that was not what had
// been agreed once the days for a corrected entry have passed (F23).
func (d *Draft) needConsent(p *Payment, code string, decision ReturnDecision) {
	from := d.Env.Today()
	switch {
	case p.Order == "" || len(p.Items) == 0:
		return
	case decision == CorrectedEntryAllowed:
		from = from.AddDays(correctedEntryDays + 1)
	case decision != NeedsNewAuthorization:
		return
	}
	o := d.Orders.Edit(p.Order)
	if old := o.Servicing.Consent; old != nil {
		from = min(from, old.From)
	}
	o.Servicing.Consent = &Consent{Code: code, Since: d.Env.Now, From: from}
}

// countReturned counts an original debit that came back. The second in 60 days pauses
// autopay and suspends the company (F23); retries that wait are dropped at their
// cut-off.
func (d *Draft) countReturned(company int64) {
	c := d.Companies.Edit(company)
	today := d.Env.Today()
	days := slices.DeleteFunc(slices.Clone(c.Servicing.Returned), func(on calendar.Date) bool { return on.DaysUntil(today) > returnedDays })
	c.Servicing.Returned = append(days, today)
	if len(c.Servicing.Returned) >= maxReturned {
		if a := &c.Servicing.Autopay; a.Paused == "" || a.Reviewed { // else there is more to look into
			a.pause(returnedPayments)
		}
		c.Servicing.NeedsVerified = true
		d.suspend(company, returnedPayments, "Payments of the company have come back from its bank.")
	}
}

// retry makes the next attempt of a debit: the same amount for the same items, as a new
// payment (F23).
func (d *Draft) retry(p *Payment, on calendar.Date) {
	d.collect(&Payment{
		Company: p.Company, Merchant: p.Merchant, Order: p.Order, Invoice: p.Invoice, Amount: p.Amount, Method: p.Method, MethodID: p.MethodID,
		Items: p.Items, Autopay: true, Attempt: p.Attempt + 1, Original: d.original(p).ID,
	}, entryRetry, on)
}

// stopItems ends the collection of a debit's items by autopay: a person decides (F12,
// F23).
func (d *Draft) stopItems(p *Payment) {
	if p.Order == "" || len(p.Items) == 0 {
		return
	}
	d.stop(p.Order, p.Items)
}
