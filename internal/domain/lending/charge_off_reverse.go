package lending

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// ReverseChargeOff undoes a charge-off that staff found to be wrong (F34). The charge-off
// leaves the order's money events: principal, charge and fees are owed on their usual accounts
// again, charge has accrued by date, and recoveries become ordinary payments. The difference
// is posted today, for the days it belongs to. A payment dated before the charge-off and
// recorded after it now counts on its own date. The company's status does not change: it stays
// suspended until a person ends that (F26). Result is the *Order.
type ReverseChargeOff struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Reason  string   `json:"reason"`
}

func (ReverseChargeOff) Name() string { return "order.reverse_charge_off" }

// Keys requests the order with its loan and its history, and for the lender's allowance.
func (c ReverseChargeOff) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventReversal, Date: e.Today()})
	k.Lenders = []string{credit.TheLender}
	return k
}

func (c ReverseChargeOff) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such order.")
	}
	return AdmitOrder(s, e, c.Order)
}

func (c ReverseChargeOff) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	o := s.Orders[c.Order]
	if r := credit.MatchVersion(c.IfMatch, o.Version); r != nil {
		return credit.Changes{}, r
	}
	switch {
	case o.Captured == 0:
		return credit.Changes{}, credit.OrderNotCaptured.With("Only a captured order can have been charged off.", map[string]any{"order_status": string(o.Status)})
	case !s.Loans[c.Order].ChargedOff && chargeOffReversed(s, c.Order):
		return credit.Changes{Result: o}, nil
	case !s.Loans[c.Order].ChargedOff:
		return credit.Changes{}, credit.InvalidTransition.With("The order is not charged off.", map[string]any{"financing_status": string(o.Financing)})
	}
	d := credit.NewDraft(s, e)
	ServeBefore(d, o.Company, []string{c.Order}, schedule.Event{})
	reverseChargeOff(d, o)
	return d.Done(d.Orders.Edit(c.Order), false), nil
}

// reverseChargeOff removes the charge-off from an order's history. What is due by today needs
// review: autopay does not collect it on its own (F12).
func reverseChargeOff(d *credit.Draft, o *credit.Order) {
	off := chargeOffOf(d, o)
	redated := redate(d, o, off)
	mark := &d.Orders.Edit(o.Key).Servicing
	mark.ChargedOff, mark.ChargedOffSeq = 0, 0
	Play(d, o.Company, []string{o.Key}, schedule.Event{
		Kind: schedule.EventReversal, ID: d.IDs.Next(prefixReversal), Date: d.Env.Today(), Seq: NextSeq(d, o.Company), Order: o.Key, ChargeOff: off.ID, Redated: redated,
	}, nil)
	owedAgain(d, o, off)
	coverAllowance(d, off.ID)
	if o.External {
		return
	}
	var due []schedule.Ref
	for _, it := range credit.OpenItems(d.LoanOf(o.Key), d.Env.Today()) {
		due = append(due, it.Ref)
	}
	StopCollecting(d, o.Key, due)
}

// chargeOffReversed reports whether a charge-off of an order has been reversed.
func chargeOffReversed(s *credit.State, order string) bool {
	return slices.ContainsFunc(s.History[order], func(k credit.MoneyEvent) bool { return k.Kind == schedule.EventReversal && k.Order == order })
}

// chargeOffOf is the charge-off of an order that is in effect.
func chargeOffOf(d *credit.Draft, o *credit.Order) schedule.Event {
	all := Recorded(d, o.Company, []string{o.Key})
	at := slices.IndexFunc(all, func(k credit.MoneyEvent) bool {
		return k.Kind == schedule.EventChargeOff && k.Order == o.Key && !k.Returned
	})
	return all[at].Event
}

// redate makes payments that were recorded after a charge-off with an earlier date, and were
// recoveries only for that reason, count on their own date. It also lets company-level
// payments that skipped the order reach it (F12, F34). It returns how they counted before, for
// queries about the time before.
func redate(d *credit.Draft, o *credit.Order, off schedule.Event) []schedule.Redated {
	var before []schedule.Redated
	for _, k := range Recorded(d, o.Company, together(d, o)) {
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
		PutMoney(d, k)
	}
	return before
}

// together lists the orders whose histories are replayed together with an order's.
func together(d *credit.Draft, o *credit.Order) []string {
	if d.Companies.Peek(o.Company).JointReplay {
		return tied(d, o.Company)
	}
	return []string{o.Key}
}

// owedAgain moves what returns after a charge-off had made owed from the account it was on to
// 1130. The returns' own entries stay as posted (F16).
func owedAgain(d *credit.Draft, o *credit.Order, off schedule.Event) {
	for _, k := range Recorded(d, o.Company, together(d, o)) {
		after := k.Date > off.Date || k.Date == off.Date && k.Seq > off.Seq
		if k.Kind != schedule.EventReturn || k.Order != o.Key || k.Returned || k.Amount == 0 || !after {
			continue
		}
		pay := d.Payments.Peek(k.Payment)
		post, dim := &Poster{D: d, Company: o.Company, Event: k.Event, Payment: k.Payment, On: k.Date}, OwedDims(d, k.Event, pay)
		part := schedule.Part{Order: o.Key, Item: schedule.ItemOther, Installment: dim.Installment, Fee: k.ID, Amount: k.Amount}
		lines := post.Item(part, k.Amount, dim)
		part.Lost = true
		d.Entry("CHARGE_OFF_REVERSED", k.ID, k.Date, append(lines, post.Item(part, -k.Amount, dim)...)...)
	}
}

// coverAllowance tops up the allowance if another charge-off has since used what it held and
// would otherwise have topped it up itself.
func coverAllowance(d *credit.Draft, cause string) {
	moved := credit.AllowanceMoved(d.Changes.Entries)
	if lacks := min(-d.Allowance().Add(moved), -moved); lacks > 0 {
		d.Entry(credit.EntryAllowanceRaised, cause, d.Env.Today(), ledger.Posting{Account: ledger.ProvisionAndLosses, Amount: lacks},
			ledger.Posting{Account: ledger.Allowance, Amount: -lacks})
	}
}
