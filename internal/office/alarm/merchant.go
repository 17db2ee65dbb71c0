package alarm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// merchants are those that are not paid until a person does something: their payouts are
// held, or money is due to them and there is no account to pay it to.
func (l *lister) merchants() error {
	list, err := store.AllMerchants(l.v)
	if err != nil {
		return err
	}
	due, err := l.v.DueMerchants(l.today)
	if err != nil {
		return err
	}
	aged, err := l.v.AgedMerchants(credit.LineClawback, l.today.AddDays(-clawbackDays))
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
		if taken := m.Account.WithdrawnSince(l.today.AddDays(1 - credit.WithdrawalDays)); len(taken) > 0 {
			l.withdrawn(m, taken)
		}
		if a := m.Account; a.NoDebits || a.NoDebitsOf != 0 {
			which := ""
			if !a.NoDebits {
				which = fmt.Sprintf(" of company %d", a.NoDebitsOf)
			}
			l.add(Alarm{
				Kind: MerchantDebits, Subject: m.ID, Since: calendar.None, Due: calendar.None,
				Detail: fmt.Sprintf("%s asks for no more debits%s: three that it had asked for, or of accounts or cards that it had added and no company consented to, came back or were disputed in 30 days.", m.Name, which),
				Next:   "Ask the companies whether the accounts are theirs; then record their consent, or let the merchant's payouts go, which lets it ask for debits again.",
			})
		}
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
		} else if waits && m.Account.HeldReason == "" {
			if err := l.payoutsLimited(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// pending says that a merchant is to be paid to another account, or that another contact is
// to be told of such a change: whoever reads it asks the merchant by a way that is not in the
// request.
func (l *lister) pending(m *credit.Merchant, p *credit.PendingAccount) {
	ask, what := "Ask the merchant by a way that you know", fmt.Sprintf("is to be paid to the account …%s from %s on, instead of …%s", p.Bank.Last4, p.From, m.Account.Bank.Last4)
	if m.Account.Contact != "" {
		ask = "Ask the merchant at " + m.Account.Contact + ", its contact before this request"
	}
	if p.Bank.Fingerprint == m.Account.Bank.Fingerprint {
		what = fmt.Sprintf("is to have another contact (%s) from %s on", cmp.Or(p.Contact, "none"), p.From)
	}
	next := ask + ". If it is not its own wish, cancel the change; else nothing is to be done."
	if p.Second && p.Confirmed == "" {
		next = ask + ". Then another client of the lender confirms it; if it is not the merchant's wish, cancel the change."
	}
	l.add(Alarm{
		Kind: AccountChange, Subject: m.ID, Since: l.zone.Date(p.At), Due: p.From,
		Detail: fmt.Sprintf("%s %s: the client %s has asked for it.", m.Name, what, p.By),
		Next:   next,
	})
}

// withdrawn says that a merchant has taken back what it had reported as paid: it is told for
// as long as it counts (F41.5).
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
		Detail: fmt.Sprintf("%s has taken back %s that it had reported as paid, in %d days: %s.", m.Name, sum, credit.WithdrawalDays, strings.Join(ids, ", ")),
		Next:   fmt.Sprintf("Ask the buyers whether they have paid. It is gone from here %d days after the last one.", credit.WithdrawalDays),
	})
}

// named is how many payments or companies a detail names.
const named = 5

// clawbackDays is how many days a clawback may wait before somebody is told that nothing
// collects it: a day longer than it takes, unless a programme says otherwise, until it is
// debited (F32).
const clawbackDays = 31

// debited reports that clawbacks are debited from an account by themselves: the agreement
// allows it, and the account has refused nothing.
func debited(a credit.MerchantAccount) bool { return a.Debits && a.Bank != nil && !a.Broken }

// clawbackUnpaid says how much a merchant owes beyond what it is owed, since no payout
// nets it and no debit takes it: it will be written off.
func (l *lister) clawbackUnpaid(m *credit.Merchant) error {
	due, err := l.v.DueOf(m.ID, l.today)
	if err != nil || due.ByMerchant <= due.ToMerchant {
		return err
	}
	l.add(Alarm{
		Kind: ClawbackUnpaid, Subject: m.ID, Since: calendar.None, Due: calendar.None,
		Detail: fmt.Sprintf("%s owes %s, a part of it for more than %d days; no payout nets it, and its account is not debited.", m.Name, due.ByMerchant.Sub(due.ToMerchant), clawbackDays-1),
		Next:   "Ask the merchant, then record what it sends, or set its bank account anew with debits allowed; what is not collected is written off.",
	})
	return nil
}

// payoutsLimited says that captures of a merchant wait because the lender would stand to lose
// more by it than its limit allows (F41.12).
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
		Detail: fmt.Sprintf("Captures of %s wait: unpaid principal of its orders of %s and %s that it owes are above its limit of %s.", m.Name, p.Principal, p.Due(), m.ExposureLimit()),
		Next:   "Look into the merchant, then raise its limit; or leave it: the captures are paid as the exposure falls.",
	})
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
