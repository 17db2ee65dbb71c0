package lending

import (
	"cmp"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// postReturn books the money of a returned payment going back: its items reopen, its credit
// falls, and what had been sent out is owed on 1130 (F16). A company-level payment goes back
// order by order, as it came.
func postReturn(d *credit.Draft, company int64, kept []credit.MoneyEvent, e schedule.Event, effects []schedule.Effect) credit.Posted {
	pay := d.Payments.Peek(e.Payment)
	p := &Poster{D: d, Company: company, Event: e, Payment: pay.ID, On: e.Date}
	r := &takeback{own: pay.Order}
	for _, k := range kept {
		if PaymentOf(k.Event) != pay.ID || k.Kind == schedule.EventReturn || k.Returned { // a canceled refund has been taken back
			continue
		}
		for _, old := range k.Posted {
			then := *p // when it was posted decides which account it is on
			then.Event, then.On = k.Event, old.Effect.Date
			then.undo(r, old.Effect)
		}
	}
	for _, f := range effects {
		for _, x := range byOrder(f.Parts) {
			r.add(x.order, p.lines(x.parts, +1)...)
			r.owe(x.order, schedule.Total(x.parts))
		}
	}
	if amount := refundsWithdrawn(d, pay); amount > 0 { // refunds that were never sent (F16)
		r.add("", ledger.Posting{Account: ledger.RefundsInTransit, Amount: amount, Dimensions: PendingDims(d, pay)})
	}
	if left := pay.Refunded.Sub(ReportWithdrawn(pay)); e.Amount == 0 && e.Order == "" && left > 0 { // the company has no order that could owe it
		r.add("", ledger.Posting{Account: ledger.OtherReceivable, Amount: left, Dimensions: ledger.Dimensions{Company: company, Payment: pay.ID}})
		r.owe("", left)
	}
	if pay.FromMerchant && pay.Order != "" {
		r.join(p)
	}
	posted := credit.Posted{Effect: schedule.Effect{Date: e.Date}}
	for _, s := range r.shares {
		lines := append(merged(s.lines), p.takenBack(pay, s)...)
		if id := d.Entry(returnedAs(d, pay), e.ID, e.Date, lines...); id != "" {
			posted.Entries = append(posted.Entries, id)
		}
		p.taken = nil // now part of 1210
	}
	posted.Due = p.due
	return posted
}

// returnedAs is the event name of a return's entry.
func returnedAs(d *credit.Draft, p *credit.Payment) string {
	switch {
	case p.Transfer == "":
		return "PAYMENT_RETURNED"
	case reversing(d, p):
		return "ACH_REVERSED"
	}
	return p.Method.Can().Back
}

// takeback collects the lines of a return by the order whose money goes back; lines without an
// order are under "".
type takeback struct {
	own    string // the payment's order, all in one entry; "" for a company-level payment
	shares []share
}

type share struct {
	order string
	lines []ledger.Posting
	owed  money.Amount // of the lines, what had been sent out
}

func (r *takeback) of(order string) *share {
	if order == r.own {
		order = ""
	}
	i := slices.IndexFunc(r.shares, func(s share) bool { return s.order == order })
	if i < 0 {
		i = len(r.shares)
		r.shares = append(r.shares, share{order: order})
	}
	return &r.shares[i]
}

func (r *takeback) add(order string, lines ...ledger.Posting) {
	s := r.of(order)
	s.lines = append(s.lines, lines...)
}

func (r *takeback) owe(order string, amount money.Amount) {
	s := r.of(order)
	s.owed = s.owed.Add(amount)
}

// join makes the money of all shares go back with the payment's own order, under which the
// merchant holds it. Credit links it to the others, because an entry covers a single order.
func (r *takeback) join(p *Poster) {
	for _, s := range slices.Clone(r.shares) {
		if amount := s.back(); s.order != "" && amount != 0 {
			r.add(s.order, p.creditLine(-amount))
			r.add("", p.creditLine(amount))
		}
	}
}

// back is the money that goes back with a share.
func (s share) back() money.Amount {
	sum := money.Amount(0)
	for _, l := range s.lines {
		if !l.Account.Memo() {
			sum = sum.Add(l.Amount)
		}
	}
	return sum
}

// undo collects the lines that take back what an effect of a payment posted on items and on
// credit, each under its original source.
func (p *Poster) undo(r *takeback, e schedule.Effect) {
	switch e.Kind {
	case schedule.EffectApplied:
		for _, x := range byOrder(e.Parts) {
			r.add(x.order, p.lines(x.parts, +1)...)
		}
		r.add("", p.creditLine(e.Credit))
	case schedule.EffectCreditApplied:
		q := p.moving(e.Source)
		for _, x := range byOrder(e.Parts) {
			r.add(x.order, append(q.lines(x.parts, +1), q.creditLine(-schedule.Total(x.parts)))...)
		}
	case schedule.EffectReopened:
		for _, x := range byOrder(e.Parts) {
			r.add(x.order, p.lines(x.parts, -1)...)
		}
		r.add("", p.creditLine(-e.Credit))
	case schedule.EffectFee:
		r.add(e.Order, p.lines(e.Parts, -1)...)
	case schedule.EffectRebated:
		q := p.moving(e.Source)
		r.add(e.Order, q.line(ledger.UnearnedCharge, -e.Amount.Add(e.Credit), e.Order),
			q.line(ledger.ChargeReceivable, e.Amount, e.Order), q.creditLine(e.Credit))
	}
}

// takenBack is the money that left: our cash, or what the merchant owed us, and beyond that
// what we now owe the merchant. What the payment's credit paid on other orders names no order,
// because an entry covers a single order.
func (p *Poster) takenBack(pay *credit.Payment, s share) []ledger.Posting {
	amount, owed, order := s.back(), s.owed, pay.Order
	if s.order != "" {
		order = ""
	}
	if t := p.D.Transfers.Peek(pay.Transfer); t != nil && t.Rail.Can().Answer {
		return []ledger.Posting{p.line(CardAccount(t), -amount, order)}
	}
	if reversing(p.D, pay) { // our own entry brings it back
		return []ledger.Posting{p.line(ledger.RefundsInTransit, -amount, order)}
	}
	if !pay.FromMerchant {
		return []ledger.Posting{p.line(ledger.Cash, -amount, order)}
	}
	if pay.Order != "" {
		return p.toMerchant(amount, pay.Order, pay.Merchant)
	}
	lines := p.toMerchant(amount.Sub(owed), "", pay.Merchant)
	payable := p.line(ledger.MerchantPayable, -owed, "")
	payable.Merchant = pay.Merchant
	return append(lines, payable)
}

// merged sums lines of the same balance, sorted by order, row and account.
func merged(lines []ledger.Posting) []ledger.Posting {
	var out []ledger.Posting
	for _, l := range lines {
		i := slices.IndexFunc(out, func(x ledger.Posting) bool { return x.Account == l.Account && x.Dimensions == l.Dimensions })
		if i < 0 {
			out = append(out, l)
			continue
		}
		out[i].Amount = out[i].Amount.Add(l.Amount)
	}
	slices.SortStableFunc(out, func(a, b ledger.Posting) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment), cmp.Compare(a.Account, b.Account))
	})
	return out
}

