package credit

import (
	"cmp"
	"slices"

	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// postReturn books the money of a returned payment going back: its items open
// again, its credit falls, and what had left the house is owed on 1130 (F16).
func (d *draft) postReturn(company int64, kept []MoneyEvent, e schedule.Event, effects []schedule.Effect) Posted {
	pay := d.payments.peek(e.Payment)
	p := &poster{d: d, company: company, event: e, payment: pay.ID}
	var lines []ledger.Posting
	for _, k := range kept {
		if paymentOf(k.Event) != pay.ID || k.Kind == schedule.EventReturn {
			continue
		}
		for _, old := range k.Posted {
			lines = append(lines, p.undone(old.Effect)...)
		}
	}
	for _, f := range effects {
		lines = append(lines, p.lines(f.Parts, +1)...)
	}
	if e.Amount == 0 && pay.Refunded > 0 { // the company has no order that could owe it
		lines = append(lines, ledger.Posting{Account: ledger.OtherReceivable, Amount: pay.Refunded,
			Dimensions: ledger.Dimensions{Company: company, Payment: pay.ID}})
	}
	lines = merged(lines)
	back := money.Amount(0)
	for _, l := range lines {
		if !l.Account.Memo() {
			back = back.Add(l.Amount)
		}
	}
	entry := d.entry("PAYMENT_RETURNED", e.ID, e.Date, append(lines, p.takenBack(pay, back)...)...)
	return Posted{Effect: schedule.Effect{Date: e.Date}, Entry: entry, Due: p.due}
}

// undone are the lines that take back what an effect of a payment has posted on
// items and on its credit.
func (p *poster) undone(e schedule.Effect) []ledger.Posting {
	switch e.Kind {
	case schedule.EffectApplied:
		return append(p.lines(e.Parts, +1), p.creditLine(e.Credit))
	case schedule.EffectCreditApplied:
		return append(p.lines(e.Parts, +1), p.creditLine(-total(e.Parts)))
	case schedule.EffectReopened:
		return append(p.lines(e.Parts, -1), p.creditLine(-e.Credit))
	case schedule.EffectFee:
		return p.lines(e.Parts, -1)
	case schedule.EffectRebated:
		q := *p
		q.payment = e.Source
		return []ledger.Posting{q.line(ledger.UnearnedCharge, -e.Amount.Add(e.Credit), e.Order),
			q.line(ledger.ChargeReceivable, e.Amount, e.Order), q.creditLine(e.Credit)}
	}
	return nil
}

// takenBack is the money that left: our cash, or what the merchant owed us, and
// beyond that what we now owe the merchant.
func (p *poster) takenBack(pay *Payment, amount money.Amount) []ledger.Posting {
	if !pay.FromMerchant {
		return []ledger.Posting{p.line(ledger.Cash, -amount, pay.Order)}
	}
	if pay.Order != "" {
		return p.toMerchant(amount, pay.Order, pay.Merchant)
	}
	lines := p.toMerchant(amount.Sub(pay.Refunded), "", pay.Merchant)
	payable := p.line(ledger.MerchantPayable, -pay.Refunded, "")
	payable.Merchant = pay.Merchant
	return append(lines, payable)
}

// merged sums lines of the same balance, in order of order, row and account.
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

// collected is what a merchant holds for us on an order, the balance of 1210:
// the money that it reported less what it has paid back.
func (d *draft) collected(order string) money.Amount {
	o := d.orders.peek(order)
	sum := money.Amount(0)
	for _, e := range d.recorded(o.Company, []string{order}) {
		if e.Order != order {
			continue
		}
		if e.Kind == schedule.EventPayment && !o.External && d.payments.peek(e.ID).FromMerchant {
			sum = sum.Add(e.Amount) // its receipt stood on 1210, and not its application
		}
		for _, x := range e.Posted {
			sum = sum.Add(x.Due)
		}
	}
	return sum
}

// settlePayment shows on a payment what its money pays and what is left of it as
// credit.
func (d *draft) settlePayment(pay *Payment) {
	if pay.Status == PaymentReturned {
		pay.Allocations, pay.Unapplied = nil, 0
		return
	}
	orders := []string{pay.Order}
	if pay.Order == "" {
		orders = d.s.Accounts[pay.Company]
	}
	var effects []schedule.Effect
	for _, e := range d.recorded(pay.Company, orders) {
		for _, x := range e.Posted {
			if x.Effect.Source == pay.ID && !e.Returned {
				effects = append(effects, x.Effect)
			}
		}
	}
	pay.Allocations = allocations(effects)
	pay.Unapplied = 0
	for _, c := range d.creditsOf(pay.Company) {
		if c.Source == pay.ID {
			pay.Unapplied = c.Amount
		}
	}
}

// creditsOf lists a company's credits as this command leaves them.
func (d *draft) creditsOf(company int64) []Credit {
	out := slices.Clone(d.s.Credits[company])
	for _, c := range d.c.Credits {
		if i := slices.IndexFunc(out, func(x Credit) bool { return x.Source == c.Source }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// allocations sums what effects of one source have paid, less what they took
// back, per order and row in the schedule's order.
func allocations(effects []schedule.Effect) []Allocation {
	var out []Allocation
	for _, e := range effects {
		sign := money.Amount(1)
		if e.Kind == schedule.EffectReopened || e.Kind == schedule.EffectRebated {
			sign = -1
		}
		for _, p := range e.Parts {
			i := slices.IndexFunc(out, func(a Allocation) bool { return a.Order == p.Order && a.Installment == p.Installment })
			if i < 0 {
				i = len(out)
				out = append(out, Allocation{Order: p.Order, Installment: p.Installment})
			}
			out[i].add(p.Item, sign*p.Amount)
		}
	}
	out = slices.DeleteFunc(out, func(a Allocation) bool { return a.Fee == 0 && a.Charge == 0 && a.Principal == 0 })
	slices.SortFunc(out, func(a, b Allocation) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment))
	})
	return out
}

func (a *Allocation) add(item schedule.Item, amount money.Amount) {
	switch item {
	case schedule.ItemCharge:
		a.Charge = a.Charge.Add(amount)
	case schedule.ItemPrincipal:
		a.Principal = a.Principal.Add(amount)
	default:
		a.Fee = a.Fee.Add(amount)
	}
}
