package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// ResumeCollection lets autopay collect the items of an order again that had been left to
// a person: their retries are used up or came too late (F23), or their money was given
// back (F35). They are collected with the next installment, or if none is to come at the next cut-off.
// After a debit that was not what had been agreed (R11) Amount and On make the corrected
// entry instead; and so does the command without them if the next installment comes too
// late for one. Result is the *Order.
type ResumeCollection struct {
	Order   string        `json:"order"`
	IfMatch []string      `json:"if_match"`
	Amount  *money.Amount `json:"amount,omitzero"` // of the corrected entry; nil: all
	On      calendar.Date `json:"on,omitzero"`     // on which it settles; 0: as soon as it can
}

func (ResumeCollection) Name() string { return "order.resume" }

// Keys asks for the order with its loan, then for its company's autopay method.
func (c ResumeCollection) Keys(s *State, _ Env) Keys {
	k := moneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: latest}) // a corrected entry serves the order first
	if o := s.Orders[c.Order]; o != nil {
		k.Methods = autopayMethod(s, o.Company)
	}
	return k
}

func (c ResumeCollection) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such order.")
	}
	return AdmitOrder(s, e, c.Order)
}

func (c ResumeCollection) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Orders[c.Order]
	if r := matches(c.IfMatch, old); r != nil {
		return Changes{}, r
	}
	if old.Captured == 0 {
		return Changes{}, OrderNotCaptured.With("Only a captured order is collected.", map[string]any{"order_status": string(old.Status)})
	}
	if s.Loans[c.Order].ChargedOff {
		return Changes{}, chargedOff("The order is charged off.")
	}
	if len(old.Servicing.Stopped) == 0 {
		return Changes{Result: old}, nil
	}
	if s.Companies[old.Company].AutopayPaused() == PausedByBankruptcy {
		return Changes{}, InvalidTransition.Because("The company is bankrupt: nothing is collected until the report is withdrawn.")
	}
	if !slices.ContainsFunc(s.Loans[c.Order].Rows, func(r schedule.Row) bool { return r.Unpaid() > 0 }) {
		return Changes{}, InvalidTransition.Because("Only fees are left, and a fee is not debited by itself: waive them, or have them paid.")
	}
	if need := old.Servicing.Consent; need != nil && e.Today() >= need.From && !s.consents(old.Company, old.Merchant, need) {
		return Changes{}, PaymentMethodRequired.With("After this return the holder has to authorize debits anew, or autopay needs another account.",
			map[string]any{"return_code": need.Code, "authorized_after": need.Since})
	}
	d := NewDraft(s, e)
	if need := old.Servicing.Consent; c.Amount != nil || c.On != 0 || tooLate(e, need, old, s.Loans[c.Order]) && !s.consents(old.Company, old.Merchant, need) {
		on := c.On
		if on == 0 {
			on = calendar.None
		}
		if r := d.correctEntry(c.Order, c.Amount, on); r != nil {
			return Changes{}, r
		}
		return d.Done(d.Orders.Peek(c.Order), false), nil
	}
	d.Orders.Edit(c.Order).Servicing.Stopped = nil
	d.Orders.Edit(c.Order).Servicing.Consent = nil
	d.collectRest(c.Order)
	return d.Done(d.Orders.Peek(c.Order), false), nil
}

// consents reports that the account from which autopay debits a company has been
// authorized since a return.
func (s *State) consents(company int64, merchant string, need *Consent) bool {
	m := s.Methods[s.Companies[company].AutopayOf(merchant).Method]
	return m != nil && m.Usable() && m.Authorization.AcceptedAt.After(need.Since)
}

// collectRest lets autopay collect at the next cut-off what no coming installment would
// take along: the collection date of an order's last row has passed while a hold, a
// dropped retry or used up retries kept it from being collected (F12).
func (d *Draft) collectRest(key string) {
	o, l := d.standing(key)
	if o == nil || l == nil || nextCollection(o, l) != calendar.None {
		return
	}
	for _, r := range l.Rows {
		if r.Unpaid() > 0 && !d.kept(o, schedule.Ref{Order: key, Installment: r.Number}) {
			d.Orders.Edit(key).Servicing.CollectedFor = schedule.Collection(r.DueDate) - 1
			return
		}
	}
}

// recollect lets autopay collect with the next file what no entry has been built for: a row
// counts as collected for only when one was (F41.8). Autopay was off when its turn came, or
// the debit was canceled.
func (d *Draft) recollect(key string) {
	o, l := d.standing(key)
	if o == nil || l == nil || o.External || o.Financing == FinancingChargedOff {
		return
	}
	for _, r := range l.Rows {
		on := schedule.Collection(r.DueDate)
		if on > o.Servicing.CollectedFor {
			return
		}
		if r.Unpaid() > 0 && !d.kept(o, schedule.Ref{Order: key, Installment: r.Number}) {
			d.Orders.Edit(key).Servicing.CollectedFor = on - 1
			return
		}
	}
}

// recollectAll is recollect for a merchant's orders of a company, of all if it is "".
func (d *Draft) recollectAll(company int64, merchant string) {
	for _, key := range d.State.Accounts[company] {
		if o := d.Orders.Peek(key); merchant == "" || o.Merchant == merchant {
			d.recollect(key)
		}
	}
}

