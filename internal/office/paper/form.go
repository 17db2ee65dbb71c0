package paper

import "slices"

// The rows that a disclosure may have.
const (
	rowFunding     = "funding"
	rowItemization = "itemization"
	rowRecipient   = "recipient"
	rowAPR         = "apr"
	rowCharge      = "charge"
	rowRate        = "rate"
	rowTotal       = "total"
	rowPayment     = "payment"
	rowAverage     = "average"
	rowTerm        = "term"
	rowPrepayment  = "prepayment"
	rowFees        = "fees"
	rowCollateral  = "collateral"
	rowGuarantee   = "guarantee"
	rowAssumptions = "assumptions"
)

// form is the list of rows of a state's form, in order (F21); nil for an unknown form. All
// have the payment schedule below.
func form(template string) []string {
	switch template {
	case "CA":
		return []string{rowFunding, rowItemization, rowAPR, rowCharge, rowTotal, rowPayment, rowTerm, rowPrepayment}
	case "NY":
		return []string{rowFunding, rowItemization, rowCharge, rowAPR, rowTotal, rowTerm, rowPayment, rowAverage, rowFees, rowPrepayment, rowCollateral}
	case "UT", "GA", "FL", "KS", "MO":
		return []string{rowFunding, rowItemization, rowTotal, rowCharge, rowPayment, rowPrepayment}
	case "DEFAULT":
		return []string{
			rowFunding, rowItemization, rowRecipient, rowAPR, rowCharge, rowRate, rowTotal, rowPayment, rowAverage, rowTerm,
			rowPrepayment, rowFees, rowCollateral, rowGuarantee, rowAssumptions,
		}
	}
	return nil
}

// family is the form whose words a form uses where it has none of its own.
func family(template string) string {
	if slices.Contains([]string{"GA", "FL", "KS", "MO"}, template) {
		return "UT"
	}
	return template
}
