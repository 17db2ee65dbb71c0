package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// DisputeCharge records a chargeback with the network's fee, or, if Won, that it was won
// and what of the fee has come back (F16, F25). The same again changes nothing.
type DisputeCharge struct {
	Transfer string       `json:"transfer"`
	IfMatch  []string     `json:"if_match,omitzero"` // versions in quotes; nil: any
	Won      bool         `json:"won"`
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Fee      money.Amount `json:"fee"`
}

func (DisputeCharge) Name() string { return "card.dispute" }

// WritesOwners makes it an OwnersWriter.
func (DisputeCharge) WritesOwners(Env) bool { return true }

// Keys asks for the transfer and all that its outcome concerns.
func (c DisputeCharge) Keys(s *State, _ Env) Keys { return transferKeys(s, c.Transfer) }

func (c DisputeCharge) Admit(s *State, e Env) *Rejection { return admitTransfer(s, e, c.Transfer) }

func (c DisputeCharge) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Transfers[c.Transfer]
	if r := MatchVersion(c.IfMatch, old.Version); r != nil {
		return Changes{}, r
	}
	switch {
	case old.Rail.Can().Dispute == 0 || old.Kind != TransferPayment || !old.Took() && old.Status != TransferReturned:
		return Changes{}, lockedTransfer(old)
	case c.Won == old.Took():
		return Changes{Result: old}, nil
	}
	d := NewDraft(s, e)
	t := d.Transfers.Edit(c.Transfer)
	p := d.Payments.Edit(t.Payment)
	fee := c.Fee
	if c.Won {
		t.Status, t.ReturnCode = TransferSettled, ""
		if t.SettledAt.IsZero() {
			t.Status = TransferSent
		}
		d.reinstate(t, p)
		fee = -fee
	} else {
		t.Status, t.ReturnCode, t.NextAt, t.ReleaseOn = TransferReturned, c.Code, time.Time{}, calendar.None
		was := d.paidBy(p)
		d.endHold(p)
		d.takeBack(p, failureOf(c.Code, c.Message, false))
		d.leaveDisputed(p, was)
		d.countDisputed(t, p)
	}
	if fee != 0 {
		d.amountEntry("CHARGEBACK_FEE", t, e.Today(), fee, ledger.CardCost, ledger.Cash)
	}
	return d.Done(t, false), nil
}

// reinstate applies the money of a payment again at its old date, as if it had never
// come back (F16): its return is withdrawn from the history. What had left the house
// before the return, and has been owed since, is no longer owed. A charge that was disputed
// once can be disputed again, as long as any other.
func (d *Draft) reinstate(t *Transfer, p *Payment) {
	p.Status, p.Failure = PaymentSucceeded, nil
	switch {
	case p.Refunded == p.Amount:
		p.Status = PaymentRefunded
	case p.Refunded > 0:
		p.Status = PaymentPartiallyRefunded
	}
	d.paymentEvent(PaymentSucceededEvent, p.ID)
	orders := d.scope(p)
	d.serveBefore(p.Company, orders, schedule.Event{})
	flags := map[string]bool{}
	var back schedule.Event
	for _, k := range d.recorded(p.Company, orders) {
		switch {
		case k.Kind == schedule.EventReturn && k.Payment == p.ID && !k.Returned:
			flags[k.ID], back = true, k.Event
		case k.Kind != schedule.EventReturn && PaymentOf(k.Event) == p.ID && !p.canceled(k.ID): // a refund that never left stays withdrawn
			flags[k.ID] = false
		}
	}
	owed := d.owedDims(back, p)
	d.replayWith(p.Company, orders, nil, flags, func() {
		dim := d.transferDims(t)
		lines := []ledger.Posting{
			{Account: cardAccount(t), Amount: p.Amount, Dimensions: dim}, {Account: ledger.PaymentsPending, Amount: -p.Amount, Dimensions: d.pendingDims(p)},
		}
		if p.Refunded != 0 {
			lines = append(lines, ledger.Posting{Account: ledger.RefundsInTransit, Amount: p.Refunded, Dimensions: dim})
			lines = append(lines, d.noLongerOwed(back, p, owed, p.Refunded)...)
		}
		d.Entry("CARD_DISPUTE_WON", t.ID, d.Env.Today(), lines...)
	})
	d.settlePayment(p)
	d.noteRecallable(t, p)
	d.withhold(t)
	if c := d.Companies.Peek(p.Company); len(c.Servicing.Cards.Disputed) > 0 {
		c = d.Companies.Edit(c.ID)
		c.Servicing.Cards = c.Servicing.Cards.without(p.ID)
	}
}

// noLongerOwed takes off what a return had made owed: from where it stands, which after
// a charge-off is not 1130 any more (F17).
func (d *Draft) noLongerOwed(back schedule.Event, p *Payment, owed ledger.Dimensions, amount money.Amount) []ledger.Posting {
	if owed.Order == "" {
		return []ledger.Posting{{Account: ledger.OtherReceivable, Amount: -amount, Dimensions: owed}}
	}
	post := &poster{d: d, company: p.Company, event: back, payment: p.ID, on: back.Date}
	part := schedule.Part{Order: owed.Order, Item: schedule.ItemOther, Installment: owed.Installment, Amount: amount, Lost: post.recovers(owed.Order)}
	return post.item(part, -amount, owed)
}

// cardAccount is where the money of a charge stands: with the processor until it has
// paid it out.
func cardAccount(t *Transfer) ledger.Account {
	if t.SettledAt.IsZero() {
		return ledger.CardReceivable
	}
	return ledger.Cash
}

// transferDims are the dimensions of a transfer's own lines.
func (d *Draft) transferDims(t *Transfer) ledger.Dimensions {
	dim := ledger.Dimensions{Company: t.Company, Merchant: t.Merchant}
	if p := d.Payments.Peek(t.Payment); p != nil {
		dim.Payment, dim.Order = p.ID, p.Order
		if o := d.Orders.Peek(p.Order); o != nil {
			dim.Merchant = o.Merchant
		}
	}
	return dim
}

// pendingDims are those of a payment's lines on 2120.
func (d *Draft) pendingDims(p *Payment) ledger.Dimensions {
	dim := ledger.Dimensions{Company: p.Company, Order: p.Order, Payment: p.ID}
	if o := d.Orders.Peek(p.Order); o != nil {
		dim.Merchant = o.Merchant
	}
	return dim
}

// owedDims are those of what a return has made owed on 1130.
func (d *Draft) owedDims(back schedule.Event, p *Payment) ledger.Dimensions {
	dim := ledger.Dimensions{Company: p.Company, Payment: p.ID}
	if o, l := d.standing(back.Order); o != nil && l != nil {
		dim.Order, dim.Merchant = o.Key, o.Merchant
		if i := slices.IndexFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == back.ID }); i >= 0 {
			dim.Installment = l.Fees[i].Installment
		}
	}
	return dim
}