// kept reports that an item is on its way, or left for review.
func (d *Draft) kept(o *Order, ref schedule.Ref) bool {
	return slices.Contains(o.Servicing.Stopped, ref) || slices.ContainsFunc(o.Servicing.Open, func(x OpenDebit) bool {
		return x.Items == nil && x.covers(d.Env.Today(), o.Servicing.CollectedFor) || slices.Contains(x.Items, ref)
	})
}

// stop leaves items of an order to a person (F12).
func (d *Draft) stop(key string, items []schedule.Ref) {
	o := d.Orders.Peek(key)
	stopped := slices.Clone(o.Servicing.Stopped)
	for _, ref := range items {
		if !slices.Contains(stopped, ref) {
			stopped = append(stopped, ref)
		}
	}
	if len(stopped) > len(o.Servicing.Stopped) {
		d.Orders.Edit(key).Servicing.Stopped = stopped
	}
}

// reopened notes what a payment's refund, or its reversal, has opened again and is due
// already. With stop a person decides when it is debited again: what has been given back
// today is not taken again by itself tomorrow. Its days of grace begin anew (F35).
func (d *Draft) reopened(was []*schedule.Loan, stop bool) {
	today := d.Env.Today()
	for _, old := range was {
		o, now := d.standing(old.Key)
		if o.External || now.ChargedOff {
			continue
		}
		items := openedAgain(old, now, today)
		for _, ref := range items {
			if ref.Installment > 0 {
				x := d.Orders.Edit(old.Key)
				x.Servicing.Reopened = append(slices.DeleteFunc(slices.Clone(x.Servicing.Reopened), func(r Reopening) bool {
					return r.Installment == ref.Installment
				}), Reopening{ref.Installment, today})
			}
		}
		if stop {
			d.stop(old.Key, items)
		}
	}
}

// openedAgain lists what of a loan is due on a day and more of it unpaid than before.
func openedAgain(before, now *schedule.Loan, today calendar.Date) []schedule.Ref {
	old := openItems(before, today)
	var items []schedule.Ref
	for _, it := range openItems(now, today) {
		if !slices.ContainsFunc(old, func(b openItem) bool { return b.ref == it.ref && b.unpaid >= it.unpaid }) {
			items = append(items, it.ref)
		}
	}
	return items
}

// leaveDisputed leaves for review what a disputed payment had paid: who disputes a charge
// is not charged the same again before anybody has spoken with them. A dispute that is won
// pays it again.
func (d *Draft) leaveDisputed(p *Payment, was []*schedule.Loan) {
	for _, old := range was {
		if o, now := d.standing(old.Key); !o.External && !now.ChargedOff {
			d.stop(old.Key, openedAgain(old, now, d.Env.Today()))
		}
	}
	d.leaveLasts(p)
}

// graceFrom is the day from which the days of grace of a row count, besides its due date:
// that on which a refund has opened it again, 0 if none has.
func (o *Order) graceFrom(row int) calendar.Date {
	for _, r := range o.Servicing.Reopened {
		if r.Installment == row {
			return r.On
		}
	}
	return 0
}

// finishStopped lets items of which nothing is unpaid any more be no person's matter, and
// tells when an order begins or ends to have some that are.
func (d *Draft) finishStopped() {
	for i := 0; i < len(d.Changes.Orders); i++ {
		o := d.Changes.Orders[i]
		l := d.LoanOf(o.Key)
		if l == nil {
			continue
		}
		open := openItems(l, latest)
		left := slices.DeleteFunc(slices.Clone(o.Servicing.Stopped), func(ref schedule.Ref) bool {
			return l.ChargedOff || !slices.ContainsFunc(open, func(it openItem) bool { return it.ref == ref })
		})
		if o.Servicing.Stopped = append(left, d.orphans(o, l)...); len(o.Servicing.Stopped) == 0 {
			o.Servicing.Stopped, o.Servicing.Consent = nil, nil
		}
		o.Servicing.Reopened = slices.DeleteFunc(slices.Clone(o.Servicing.Reopened), func(r Reopening) bool { return l.Rows[r.Installment-1].Unpaid() == 0 })
		if len(o.Servicing.Reopened) == 0 {
			o.Servicing.Reopened = nil
		}
		was := d.State.Orders[o.Key]
		if was != nil && was.Waits() != o.Waits() && !d.tells(o.Key) {
			d.OrderEvent(OrderUpdatedEvent, o.Key)
		}
	}
}

// orphans lists the fees of an order that autopay would have taken along with its next
// debit and cannot, because every row is paid: a fee is never debited by an entry of its
// own (F11). A person waives them, or has them paid.
func (d *Draft) orphans(o *Order, l *schedule.Loan) (fees []schedule.Ref) {
	paid := !slices.ContainsFunc(l.Rows, func(r schedule.Row) bool { return r.Unpaid() > 0 })
	if !paid || l.ChargedOff || d.unwanted(o) || !d.Companies.Peek(o.Company).AutopayOf(o.Merchant).Enabled {
		return nil
	}
	for _, f := range l.Fees {
		if ref := (schedule.Ref{Order: o.Key, Fee: f.ID}); f.Unpaid() > 0 && !d.kept(o, ref) {
			fees = append(fees, ref)
		}
	}
	return fees
}

// Waits reports that items of the order need review: autopay does not collect
// them.
func (o *Order) Waits() bool { return len(o.Servicing.Stopped) > 0 }
