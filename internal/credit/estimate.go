package credit

import (
	"tenor/internal/calendar"
	"tenor/internal/schedule"
)

// Estimate is the loan that a capture today would make of an order that is not
// captured yet (F4): under its fixed terms once it is authorized, before that
// under the programme in force. The order's company and merchant are loaded.
func Estimate(s *State, o *Order, today calendar.Date) (*schedule.Loan, *Rejection) {
	if o.Installments == 0 {
		return nil, InstallmentsRequired.because("Choose a number of installments to see a schedule.")
	}
	merchant, company := s.Merchants[o.Merchant], s.Companies[o.Company]
	programme := merchant.InForce(today)
	if o.Terms != nil {
		programme = merchant.VersionOf(o.Programme)
	}
	if programme == nil {
		return nil, InstallmentsRequired.because("The merchant has no programme in force.")
	}
	terms := OrderTerms{}
	if o.Terms != nil {
		terms = *o.Terms
	} else {
		term, ok := programme.Settings.Offer(o.Installments)
		if !ok {
			return nil, InstallmentsRequired.because("Choose a number of installments that the merchant offers.")
		}
		terms = programme.Settings.fix(term, company.Tier, o.External)
	}
	loan, _, r := Quote(terms, &programme.Settings, company.BillingAddress.State, o.Amount, today)
	return loan, r
}
