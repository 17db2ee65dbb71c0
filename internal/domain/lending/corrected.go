package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// A debit that was not on the agreed terms (R11) may be corrected by one new entry, of the
// right amount on the right day, within 60 days of the return and under the existing
// authorization (F23).

// correctable reports whether a return of an order may still be followed by a corrected entry
// in the file of a day.
func correctable(need *credit.Consent, file calendar.Date) bool {
	r, _ := LookUpReturn(needCode(need))
	return r.Class == ClassCorrectableTerms && file < need.From
}

func needCode(need *credit.Consent) string {
	if need == nil {
		return ""
	}
	return need.Code
}

// tooLate reports whether the next collection of an order comes after the last day for a
// corrected entry: it would be a debit without an authorization.
func tooLate(e credit.Env, need *credit.Consent, o *credit.Order, l *schedule.Loan) bool {
	file := NextFile(e)
	if next := credit.NextCollection(o, l); next != calendar.None {
		file = credit.BankingDayBefore(next)
	}
	return need != nil && file >= need.From
}

// correctEntry creates the corrected entry for items of an order left for review: for
// everything unpaid on them, or for a part, in which case the rest stays for review. It
// settles on the given day, or as soon as possible if None.
func correctEntry(d *credit.Draft, key string, part *money.Amount, on calendar.Date) *credit.Rejection {
	Serve(d, key)
	o, l := d.Standing(key)
	need, items := o.Servicing.Consent, o.Servicing.Stopped
	file, _ := TransferDays(d.Env, on)
	m, owed := AutopayOf(d, o), credit.UnpaidOf(l, items)
	amount := owed
	if part != nil {
		amount = *part
	}
	switch {
	case on != calendar.None && (on < d.Env.Today() || !on.IsBankingDay()):
		return credit.InvalidEffectiveDate.Because("A corrected entry must settle on a future banking day.")
	case !correctable(need, file):
		return credit.PaymentMethodRequired.Because("Only a debit returned with R11 can be corrected, within 60 days of its return.")
	case m == nil || !m.Type.Can().Return || credit.MoneyMayMove(d.Companies.Peek(o.Company)) != nil:
		return credit.PaymentMethodRequired.Because("The company has no account that autopay can debit.")
	case slices.ContainsFunc(o.Servicing.Open, func(x credit.OpenDebit) bool {
		return x.Items == nil || slices.ContainsFunc(x.Items, func(ref schedule.Ref) bool { return slices.Contains(items, ref) })
	}):
		return credit.InvalidTransition.Because("A debit for these items is pending. Wait for its outcome.")
	case amount <= 0 || amount > owed:
		return credit.ValidationFailed.Because("A corrected entry cannot exceed the unpaid amount of the returned items.")
	}
	x := d.Orders.Edit(key)
	if amount == owed {
		x.Servicing.Stopped, x.Servicing.Consent = nil, nil
	}
	Collect(d, &credit.Payment{
		Company: o.Company, Order: key, Invoice: o.Invoice, Amount: amount, Method: credit.ACH, MethodID: m.ID,
		Items: items, Autopay: true, Attempt: 1,
	}, EntryPayment, on)
	return nil
}
