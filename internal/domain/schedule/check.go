package schedule

import (
	"errors"
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Check returns an error for the first structural invariant that the loan breaks (F40, SC1,
// SC5). It must pass after every event; a loan that fails it must not be stored.
func (l *Loan) Check() error {
	if err := l.checkWhole(); err != nil {
		return fmt.Errorf("schedule: loan %s: %w", l.Key, err)
	}
	for i := range l.Rows {
		if err := l.checkRow(i + 1); err != nil {
			return fmt.Errorf("schedule: loan %s row %d: %w", l.Key, i+1, err)
		}
	}
	for _, f := range l.Fees {
		if f.Paid < 0 || f.Paid > f.Amount || f.Waived < 0 || f.Installment < 1 || f.Installment > len(l.Rows) || f.Date > l.AsOf {
			return fmt.Errorf("schedule: loan %s fee %s has %s of %s paid and %s waived, row %d, date %s", l.Key, f.ID, f.Paid, f.Amount, f.Waived, f.Installment, f.Date)
		}
	}
	check := l.checkLevel
	if l.flat() {
		check = l.checkFlat
	}
	if err := check(); err != nil {
		return fmt.Errorf("schedule: loan %s: %w", l.Key, err)
	}
	return nil
}

func (l *Loan) checkWhole() error {
	n := len(l.Rows)
	if n != l.Terms.Installments || l.Current < 1 || l.Current > n+1 {
		return fmt.Errorf("has period %d, %d rows and %d installments", l.Current, n, l.Terms.Installments)
	}
	if l.ChargedOff && l.Current <= n || !l.ChargedOff && l.AsOf < l.start(l.Current) || l.Current <= n && l.AsOf >= l.running().DueDate {
		return fmt.Errorf("period %d does not contain %s", l.Current, l.AsOf)
	}
	if len(l.Prepaid) == 0 && l.Prepaid != nil || len(l.Fees) == 0 && l.Fees != nil {
		return errors.New("an empty list must be nil")
	}
	principal := money.Amount(0)
	for _, r := range l.Rows {
		principal = principal.Add(r.Principal)
	}
	if principal != l.Terms.Principal-l.Refunded || l.Refunded < 0 || l.Waived < 0 {
		return fmt.Errorf("principal of rows is %s, but financed %s, refunded %s, waived %s", principal, l.Terms.Principal, l.Refunded, l.Waived)
	}
	return nil
}

func (l *Loan) checkRow(k int) error {
	r := l.Rows[k-1]
	if r.Number != k || r.DueDate <= l.start(k) {
		return fmt.Errorf("has the wrong number %d, or is due on %s before its period", r.Number, r.DueDate)
	}
	if r.PaidPrincipal < 0 || r.PaidCharge < 0 || r.PaidPrincipal > r.Principal || r.PaidCharge > r.Charge {
		return fmt.Errorf("has %s of %s principal and %s of %s charge paid", r.PaidPrincipal, r.Principal, r.PaidCharge, r.Charge)
	}
	if r.Target != 0 && r.Amount() > r.Target {
		return fmt.Errorf("amount %s exceeds %s", r.Amount(), r.Target)
	}
	if r.Recognised < 0 || k > l.Current && r.Recognised != 0 {
		return fmt.Errorf("has a wrong recognized charge of %s", r.Recognised)
	}
	if r.Canceled != (r.Amount() == 0) || (r.PaidOn != calendar.None) != (r.Amount() > 0 && r.Unpaid() == 0) {
		return fmt.Errorf("status does not match: canceled %t, paid on %q, amount %s, unpaid %s", r.Canceled, r.PaidOn, r.Amount(), r.Unpaid())
	}
	return nil
}

// checkLevel balances the charge of AMORTIZED, ZERO and NET30: all charge recognized for ended
// periods is in a due row, was paid on a future row, is carried, or was waived.
func (l *Loan) checkLevel() error {
	ended, placed := money.Amount(0), l.Carried.Add(l.Waived)
	for i, r := range l.Rows {
		if i+1 < l.Current {
			ended, placed = ended.Add(r.Recognised), placed.Add(r.Charge)
		} else {
			placed = placed.Add(r.PaidCharge)
		}
	}
	if ended != placed || l.Slices < 0 || len(l.Prepaid) > 0 {
		return fmt.Errorf("recognized charge is %s, allocated charge is %s (slices: %d)", ended, placed, l.Slices)
	}
	row := l.running()
	if row == nil {
		if l.Carried != 0 || l.Slices != 0 {
			return fmt.Errorf("carries %s after the last row", l.Carried)
		}
		return nil
	}
	if l.accrued() < 0 || row.Recognised < -l.Carried || row.Recognised > l.earned() {
		return fmt.Errorf("charge does not match: earned %s, carried %s, recognized %s", l.earned(), l.Carried, row.Recognised)
	}
	projected := l.Clone()
	projected.rebuild()
	for i := range l.Rows {
		if l.Rows[i] != projected.Rows[i] {
			return fmt.Errorf("row %d differs from its projection: %+v, %+v", i+1, l.Rows[i], projected.Rows[i])
		}
	}
	return nil
}

// checkFlat balances the fee of FLAT_FEE.
func (l *Loan) checkFlat() error {
	paid := make([]money.Amount, len(l.Rows))
	for _, p := range l.Prepaid {
		if p.Installment < l.Current || p.Installment > len(l.Rows) || p.Amount <= 0 {
			return fmt.Errorf("has a prepayment of %s on row %d", p.Amount, p.Installment)
		}
		paid[p.Installment-1] += p.Amount
	}
	for i, r := range l.Rows {
		if i+1 < l.Current && r.Recognised != r.Charge {
			return fmt.Errorf("row %d has %s of %s recognized", i+1, r.Recognised, r.Charge)
		}
		if i+1 >= l.Current && paid[i] != r.PaidCharge {
			return fmt.Errorf("row %d has %s prepaid, but its sources add up to %s", i+1, r.PaidCharge, paid[i])
		}
	}
	if row := l.running(); row != nil && (l.Earned < 0 || l.Earned > row.Charge || row.Recognised > l.earned() || l.EarnedFrom > l.AsOf) {
		return fmt.Errorf("fee does not match: earned %s of %s, recognized %s", l.Earned, row.Charge, row.Recognised)
	}
	if l.unearned() > 0 && l.flatPayoff() <= 0 {
		return errors.New("payoff is covered but the fee is not rebated")
	}
	return nil
}
