package payments

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RejectTransfer records that the bank rejected a transfer: no money has moved. What was
// already booked as settled, because the bank answered after the settlement date, is taken
// back. It is idempotent.
type RejectTransfer struct {
	Transfer string `json:"transfer"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// Codes of what we reject ourselves because no bank file can hold the entry (F41.11).
const (
	CodeUnusable = "account_unusable"  // its account cannot be written in a file; it is no longer used
	CodeUnbuilt  = "entry_unbuildable" // anything else about it
	// CodeUnopened is for an entry whose account number cannot be unsealed. It is not
	// rejected, and waits for the key.
	CodeUnopened = "account_sealed"
)

func (RejectTransfer) Name() string { return "transfer.reject" }

// WritesOwners implements credit.OwnersWriter.
func (RejectTransfer) WritesOwners(credit.Env) bool { return true }

// Keys requests the transfer and everything that its outcome affects.
func (c RejectTransfer) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c RejectTransfer) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c RejectTransfer) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Return && (old.Status == credit.TransferFailed || old.Status == credit.TransferReturned && old.ReturnCode == c.Code):
		return credit.Changes{Result: old}, nil
	case old.Status != credit.TransferSent && old.Status != credit.TransferSettled || !old.Rail.Can().Return:
		return credit.Changes{}, lockedTransfer(old)
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	endTransfer(d, t, c.Code, failureOf(c.Code, c.Message, false))
	if c.Code == CodeUnusable && t.Method != "" && d.Methods.Peek(t.Method).Status != credit.MethodDisabled {
		disable(d, t.Method, CodeUnusable) // before what it was to pay needs review
	}
	if _, known := lending.LookUpReturn(c.Code); known {
		follow(d, t, c.Code)
	} else if t.Kind == credit.TransferPayment { // nothing follows from a bank's own code
		lending.LeaveLasts(d, d.Payments.Peek(t.Payment))
	}
	return d.Done(t, false), nil
}

func lockedTransfer(t *credit.Transfer) *credit.Rejection {
	return credit.TransferLocked.With(fmt.Sprintf("The transfer is %s.", t.Status), map[string]any{"transfer_status": string(t.Status)})
}

// ReturnTransfer records that a transfer came back with a return code (F16, F23). It is
// idempotent. A transfer that comes back before its settlement date has failed.
type ReturnTransfer struct {
	Transfer string       `json:"transfer"`
	Code     string       `json:"code"` // R01 …
	Message  string       `json:"message"`
	Cost     money.Amount `json:"cost"` // the bank's fee for it, to 5010
}

func (ReturnTransfer) Name() string { return "transfer.return" }

// WritesOwners implements credit.OwnersWriter.
func (ReturnTransfer) WritesOwners(credit.Env) bool { return true }

// Keys requests the transfer and everything that its outcome affects.
func (c ReturnTransfer) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c ReturnTransfer) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c ReturnTransfer) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Return && (old.Status == credit.TransferReturned || old.Status == credit.TransferFailed && old.ReturnCode == c.Code):
		return credit.Changes{Result: old}, nil
	case old.Status != credit.TransferSent && old.Status != credit.TransferSettled || !old.Rail.Can().Return:
		return credit.Changes{}, lockedTransfer(old)
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	endTransfer(d, t, c.Code, failureOf(c.Code, c.Message, false))
	if c.Cost != 0 {
		amountEntry(d, "RETURN_COST", t, e.Today(), c.Cost, ledger.ACHCost, ledger.Cash)
	}
	follow(d, t, c.Code)
	return d.Done(t, false), nil
}

// endTransfer ends a transfer that according to the bank did not settle, or does not stay
// settled.
func endTransfer(d *credit.Draft, t *credit.Transfer, code string, f *credit.Failure) {
	if t.Status == credit.TransferSent {
		failTransfer(d, t, code, f)
		return
	}
	comeBack(d, t, code, f)
}

// failTransfer ends a transfer that was sent and has not settled.
func failTransfer(d *credit.Draft, t *credit.Transfer, code string, f *credit.Failure) {
	t.Status, t.ReturnCode, t.NextAt = credit.TransferFailed, code, time.Time{}
	switch t.Kind {
	case credit.TransferPayment:
		p := d.Payments.Edit(t.Payment)
		lending.ServeOn(d, p)
		p.Status, p.Failure = credit.PaymentFailed, f
		d.PaymentEvent(credit.PaymentFailedEvent, p.ID)
		moneyEntry(d, "ACH_REJECTED", t, d.Env.Today(), ledger.PaymentsPending, ledger.ACHDebitsInTransit)
		lending.CloseDebit(d, p)
		lending.CatchUpOn(d, p)
		assessReturned(d, p, code, p.Allocations)
	case credit.TransferRefund:
		refundFailed(d, t, f)
	case credit.TransferCredit:
		creditCameBack(d, t, f, credit.PaymentFailed, nil)
	case credit.TransferPayout, credit.TransferClawback:
		moveLine(d, t, f)
	case credit.TransferMicro, credit.TransferPrenote:
		unproven(d, t, code)
	}
}

// comeBack takes back a transfer that had settled (F16). A refund that comes back is still
// owed: it is on 2110 until a person resends it.
func comeBack(d *credit.Draft, t *credit.Transfer, code string, f *credit.Failure) {
	t.Status, t.ReturnCode, t.NextAt, t.ReleaseOn = credit.TransferReturned, code, time.Time{}, calendar.None
	switch t.Kind {
	case credit.TransferPayment:
		p := d.Payments.Edit(t.Payment)
		paid := p.Allocations
		lending.EndHold(d, p)
		takeBack(d, p, f)
		if !p.Reversed() { // the entry was our own error (F11)
			assessReturned(d, p, code, paid)
		}
	case credit.TransferRefund:
		refundFailed(d, t, f)
		moneyEntry(d, "ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.RefundsInTransit)
	case credit.TransferCredit:
		creditCameBack(d, t, f, credit.PaymentReturned, func() {
			moneyEntry(d, "ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.RefundsInTransit)
		})
	case credit.TransferPayout, credit.TransferClawback:
		moveLine(d, t, f)
	case credit.TransferMicro:
		if t.Debit() {
			moneyEntry(d, "ACH_RETURNED", t, d.Env.Today(), ledger.ACHCost, ledger.Cash)
		} else {
			moneyEntry(d, "ACH_RETURNED", t, d.Env.Today(), ledger.Cash, ledger.ACHCost)
		}
		unproven(d, t, code)
	case credit.TransferPrenote:
		unproven(d, t, code)
	}
}

// unproven ends the use of an account that rejected the entries meant to prove it. If a few
// cents could not be taken back for lack of funds, the account exists (F22, F23).
func unproven(d *credit.Draft, t *credit.Transfer, code string) {
	m := d.Methods.Peek(t.Method)
	if r, _ := lending.LookUpReturn(code); t.Debit() && r.Class == lending.ClassRetryFunds || m.Status == credit.MethodDisabled {
		return
	}
	decision := DisableAccount
	if DecideReturn(code, 0, 0, 0) == StopComplianceReview { // no money in or out until it is reviewed
		decision = StopComplianceReview
	}
	lending.Proved(d, m, true)
	stopAccount(d, t, code, decision)
}

// takeBack makes a payment RETURNED: what it had paid reopens as if it had never been made,
// and what had been sent out is owed (F16, F34).
func takeBack(d *credit.Draft, p *credit.Payment, f *credit.Failure) {
	withdrawRefunds(d, p)
	event := schedule.Event{
		Kind: schedule.EventReturn, ID: d.IDs.Next(credit.PrefixRefund), Date: d.Env.Today(), Seq: lending.NextSeq(d, p.Company), Order: lending.Debtor(d, p), Payment: p.ID,
	}
	if event.Order != "" {
		event.Amount = p.Refunded.Sub(lending.ReportWithdrawn(p)) // what was never paid was never sent out
	}
	p.Status, p.Allocations, p.Unapplied, p.Failure = credit.PaymentReturned, nil, 0, f
	d.PaymentEvent(credit.PaymentReturnedEvent, p.ID)
	lending.Play(d, p.Company, lending.ScopeOf(d, p), event, nil)
}

// assessReturned assesses the fee for a debit returned for lack of funds: once per original
// entry and its retries, on the earliest row of the debit (F11). paid is what it had paid.
func assessReturned(d *credit.Draft, p *credit.Payment, code string, paid []credit.Allocation) {
	if r, _ := lending.LookUpReturn(code); r.Class != lending.ClassRetryFunds {
		return
	}
	order, row := feeRow(d, p, paid)
	o := d.Orders.Peek(order)
	if o == nil || o.External || d.Original(p).FeeAssessed || o.Servicing.ChargedOff != 0 { // fees end with a charge-off (F17)
		return
	}
	fee := min(d.OrderSettings(order).ReturnedPaymentFee, p.Amount) // never more than what came back (F41.8)
	if fee == 0 || harmer(d, p, code) != "" {
		return
	}
	d.Payments.Edit(d.Original(p).ID).FeeAssessed = true
	lending.Play(d, o.Company, []string{order}, schedule.Event{
		Kind: schedule.EventFee, ID: d.IDs.Next(credit.PrefixFee), Date: d.Env.Today(), Seq: lending.NextSeq(d, o.Company), Order: order,
		Fee: schedule.ReturnedPaymentFee, Installment: max(1, row), Amount: fee,
	}, nil)
}

// feeRow is a debit's earliest installment, with its order: among its earmarks, else what it
// had paid, else what it would have paid. The order is "" if there is none (F11).
func feeRow(d *credit.Draft, p *credit.Payment, paid []credit.Allocation) (order string, row int) {
	for _, ref := range p.Items {
		if ref.Installment > 0 && (row == 0 || ref.Installment < row) {
			row = ref.Installment
		}
	}
	if row > 0 {
		return p.Order, row
	}
	var due calendar.Date
	for _, key := range lending.NotePaid(d, p) { // in capture order, as in the waterfall (F12)
		o, l := d.Standing(key)
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

// rowsOf lists the installments of a loan that a debit had paid, or, if it had paid nothing
// yet, the unpaid ones.
func rowsOf(l *schedule.Loan, paid []credit.Allocation) (rows []int) {
	for _, r := range l.Rows {
		of := slices.ContainsFunc(paid, func(a credit.Allocation) bool { return a.Order == l.Key && a.Installment == r.Number })
		if of || len(paid) == 0 && r.Unpaid() > 0 {
			rows = append(rows, r.Number)
		}
	}
	return rows
}

// Returned originals (F23): this many within this many days stop autopay and the line.
const (
	maxReturned  = 2
	returnedDays = 60
)

// follow handles the consequences of a return (F23): a retry, or the end of the account, of
// autopay, or of the collection of these items. An account that rejects a credit is not usable
// for debits either, and a frozen one stops all of the company's money.
func follow(d *credit.Draft, t *credit.Transfer, code string) {
	if t.Kind == credit.TransferRefund || t.Kind == credit.TransferCredit {
		switch decision := DecideReturn(code, 0, 0, 0); decision {
		case DisableAccount, StopComplianceReview:
			stopAccount(d, t, code, decision)
		}
	}
	if t.Kind != credit.TransferPayment {
		return
	}
	p := d.Payments.Peek(t.Payment)
	if p.Reversed() {
		followReversed(d, t, code)
		return
	}
	merchant := harmer(d, p, code)
	if p.Attempt == 1 && merchant == "" {
		countReturned(d, p.Company)
	}
	if asked := cmp.Or(merchant, p.Merchant); p.Attempt == 1 && asked != "" && (merchant != "" || !p.Autopay) {
		blame(d, t, asked)
	}
	settles := RetryDay(d.Env, p.Attempt)
	// The original's settlement date counts, whenever the settlement was recorded (F37).
	decision := DecideReturn(code, p.Attempt-1, d.Original(p).ScheduledDate.DaysUntil(settles), 0)
	paused := d.Companies.Peek(p.Company).AutopayPaused() != ""
	switch decision {
	case RetryAllowed:
		if p.Autopay && !paused && d.Methods.Peek(t.Method).Status == credit.MethodActive {
			d.Payments.Edit(p.ID).Failure.Retryable = true
			retry(d, p, settles)
			return
		}
		lending.LeaveLasts(d, p)
	case DisableAccount, UnauthorizedStop, StopComplianceReview:
		stopAccount(d, t, code, decision)
		lending.LeaveLasts(d, p)
	default:
		stopItems(d, p)
		needConsent(d, p, code, decision)
	}
}

// stopAccount ends debits of an account, and of the company if that is not enough (F23).
func stopAccount(d *credit.Draft, t *credit.Transfer, code string, decision ReturnDecision) {
	m := disable(d, t.Method, code)
	lending.Proved(d, m, true)
	if decision == DisableAccount || blamed(m) != "" { // a merchant's account, not the company's (F41.8)
		return
	}
	d.Companies.Edit(t.Company).Servicing.Autopay.Pause(code)
	if decision == StopComplianceReview {
		lending.Suspend(d, t.Company, credit.ComplianceReview, "A bank account of the company is frozen; no money moves until it has been looked into.")
		if c := d.Companies.Peek(t.Company); c.Status == credit.CompanyClosed && c.Servicing.Frozen == "" {
			d.Companies.Edit(t.Company).Servicing.Frozen = credit.ComplianceReview
		}
	}
}

// followReversed handles what a bank's return means for the account whose entry was reversed.
// Nothing is retried, and the return does not count against the company: the entry was our own
// error.
func followReversed(d *credit.Draft, t *credit.Transfer, code string) {
	switch decision := DecideReturn(code, 0, 0, 0); decision {
	case DisableAccount, UnauthorizedStop, StopComplianceReview:
		stopAccount(d, t, code, decision)
	}
}

// needConsent records that stopped items need a new authorization to be collected again: at
// once after a stopped payment; after a debit that was not on the agreed terms, once the days
// for a corrected entry have passed (F23).
func needConsent(d *credit.Draft, p *credit.Payment, code string, decision ReturnDecision) {
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
	o.Servicing.Consent = &credit.Consent{Code: code, Since: d.Env.Now, From: from}
}

// countReturned counts a returned original debit. The second in 60 days pauses autopay and
// suspends the company (F23); waiting retries are dropped at their cut-off.
func countReturned(d *credit.Draft, company int64) {
	c := d.Companies.Edit(company)
	today := d.Env.Today()
	days := slices.DeleteFunc(slices.Clone(c.Servicing.Returned), func(on calendar.Date) bool { return on.DaysUntil(today) > returnedDays })
	c.Servicing.Returned = append(days, today)
	if len(c.Servicing.Returned) >= maxReturned {
		if a := &c.Servicing.Autopay; a.Paused == "" || a.Reviewed { // else there is more to look into
			a.Pause(credit.ReturnedPayments)
		}
		c.Servicing.NeedsVerified = true
		lending.Suspend(d, company, credit.ReturnedPayments, "Payments of the company have come back from its bank.")
	}
}

// retry creates the next attempt of a debit: the same amount for the same items, as a new
// payment (F23).
func retry(d *credit.Draft, p *credit.Payment, on calendar.Date) {
	lending.Collect(d, &credit.Payment{
		Company: p.Company, Merchant: p.Merchant, Order: p.Order, Invoice: p.Invoice, Amount: p.Amount, Method: p.Method, MethodID: p.MethodID,
		Items: p.Items, Autopay: true, Attempt: p.Attempt + 1, Original: d.Original(p).ID,
	}, lending.EntryRetry, on)
}

// stopItems ends the collection of a debit's items by autopay: a person decides (F12, F23).
func stopItems(d *credit.Draft, p *credit.Payment) {
	if p.Order == "" || len(p.Items) == 0 {
		return
	}
	lending.StopCollecting(d, p.Order, p.Items)
}
