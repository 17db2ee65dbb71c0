package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// ResumeCollection lets autopay collect an order's items again that were left for review:
// their retries are used up or came too late (F23), or their money was given back (F35). They
// are collected with the next installment, or at the next cut-off if there is none. After a
// debit that was not on the agreed terms (R11), Amount and On create the corrected entry
// instead; without them the command also does so if the next installment comes too late for
// one. Result is the *Order.
type ResumeCollection struct {
	Order   string        `json:"order"`
	IfMatch []string      `json:"if_match"`
	Amount  *money.Amount `json:"amount,omitzero"` // of the corrected entry; nil: everything
	On      calendar.Date `json:"on,omitzero"`     // day on which it settles; 0: as soon as possible
}

func (ResumeCollection) Name() string { return "order.resume" }

// Keys requests the order with its loan, then for its company's autopay method.
func (c ResumeCollection) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: credit.Latest}) // a corrected entry serves the order first
	if o := s.Orders[c.Order]; o != nil {
		k.Methods = AutopayMethod(s, o.Company)
	}
	return k
}

func (c ResumeCollection) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such order.")
	}
	return AdmitOrder(s, e, c.Order)
}

func (c ResumeCollection) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Orders[c.Order]
	if r := Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Captured == 0 {
		return credit.Changes{}, credit.OrderNotCaptured.With("Only a captured order can be collected.", map[string]any{"order_status": string(old.Status)})
	}
	if s.Loans[c.Order].ChargedOff {
		return credit.Changes{}, chargedOff("The order is charged off.")
	}
	if len(old.Servicing.Stopped) == 0 {
		return credit.Changes{Result: old}, nil
	}
	if s.Companies[old.Company].AutopayPaused() == credit.PausedByBankruptcy {
		return credit.Changes{}, credit.InvalidTransition.Because("The company is bankrupt. Nothing is collected until the report is withdrawn.")
	}
	if !slices.ContainsFunc(s.Loans[c.Order].Rows, func(r schedule.Row) bool { return r.Unpaid() > 0 }) {
		return credit.Changes{}, credit.InvalidTransition.Because("Only fees are left, and a fee is not debited on its own. Waive the fees, or wait for a payment.")
	}
	if need := old.Servicing.Consent; need != nil && e.Today() >= need.From && !consents(s, old.Company, old.Merchant, need) {
		return credit.Changes{}, credit.PaymentMethodRequired.With("After this return, the account holder must authorize debits again, or autopay must use another account.",
			map[string]any{"return_code": need.Code, "authorized_after": need.Since})
	}
	d := credit.NewDraft(s, e)
	if need := old.Servicing.Consent; c.Amount != nil || c.On != 0 || tooLate(e, need, old, s.Loans[c.Order]) && !consents(s, old.Company, old.Merchant, need) {
		on := c.On
		if on == 0 {
			on = calendar.None
		}
		if r := correctEntry(d, c.Order, c.Amount, on); r != nil {
			return credit.Changes{}, r
		}
		return d.Done(d.Orders.Peek(c.Order), false), nil
	}
	d.Orders.Edit(c.Order).Servicing.Stopped = nil
	d.Orders.Edit(c.Order).Servicing.Consent = nil
	CollectRest(d, c.Order)
	return d.Done(d.Orders.Peek(c.Order), false), nil
}

// consents reports whether the account that autopay debits has been authorized since a return.
func consents(s *credit.State, company int64, merchant string, need *credit.Consent) bool {
	m := s.Methods[s.Companies[company].AutopayOf(merchant).Method]
	return m != nil && m.Usable() && m.Authorization.AcceptedAt.After(need.Since)
}

// CollectRest lets autopay collect at the next cut-off what no coming installment would
// include: the collection date of an order's last row has passed while a hold, a dropped retry
// or used-up retries kept it from being collected (F12).
func CollectRest(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if o == nil || l == nil || credit.NextCollection(o, l) != calendar.None {
		return
	}
	for _, r := range l.Rows {
		if r.Unpaid() > 0 && !d.Kept(o, schedule.Ref{Order: key, Installment: r.Number}) {
			d.Orders.Edit(key).Servicing.CollectedFor = schedule.Collection(r.DueDate) - 1
			return
		}
	}
}

// Recollect lets autopay collect with the next file what no entry has been built for, because
// autopay was off at the time or the debit was canceled. A row counts as collected only if an
// entry was built (F41.8).
func Recollect(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if o == nil || l == nil || o.External || o.Financing == credit.FinancingChargedOff {
		return
	}
	for _, r := range l.Rows {
		on := schedule.Collection(r.DueDate)
		if on > o.Servicing.CollectedFor {
			return
		}
		if r.Unpaid() > 0 && !d.Kept(o, schedule.Ref{Order: key, Installment: r.Number}) {
			d.Orders.Edit(key).Servicing.CollectedFor = on - 1
			return
		}
	}
}

// RecollectAll is Recollect for a merchant's orders of a company, or all of them if merchant
// is "".
func RecollectAll(d *credit.Draft, company int64, merchant string) {
	for _, key := range d.State.Accounts[company] {
		if o := d.Orders.Peek(key); merchant == "" || o.Merchant == merchant {
			Recollect(d, key)
		}
	}
}

// StopCollecting leaves items of an order for review (F12).
func StopCollecting(d *credit.Draft, key string, items []schedule.Ref) {
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

// Reopened records what a payment's refund or reversal has reopened and is already due. With
// stop, a person decides when it is debited again: what was given back today must not be
// debited automatically tomorrow. Its grace days restart (F35).
func Reopened(d *credit.Draft, was []*schedule.Loan, stop bool) {
	today := d.Env.Today()
	for _, old := range was {
		o, now := d.Standing(old.Key)
		if o.External || now.ChargedOff {
			continue
		}
		items := openedAgain(old, now, today)
		for _, ref := range items {
			if ref.Installment > 0 {
				x := d.Orders.Edit(old.Key)
				x.Servicing.Reopened = append(slices.DeleteFunc(slices.Clone(x.Servicing.Reopened), func(r credit.Reopening) bool {
					return r.Installment == ref.Installment
				}), credit.Reopening{Installment: ref.Installment, On: today})
			}
		}
		if stop {
			StopCollecting(d, old.Key, items)
		}
	}
}

// openedAgain lists the items of a loan that are due on a day and have more unpaid than
// before.
func openedAgain(before, now *schedule.Loan, today calendar.Date) []schedule.Ref {
	old := credit.OpenItems(before, today)
	var items []schedule.Ref
	for _, it := range credit.OpenItems(now, today) {
		if !slices.ContainsFunc(old, func(b credit.OpenItem) bool { return b.Ref == it.Ref && b.Unpaid >= it.Unpaid }) {
			items = append(items, it.Ref)
		}
	}
	return items
}

// LeaveDisputed leaves for review what a disputed payment had paid: a cardholder who disputes
// a charge is not charged the same again before somebody has talked to them. If the dispute is
// won, the items are paid again.
func LeaveDisputed(d *credit.Draft, p *credit.Payment, was []*schedule.Loan) {
	for _, old := range was {
		if o, now := d.Standing(old.Key); !o.External && !now.ChargedOff {
			StopCollecting(d, old.Key, openedAgain(old, now, d.Env.Today()))
		}
	}
	LeaveLasts(d, p)
}
