package statement

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
)

// ReversalPaper tells the company that the lender has reversed a debit of its account, and
// why (F22). m is the debited account, on the business date of the reversal.
func ReversalPaper(p *credit.Payment, m *credit.PaymentMethod, company *credit.Company, lender string, on calendar.Date) Paper {
	r, _ := p.Reversal()
	paper := Paper{
		Title: "We reversed a debit of your account", Subtitle: company.Name,
		Facts: []Fact{
			{"Payment", p.ID}, {"Lender", lender}, {"Amount", Dollars(r.Amount)}, {"Account", "ending in " + m.Bank.Last4}, {"Debited", Day(p.ScheduledDate)}, {"Reversed", Day(on)},
			{"Reason", wrong(r.Reversal)},
		},
		Notes: []string{
			goesBack(p),
			"What the debit had paid is open again, with its old due dates, as if it had not been made.",
		},
	}
	if r.Reversal != payments.ReversalDuplicate {
		paper.Notes = append(paper.Notes, "Before we debit again what was due by then, we get in touch with you.")
	}
	return paper
}

// goesBack says how the money of a reversed debit is returned: by the reversing entry, by
// another one if that came too late, or by the bank's own return.
func goesBack(p *credit.Payment) string {
	r, _ := p.Reversal()
	others := slices.ContainsFunc(p.Refunds, func(x credit.PaymentRefund) bool { return x.Reversal == "" && x.Status != credit.RefundCanceled })
	switch {
	case r.Status == credit.RefundFailed:
		return "The whole amount goes back to you. Your bank has not taken our credit; we get in touch with you. No fee is charged."
	case r.Status != credit.RefundCanceled:
		return "The whole amount goes back to this account as a credit with the description REVERSAL. You need not do anything for it, and no fee is charged."
	case others:
		return "The whole amount goes back to this account as a credit. You need not do anything for it, and no fee is charged."
	}
	return "Your bank has given the amount back to you itself, so we send nothing. No fee is charged."
}

// wrong says what was wrong with a debit.
func wrong(r credit.ReversalReason) string {
	return map[credit.ReversalReason]string{
		payments.ReversalDuplicate: "It was made twice.", payments.ReversalWrongReceiver: "It was of the wrong account.",
		payments.ReversalWrongAmount: "Its amount was wrong.", payments.ReversalWrongDate: "Its date was wrong.",
	}[r]
}
