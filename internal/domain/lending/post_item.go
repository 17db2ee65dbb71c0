package lending

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// itemAccount is the account on which an item of a funded order is owed.
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

// Item returns the lines of an amount on an item: on its receivable, or in nonaccrual and
// after a charge-off on its account there, with the memo that tracks what is owed (F17, F18).
// Debits open an item, credits pay it.
func (p *Poster) Item(part schedule.Part, amount money.Amount, dim ledger.Dimensions) []ledger.Posting {
	line := func(a ledger.Account, x money.Amount) ledger.Posting {
		return ledger.Posting{Account: a, Amount: x, Dimensions: dim}
	}
	switch {
	case part.Lost:
		return []ledger.Posting{line(p.lossAccount(part), amount), line(ledger.ChargedOff, amount), line(ledger.ChargedOffContra, -amount)}
	case part.Item != schedule.ItemCharge || !p.nonaccrual(part.Order):
		return []ledger.Posting{line(itemAccount(part.Item), amount)}
	case p.D.Orders.Peek(part.Order).Terms.Plan == schedule.FlatFee:
		return []ledger.Posting{line(ledger.ChargeReceivable, amount), line(ledger.UnearnedCharge, -amount), line(ledger.ChargeIncome, amount)}
	}
	return []ledger.Posting{line(ledger.ChargeIncome, amount), line(ledger.NonaccrualCharge, amount), line(ledger.NonaccrualContra, -amount)}
}

// wholeMemo merges memo lines of one balance and puts them last.
func wholeMemo(lines []ledger.Posting) []ledger.Posting {
	var books, memo []ledger.Posting
	for _, l := range lines {
		i := slices.IndexFunc(memo, func(m ledger.Posting) bool { return m.Account == l.Account && m.Dimensions == l.Dimensions })
		switch {
		case !l.Account.Memo():
			books = append(books, l)
		case i >= 0:
			memo[i].Amount = memo[i].Amount.Add(l.Amount)
		default:
			memo = append(memo, l)
		}
	}
	return append(books, memo...)
}

// Recovers reports whether an event comes after the charge-off of an order. The parts decide
// where its effects are posted: an event from before it may have effects after it.
func (p *Poster) Recovers(order string) bool {
	o := p.D.Orders.Peek(order)
	if o == nil || o.Servicing.ChargedOff == 0 {
		return false
	}
	off := o.Servicing
	return p.On > off.ChargedOff || p.On == off.ChargedOff && p.Event.Seq > off.ChargedOffSeq
}

// lossAccount is the account that takes an item of a charged-off order, and any recovery of
// it.
func (p *Poster) lossAccount(part schedule.Part) ledger.Account {
	switch part.Item {
	case schedule.ItemPrincipal:
		return ledger.Allowance
	case schedule.ItemCharge:
		return ledger.ChargeIncome
	case schedule.ItemOther:
		return ledger.ProvisionAndLosses
	}
	return feeIncome(p.feeOf(part).Kind)
}

// feeIncome is the income account of a kind of fee.
func feeIncome(k schedule.FeeKind) ledger.Account {
	if k == schedule.ReturnedPaymentFee {
		return ledger.ReturnedFeeIncome
	}
	return ledger.LateFeeIncome
}

// feeOf is the fee that a part pays: from the current loan, or from its history if a replay
// has dropped it or only now restored it. Money that was sent out and is owed is a fee of its
// own kind, whichever event made it (F16, F35).
func (p *Poster) feeOf(part schedule.Part) schedule.Fee {
	for _, l := range []*schedule.Loan{p.D.State.Loans[part.Order], p.D.LoanOf(part.Order)} {
		if l == nil {
			continue
		}
		for _, f := range l.Fees {
			if f.ID == part.Fee {
				return f
			}
		}
	}
	e := p.Event
	for _, k := range Recorded(p.D, p.Company, []string{part.Order}) {
		if k.ID == part.Fee {
			e = k.Event
		}
	}
	f := schedule.Fee{ID: part.Fee, Kind: e.Fee, Date: e.Date}
	if part.Item == schedule.ItemOther {
		f.Kind = schedule.OtherReceivable
	}
	return f
}

// nonaccrual reports whether charge of an order is income only when paid (F18): currently, or,
// when reversing, at the time of the original posting.
func (p *Poster) nonaccrual(order string) bool {
	if p.again != nil {
		return slices.Contains(p.again.Nonaccrual, order)
	}
	o := p.D.Orders.Peek(order)
	return o != nil && o.Servicing.Nonaccrual
}

// notAccruing lists the orders of an effect that are in nonaccrual, nil if none.
func (p *Poster) notAccruing(e schedule.Effect) []string {
	var out []string
	for _, key := range append(ordersOf(e.Parts), e.Order) {
		if key != "" && p.nonaccrual(key) && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// waived posts what is waived: accrued charge, or a fee. A fee of the same month never was
// income; an older one is a concession (F39).
func (p *Poster) waived(e schedule.Effect) []string {
	lines := p.lines(e.Parts, -1)
	if len(lines) == 0 { // what is owed on an unfunded order besides principal is not in our books
		return nil
	}
	if item := e.Parts[0].Item; item == schedule.ItemCharge {
		return p.post("CHARGE_WAIVED", e, p.line(ledger.Concessions, schedule.Total(e.Parts), e.Order), lines...)
	}
	from := ledger.Concessions
	if f := p.feeOf(e.Parts[0]); f.Kind != schedule.OtherReceivable && f.Date.EndOfMonth() == e.Date.EndOfMonth() {
		from = feeIncome(f.Kind)
	}
	return p.post("FEE_WAIVED", e, p.line(from, schedule.Total(e.Parts), e.Order), lines...)
}

// chargedOff posts a charge-off (F17): the allowance is topped up first, then takes the
// principal; charge and fees leave income; everything stays in memo.
func (p *Poster) chargedOff(e schedule.Effect) []string {
	var back []ledger.Posting
	for _, part := range e.Parts {
		back = append(back, ledger.Posting{Account: p.lossAccount(part), Amount: part.Amount, Dimensions: p.dims(part.Order, part.Installment)})
	}
	top := max(0, schedule.Total(schedule.PrincipalOf(e.Parts)).Sub(p.Event.Amount))
	ids := p.post(credit.EntryAllowanceRaised, e, p.line(ledger.ProvisionAndLosses, top, e.Order), p.line(ledger.Allowance, -top, e.Order))
	lines := merged(append(back, p.lines(e.Parts, -1)...))
	all := schedule.Total(e.Parts)
	lines = append(lines, p.line(ledger.ChargedOff, all, e.Order), p.line(ledger.ChargedOffContra, -all, e.Order))
	return append(ids, p.post("ORDER_CHARGED_OFF", e, ledger.Posting{}, lines...)...)
}
