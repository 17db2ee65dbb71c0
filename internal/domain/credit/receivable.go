package credit

import (
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Receivable is what a loan is owed as the ledger shows it: 1100, 1110, 1120 with
// 1130, and 2200; in memo the charge of one in nonaccrual (9010), and all of one that
// is charged off (9020).
type Receivable struct{ Principal, Charge, Fees, Unearned, Memo, Lost money.Amount }

// Less is the difference of two, part by part.
func (r Receivable) Less(s Receivable) Receivable {
	return Receivable{
		r.Principal.Sub(s.Principal), r.Charge.Sub(s.Charge), r.Fees.Sub(s.Fees), r.Unearned.Sub(s.Unearned), r.Memo.Sub(s.Memo), r.Lost.Sub(s.Lost),
	}
}

// StandingOf is where the ledger shows what an order's loan is owed (F17, F18, F33).
func StandingOf(o *Order, l *schedule.Loan) Receivable {
	r := owed(l)
	switch {
	case o == nil || l == nil:
	case o.Terms.Unfunded:
		r = Receivable{Principal: r.Principal}
	case l.ChargedOff:
		r = Receivable{Lost: money.Sum(r.Principal, r.Charge, r.Fees)}
	case o.Servicing.Nonaccrual && l.Terms.Plan == schedule.FlatFee:
		r.Unearned = r.Charge
	case o.Servicing.Nonaccrual:
		r.Charge, r.Memo = 0, r.Charge
	}
	return r
}

// owed sums a loan. The charge of a flat fee is owed from the start and earned
// later; any other is owed as it is earned.
func owed(l *schedule.Loan) Receivable {
	if l == nil {
		return Receivable{}
	}
	r := Receivable{Principal: l.UnpaidPrincipal(), Fees: l.UnpaidFees()}
	recognised, charge, paid := money.Amount(0), money.Amount(0), money.Amount(0)
	for _, row := range l.Rows {
		recognised, charge, paid = recognised.Add(row.Recognised), charge.Add(row.Charge), paid.Add(row.PaidCharge)
	}
	if l.Terms.Plan == schedule.FlatFee {
		r.Charge, r.Unearned = charge.Sub(paid), charge.Sub(recognised)
	} else {
		r.Charge = recognised.Sub(paid).Sub(l.Waived)
	}
	return r
}
