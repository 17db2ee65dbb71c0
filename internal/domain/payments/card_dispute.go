package payments

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// DisputeCharge records a chargeback with the network's fee, or, with Won, that it was won and
// how much of the fee was returned (F16, F25). It is idempotent.
type DisputeCharge struct {
	Transfer string       `json:"transfer"`
	IfMatch  []string     `json:"if_match,omitzero"` // versions in quotes; nil: any
	Won      bool         `json:"won"`
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Fee      money.Amount `json:"fee"`
}

func (DisputeCharge) Name() string { return "card.dispute" }

// WritesOwners implements credit.OwnersWriter.
func (DisputeCharge) WritesOwners(credit.Env) bool { return true }

// Keys requests the transfer and everything that its outcome affects.
func (c DisputeCharge) Keys(s *credit.State, _ credit.Env) credit.Keys {
	return transferKeys(s, c.Transfer)
}

func (c DisputeCharge) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitTransfer(s, e, c.Transfer)
}

func (c DisputeCharge) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Transfers[c.Transfer]
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return credit.Changes{}, r
	}
	switch {
	case old.Rail.Can().Dispute == 0 || old.Kind != credit.TransferPayment || !old.Took() && old.Status != credit.TransferReturned:
		return credit.Changes{}, lockedTransfer(old)
	case c.Won == old.Took():
		return credit.Changes{Result: old}, nil
	}
	d := credit.NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	p := d.Payments.Edit(t.Payment)
	fee := c.Fee
	if c.Won {
		t.Status, t.ReturnCode = credit.TransferSettled, ""
		if t.SettledAt.IsZero() {
			t.Status = credit.TransferSent
		}
		reinstate(d, t, p)
		fee = -fee
	} else {
		t.Status, t.ReturnCode, t.NextAt, t.ReleaseOn = credit.TransferReturned, c.Code, time.Time{}, calendar.None
		was := lending.PaidBy(d, p)
		lending.EndHold(d, p)
		takeBack(d, p, failureOf(c.Code, c.Message, false))
		lending.LeaveDisputed(d, p, was)
		countDisputed(d, t, p)
	}
	if fee != 0 {
		amountEntry(d, "CHARGEBACK_FEE", t, e.Today(), fee, ledger.CardCost, ledger.Cash)
	}
	return d.Done(t, false), nil
}

// reinstate applies a payment's money again at its old date, as if it had never come back
// (F16): its return is withdrawn from the history. What had been sent out before the return,
// and has been owed since, is no longer owed. A charge that was disputed once can be disputed
// again, for the full period.
func reinstate(d *credit.Draft, t *credit.Transfer, p *credit.Payment) {
	p.Status, p.Failure = credit.PaymentSucceeded, nil
	switch {
	case p.Refunded == p.Amount:
		p.Status = credit.PaymentRefunded
	case p.Refunded > 0:
		p.Status = credit.PaymentPartiallyRefunded
	}
	d.PaymentEvent(credit.PaymentSucceededEvent, p.ID)
	orders := lending.ScopeOf(d, p)
	lending.ServeBefore(d, p.Company, orders, schedule.Event{})
	flags := map[string]bool{}
	var back schedule.Event
	for _, k := range lending.Recorded(d, p.Company, orders) {
		switch {
		case k.Kind == schedule.EventReturn && k.Payment == p.ID && !k.Returned:
			flags[k.ID], back = true, k.Event
		case k.Kind != schedule.EventReturn && lending.PaymentOf(k.Event) == p.ID && !refundCanceled(p, k.ID): // a refund that was never sent stays withdrawn
			flags[k.ID] = false
		}
	}
	owed := lending.OwedDims(d, back, p)
	lending.ReplayWith(d, p.Company, orders, nil, flags, func() {
		dim := transferDims(d, t)
		lines := []ledger.Posting{
			{Account: lending.CardAccount(t), Amount: p.Amount, Dimensions: dim}, {Account: ledger.PaymentsPending, Amount: -p.Amount, Dimensions: lending.PendingDims(d, p)},
		}
		if p.Refunded != 0 {
			lines = append(lines, ledger.Posting{Account: ledger.RefundsInTransit, Amount: p.Refunded, Dimensions: dim})
			lines = append(lines, noLongerOwed(d, back, p, owed, p.Refunded)...)
		}
		d.Entry("CARD_DISPUTE_WON", t.ID, d.Env.Today(), lines...)
	})
	lending.SettlePayment(d, p)
	lending.NoteRecallable(d, t, p)
	lending.Withhold(d, t)
	if c := d.Companies.Peek(p.Company); len(c.Servicing.Cards.Disputed) > 0 {
		c = d.Companies.Edit(c.ID)
		c.Servicing.Cards = withoutCharge(c.Servicing.Cards, p.ID)
	}
}

// noLongerOwed takes off what a return had made owed, from the account it is on: after a
// charge-off that is no longer 1130 (F17).
func noLongerOwed(d *credit.Draft, back schedule.Event, p *credit.Payment, owed ledger.Dimensions, amount money.Amount) []ledger.Posting {
	if owed.Order == "" {
		return []ledger.Posting{{Account: ledger.OtherReceivable, Amount: -amount, Dimensions: owed}}
	}
	post := &lending.Poster{D: d, Company: p.Company, Event: back, Payment: p.ID, On: back.Date}
	part := schedule.Part{Order: owed.Order, Item: schedule.ItemOther, Installment: owed.Installment, Amount: amount, Lost: post.Recovers(owed.Order)}
	return post.Item(part, -amount, owed)
}

// transferDims are the dimensions of a transfer's own postings.
func transferDims(d *credit.Draft, t *credit.Transfer) ledger.Dimensions {
	dim := ledger.Dimensions{Company: t.Company, Merchant: t.Merchant}
	if p := d.Payments.Peek(t.Payment); p != nil {
		dim.Payment, dim.Order = p.ID, p.Order
		if o := d.Orders.Peek(p.Order); o != nil {
			dim.Merchant = o.Merchant
		}
	}
	return dim
}
