package payments

import (
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// CompleteCharge records the processor's answer to a charge or a refund (F25). It is
// idempotent.
type CompleteCharge struct {
	Transfer  string `json:"transfer"`
	Approved  bool   `json:"approved"`
	Code      string `json:"code"` // of a decline
	Message   string `json:"message"`
	Reference string `json:"reference"` // the processor's identifier
}

func (CompleteCharge) Name() string { return "card.complete" }

// WritesOwners implements credit.OwnersWriter.
func (CompleteCharge) WritesOwners(credit.Env) bool { return true }

// Keys requests the transfer and everything that its outcome affects.
func (c CompleteCharge) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c CompleteCharge) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c CompleteCharge) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case !old.Rail.Can().Answer || old.Status == credit.TransferQueued || old.Status == credit.TransferCanceled:
		return credit.Changes{}, lockedTransfer(old)
	case old.Status == credit.TransferFailed && !c.Approved, old.Status != credit.TransferFailed && old.Answered() && c.Approved:
		return credit.Changes{Result: old}, nil
	case old.Status != credit.TransferSent || old.Answered():
		return credit.Changes{}, lockedTransfer(old)
	case c.Approved && c.Reference == "":
		return credit.Changes{}, credit.ValidationFailed.Because("An approved charge needs the processor's reference.")
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	if c.Approved {
		chargeMade(d, t, c.Reference)
	} else {
		declined(d, t, failureOf(c.Code, c.Message, false))
	}
	return d.Done(t, false), nil
}

// chargeMade applies a captured charge as of the day of the capture, or books that a refund
// goes back through the processor.
func chargeMade(d *credit.Draft, t *credit.Transfer, reference string) {
	today := d.Env.Today()
	t.Reference, t.NextAt = reference, time.Time{}
	switch t.Kind {
	case credit.TransferPayment:
		succeed(d, t, today, func() {
			moneyEntry(d, "CARD_PAYMENT_CAPTURED", t, today, ledger.CardReceivable, ledger.PaymentsPending)
		})
		lending.HoldFunds(d, t)
	case credit.TransferRefund:
		t.SettledAt = d.Env.Now
		refundArrived(d, t)
		moneyEntry(d, "PAYMENT_REFUND_SETTLED", t, today, ledger.RefundsInTransit, ledger.CardReceivable)
	case credit.TransferCredit:
		t.SettledAt = d.Env.Now
		p := d.Payments.Edit(t.Payment)
		p.Status, p.SettledAt, p.EffectiveDate = credit.PaymentSucceeded, d.Env.Now, today
		d.PaymentEvent(credit.PaymentSucceededEvent, p.ID)
		moneyEntry(d, "CREDIT_SETTLED", t, today, ledger.RefundsInTransit, ledger.CardReceivable)
	}
}

// declined ends a charge that was not captured: no entry and no fee (F25). Autopay retries.
func declined(d *credit.Draft, t *credit.Transfer, f *credit.Failure) {
	t.Status, t.ReturnCode, t.NextAt = credit.TransferFailed, f.Code, time.Time{}
	if t.Charge != "" {
		charge := d.Transfers.Edit(t.Charge)
		charge.Back = charge.Back.Sub(t.Amount)
	}
	switch t.Kind {
	case credit.TransferPayment:
		p := d.Payments.Edit(t.Payment)
		lending.ServeOn(d, p)
		p.Status, p.Failure = credit.PaymentFailed, f
		d.PaymentEvent(credit.PaymentFailedEvent, p.ID)
		lending.CloseDebit(d, p)
		lending.CatchUpOn(d, p)
		chargeAgain(d, p)
	case credit.TransferRefund:
		refundFailed(d, t, f)
	case credit.TransferCredit:
		creditCameBack(d, t, f, credit.PaymentFailed, nil)
	}
}

// lastCharge is how many days after the due date a declined card is charged for the last time
// (F25).
const lastCharge = 3

// chargeAgain retries a declined card: the next day, then on day 3 after the due date; after
// that a person decides (F25).
func chargeAgain(d *credit.Draft, p *credit.Payment) {
	on := d.Env.Today() + 1
	switch {
	case !p.Autopay:
		return
	case p.Attempt == 2:
		on = max(on, d.Original(p).ScheduledDate.AddDays(lastCharge))
	case p.Attempt > 2:
		stopItems(d, p)
		return
	}
	d.Payments.Edit(p.ID).Failure.Retryable = true
	retry(d, p, on)
}

// SettleCharge records that the processor has paid out a charge, less its cost, or deducted a
// refund. The cost may exceed a small charge: the processor keeps all of it and deducts the
// rest from its other payouts. For a charge that was disputed earlier it keeps its cost as
// well; what it returns when the dispute is won is cash (F16).
type SettleCharge struct {
	Transfer string       `json:"transfer"`
	Cost     money.Amount `json:"cost"`
}

func (SettleCharge) Name() string { return "card.settle" }

// Keys requests the transfer and everything that its outcome affects.
func (c SettleCharge) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c SettleCharge) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c SettleCharge) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Answer && (old.Status == credit.TransferSettled || old.Status == credit.TransferReturned && !old.SettledAt.IsZero()):
		return credit.Changes{Result: old}, nil
	case !old.Rail.Can().Answer || old.Status != credit.TransferSent && old.Status != credit.TransferReturned || !old.Answered():
		return credit.Changes{}, lockedTransfer(old)
	case c.Cost < 0:
		return credit.Changes{}, credit.ValidationFailed.Because("The cost must be at least 0.00.")
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	t.SettledAt = e.Now
	if t.Status == credit.TransferReturned {
		if c.Cost != 0 {
			amountEntry(d, "CARD_SETTLED", t, e.Today(), c.Cost, ledger.CardCost, ledger.Cash)
		}
		return d.Done(t, false), nil
	}
	t.Status = credit.TransferSettled
	paidOut(d, t, c.Cost)
	return d.Done(t, false), nil
}

// paidOut books the processor's payout: a charge less its cost; for a refund it deducts the
// amount and its cost.
func paidOut(d *credit.Draft, t *credit.Transfer, cost money.Amount) {
	dim := transferDims(d, t)
	sign := money.Amount(-1)
	if t.Kind == credit.TransferPayment {
		sign = 1
	}
	gross := sign * t.Amount
	d.Entry("CARD_SETTLED", t.ID, d.Env.Today(), ledger.Posting{Account: ledger.Cash, Amount: gross.Sub(cost), Dimensions: dim},
		ledger.Posting{Account: ledger.CardCost, Amount: cost, Dimensions: dim}, ledger.Posting{Account: ledger.CardReceivable, Amount: -gross, Dimensions: dim})
}
