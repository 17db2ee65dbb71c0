package lending

import (
	"slices"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Poster turns effects into ledger entries by the posting table (F39). Each line carries the
// order of its part, so a payment may span orders.
type Poster struct {
	D       *credit.Draft
	Company int64
	Event   schedule.Event                    // whose effects are posted; zero for passing days
	Payment string                            // whose money moves, "" if none
	again   *credit.Posted                    // the posting being recreated in order to reverse it; nil for a new one
	held    []money.Amount                    // what each call of toMerchant took off 1210
	taken   map[credit.LineOwner]money.Amount // the part of that which no entry has posted yet
	On      calendar.Date                     // date of the effect being posted
	due     money.Amount                      // what the last effect added to the merchant's debt on 1210
}

// effect posts one effect. The result stores what is needed to recreate the same entry.
func (p Poster) effect(e schedule.Effect) credit.Posted {
	p = p.moving(e.Source)
	p.On = e.Date
	var entries []string
	switch e.Kind {
	case schedule.EffectAccrued:
		p.accrued(e.Order, e.Period, e.Amount, e.Date)
	case schedule.EffectApplied:
		entries = p.applied(e)
	case schedule.EffectCreditApplied:
		entries = p.creditApplied(e)
	case schedule.EffectRefunded:
		entries = p.refunded(e)
	case schedule.EffectRebated:
		entries = p.post("FLAT_FEE_REBATED", e, p.line(ledger.UnearnedCharge, e.Amount.Add(e.Credit), e.Order),
			p.line(ledger.ChargeReceivable, -e.Amount, e.Order), p.creditLine(-e.Credit))
	case schedule.EffectWaived:
		entries = p.waived(e)
	case schedule.EffectReopened:
		entries = p.reopened(e)
	case schedule.EffectFee:
		entries = p.fee(e)
	case schedule.EffectChargedOff:
		entries = p.chargedOff(e)
	}
	posted := credit.Posted{Effect: e, Entries: entries, Due: p.due, Nonaccrual: p.notAccruing(e)}
	if len(p.held) > 1 {
		posted.Held = p.held
	}
	return posted
}

// moving is the poster for a source's money: a payment's, or a refund's, which no line names.
func (p Poster) moving(source string) Poster {
	p.Payment = ""
	if strings.HasPrefix(source, credit.PrefixPayment) {
		p.Payment = source
	}
	return p
}

// post books one entry, none if no line has an amount, and returns its id.
func (p *Poster) post(event string, e schedule.Effect, first ledger.Posting, more ...ledger.Posting) []string {
	p.taken = nil
	if id := p.D.Entry(event, e.Cause, e.Date, append([]ledger.Posting{first}, more...)...); id != "" {
		return []string{id}
	}
	return nil
}

// dims are the dimensions of a line on an order.
func (p *Poster) dims(order string, installment int) ledger.Dimensions {
	m := ""
	if o := p.D.Orders.Peek(order); o != nil {
		m = o.Merchant
	}
	return ledger.Dimensions{Company: p.Company, Merchant: m, Order: order, Payment: p.Payment, Installment: installment}
}

func (p *Poster) line(a ledger.Account, amount money.Amount, order string) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: p.dims(order, 0)}
}

// creditLine is a line on the company's credit balance, which belongs to no order.
func (p *Poster) creditLine(amount money.Amount) ledger.Posting {
	return ledger.Posting{Account: ledger.BorrowerCredit, Amount: amount, Dimensions: ledger.Dimensions{Company: p.Company, Payment: p.Payment}}
}

// lines turns parts into lines of one sign: −1 pays items, +1 reopens them. What is owed on an
// unfunded order is in memo, principal only (F33).
func (p *Poster) lines(parts []schedule.Part, sign money.Amount) []ledger.Posting {
	out := make([]ledger.Posting, 0, len(parts)+2)
	for _, part := range parts {
		amount, dim := sign*part.Amount, p.dims(part.Order, part.Installment)
		switch {
		case !p.unfunded(part.Order):
			out = append(out, p.Item(part, amount, dim)...)
		case part.Item == schedule.ItemPrincipal:
			out = append(out, ledger.Posting{Account: ledger.UnfundedExternal, Amount: amount, Dimensions: dim},
				ledger.Posting{Account: ledger.UnfundedExternalContra, Amount: -amount, Dimensions: dim})
		}
	}
	return wholeMemo(out)
}