// SettlePayment updates a payment with what its money pays and what is left as credit.
func SettlePayment(d *credit.Draft, pay *credit.Payment) {
	orders := []string{pay.Order}
	if pay.Order == "" {
		orders = d.State.Accounts[pay.Company]
	}
	settlePaid(d, pay, bySource(Recorded(d, pay.Company, orders))[pay.ID])
}

// used is what happened to one source's money: the effects that moved it, and what refunds of
// orders have freed of it (F13.4).
type used struct {
	effects []schedule.Effect
	freed   money.Amount
}

// bySource groups the effects of events that count by the source of their money.
func bySource(events []credit.MoneyEvent) map[string]used {
	by := map[string]used{}
	for _, e := range events {
		for _, x := range e.Posted {
			if e.Returned {
				continue
			}
			if source := x.Effect.Source; source != "" {
				u := by[source]
				u.effects = append(u.effects, x.Effect)
				by[source] = u
			}
			for _, share := range x.Effect.Shares {
				u := by[share.Payment]
				u.freed = u.freed.Add(share.Amount)
				by[share.Payment] = u
			}
		}
	}
	return by
}

// settlePaid is SettlePayment given the effects of the payment's money.
func settlePaid(d *credit.Draft, pay *credit.Payment, u used) {
	if pay.Status == credit.PaymentReturned {
		pay.Allocations, pay.Unapplied, pay.OnHold, pay.Freed, pay.Held = nil, 0, 0, 0, 0
		return
	}
	pay.Allocations, pay.Freed = allocations(u.effects, pay.Order), u.freed
	pay.Unapplied = 0
	for _, c := range d.CreditsOf(pay.Company) {
		if c.Source == pay.ID {
			pay.Unapplied = c.Amount
		}
	}
	pay.OnHold = heldOf(d, pay)
}

// allocations sums what effects of one source paid, less what they took back, per order and
// row in schedule order. own is the source's order, "" if it is company-level.
func allocations(effects []schedule.Effect, own string) []credit.Allocation {
	var out []credit.Allocation
	for _, e := range effects {
		sign := money.Amount(1)
		if e.Kind == schedule.EffectReopened || e.Kind == schedule.EffectRebated {
			sign = -1
		}
		for _, p := range e.Parts {
			i := slices.IndexFunc(out, func(a credit.Allocation) bool { return a.Order == p.Order && a.Installment == p.Installment })
			if i < 0 {
				i = len(out)
				out = append(out, credit.Allocation{Order: p.Order, Installment: p.Installment, Elsewhere: own != "" && p.Order != own})
			}
			out[i].Add(p.Item, sign*p.Amount)
		}
	}
	out = slices.DeleteFunc(out, func(a credit.Allocation) bool { return a.Fee == 0 && a.Charge == 0 && a.Principal == 0 })
	slices.SortFunc(out, func(a, b credit.Allocation) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment))
	})
	return out
}
