package credit

import (
	"strings"

	"tenor/internal/calendar"
	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// poster turns effects of one order or payment into ledger lines (F39). Payments
// across orders give each line the order of its part.
type poster struct {
	d       *draft
	company int64
	event   schedule.Event // whose effects are posted; zero for days that passed
	payment string         // whose money moves, "" if none
}

// dims are the dimensions of a line on an order.
func (p poster) dims(order string, installment int) ledger.Dimensions {
	m := ""
	if o := p.d.peekOrder(order); o != nil {
		m = o.Merchant
	}
	return ledger.Dimensions{Company: p.company, Merchant: m, Order: order, Payment: p.payment, Installment: installment}
}

// account is where an item of an order is owed: unfunded external orders stand
// in memo (F33).
func itemAccount(i schedule.Item) ledger.Account {
	switch i {
	case schedule.ItemCharge:
		return ledger.ChargeReceivable
	case schedule.ItemFee:
		return ledger.FeesReceivable
	case schedule.ItemOther:
		return ledger.OtherReceivable
	}
	return ledger.LoanPrincipal
}

// lines turns parts into lines of one sign: −1 pays items, +1 opens them again.
func (p poster) lines(parts []schedule.Part, sign money.Amount) []ledger.Posting {
	out := make([]ledger.Posting, 0, len(parts)+2)
	for _, part := range parts {
		if p.unfunded(part.Order) {
			continue
		}
		out = append(out, ledger.Posting{Account: itemAccount(part.Item), Amount: sign * part.Amount, Dimensions: p.dims(part.Order, part.Installment)})
	}
	return out
}

func (p poster) unfunded(order string) bool {
	o := p.d.peekOrder(order)
	return o != nil && o.Terms != nil && o.Terms.Unfunded
}

func (p poster) line(a ledger.Account, amount money.Amount, order string) ledger.Posting {
	return ledger.Posting{Account: a, Amount: amount, Dimensions: p.dims(order, 0)}
}

// creditLine is a line on the company's credit balance; it belongs to no order.
func (p poster) creditLine(amount money.Amount) ledger.Posting {
	return ledger.Posting{Account: ledger.BorrowerCredit, Amount: amount, Dimensions: ledger.Dimensions{Company: p.company, Payment: p.payment}}
}

// accrued posts charge earned in a period; a negative amount takes it back.
func (p poster) accrued(order string, period int, amount money.Amount, value calendar.Date) {
	event, debit := "FINANCE_CHARGE_ACCRUED", ledger.ChargeReceivable
	if amount < 0 {
		event = "FINANCE_CHARGE_ADJUSTED"
	}
	if o := p.d.peekOrder(order); o.Terms.Plan == schedule.FlatFee {
		debit = ledger.UnearnedCharge
	}
	dim := p.dims(order, period)
	p.d.entry(event, order, value,
		ledger.Posting{Account: debit, Amount: amount, Dimensions: dim},
		ledger.Posting{Account: ledger.ChargeIncome, Amount: -amount, Dimensions: dim})
}

// effect posts one effect and returns the entry, "" if it has none of its own.
func (p poster) effect(e schedule.Effect) string {
	if strings.HasPrefix(e.Source, prefixPayment) {
		p.payment = e.Source
	}
	switch e.Kind {
	case schedule.EffectApplied:
		return p.applied(e)
	case schedule.EffectCreditApplied:
		return p.d.entry("CREDIT_APPLIED", e.Cause, e.Date,
			append([]ledger.Posting{p.creditLine(total(e.Parts))}, p.lines(e.Parts, -1)...)...)
	case schedule.EffectRefunded:
		return p.refunded(e)
	case schedule.EffectRebated:
		return p.d.entry("FLAT_FEE_REBATED", e.Cause, e.Date, p.line(ledger.UnearnedCharge, e.Amount.Add(e.Credit), e.Order),
			p.line(ledger.ChargeReceivable, -e.Amount, e.Order), p.creditLine(-e.Credit))
	case schedule.EffectWaived:
		return p.d.entry("CHARGE_WAIVED", e.Cause, e.Date,
			append([]ledger.Posting{p.line(ledger.Concessions, total(e.Parts), e.Order)}, p.lines(e.Parts, -1)...)...)
	case schedule.EffectReopened:
		return p.reopened(e)
	case schedule.EffectFee:
		return p.fee(e)
	}
	return ""
}

func total(parts []schedule.Part) money.Amount {
	sum := money.Amount(0)
	for _, p := range parts {
		sum = sum.Add(p.Amount)
	}
	return sum
}

// applied posts a payment's money on its items: out of 2120, or straight from
// what the merchant owes us on an externally managed order (F33).
func (p poster) applied(e schedule.Effect) string {
	amount := total(e.Parts).Add(e.Credit)
	pay := p.d.peekPayment(e.Source)
	source := p.line(ledger.PaymentsPending, amount, pay.Order)
	if pay.Order != "" && p.d.peekOrder(pay.Order).External {
		source = p.line(ledger.DueFromMerchant, amount, pay.Order)
		if p.unfunded(pay.Order) {
			return p.d.entry("PAYMENT_APPLIED", e.Cause, e.Date,
				p.line(ledger.UnfundedExternalContra, total(e.Parts), pay.Order), p.line(ledger.UnfundedExternal, -total(e.Parts), pay.Order))
		}
	}
	lines := append([]ledger.Posting{source}, p.lines(e.Parts, -1)...)
	return p.d.entry("PAYMENT_APPLIED", e.Cause, e.Date, append(lines, p.creditLine(-e.Credit))...)
}

// refunded posts a merchant's refund (F13): principal falls, the excess becomes
// credit, and the discount goes back in proportion.
func (p poster) refunded(e schedule.Effect) string {
	o := p.d.peekOrder(e.Order)
	r := o.refund(e.Cause)
	var principal, rest []schedule.Part
	for _, part := range e.Parts {
		if part.Item == schedule.ItemPrincipal {
			principal = append(principal, part)
		} else {
			rest = append(rest, part)
		}
	}
	excess := total(rest).Add(e.Credit)
	if o.Terms.Unfunded {
		return p.d.entry("ORDER_REFUNDED", e.Cause, e.Date,
			p.line(ledger.UnfundedExternalContra, total(principal), o.Key), p.line(ledger.UnfundedExternal, -total(principal), o.Key))
	}
	from := ledger.MerchantPayable
	if r.Clawback {
		from = ledger.ClawbackReceivable
	}
	lines := []ledger.Posting{p.line(from, r.Amount.Sub(r.Discount), o.Key), p.line(ledger.MerchantDiscount, r.Discount, o.Key)}
	lines = append(lines, p.lines(principal, -1)...)
	if o.External { // the merchant has the buyer's money and repays the buyer (F33)
		lines = append(append(lines, p.lines(rest, -1)...), p.line(ledger.DueFromMerchant, -e.Credit, o.Key))
		return p.d.entry("ORDER_REFUNDED", e.Cause, e.Date, lines...)
	}
	lines = append(lines, p.creditLine(-excess))
	if len(rest) > 0 { // credit that pays earned charge and fees at once (F13.4)
		lines = append(append(lines, p.creditLine(total(rest))), p.lines(rest, -1)...)
	}
	return p.d.entry("ORDER_REFUNDED", e.Cause, e.Date, lines...)
}

// reopened posts a payment's refund: its own credit first, then the items that
// open again (F35).
func (p poster) reopened(e schedule.Effect) string {
	lines := append([]ledger.Posting{p.creditLine(e.Credit)}, p.lines(e.Parts, +1)...)
	return p.d.entry("PAYMENT_REFUNDED", e.Cause, e.Date, append(lines, p.givenBack(total(e.Parts).Add(e.Credit)))...)
}

// givenBack is the line of a payment's money on its way back. What the merchant
// holds is the merchant's to pay back (F33).
func (p poster) givenBack(amount money.Amount) ledger.Posting {
	pay := p.d.peekPayment(p.payment)
	out := p.line(ledger.RefundsInTransit, -amount, pay.Order)
	if pay.FromMerchant {
		out.Account = ledger.DueFromMerchant
		if pay.Order == "" {
			out.Merchant = pay.Merchant
		}
	}
	return out
}

// fee posts an assessed fee. Money that had left the house is owed on 1130: after
// a return the return's own entry books it, after a refund this one (F16).
func (p poster) fee(e schedule.Effect) string {
	lines := p.lines(e.Parts, +1)
	switch {
	case e.Parts[0].Item == schedule.ItemOther && p.event.Kind == schedule.EventPaymentRefund:
		p.payment = p.event.Payment
		return p.d.entry("PAYMENT_REFUNDED", e.Cause, e.Date, append(lines, p.givenBack(total(e.Parts)))...)
	case e.Parts[0].Item == schedule.ItemOther:
		return ""
	case p.event.Fee == schedule.ReturnedPaymentFee:
		return p.d.entry("NSF_FEE_ASSESSED", e.Cause, e.Date, append(lines, p.line(ledger.ReturnedFeeIncome, -total(e.Parts), e.Order))...)
	}
	return p.d.entry("LATE_FEE_ASSESSED", e.Cause, e.Date, append(lines, p.line(ledger.LateFeeIncome, -total(e.Parts), e.Order))...)
}

// refund returns the order's refund of that identifier.
func (o *Order) refund(id string) Refund {
	for _, r := range o.Refunds {
		if r.ID == id {
			return r
		}
	}
	return Refund{}
}
