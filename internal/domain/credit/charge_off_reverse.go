package credit

import (
	"slices"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// ReverseChargeOff takes a charge-off back, as staff decide who have found it wrong (F34).
// The charge-off leaves the order's money events: principal, charge and fees are owed where
// they were, charge has accrued by date, and what was recovered is payments like all others.
// The difference is posted today for the days that it belongs to. A payment that had been
// dated before the charge-off and recorded after it counts on its own date now. Nothing is
// decided by it about the company, which stays suspended until a person ends that (F26).
// Result is the *Order.
type ReverseChargeOff struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Reason  string   `json:"reason"`
}

func (ReverseChargeOff) Name() string { return "order.reverse_charge_off" }

// Keys asks for the order with its loan and its history, and for the lender's allowance.
func (c ReverseChargeOff) Keys(s *State, e Env) Keys {
	k := moneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventReversal, Date: e.Today()})
	k.Lenders = []string{TheLender}
	return k
}

func (c ReverseChargeOff) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such order.")
	}
	return AdmitOrder(s, e, c.Order)
}

func (c ReverseChargeOff) Decide(s *State, e Env) (Changes, *Rejection) {
	o := s.Orders[c.Order]
	if r := MatchVersion(c.IfMatch, o.Version); r != nil {
		return Changes{}, r
	}
	switch {
	case o.Captured == 0:
		return Changes{}, OrderNotCaptured.With("Only a captured order can have been charged off.", map[string]any{"order_status": string(o.Status)})
	case !s.Loans[c.Order].ChargedOff && s.chargeOffReversed(c.Order):
		return Changes{Result: o}, nil
	case !s.Loans[c.Order].ChargedOff:
		return Changes{}, InvalidTransition.With("The order is not charged off.", map[string]any{"financing_status": string(o.Financing)})
	}
	d := NewDraft(s, e)
	d.serveBefore(o.Company, []string{c.Order}, schedule.Event{})
	d.reverseChargeOff(o)
	return d.Done(d.Orders.Edit(c.Order), false), nil
}

// reverseChargeOff takes the charge-off out of an order's history. What has come due by
// today needs review: autopay does not collect it by itself (F12).
func (d *Draft) reverseChargeOff(o *Order) {
	off := d.chargeOffOf(o)
	redated := d.redate(o, off)
	mark := &d.Orders.Edit(o.Key).Servicing
	mark.ChargedOff, mark.ChargedOffSeq = 0, 0
	d.play(o.Company, []string{o.Key}, schedule.Event{
		Kind: schedule.EventReversal, ID: d.IDs.Next(prefixReversal), Date: d.Env.Today(), Seq: d.nextSeq(o.Company), Order: o.Key, ChargeOff: off.ID, Redated: redated,
	}, nil)
	d.owedAgain(o, off)
	d.coverAllowance(off.ID)
	if o.External {
		return
	}
	var due []schedule.Ref
	for _, it := range openItems(d.LoanOf(o.Key), d.Env.Today()) {
		due = append(due, it.ref)
	}
	d.stop(o.Key, due)
}

// chargeOffReversed reports that a charge-off of an order has been reversed.
func (s *State) chargeOffReversed(order string) bool {
	return slices.ContainsFunc(s.History[order], func(k MoneyEvent) bool { return k.Kind == schedule.EventReversal && k.Order == order })
}

// chargeOffOf is the charge-off of an order that counts.
func (d *Draft) chargeOffOf(o *Order) schedule.Event {
	all := d.recorded(o.Company, []string{o.Key})
	at := slices.IndexFunc(all, func(k MoneyEvent) bool {
		return k.Kind == schedule.EventChargeOff && k.Order == o.Key && !k.Returned
	})
	return all[at].Event
}

// redate lets the payments that were recorded after a charge-off with an earlier date, and
// were recoveries for that alone, count on their own date; and lets those of the company
// that passed the order by reach it (F12, F34). It returns how they counted before, for
// what is asked of the time before.
func (d *Draft) redate(o *Order, off schedule.Event) []schedule.Redated {
	var before []schedule.Redated
	for _, k := range d.recorded(o.Company, d.together(o)) {
		pay, was := d.Payments.Peek(k.ID), schedule.Redated{ID: k.ID, Date: k.Date, Scope: k.Scope}
		if k.Kind != schedule.EventPayment || k.Seq < off.Seq {
			continue
		}
		switch {
		case k.Order == o.Key && pay.EffectiveDate < k.Date:
			k.Date = pay.EffectiveDate
		case k.Order == "" && k.Date < off.Date && reaches(pay, o) && !slices.Contains(k.Scope, o.Key):
			k.Scope = append(slices.Clone(k.Scope), o.Key)
		default:
			continue
		}
		before = append(before, was)
		d.putMoney(k)
	}
	return before
}

// together lists the orders whose histories are replayed with that of an order.
func (d *Draft) together(o *Order) []string {
	if d.Companies.Peek(o.Company).JointReplay {
		return d.tied(o.Company)
	}
	return []string{o.Key}
}

// owedAgain moves what returns after a charge-off had made owed from where it stood then to
// 1130: their own entries stay as they were posted (F16).
func (d *Draft) owedAgain(o *Order, off schedule.Event) {
	for _, k := range d.recorded(o.Company, d.together(o)) {
		after := k.Date > off.Date || k.Date == off.Date && k.Seq > off.Seq
		if k.Kind != schedule.EventReturn || k.Order != o.Key || k.Returned || k.Amount == 0 || !after {
			continue
		}
		pay := d.Payments.Peek(k.Payment)
		post, dim := &poster{d: d, company: o.Company, event: k.Event, payment: k.Payment, on: k.Date}, d.owedDims(k.Event, pay)
		part := schedule.Part{Order: o.Key, Item: schedule.ItemOther, Installment: dim.Installment, Fee: k.ID, Amount: k.Amount}
		lines := post.item(part, k.Amount, dim)
		part.Lost = true
		d.Entry("CHARGE_OFF_REVERSED", k.ID, k.Date, append(lines, post.item(part, -k.Amount, dim)...)...)
	}
}

// coverAllowance tops the allowance up if what it held has been used since by another
// charge-off, which would have had to top it up itself.
func (d *Draft) coverAllowance(cause string) {
	moved := AllowanceMoved(d.Changes.Entries)
	if lacks := min(-d.Allowance().Add(moved), -moved); lacks > 0 {
		d.Entry(EntryAllowanceRaised, cause, d.Env.Today(), ledger.Posting{Account: ledger.ProvisionAndLosses, Amount: lacks},
			ledger.Posting{Account: ledger.Allowance, Amount: -lacks})
	}
}
