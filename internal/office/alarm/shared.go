package alarm

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// sharedDays is how long the alarm lasts that an account was added at a second company:
// whoever tries a stranger's account at several companies does so within days.
const sharedDays = 30

// shared lists accounts that a merchant has added at one company while another has had
// them: somebody may be trying a number, or having a stranger's account debited (F41.1).
// The account's later fate does not matter; the lender's verification, or the company's own
// consent, ends the alarm.
func (l *lister) shared() error {
	since := l.zone.Start(l.today.AddDays(1 - sharedDays))
	return pages(func(p store.Page) (int, store.Page, error) {
		list, err := store.ListSharedAccounts(l.v, since, p)
		for _, m := range list {
			p.AfterAt, p.AfterID = m.CreatedAt, m.ID
			if err == nil && doubted(m) {
				err = l.sharedAccount(m)
			}
		}
		return len(list), p, err
	})
}

// doubted reports whether only a merchant vouches for an account. A sandbox's test accounts
// are shared by everybody.
func doubted(m *credit.PaymentMethod) bool {
	return !m.Consented() && m.Standing.Verified != lending.VerifiedByOperator && m.Standing.Verified != lending.VerifiedBySandbox
}

func (l *lister) sharedAccount(m *credit.PaymentMethod) error {
	same, err := store.ListSameAccount(l.v, m.Bank.Fingerprint)
	if err != nil {
		return err
	}
	var others []string
	for _, x := range same {
		if key := store.CompanyKey(x.Company); x.Company != m.Company && !slices.Contains(others, key) {
			others = append(others, key)
		}
	}
	if more := len(others) - named; more > 0 {
		others = append(others[:named], fmt.Sprintf("%d more", more))
	}
	l.add(Alarm{
		Kind: SharedAccount, Subject: m.ID, Since: l.zone.Date(m.CreatedAt), Due: calendar.None,
		Detail: fmt.Sprintf("Merchant %s added account …%s at company %d; it was added at company %s before.", m.Merchant, m.Bank.Last4, m.Company, strings.Join(others, ", ")),
		Next:   fmt.Sprintf("Ask the companies whose account it is. If it is this company's, vouch for it; otherwise remove it. This alarm closes %d days after it was added.", sharedDays),
	})
	return nil
}