func (p *Poster) unfunded(order string) bool {
	o := p.D.Orders.Peek(order)
	return o != nil && o.Terms != nil && o.Terms.Unfunded
}

// ofOrder are the parts of one order.
type ofOrder struct {
	order string
	parts []schedule.Part
}

// byOrder groups parts by order, in the order in which the money reached each.
func byOrder(parts []schedule.Part) []ofOrder {
	var out []ofOrder
	for _, part := range parts {
		i := slices.IndexFunc(out, func(x ofOrder) bool { return x.order == part.Order })
		if i < 0 {
			i = len(out)
			out = append(out, ofOrder{order: part.Order})
		}
		out[i].parts = append(out[i].parts, part)
	}
	return out
}

// funded sums the parts that are the lender's own: none of an unfunded order.
func (p *Poster) funded(parts []schedule.Part) money.Amount {
	sum := money.Amount(0)
	for _, part := range parts {
		if !p.unfunded(part.Order) {
			sum = sum.Add(part.Amount)
		}
	}
	return sum
}

// accrued posts charge earned in a period; a negative amount takes it back. In nonaccrual it
// is not income: memo for an amortized order, nothing for a flat fee.
func (p *Poster) accrued(order string, period int, amount money.Amount, value calendar.Date) {
	event, debit := "FINANCE_CHARGE_ACCRUED", ledger.ChargeReceivable
	if amount < 0 {
		event = "FINANCE_CHARGE_ADJUSTED"
	}
	credit, flat := ledger.ChargeIncome, p.D.Orders.Peek(order).Terms.Plan == schedule.FlatFee
	switch {
	case flat && p.nonaccrual(order):
		return
	case flat:
		debit = ledger.UnearnedCharge
	case p.nonaccrual(order):
		debit, credit = ledger.NonaccrualCharge, ledger.NonaccrualContra
	}
	dim := p.dims(order, period)
	p.D.Entry(event, order, value,
		ledger.Posting{Account: debit, Amount: amount, Dimensions: dim},
		ledger.Posting{Account: credit, Amount: -amount, Dimensions: dim})
}

// applied posts a payment's money on its items: from 2120, or directly from what the merchant
// owes us on an externally managed order (F33). A company-level payment is booked order by
// order, so that an order's books hold complete entries and nothing of another order; the rest
// goes to credit in an entry of its own. It leaves 2120 where it came in: under the company,
// so that 2120 nets to zero for each order.
func (p *Poster) applied(e schedule.Effect) []string {
	pay := p.D.Payments.Peek(e.Source)
	if pay.Order == "" {
		var ids []string
		for _, x := range byOrder(e.Parts) {
			ids = append(ids, p.post("PAYMENT_APPLIED", e, p.line(ledger.PaymentsPending, p.funded(x.parts), ""), p.lines(x.parts, -1)...)...)
		}
		return append(ids, p.post("PAYMENT_APPLIED", e, p.line(ledger.PaymentsPending, e.Credit, ""), p.creditLine(-e.Credit))...)
	}
	amount := p.funded(e.Parts).Add(e.Credit)
	source := p.line(ledger.PaymentsPending, amount, pay.Order)
	if pay.Order != "" && p.D.Orders.Peek(pay.Order).External {
		source.Account, p.due = ledger.DueFromMerchant, amount
	}
	return p.post("PAYMENT_APPLIED", e, source, append(p.lines(e.Parts, -1), p.creditLine(-e.Credit))...)
}

// creditApplied posts credit that pays items. On an unfunded order the merchant had been
// holding it for us, and keeps it.
func (p *Poster) creditApplied(e schedule.Effect) []string {
	spent := schedule.Total(e.Parts)
	lines := p.lines(e.Parts, -1)
	if own := spent.Sub(p.funded(e.Parts)); own != 0 {
		lines = append(lines, p.toMerchant(own, e.Order, "")...)
	}
	return p.post("CREDIT_APPLIED", e, p.creditLine(spent), lines...)
}

