package alarm

import (
	"fmt"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/credit"
)

// merchants are those that are not paid until a person does something: their payouts are
// held, or money is due to them and there is no account to pay it to.
func (l *lister) merchants() error {
	list, err := l.v.Merchants()
	if err != nil {
		return err
	}
	due, err := l.v.DueMerchants(l.today)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Account.HeldReason != "" {
			l.add(Alarm{
				Kind: PayoutsHeld, Subject: m.ID, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("Payouts to %s wait: %s.", m.Name, m.Account.HeldReason),
				Next:   "Set its bank account anew, or let the payouts go.",
			})
		}
		if _, waits := slices.BinarySearch(due, m.ID); waits && m.Account.Bank == nil {
			if err := l.accountMissing(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// accountMissing says how much waits for a merchant, and since when: no payout is made
// without an account, and nothing that the merchant owes is netted (F32).
func (l *lister) accountMissing(m *credit.Merchant) error {
	due, err := l.v.DueOf(m.ID, l.today)
	if err != nil {
		return err
	}
	less := ""
	if due.ByMerchant > 0 {
		less = fmt.Sprintf(" It owes %s itself, which would be netted.", due.ByMerchant)
	}
	l.add(Alarm{
		Kind: AccountMissing, Subject: m.ID, Since: due.Since, Due: calendar.None,
		Detail: fmt.Sprintf("%s wait to be paid to %s since %s, and it has no bank account.%s", due.ToMerchant, m.Name, due.Since, less),
		Next:   "Ask the merchant for its bank account and set it; the next run of payouts pays what waits.",
	})
	return nil
}
