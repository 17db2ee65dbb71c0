package alarm_test

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Captures that wait because a merchant is above its limit are an alarm, with the excess.
func limitStory() []step {
	m := credit.Merchant{ID: "mch_1", Name: "Harbor", Version: 1, OwedSince: calendar.None, Account: credit.MerchantAccount{Bank: &credit.BankAccount{Last4: "1111"}}}
	limit := func(exposure money.Amount) func(*book) {
		return func(b *book) {
			m.Limits.Exposure, m.Version = exposure, m.Version+1
			x := m
			b.put(credit.Changes{Merchants: []*credit.Merchant{&x}})
		}
	}
	lend := func(id string, amount money.Amount) func(*book) {
		return func(b *book) {
			of := ledger.Dimensions{Company: 7, Merchant: "mch_1"}
			day := b.zone.Date(b.now)
			b.put(credit.Changes{Entries: []ledger.Entry{{ID: id, BookDate: day, ValueDate: day, Event: "ORDER_CAPTURED", Cause: id, Currency: money.USD, Postings: []ledger.Posting{
				{Account: ledger.LoanPrincipal, Amount: amount, Dimensions: of}, {Account: ledger.MerchantPayable, Amount: -amount, Dimensions: of},
			}}}})
		}
	}
	waits := func(b *book) {
		b.put(credit.Changes{Lines: []*credit.PayoutLine{{
			ID: "l1", Merchant: "mch_1", Kind: credit.LineCarried, Company: 7, Source: "po_1", Amount: 100_00, Due: b.zone.Date(b.now), At: b.now, Version: 1,
		}}})
	}
	listed := []string{"payouts_limited/mch_1"}
	return []step{
		{"a merchant with the usual limit", "", limit(0), nil},
		{"50,000.00 of principal", "", lend("ent_1", 50_000_00), nil},
		{"something waits", "2026-03-02", waits, nil},
		{"a cent more", "", lend("ent_2", 1), listed},
		{"how far it is", "", func(b *book) {
			b.says("payouts_limited", "principal of 50000.01 plus 0.00 owed exceed its limit of 50000.00")
		}, listed},
		{"the limit is raised", "", limit(50_000_01), nil},
		{"and lowered", "", limit(100), listed},
	}
}