// refunded posts a merchant's refund (F13): principal falls, the excess becomes credit, and
// the discount is given back in proportion.
func (p *Poster) refunded(e schedule.Effect) []string {
	o := p.D.Orders.Peek(e.Order)
	var principal, rest []schedule.Part
	for _, part := range e.Parts {
		if part.Item == schedule.ItemPrincipal {
			principal = append(principal, part)
		} else {
			rest = append(rest, part)
		}
	}
	lines := p.lines(principal, -1)
	if o.Terms.Unfunded {
		return p.post("ORDER_REFUNDED", e, ledger.Posting{}, lines...)
	}
	r := noteRefund(o, e.Cause)
	from := ledger.MerchantPayable
	if r.Clawback {
		from = ledger.ClawbackReceivable
	}
	lines = append(lines, p.line(ledger.MerchantDiscount, r.Discount, o.Key))
	switch {
	case o.External: // the merchant holds the buyer's money and repays the buyer (F33)
		lines = append(append(lines, p.lines(rest, -1)...), p.toMerchant(e.Credit, o.Key, o.Merchant)...)
	case len(rest) > 0: // credit that pays earned charge and fees at once (F13.4)
		spent, back := schedule.Total(rest), p.backThrough(e)
		lines = append(lines, p.creditLine(-spent.Add(e.Credit).Sub(credited(back))), p.creditLine(spent))
		lines = append(append(lines, p.lines(rest, -1)...), back...)
	default:
		back := p.backThrough(e)
		lines = append(append(lines, p.creditLine(-e.Credit.Sub(credited(back)))), back...)
	}
	ids := p.post("ORDER_REFUNDED", e, p.line(from, r.Amount.Sub(r.Discount), o.Key), lines...)
	return append(ids, p.backElsewhere(e)...)
}

// reopened posts a payment's refund: its own credit first, then the reopened items (F35),
// order by order for a company-level payment.
func (p *Poster) reopened(e schedule.Effect) []string {
	event, own, back := "PAYMENT_REFUNDED", e.Order, p.givenBack
	if p.Payment == "" { // credit of a merchant's refund, sent as a payment OUT (F36)
		p.Payment, event = e.Cause, "CREDIT_SENT"
		back = func(amount money.Amount, order string) []ledger.Posting {
			return []ledger.Posting{p.line(ledger.RefundsInTransit, -amount, order)}
		}
	} else {
		own = p.D.Payments.Peek(p.Payment).Order
	}
	var mine []schedule.Part
	var others []ofOrder // what a company-level payment, or credit, had paid
	for _, x := range byOrder(e.Parts) {
		if x.order == own {
			mine = x.parts
		} else {
			others = append(others, x)
		}
	}
	lines := append(p.lines(mine, +1), back(p.funded(mine).Add(e.Credit), own)...)
	lines = append(lines, p.sentForMerchant(mine)...)
	ids := p.post(event, e, p.creditLine(e.Credit), lines...)
	for _, x := range others {
		ids = append(ids, p.openedOn(event, e, x.parts, back)...)
	}
	return ids
}

// openedOn posts what reopens on an order that is not the payment's own. Money that a merchant
// holds for the payment's order goes back by an entry of that order; credit links the two,
// because an entry covers a single order.
func (p *Poster) openedOn(event string, e schedule.Effect, parts []schedule.Part, back func(money.Amount, string) []ledger.Posting) []string {
	amount, lines := p.funded(parts), p.lines(parts, +1)
	pay := p.D.Payments.Peek(p.Payment)
	if pay == nil || !pay.FromMerchant || p.Event.Sent || pay.Order == "" {
		return p.post(event, e, ledger.Posting{}, append(lines, back(amount, "")...)...)
	}
	ids := p.post(event, e, p.creditLine(-amount), lines...)
	return append(ids, p.post(event, e, p.creditLine(amount), p.toMerchant(amount, pay.Order, pay.Merchant)...)...)
}

// backThrough is the part of a refund's excess whose money merchants hold or held: it goes
// back through them, off 1210 while it is there (F13.4).
func (p *Poster) backThrough(e schedule.Effect) []ledger.Posting {
	var lines []ledger.Posting
	for _, s := range e.Shares {
		if pay := p.D.Payments.Peek(s.Payment); s.Held && (pay.Order == "" || pay.Order == e.Order) {
			lines = append(lines, p.toMerchant(s.Amount, pay.Order, pay.Merchant)...)
		}
	}
	return lines
}

// backElsewhere does the same for payments of other orders whose credit had paid this one,
// because an entry covers a single order.
func (p *Poster) backElsewhere(e schedule.Effect) []string {
	var ids []string
	for _, s := range e.Shares {
		if pay := p.D.Payments.Peek(s.Payment); s.Held && pay.Order != "" && pay.Order != e.Order && !p.D.Orders.Peek(e.Order).External {
			ids = append(ids, p.post("ORDER_REFUNDED", e, p.creditLine(s.Amount), p.toMerchant(s.Amount, pay.Order, pay.Merchant)...)...)
		}
	}
	return ids
}

