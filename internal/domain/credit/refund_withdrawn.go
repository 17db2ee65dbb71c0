package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// refundFailed notes that a refund has not arrived: it is still owed, on 2110, until a
// person pays it (PayRefund). If a bank has returned its payment meanwhile, the money has not
// left the house after all, and nobody owes it to anybody.
func (d *Draft) refundFailed(t *Transfer, f *Failure) {
	p := d.Payments.Edit(t.Payment)
	if p.Status == PaymentReturned && (!p.Reversed() || d.returnedTwice(p)) {
		d.withdrawLate(p, t.Refund, f)
		return
	}
	d.changeRefund(p, t.Refund, func(r *PaymentRefund) { r.Status, r.Failure, r.SettledAt = RefundFailed, f, time.Time{} })
}

// withdrawRefunds cancels the refunds of a payment that comes back which have not left
// the house: those that failed, that nobody has paid yet, or that wait for their file.
// What comes back now had not been given back (F16).
func (d *Draft) withdrawRefunds(p *Payment) {
	p.Refunds = slices.Clone(p.Refunds)
	canceled := false
	for i := range p.Refunds {
		r := p.Refunds[i]
		t := d.Transfers.Peek(r.Transfer)
		waits := t != nil && t.Status == TransferQueued
		if r.Status != RefundFailed && (r.Status != RefundPending || r.Transfer != "" && !waits) {
			continue
		}
		if waits {
			d.stopRefund(d.Transfers.Edit(t.ID))
		}
		p.cancelRefund(r.ID, r.Failure)
		canceled = true
	}
	if canceled {
		d.paymentEvent(PaymentRefundedEvent, p.ID)
	}
}

// stopRefund cancels a refund's transfer that has not been sent.
func (d *Draft) stopRefund(t *Transfer) {
	t.Status, t.NextAt = TransferCanceled, time.Time{}
	if charge := d.Transfers.Peek(t.Charge); charge != nil {
		x := d.Transfers.Edit(charge.ID)
		x.Back = x.Back.Sub(t.Amount)
	}
}

func (p *Payment) cancelRefund(id string, f *Failure) {
	r := &p.Refunds[p.RefundAt(id)]
	r.Status, r.Failure, r.SettledAt = RefundCanceled, f, time.Time{}
	p.Refunded = p.Refunded.Sub(r.Amount)
}

// canceled reports that a refund of that identifier has been canceled.
func (p *Payment) canceled(id string) bool {
	i := p.RefundAt(id)
	return i >= 0 && p.Refunds[i].Status == RefundCanceled
}

// withdrawn is what this command has canceled of a payment's refunds.
func (d *Draft) withdrawn(p *Payment) money.Amount {
	sum := money.Amount(0)
	was := d.State.Payments[p.ID]
	for _, r := range p.Refunds {
		if i := was.RefundAt(r.ID); r.Status == RefundCanceled && (i < 0 || was.Refunds[i].Status != RefundCanceled) {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// withdrawLate cancels a refund that fails after its payment has come back: its part of
// what the return had made owed is owed no more, and what had paid it pays other items.
func (d *Draft) withdrawLate(p *Payment, id string, f *Failure) {
	orders := d.scope(p)
	d.serveBefore(p.Company, orders, schedule.Event{})
	amount := p.Refunds[p.RefundAt(id)].Amount
	var back schedule.Event
	var owed ledger.Dimensions
	for _, k := range d.recorded(p.Company, orders) {
		if k.Kind != schedule.EventReturn || k.Payment != p.ID || k.Returned || k.Order != "" && k.Amount < amount {
			continue // else it is a reversal, after which nothing was owed
		}
		back, owed = k.Event, d.owedDims(k.Event, p)
		if k.Order != "" {
			k.Amount = k.Amount.Sub(amount)
		}
		d.putMoney(k)
	}
	p.Refunds = slices.Clone(p.Refunds)
	p.cancelRefund(id, f)
	d.paymentEvent(PaymentRefundedEvent, p.ID)
	d.replayWith(p.Company, orders, nil, map[string]bool{}, func() {
		lines := d.noLongerOwed(back, p, owed, amount)
		d.Entry("REFUND_CANCELED", id, d.Env.Today(), append(lines, ledger.Posting{Account: ledger.RefundsInTransit, Amount: amount, Dimensions: d.pendingDims(p)})...)
	})
}

// refundTransfers names the transfers of a payment's refunds, and once they are known the
// charges to which they go.
func refundTransfers(s *State, p *Payment) []string {
	var ids []string
	for _, r := range p.Refunds {
		if r.Transfer == "" {
			continue
		}
		ids = append(ids, r.Transfer)
		if t := s.Transfers[r.Transfer]; t != nil && t.Charge != "" && !slices.Contains(ids, t.Charge) {
			ids = append(ids, t.Charge)
		}
	}
	return ids
}
