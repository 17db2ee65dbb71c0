package verify

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// owed is what is owed on a loan, by ledger account: 1100, 1110, 2200, 1120, 1130; in memo
// the charge of a nonaccrual order (9010), and everything of a charged-off one (9020).
type owed struct{ principal, charge, unearned, fees, other, memo, lost money.Amount }

// owedBy sums up a loan (F7, F17, F18).
func owedBy(o *credit.Order, l *schedule.Loan) owed {
	x := owed{principal: l.UnpaidPrincipal(), charge: -l.Waived}
	flat := l.Terms.Plan == schedule.FlatFee
	for _, row := range l.Rows {
		x.charge = x.charge.Sub(row.PaidCharge)
		if flat {
			x.charge = x.charge.Add(row.Charge)
			x.unearned = x.unearned.Add(row.Charge).Sub(row.Recognised)
		} else {
			x.charge = x.charge.Add(row.Recognised)
		}
	}
	for _, f := range l.Fees {
		if f.Kind == schedule.OtherReceivable {
			x.other = x.other.Add(f.Unpaid())
		} else {
			x.fees = x.fees.Add(f.Unpaid())
		}
	}
	switch {
	case l.ChargedOff:
		return owed{lost: money.Sum(x.principal, x.charge, x.fees, x.other)}
	case o.Servicing.Nonaccrual && flat: // what is unpaid is unearned
		x.unearned = x.charge
	case o.Servicing.Nonaccrual:
		x.charge, x.memo = 0, x.charge
	}
	return x
}

// checkOwed compares what is owed on the loan with its accounts (SC4, PA7).
func (r *run) checkOwed(object string, o *credit.Order, l *schedule.Loan) {
	principal := r.balance(o.Key, ledger.LoanPrincipal).Add(r.balance(o.Key, ledger.UnfundedExternal))
	if o.Terms != nil && o.Terms.Unfunded {
		r.equal("SC4", object, "unpaid principal", l.UnpaidPrincipal(), principal)
		return // nothing else is owed to the lender
	}
	x := owedBy(o, l)
	r.equal("SC4", object, "unpaid principal", x.principal, principal)
	r.equal("SC4", object, "earned unpaid charge", x.charge, r.balance(o.Key, ledger.ChargeReceivable))
	r.equal("PA7", object, "unearned charge", x.unearned, -r.balance(o.Key, ledger.UnearnedCharge))
	r.equal("SC4", object, "unpaid fees", x.fees, r.balance(o.Key, ledger.FeesReceivable))
	r.equal("SC4", object, "other receivables", x.other, r.balance(o.Key, ledger.OtherReceivable))
	r.equal("SC4", object, "memo charge", x.memo, r.balance(o.Key, ledger.NonaccrualCharge))
	r.equal("SC4", object, "charged-off balance", x.lost, r.balance(o.Key, ledger.ChargedOff))
}
