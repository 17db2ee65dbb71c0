package alarm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// merchants lists those that are not paid until a person acts: their payouts are held, or
// money is due to them and they have no account.
func (l *lister) merchants() error {
	list, err := store.AllMerchants(l.v)
	if err != nil {
		return err
	}
	due, err := store.ListDueMerchants(l.v, l.today)
	if err != nil {
		return err
	}
	aged, err := store.ListAgedMerchants(l.v, credit.LineClawback, l.today.AddDays(-clawbackDays))
	if err != nil {
		return err
	}
	for _, m := range list {
		if _, owes := slices.BinarySearch(aged, m.ID); owes && !debited(m.Account) {
			if err := l.clawbackUnpaid(m); err != nil {
				return err
			}
		}
		if p := m.Account.Pending; p != nil {
			l.pending(m, p)
		}
		if taken := m.Account.WithdrawnSince(l.today.AddDays(1 - lending.WithdrawalDays)); len(taken) > 0 {
			l.withdrawn(m, taken)
		}
		if a := m.Account; a.NoDebits || a.NoDebitsOf != 0 {
			which := ""
			if !a.NoDebits {
				which = fmt.Sprintf(" of company %d", a.NoDebitsOf)
			}
			l.add(Alarm{
				Kind: MerchantDebits, Subject: m.ID, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("%s can no longer initiate debits%s: in 30 days, three debits that it initiated, or from accounts or cards it added without a company's consent, were returned or disputed.", m.Name, which),
				Next:   "Ask the companies whether the accounts are theirs; then record their consent, or release the merchant's payouts, which also lets it initiate debits again.",
			})
		}
		if m.Account.HeldReason != "" {
			l.add(Alarm{
				Kind: PayoutsHeld, Subject: m.ID, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("Payouts to %s are on hold: %s.", m.Name, m.Account.HeldReason),
				Next:   "Set a new bank account, or release the payouts.",
			})
		}
		if _, waits := slices.BinarySearch(due, m.ID); waits && m.Account.Bank == nil {
			if err := l.accountMissing(m); err != nil {
				return err
			}
		} else if waits && m.Account.HeldReason == "" {
			if err := l.payoutsLimited(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// pending adds the alarm that a merchant will be paid to another account, or that another
// contact will be told of such changes: staff should ask the merchant through a channel
// that is not in the request.
func (l *lister) pending(m *credit.Merchant, p *credit.PendingAccount) {
	ask, what := "Ask the merchant through a known channel", fmt.Sprintf("will be paid to account …%s from %s, instead of …%s", p.Bank.Last4, p.From, m.Account.Bank.Last4)
	if m.Account.Contact != "" {
		ask = "Ask the merchant at " + m.Account.Contact + ", its contact before this request"
	}
	if p.Bank.Fingerprint == m.Account.Bank.Fingerprint {
		what = fmt.Sprintf("will have a new contact (%s) from %s", cmp.Or(p.Contact, "none"), p.From)
	}
	next := ask + ". If the merchant did not request it, cancel the change; otherwise no action is needed."
	if p.Second && p.Confirmed == "" {
		next = ask + ". Then another client of the lender confirms it; if the merchant did not request it, cancel the change."
	}
	l.add(Alarm{
		Kind: AccountChange, Subject: m.ID, Since: l.zone.Date(p.At), Due: p.From,
		Detail: fmt.Sprintf("%s %s: requested by client %s.", m.Name, what, p.By),
		Next:   next,
	})
}

// withdrawn adds the alarm that a merchant has withdrawn reported payments, for as long as
// they count (F41.5).
func (l *lister) withdrawn(m *credit.Merchant, taken []credit.WithdrawnReport) {
	sum, ids := money.Amount(0), []string(nil)
	for _, x := range taken {
		sum, ids = sum.Add(x.Amount), append(ids, x.Payment)
	}
	if more := len(ids) - named; more > 0 {
		ids = append(ids[more:], fmt.Sprintf("%d more", more))
	}
	l.add(Alarm{
		Kind: ReportWithdrawn, Subject: m.ID, Since: taken[0].On, Due: calendar.None,
		Detail: fmt.Sprintf("%s withdrew payments of %s that it had reported, in %d days: %s.", m.Name, sum, lending.WithdrawalDays, strings.Join(ids, ", ")),
		Next:   fmt.Sprintf("Ask the buyers whether they paid. This alarm closes %d days after the last one.", lending.WithdrawalDays),
	})
}

// named is how many payments or companies a detail names.
const named = 5

// clawbackDays is how many days a clawback may wait before the alarm that nothing collects
// it: a day longer than, unless a program says otherwise, until it is debited (F32).
const clawbackDays = 31

// debited reports whether clawbacks are debited from an account automatically: the
// agreement allows it, and the account has rejected nothing.
func debited(a credit.MerchantAccount) bool { return a.Debits && a.Bank != nil && !a.Broken }

// clawbackUnpaid adds the alarm for what a merchant owes beyond what it is owed, when no
// payout nets it and no debit takes it: it will be written off.
func (l *lister) clawbackUnpaid(m *credit.Merchant) error {
	due, err := store.DueMoneyOf(l.v, m.ID, l.today)
	if err != nil || due.ByMerchant <= due.ToMerchant {
		return err
	}
	l.add(Alarm{
		Kind: ClawbackUnpaid, Subject: m.ID, Since: calendar.None, Due: calendar.None,
		Detail: fmt.Sprintf("%s owes %s, part of it for more than %d days; no payout nets it, and its account is not debited.", m.Name, due.ByMerchant.Sub(due.ToMerchant), clawbackDays-1),
		Next:   "Contact the merchant, then record what it sends, or set its bank account with debits allowed; what is not collected will be written off.",
	})
	return nil
}

// payoutsLimited adds the alarm that a merchant's captures wait because the lender's
// exposure to it would exceed its limit (F41.12).
func (l *lister) payoutsLimited(m *credit.Merchant) error {
	s := credit.NewState()
	if err := l.v.Load(s, credit.Keys{Positions: []string{m.ID}}); err != nil {
		return err
	}
	p := s.Position(m.ID)
	if p.Exposure() <= m.ExposureLimit() {
		return nil
	}
	l.add(Alarm{
		Kind: PayoutsLimited, Subject: m.ID, Since: calendar.None, Due: calendar.None,
		Detail: fmt.Sprintf("Payouts of captures to %s are held: unpaid principal of %s plus %s owed exceed its limit of %s.", m.Name, p.Principal, p.Due(), m.ExposureLimit()),
		Next:   "Review the merchant and raise its limit, or wait: the captures are paid out as the exposure falls.",
	})
	return nil
}

// accountMissing adds the alarm for how much waits for a merchant, and since when: without
// an account no payout is made, and nothing that the merchant owes is netted (F32).
func (l *lister) accountMissing(m *credit.Merchant) error {
	due, err := store.DueMoneyOf(l.v, m.ID, l.today)
	if err != nil {
		return err
	}
	less := ""
	if due.ByMerchant > 0 {
		less = fmt.Sprintf(" It owes %s, which would be netted.", due.ByMerchant)
	}
	l.add(Alarm{
		Kind: AccountMissing, Subject: m.ID, Since: due.Since, Due: calendar.None,
		Detail: fmt.Sprintf("%s owed to %s since %s cannot be paid out: it has no bank account.%s", due.ToMerchant, m.Name, due.Since, less),
		Next:   "Ask the merchant for its bank account and set it; the next payout run pays it.",
	})
	return nil
}
