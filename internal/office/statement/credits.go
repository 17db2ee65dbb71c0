package statement

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// CreditKind is the cause of a movement of a company's unapplied credit.
type CreditKind string

// The kinds of movements. Credit at the end = at the beginning + their sum.
const (
	Overpaid       CreditKind = "OVERPAYMENT" // what a payment left over
	FromRefund     CreditKind = "REFUND"      // what a merchant's refund left over
	FromRebate     CreditKind = "REBATE"      // a flat fee that was paid and is no longer earned
	Applied        CreditKind = "APPLIED"     // it has paid items
	SentBack       CreditKind = "SENT_BACK"   // to the company
	CreditReversed CreditKind = "REVERSAL"    // the payment that left it was returned
	CreditAdjusted CreditKind = "ADJUSTMENT"
)

// CreditLine is the effect of one entry on the company's unapplied credit (F36).
type CreditLine struct {
	Date, Value calendar.Date
	Kind        CreditKind
	Payment     string // "" if there is none
	Entry       string
	Amount      money.Amount // + more credit, − less
	Balance     money.Amount // after it
}

// creditKind maps an event to a movement's kind.
func creditKind(event string) CreditKind {
	switch event {
	case "PAYMENT_APPLIED":
		return Overpaid
	case "ORDER_REFUNDED":
		return FromRefund
	case "FLAT_FEE_REBATED":
		return FromRebate
	case "CREDIT_APPLIED":
		return Applied
	case "CREDIT_SENT", "PAYMENT_REFUNDED":
		return SentBack
	case "PAYMENT_RETURNED", "ACH_RETURNED", "ACH_REVERSED", "CARD_CHARGEBACK":
		return CreditReversed
	}
	return CreditAdjusted
}

// addCredit adds an entry's effect on the credit.
func (x *Company) addCredit(e store.EntryRow, amount money.Amount, payment string) {
	if amount == 0 {
		return
	}
	x.Unapplied = x.Unapplied.Add(amount)
	if e.BookDate < x.From {
		x.UnappliedOpening = x.UnappliedOpening.Add(amount)
		return
	}
	x.Credits = append(x.Credits, CreditLine{
		Date: e.BookDate, Value: e.ValueDate, Kind: creditKind(e.Event), Payment: payment, Entry: e.ID, Amount: amount, Balance: x.Unapplied,
	})
}

// words returns a kind's text for people.
func (k CreditKind) words() string {
	switch k {
	case Overpaid:
		return "Left of a payment"
	case FromRefund:
		return "Left of a merchant's refund"
	case FromRebate:
		return "Finance charge given back"
	case Applied:
		return "Paid what you owed"
	case SentBack:
		return "Sent back to you"
	case CreditReversed:
		return "The payment came back"
	}
	return "Adjustment"
}

// creditTable shows the movements of credit in the month; there is none where there was no
// credit.
func (x *Company) creditTable() (Table, bool) {
	t := Table{Caption: "Unapplied credit", Columns: []Column{{"Date", false, .2}, {"For", false, .2}, {"What", false, .4}, {"Amount", true, .2}}}
	t.Rows = append(t.Rows, []string{"", "", "Opening credit", Dollars(x.UnappliedOpening)})
	for _, l := range x.Credits {
		t.Rows = append(t.Rows, []string{Day(l.Date), Day(l.Value), l.Kind.words(), Dollars(l.Amount)})
	}
	t.Total = []string{"", "", "Closing credit", Dollars(x.Unapplied)}
	return t, x.UnappliedOpening != 0 || len(x.Credits) > 0
}
