package payments

import (
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// refundFailed records that a refund has not arrived: it is still owed, on 2110, until a
// person pays it (PayRefund). If a bank has returned its payment in the meantime, the money
// was never sent out after all, and nobody owes it.
func refundFailed(d *credit.Draft, t *credit.Transfer, f *credit.Failure) {
	p := d.Payments.Edit(t.Payment)
	if p.Status == credit.PaymentReturned && (!p.Reversed() || returnedTwice(d, p)) {
		withdrawLate(d, p, t.Refund, f)
		return
	}
	changeRefund(d, p, t.Refund, func(r *credit.PaymentRefund) { r.Status, r.Failure, r.SettledAt = credit.RefundFailed, f, time.Time{} })
}

// withdrawRefunds cancels the unsent refunds of a payment that comes back: those that failed,
// that nobody has paid yet, or that wait for their file. What comes back now had not been
// given back (F16).
func withdrawRefunds(d *credit.Draft, p *credit.Payment) {
	p.Refunds = slices.Clone(p.Refunds)
	canceled := false
	for i := range p.Refunds {
		r := p.Refunds[i]
		t := d.Transfers.Peek(r.Transfer)
		waits := t != nil && t.Status == credit.TransferQueued
		if r.Status != credit.RefundFailed && (r.Status != credit.RefundPending || r.Transfer != "" && !waits) {
			continue
		}
		if waits {
			stopRefund(d, d.Transfers.Edit(t.ID))
		}
		cancelRefund(p, r.ID, r.Failure)
		canceled = true
	}
	if canceled {
		d.PaymentEvent(credit.PaymentRefundedEvent, p.ID)
	}
}

// stopRefund cancels a refund's transfer before it is sent.
func stopRefund(d *credit.Draft, t *credit.Transfer) {
	t.Status, t.NextAt = credit.TransferCanceled, time.Time{}
	if charge := d.Transfers.Peek(t.Charge); charge != nil {
		x := d.Transfers.Edit(charge.ID)
		x.Back = x.Back.Sub(t.Amount)
	}
}

func cancelRefund(p *credit.Payment, id string, f *credit.Failure) {
	r := &p.Refunds[p.RefundAt(id)]
	r.Status, r.Failure, r.SettledAt = credit.RefundCanceled, f, time.Time{}
	p.Refunded = p.Refunded.Sub(r.Amount)
}

// refundCanceled reports whether the refund with that identifier was canceled.
func refundCanceled(p *credit.Payment, id string) bool {
	i := p.RefundAt(id)
	return i >= 0 && p.Refunds[i].Status == credit.RefundCanceled
}

// withdrawLate cancels a refund that fails after its payment has come back: its part of what
// the return made owed is no longer owed, and what had paid it pays other items.
func withdrawLate(d *credit.Draft, p *credit.Payment, id string, f *credit.Failure) {
	orders := lending.ScopeOf(d, p)
	lending.ServeBefore(d, p.Company, orders, schedule.Event{})
	amount := p.Refunds[p.RefundAt(id)].Amount
	var back schedule.Event
	var owed ledger.Dimensions
	for _, k := range lending.Recorded(d, p.Company, orders) {
		if k.Kind != schedule.EventReturn || k.Payment != p.ID || k.Returned || k.Order != "" && k.Amount < amount {
			continue // else it is a reversal, after which nothing was owed
		}
		back, owed = k.Event, lending.OwedDims(d, k.Event, p)
		if k.Order != "" {
			k.Amount = k.Amount.Sub(amount)
		}
		lending.PutMoney(d, k)
	}
	p.Refunds = slices.Clone(p.Refunds)
	cancelRefund(p, id, f)
	d.PaymentEvent(credit.PaymentRefundedEvent, p.ID)
	lending.ReplayWith(d, p.Company, orders, nil, map[string]bool{}, func() {
		lines := noLongerOwed(d, back, p, owed, amount)
		d.Entry("REFUND_CANCELED", id, d.Env.Today(), append(lines, ledger.Posting{Account: ledger.RefundsInTransit, Amount: amount, Dimensions: lending.PendingDims(d, p)})...)
	})
}

// refundTransfers lists the transfers of a payment's refunds and, once they are loaded, the
// charges they go to.
func refundTransfers(s *credit.State, p *credit.Payment) []string {
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
