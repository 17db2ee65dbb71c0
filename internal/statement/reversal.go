package statement

import (
	"tenor/internal/calendar"
	"tenor/internal/credit"
)

// ReversalPaper tells the company that the lender has reversed a debit of its account, and
// why (F22). m is the account that was debited, on the business date of the reversal.
func ReversalPaper(p *credit.Payment, m *credit.PaymentMethod, company *credit.Company, lender string, on calendar.Date) Paper {
	r, _ := p.Reversal()
	paper := Paper{
		Title: "We reversed a debit of your account", Subtitle: company.Name,
		Facts: []Fact{
			{"Payment", p.ID}, {"Lender", lender}, {"Amount", Dollars(r.Amount)}, {"Account", "ending in " + m.Bank.Last4}, {"Debited", Day(p.ScheduledDate)}, {"Reversed", Day(on)},
			{"Reason", wrong(r.Reversal)},
		},
		Notes: []string{
			"The whole amount goes back to this account as a credit with the description REVERSAL. You need not do anything for it, and no fee is charged.",
			"What the debit had paid is open again, with its old due dates, as if it had not been made.",
		},
	}
	if r.Reversal != credit.ReversalDuplicate {
		paper.Notes = append(paper.Notes, "Before we debit again what was due by then, we get in touch with you.")
	}
	return paper
}

// wrong says what was wrong with a debit.
func wrong(r credit.ReversalReason) string {
	return map[credit.ReversalReason]string{
		credit.ReversalDuplicate: "It was made twice.", credit.ReversalWrongReceiver: "It was of the wrong account.",
		credit.ReversalWrongAmount: "Its amount was wrong.", credit.ReversalWrongDate: "Its date was wrong.",
	}[r]
}
