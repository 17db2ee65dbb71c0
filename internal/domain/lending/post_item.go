package lending

import (
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// itemAccount is where an item of a funded order is owed.
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

// Item are the lines of an amount on an item: on its receivable; in nonaccrual and
// after a charge-off where it stands then, with the memo that keeps what is owed (F17,
// F18). Debits open an item, credits pay it.
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

// wholeMemo puts memo lines of one balance together, behind the others.
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

// Recovers reports whether an event comes after the charge-off of an order. Where its effects
// are posted their parts say: an event from before it may have effects after it.
func (p *Poster) Recovers(order string) bool {
	o := p.D.Orders.Peek(order)
	if o == nil || o.Servicing.ChargedOff == 0 {
		return false
	}
	off := o.Servicing
	return p.On > off.ChargedOff || p.On == off.ChargedOff && p.Event.Seq > off.ChargedOffSeq
}

// lossAccount is where an item of an order stands that is charged off, and to which
// what is recovered of it goes.
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

// feeIncome is the income of a kind of fee.
func feeIncome(k schedule.FeeKind) ledger.Account {
	if k == schedule.ReturnedPaymentFee {
		return ledger.ReturnedFeeIncome
	}
	return ledger.LateFeeIncome
}

// feeOf is the fee that a part pays: of the loan as it stands, or of its history if a
// replay has dropped it, or has only now brought it back. What has left the house and is
// owed is a fee of its own kind, whichever event made it (F16, F35).
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

// nonaccrual reports whether charge of an order is income only when it is paid (F18): as
// it stands, or as it stood when what is reversed was posted.
func (p *Poster) nonaccrual(order string) bool {
	if p.again != nil {
		return slices.Contains(p.again.Nonaccrual, order)
	}
	o := p.D.Orders.Peek(order)
	return o != nil && o.Servicing.Nonaccrual
}

// notAccruing lists the orders of an effect that are in nonaccrual, nil for none.
func (p *Poster) notAccruing(e schedule.Effect) []string {
	var out []string
	for _, key := range append(ordersOf(e.Parts), e.Order) {
		if key != "" && p.nonaccrual(key) && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// waived posts what is given up: accrued charge, or a fee. A fee of the same month
// never was income; an older one is a concession (F39).
func (p *Poster) waived(e schedule.Effect) []string {
	lines := p.lines(e.Parts, -1)
	if len(lines) == 0 { // what is owed on an unfunded order besides its principal is in nobody's books here
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

// chargedOff posts a charge-off (F17): the allowance is topped up first, then takes
// the principal; charge and fees leave income; all of it stays in memo.
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
