package credit

import (
	"time"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// CompleteCharge records what the processor answered to a charge or a refund (F25). The
// same answer again changes nothing.
type CompleteCharge struct {
	Transfer  string `json:"transfer"`
	Approved  bool   `json:"approved"`
	Code      string `json:"code"` // of a decline
	Message   string `json:"message"`
	Reference string `json:"reference"` // the processor's identifier
}

func (CompleteCharge) Name() string { return "card.complete" }

// WritesOwners makes it an OwnersWriter.
func (CompleteCharge) WritesOwners(Env) bool { return true }

// Keys asks for the transfer and all that its outcome concerns.
func (c CompleteCharge) Keys(s *State, _ Env) Keys { return transferKeys(s, c.Transfer) }

func (c CompleteCharge) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

// Answered reports that the processor has answered to a card transfer. A charge bears
// its reference from then on; a refund bears that of the charge from the start.
func (t *Transfer) Answered() bool {
	if t.Kind == TransferPayment {
		return t.Reference != ""
	}
	return !t.SettledAt.IsZero()
}

func (c CompleteCharge) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case !old.Rail.Can().Answer || old.Status == TransferQueued || old.Status == TransferCanceled:
		return Changes{}, lockedTransfer(old)
	case old.Status == TransferFailed && !c.Approved, old.Status != TransferFailed && old.Answered() && c.Approved:
		return Changes{Result: old}, nil
	case old.Status != TransferSent || old.Answered():
		return Changes{}, lockedTransfer(old)
	case c.Approved && c.Reference == "":
		return Changes{}, ValidationFailed.Because("An approved charge has the processor's reference.")
	}
	d := NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	if c.Approved {
		d.charged(t, c.Reference)
	} else {
		d.declined(t, failureOf(c.Code, c.Message, false))
	}
	return d.Done(t, false), nil
}

// charged applies a charge that was captured, for the day of the capture, or books that
// a refund goes back through the processor.
func (d *Draft) charged(t *Transfer, reference string) {
	today := d.Env.Today()
	t.Reference, t.NextAt = reference, time.Time{}
	switch t.Kind {
	case TransferPayment:
		d.succeed(t, today, func() {
			d.moneyEntry("CARD_PAYMENT_CAPTURED", t, today, ledger.CardReceivable, ledger.PaymentsPending)
		})
		d.holdFunds(t)
	case TransferRefund:
		t.SettledAt = d.Env.Now
		d.refundArrived(t)
		d.moneyEntry("PAYMENT_REFUND_SETTLED", t, today, ledger.RefundsInTransit, ledger.CardReceivable)
	case TransferCredit:
		t.SettledAt = d.Env.Now
		p := d.Payments.Edit(t.Payment)
		p.Status, p.SettledAt, p.EffectiveDate = PaymentSucceeded, d.Env.Now, today
		d.paymentEvent(PaymentSucceededEvent, p.ID)
		d.moneyEntry("CREDIT_SETTLED", t, today, ledger.RefundsInTransit, ledger.CardReceivable)
	}
}

// declined ends a charge that was not captured: no entry and no fee (F25). Autopay
// tries again.
func (d *Draft) declined(t *Transfer, f *Failure) {
	t.Status, t.ReturnCode, t.NextAt = TransferFailed, f.Code, time.Time{}
	if t.Charge != "" {
		charge := d.Transfers.Edit(t.Charge)
		charge.Back = charge.Back.Sub(t.Amount)
	}
	switch t.Kind {
	case TransferPayment:
		p := d.Payments.Edit(t.Payment)
		d.serveOn(p)
		p.Status, p.Failure = PaymentFailed, f
		d.paymentEvent(PaymentFailedEvent, p.ID)
		d.closeDebit(p)
		d.catchUpOn(p)
		d.chargeAgain(p)
	case TransferRefund:
		d.refundFailed(t, f)
	case TransferCredit:
		d.creditCameBack(t, f, PaymentFailed, nil)
	}
}

// lastCharge is how many days after the due date a declined card is charged for the
// last time (F25).
const lastCharge = 3

// chargeAgain charges a card that was declined: the next day, then on day 3 after the
// due date; after that a person decides (F25).
func (d *Draft) chargeAgain(p *Payment) {
	on := d.Env.Today() + 1
	switch {
	case !p.Autopay:
		return
	case p.Attempt == 2:
		on = max(on, d.original(p).ScheduledDate.AddDays(lastCharge))
	case p.Attempt > 2:
		d.stopItems(p)
		return
	}
	d.Payments.Edit(p.ID).Failure.Retryable = true
	d.retry(p, on)
}

// SettleCharge records that the processor has paid a charge out, less its cost, or has
// taken a refund off. The cost may be more than a small charge: it has been kept, and the
// processor takes the rest from what it pays out besides. Of a charge that was disputed
// before, it keeps its cost all the same; what it then gives back when the dispute is won
// is cash (F16).
type SettleCharge struct {
	Transfer string       `json:"transfer"`
	Cost     money.Amount `json:"cost"`
}

func (SettleCharge) Name() string { return "card.settle" }

// Keys asks for the transfer and all that its outcome concerns.
func (c SettleCharge) Keys(s *State, _ Env) Keys { return transferKeys(s, c.Transfer) }

func (c SettleCharge) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

func (c SettleCharge) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Transfers[c.Transfer]
	switch {
	case old.Rail.Can().Answer && (old.Status == TransferSettled || old.Status == TransferReturned && !old.SettledAt.IsZero()):
		return Changes{Result: old}, nil
	case !old.Rail.Can().Answer || old.Status != TransferSent && old.Status != TransferReturned || !old.Answered():
		return Changes{}, lockedTransfer(old)
	case c.Cost < 0:
		return Changes{}, ValidationFailed.Because("The cost is 0.00 or more.")
	}
	d := NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	t.SettledAt = e.Now
	if t.Status == TransferReturned {
		if c.Cost != 0 {
			d.amountEntry("CARD_SETTLED", t, e.Today(), c.Cost, ledger.CardCost, ledger.Cash)
		}
		return d.Done(t, false), nil
	}
	t.Status = TransferSettled
	d.paidOut(t, c.Cost)
	return d.Done(t, false), nil
}

// paidOut books what the processor pays out: a charge less its cost; of a refund it
// takes the amount, and its cost besides.
func (d *Draft) paidOut(t *Transfer, cost money.Amount) {
	dim := d.transferDims(t)
	sign := money.Amount(-1)
	if t.Kind == TransferPayment {
		sign = 1
	}
	gross := sign * t.Amount
	d.Entry("CARD_SETTLED", t.ID, d.Env.Today(), ledger.Posting{Account: ledger.Cash, Amount: gross.Sub(cost), Dimensions: dim},
		ledger.Posting{Account: ledger.CardCost, Amount: cost, Dimensions: dim}, ledger.Posting{Account: ledger.CardReceivable, Amount: -gross, Dimensions: dim})
}
