package explain

import "tenor/internal/domain/schedule"

// RuleText describes in a sentence what a rule of the specification does to an amount, "" for
// a rule that explains none.
func RuleText(rule string) string {
	switch rule {
	case "F1":
		return "Level payments: each period's charge is the balance times the period's rate, rounded half up; the rest of the level payment is principal, and the last installment takes what is left."
	case "F2":
		return "Flat fee: the fee is principal times monthly rate times installments, rounded half up, and is spread over equal payments; the last installment takes what is left."
	case "F3":
		return "No charge: the principal is split evenly, and the last installment takes what is left."
	case "F6":
		return "Odd first period: the days more or less than a month before the first due date add to or take from the first charge."
	case "F7":
		return "Charge accrues by the day on principal that is unpaid and not yet due, is rounded once a period, and is posted when it is due, paid or ended."
	case "F8":
		return "Payoff: unpaid principal, charge earned to the day, and unpaid fees; a flat fee that is not earned is given back."
	case "F9":
		return "Prepayments and refunds shorten the loan from its end: installments keep their bound, and charge is computed again on what is still owed."
	case "F10":
		return "An installment with anything unpaid after its due date is overdue; past the days of grace it gets one late fee."
	case "F11":
		return "A debit that comes back costs one returned-payment fee for the original entry."
	case "F12":
		return "Payments pay what is due in order of due date, fees before installments, charge before principal, and then installments to come."
	case "F13":
		return "A merchant's refund takes principal off from the last installment backwards; what is more pays earned charge and fees, and the rest becomes credit. The discount goes back in proportion."
	case "F16":
		return "Money of a returned payment that had left the house is owed again, due at once."
	case "F17":
		return "Charge-off: accrual and fees stop, charge stays as it has been earned; what comes in pays principal, then charge, then fees."
	case "F26":
		return "An authorization reserves its amount on the company's credit line; a capture turns the reservation into principal."
	case "F30":
		return "The program in force fixes what may be financed and on what terms."
	case "F31":
		return "A capture makes the amount final; a part is captured as an order of its own, and the rest stays with the parent."
	case "F32":
		return "The merchant is owed the captured amount less a discount of the agreed rate, rounded half up; a refund after the payout is clawed back."
	case "F41.10":
		return "The discount is that of all captures under one authorization together: each part takes what it adds."
	}
	return ""
}

// planRule is the rule that produces a plan's schedule.
func planRule(p schedule.Plan) string {
	switch p {
	case schedule.Amortized:
		return "F1"
	case schedule.FlatFee:
		return "F2"
	}
	return "F3"
}

// feeRule is the rule that assesses a kind of fee.
func feeRule(k schedule.FeeKind) string {
	switch k {
	case schedule.ReturnedPaymentFee:
		return "F11"
	case schedule.OtherReceivable:
		return "F16"
	}
	return "F10"
}