// sentForMerchant is what the lender sent out of money that turns out to be the merchant's
// own: if a refund reopens an order that the lender did not fund, the merchant owes that part
// (F33).
func (p *Poster) sentForMerchant(mine []schedule.Part) []ledger.Posting {
	pay := p.D.Payments.Peek(p.Payment)
	amount := schedule.Total(mine).Sub(p.funded(mine))
	if amount == 0 || pay == nil || !pay.FromMerchant || !p.Event.Sent {
		return nil
	}
	return append(p.toMerchant(-amount, pay.Order, pay.Merchant), p.line(ledger.RefundsInTransit, -amount, pay.Order))
}

// credited sums the credit lines.
func credited(lines []ledger.Posting) money.Amount {
	sum := money.Amount(0)
	for _, l := range lines {
		sum = sum.Sub(l.Amount)
	}
	return sum
}

// givenBack is a payment's money on its way back. What the merchant holds is the merchant's to
// pay back (F35). order is the payment's own, "" for what it paid on others, because an entry
// covers a single order.
func (p *Poster) givenBack(amount money.Amount, order string) []ledger.Posting {
	pay := p.D.Payments.Peek(p.Payment)
	if pay.FromMerchant && !p.Event.Sent {
		return p.toMerchant(amount, pay.Order, pay.Merchant)
	}
	return []ledger.Posting{p.line(ledger.RefundsInTransit, -amount, order)}
}

// toMerchant credits a merchant with money that it pays back for us: first what it holds on
// 1210, then the payable (F33, F35). It no longer holds what a payout has netted.
func (p *Poster) toMerchant(amount money.Amount, order, merchant string) []ledger.Posting {
	of := credit.LineOwner{Of: order, Merchant: merchant}
	if order == "" {
		of.Of = credit.AccountKey(p.Company)
	} else {
		of.Merchant = p.D.Orders.Peek(order).Merchant
	}
	held := min(amount, max(0, dueFrom(p.D, of).Sub(p.taken[of])))
	switch n := len(p.held); {
	case p.again != nil && n < len(p.again.Held):
		held = p.again.Held[n]
	case p.again != nil:
		held = min(amount, p.due.Sub(p.again.Due))
	}
	p.due, p.held = p.due.Sub(held), append(p.held, held)
	if p.taken == nil {
		p.taken = map[credit.LineOwner]money.Amount{}
	}
	p.taken[of] = p.taken[of].Add(held)
	due, payable := p.line(ledger.DueFromMerchant, -held, order), p.line(ledger.MerchantPayable, held-amount, order)
	due.Merchant, payable.Merchant = of.Merchant, of.Merchant
	return []ledger.Posting{due, payable}
}

// fee posts an assessed fee. Money that had been sent out is owed on 1130: after a return the
// return's own entry books it, after a refund this one does (F16).
func (p *Poster) fee(e schedule.Effect) []string {
	lines := p.lines(e.Parts, +1)
	switch {
	case e.Parts[0].Item == schedule.ItemOther && p.Event.Kind == schedule.EventPaymentRefund:
		if p.Payment = PaymentOf(p.Event); p.Payment == "" {
			p.Payment = p.Event.ID
			return p.post("CREDIT_SENT", e, p.line(ledger.RefundsInTransit, -schedule.Total(e.Parts), e.Order), p.lines(e.Parts, +1)...)
		}
		if own := p.D.Payments.Peek(p.Payment).Order; e.Order != own {
			return p.openedOn("PAYMENT_REFUNDED", e, e.Parts, p.givenBack)
		}
		return p.post("PAYMENT_REFUNDED", e, ledger.Posting{}, append(p.lines(e.Parts, +1), p.givenBack(p.funded(e.Parts), e.Order)...)...)
	case e.Parts[0].Item == schedule.ItemOther:
		return nil
	case p.Event.Fee == schedule.ReturnedPaymentFee:
		return p.post("NSF_FEE_ASSESSED", e, p.line(ledger.ReturnedFeeIncome, -schedule.Total(e.Parts), e.Order), lines...)
	}
	return p.post("LATE_FEE_ASSESSED", e, p.line(ledger.LateFeeIncome, -schedule.Total(e.Parts), e.Order), lines...)
}

// noteRefund returns the order's refund with that identifier.
func noteRefund(o *credit.Order, id string) credit.Refund {
	for _, r := range o.Refunds {
		if r.ID == id {
			return r
		}
	}
	return credit.Refund{}
}
