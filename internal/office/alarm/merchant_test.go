package alarm_test

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// changed writes a merchant with its account changed.
func changed(m *credit.Merchant, change func(*credit.MerchantAccount)) func(*book) {
	return func(b *book) {
		change(&m.Account)
		m.Version++
		x := *m
		b.put(credit.Changes{Merchants: []*credit.Merchant{&x}})
	}
}

// A pending change of a merchant's account is an alarm until it takes effect, with whom to
// ask: the current contact, not the one in the request.
func changeStory() []step {
	was, next := &credit.BankAccount{Last4: "1111", Fingerprint: "one"}, &credit.BankAccount{Last4: "2222", Fingerprint: "two"}
	m := &credit.Merchant{ID: "mch_1", Name: "Harbor", Version: 1, OwedSince: calendar.None, Account: credit.MerchantAccount{Bank: was}}
	pending := func(p *credit.PendingAccount) func(*book) {
		return func(b *book) {
			if p != nil {
				p.At, p.By, p.From = b.now, "cli_1", b.zone.Date(b.now).AddBankingDays(2)
			}
			changed(m, func(a *credit.MerchantAccount) { a.Pending = p })(b)
		}
	}
	listed := []string{"account_change/mch_1 2026-03-04"}
	return []step{
		{"another account is asked for", "2026-03-02", pending(&credit.PendingAccount{Bank: next}), listed},
		{"nobody is known to ask", "", func(b *book) {
			b.says("account_change", "to account …2222 from 2026-03-04, instead of …1111: requested by client cli_1", "through a known channel", "cancel the change; otherwise no action")
		}, listed},
		{"its day passes without a confirmation", "2026-03-20", nil, listed},
		{"it is canceled", "", pending(nil), nil},
		{"the merchant has a contact", "", changed(m, func(a *credit.MerchantAccount) { a.Contact = "pay@harbor.example" }), nil},
		{"another contact is asked for", "2026-03-23", pending(&credit.PendingAccount{Bank: was, Contact: "thief@mail.example", Second: true}), []string{"account_change/mch_1 2026-03-25"}},
		{"the one before is asked", "", func(b *book) {
			b.says("account_change", "will have a new contact (thief@mail.example) from 2026-03-25", "Ask the merchant at pay@harbor.example, its contact before", "another client of the lender confirms")
		}, []string{"account_change/mch_1 2026-03-25"}},
		{"it is confirmed", "", pending(nil), nil},
	}
}

// Withdrawn reports of payments are an alarm for 30 days.
func withdrawnStory() []step {
	m := &credit.Merchant{ID: "mch_1", Name: "Harbor", Version: 1, OwedSince: calendar.None}
	take := func(n int, amount money.Amount) func(*book) {
		return func(b *book) {
			changed(m, func(a *credit.MerchantAccount) {
				for range n {
					a.Withdrawn = append(a.Withdrawn, credit.WithdrawnReport{On: b.zone.Date(b.now), Payment: fmt.Sprintf("pay_%d", len(a.Withdrawn)+1), Amount: amount})
				}
			})(b)
		}
	}
	listed := []string{"reported_payment_withdrawn/mch_1"}
	return []step{
		{"one is taken back", "2026-03-02", take(1, 40_00), listed},
		{"how much it was", "", func(b *book) {
			b.says("reported_payment_withdrawn", "Harbor withdrew payments of 40.00 that it had reported, in 30 days: pay_1.")
		}, listed},
		{"six more", "2026-03-20", take(6, 10_00), listed},
		{"five are named", "", func(b *book) {
			b.says("reported_payment_withdrawn", "100.00", "pay_3, pay_4, pay_5, pay_6, pay_7, 2 more.")
		}, listed},
		{"the first counts no more", "2026-04-01", func(b *book) { b.says("reported_payment_withdrawn", "60.00") }, listed},
		{"its last day", "2026-04-18", nil, listed},
		{"nothing counts any more", "2026-04-19", nil, nil},
	}
}

// An account that a merchant adds at a second company is an alarm, whatever becomes of it,
// until the lender has verified it, or for 30 days.
func sharedStory() []step {
	method := func(id string, company int64, number string, change func(*credit.PaymentMethod)) func(*book) {
		return func(b *book) {
			m := &credit.PaymentMethod{
				ID: id, Company: company, Merchant: "mch_1", Type: credit.ACH, Status: credit.MethodUnverified, FirstSettled: calendar.None, CreatedAt: b.instant("2026-03-02"), Version: 1,
				Bank: &credit.BankAccount{Last4: "6789", Fingerprint: number},
			}
			if change != nil {
				m.Version = 2
				change(m)
			}
			b.put(credit.Changes{Methods: []*credit.PaymentMethod{m}})
		}
	}
	company := func(id int64) func(*book) {
		return func(b *book) {
			b.put(credit.Changes{Companies: []*credit.Company{{ID: id, Name: "Birch", Status: credit.CompanyApproved, Version: 1}}})
		}
	}
	listed := []string{"account_at_several_companies/pm_3"}
	return []step{
		{"another company", "2026-03-02", company(8), nil},
		{"an account", "", method("pm_1", 7, "one", nil), nil},
		{"the same company again", "", method("pm_2", 7, "one", nil), nil},
		{"a test account of a sandbox", "", func(b *book) {
			method("pm_4", 7, "known", nil)(b)
			method("pm_5", 8, "known", func(m *credit.PaymentMethod) {
				m.Version, m.Status, m.Standing.Verified = 1, credit.MethodActive, lending.VerifiedBySandbox
			})(b)
		}, nil},
		{"another company", "", method("pm_3", 8, "one", nil), listed},
		{"where it was is told", "", func(b *book) {
			b.says("account_at_several_companies", "Merchant mch_1 added account …6789 at company 8; it was added at company 7 before.", "vouch for it")
		}, listed},
		{"its micro-deposits are named", "", method("pm_3", 8, "one", func(m *credit.PaymentMethod) {
			m.Status, m.Standing.Verified = credit.MethodActive, lending.VerifiedByMicro
		}), listed},
		{"the merchant removes it", "", method("pm_3", 8, "one", func(m *credit.PaymentMethod) {
			m.Version, m.Status, m.DisabledReason = 3, credit.MethodDisabled, credit.DisabledRemoved
		}), listed},
		{"its last day", "2026-03-31", nil, listed},
		{"it is old", "2026-04-01", nil, nil},
		{"and back", "2026-03-10", nil, listed},
		{"the lender vouches for it", "", method("pm_3", 8, "one", func(m *credit.PaymentMethod) {
			m.Version, m.Status, m.Standing.Verified = 4, credit.MethodActive, lending.VerifiedByOperator
		}), nil},
	}
}
