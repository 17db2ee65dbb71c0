package onboarding

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// Estimate is the loan that a capture today would create for an uncaptured order (F4): under
// its fixed terms once it is authorized, before that under the program in force. The order's
// company and merchant must be loaded.
func Estimate(s *credit.State, o *credit.Order, today calendar.Date) (*schedule.Loan, *credit.Rejection) {
	if o.Installments == 0 {
		return nil, credit.InstallmentsRequired.Because("Choose a number of installments to see a schedule.")
	}
	terms := o.Terms
	if terms == nil {
		program := s.Merchants[o.Merchant].InForce(today)
		fixed, r := lending.Offer(program, s.Companies[o.Company], o.Amount, o.Installments, o.External, today)
		if r != nil {
			return nil, credit.InstallmentsRequired.Because("Choose a number of installments that the merchant offers for this amount.")
		}
		terms = &fixed
	}
	loan, _, r := lending.FiguresOf(*terms, o.Amount, today)
	if r != nil {
		return nil, credit.InstallmentsRequired.Because("The amount cannot be repaid in this number of installments.")
	}
	return loan, nil
}
