package storetest

import (
	"errors"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// ruled are records of two companies and two merchants that refer to each other as
// they should.
type ruled struct {
	order           credit.Order
	bank, card      credit.PaymentMethod // of companies 7 and 8
	payment         credit.Payment       // of 7 by bank
	debit, clawback credit.Transfer      // of 7 by bank; of merchant m
	charge          credit.Transfer      // by card, returned
	payout, others  credit.Payout        // of m, of n
	waits, capture  credit.PayoutLine    // a clawback and a capture of m that wait
	written         ledger.Entry
}

func newRuled() *ruled {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	r := &ruled{
		order: credit.Order{
			Key: "o1", Company: 7, Merchant: "m", Currency: money.USD, Amount: 100, Status: credit.OrderCaptured, Financing: credit.FinancingActive,
			Installments: 1, Captured: 100, CaptureDate: 20_454, CreatedAt: at, UpdatedAt: at, Version: 1,
		},
		bank: credit.PaymentMethod{
			ID: "pm1", Company: 7, Type: credit.ACH, Status: credit.MethodActive, Bank: &credit.BankAccount{Last4: "6789"},
			FirstSettled: calendar.None, CreatedAt: at, UpdatedAt: at, Version: 1,
		},
		payment: credit.Payment{
			ID: "p1", Company: 7, Amount: 5, Currency: money.USD, Status: credit.PaymentPending, Method: credit.ACH, Direction: "IN",
			MethodID: "pm1", ScheduledDate: calendar.None, EffectiveDate: calendar.None, Attempt: 1, CreatedAt: at, UpdatedAt: at, Version: 1,
		},
		debit: credit.Transfer{
			ID: "t1", Rail: credit.ACH, Kind: credit.TransferPayment, Company: 7, Payment: "p1", Method: "pm1", Amount: 5,
			Status: credit.TransferSent, SentAt: at, CreatedAt: at, Version: 1,
		},
		payout: credit.Payout{ID: "po1", Merchant: "m", Status: credit.PayoutSettled, Date: 20_454, Gross: 5, Net: 5, CreatedAt: at, Version: 1},
		waits: credit.PayoutLine{
			ID: "l1", Merchant: "m", Kind: credit.LineClawback, Company: 7, Order: "o1", Source: "r1", Amount: 5, Due: 20_454, Version: 1,
		},
		written: ledger.Entry{
			ID: "e1", BookDate: 20_454, ValueDate: 20_454, Currency: money.USD,
			Postings: []ledger.Posting{{Account: ledger.ProvisionAndLosses, Amount: 5}, {Account: ledger.ClawbackReceivable, Amount: -5}},
		},
	}
	r.card, r.clawback, r.charge, r.others, r.capture = r.bank, r.debit, r.debit, r.payout, r.waits
	r.card.ID, r.card.Company, r.card.Type, r.card.Bank, r.card.Card = "pm2", 8, credit.Card, nil, &credit.CardAccount{Token: "tok"}
	r.clawback.ID, r.clawback.Kind, r.clawback.Company, r.clawback.Merchant = "t2", credit.TransferClawback, 0, "m"
	r.clawback.Payment, r.clawback.Method = "", ""
	r.charge.ID, r.charge.Rail, r.charge.Kind, r.charge.Company, r.charge.Method = "t3", credit.Card, credit.TransferRefund, 8, "pm2"
	r.charge.Payment, r.charge.Status = "", credit.TransferReturned
	r.others.ID, r.others.Merchant = "po2", "n"
	r.capture.ID, r.capture.Kind, r.capture.Source, r.capture.Gross, r.capture.Discount = "l2", credit.LineCapture, "o1", 7, 2
	return r
}

// changes writes all of it, and closes December 2025.
func (r *ruled) changes() credit.Changes {
	return credit.Changes{
		Merchants: []*credit.Merchant{{ID: "m", Name: "M"}, {ID: "n", Name: "N"}},
		Companies: []*credit.Company{{ID: 7, Status: credit.CompanyApproved, Version: 1}, {ID: 8, Status: credit.CompanyApproved, Version: 1}},
		Orders:    []*credit.Order{&r.order}, Methods: []*credit.PaymentMethod{&r.bank, &r.card}, Payments: []*credit.Payment{&r.payment},
		Transfers: []*credit.Transfer{&r.debit, &r.clawback, &r.charge}, Payouts: []*credit.Payout{&r.payout, &r.others},
		Lines: []*credit.PayoutLine{&r.waits, &r.capture}, Entries: []ledger.Entry{r.written},
		Periods: []*credit.Period{{Month: 20_423, ClosedAt: r.bank.CreatedAt}},
	}
}

// These change a copy of one record.

func method(x credit.PaymentMethod, set func(*credit.PaymentMethod)) credit.Changes {
	x.Version++
	set(&x)
	return credit.Changes{Methods: []*credit.PaymentMethod{&x}}
}

func transfer(x credit.Transfer, set func(*credit.Transfer)) credit.Changes {
	x.Version++
	set(&x)
	return credit.Changes{Transfers: []*credit.Transfer{&x}}
}

func line(x credit.PayoutLine, set func(*credit.PayoutLine)) credit.Changes {
	x.Version++
	set(&x)
	return credit.Changes{Lines: []*credit.PayoutLine{&x}}
}

func payoutOf(x credit.Payout, set func(*credit.Payout)) credit.Changes {
	set(&x)
	return credit.Changes{Payouts: []*credit.Payout{&x}}
}

// booked is an entry of a day.
func (r *ruled) booked(id string, day calendar.Date) credit.Changes {
	e := r.written
	e.ID, e.BookDate, e.ValueDate = id, day, day
	return credit.Changes{Entries: []ledger.Entry{e}}
}

// testRailParts offers records that do not fit those that they name, or whose parts do
// not fit each other.
func testRailParts(t *testing.T, b store.Backend) {
	r := newRuled()
	commit(t, b, batchOf(b, r.changes()))
	status := func(s credit.TransferStatus) func(*credit.Transfer) { return func(x *credit.Transfer) { x.Status = s } }
	ended := func(by string) credit.Changes { return line(r.waits, func(x *credit.PayoutLine) { x.Payout = by }) }
	payment := func(set func(*credit.Payment)) credit.Changes {
		x := r.payment
		x.ID = "p9"
		set(&x)
		return credit.Changes{Payments: []*credit.Payment{&x}}
	}
	for name, c := range map[string]credit.Changes{
		"a bank account with a card":            method(r.bank, func(x *credit.PaymentMethod) { x.ID, x.Card = "pm9", r.card.Card }),
		"a bank account that is a card":         method(r.bank, func(x *credit.PaymentMethod) { x.ID, x.Type = "pm9", credit.Card }),
		"a method of no account":                method(r.bank, func(x *credit.PaymentMethod) { x.ID, x.Bank = "pm9", nil }),
		"a method that loses its account":       method(r.bank, func(x *credit.PaymentMethod) { x.Bank = nil }),
		"a method that is disabled for nothing": method(r.bank, func(x *credit.PaymentMethod) { x.Status = credit.MethodDisabled }),
		"an active method with a reason":        method(r.bank, func(x *credit.PaymentMethod) { x.DisabledReason = "R02" }),
		"a method of no company":                method(r.bank, func(x *credit.PaymentMethod) { x.ID, x.Company = "pm9", 9 }),
		"a method of another company":           method(r.bank, func(x *credit.PaymentMethod) { x.Company = 8 }),
		"a payment by another's method":         payment(func(x *credit.Payment) { x.MethodID = "pm2" }),
		"a payment by no method":                payment(func(x *credit.Payment) { x.MethodID = "none" }),
		"a transfer by another's method":        transfer(r.debit, func(x *credit.Transfer) { x.ID, x.Kind, x.Method = "t9", credit.TransferRefund, "pm2" }),
		"a transfer of another's payment":       transfer(r.charge, func(x *credit.Transfer) { x.ID, x.Payment = "t9", "p1" }),
		"a transfer of no company":              transfer(r.debit, func(x *credit.Transfer) { x.ID, x.Company, x.Payment, x.Method = "t9", 9, "", "" }),
		"a transfer of nobody":                  transfer(r.debit, func(x *credit.Transfer) { x.ID, x.Company, x.Payment, x.Method = "t9", 0, "", "" }),
		"a transfer of no merchant":             transfer(r.clawback, func(x *credit.Transfer) { x.ID, x.Merchant = "t9", "none" }),
		"a company's clawback":                  transfer(r.clawback, func(x *credit.Transfer) { x.ID, x.Company = "t9", 7 }),
		"a transfer that was sent at no time":   transfer(r.debit, func(x *credit.Transfer) { x.SentAt = time.Time{} }),
		"a returned charge that fails":          transfer(r.charge, status(credit.TransferFailed)),
		"a payout of no merchant":               payoutOf(r.payout, func(x *credit.Payout) { x.ID, x.Merchant = "po9", "none" }),
		"a payout of a negative part":           payoutOf(r.payout, func(x *credit.Payout) { x.ID, x.Refunds, x.Net = "po9", -1, 6 }),
		"a line of no merchant":                 line(r.waits, func(x *credit.PayoutLine) { x.ID, x.Merchant, x.Order = "l9", "none", "" }),
		"a line of another's order":             line(r.waits, func(x *credit.PayoutLine) { x.ID, x.Merchant = "l9", "n" }),
		"a line of no order":                    line(r.waits, func(x *credit.PayoutLine) { x.ID, x.Order = "l9", "none" }),
		"a capture that does not add up":        line(r.capture, func(x *credit.PayoutLine) { x.ID, x.Amount = "l9", 6 }),
		"a capture that is netted":              line(r.capture, func(x *credit.PayoutLine) { x.Netted = 1 }),
		"a line ended by another's payout":      ended("po2"),
		"a line ended by a company's transfer":  ended("t1"),
		"a line ended by nothing that is known": ended("none"),
		"an entry in a closed month":            r.booked("e9", 20_453),
		"an entry on the closed month's 1st":    r.booked("e9", 20_423),
		"a month that begins on its second day": {Periods: []*credit.Period{{Month: 20_394, ClosedAt: r.bank.CreatedAt}}},
		"a month of less than nothing":          {Periods: []*credit.Period{{Month: 20_393, Debits: -1}}},
		"an entry in a month that closes in the same batch": {
			Periods: []*credit.Period{{Month: 20_393}}, Entries: r.booked("e9", 20_400).Entries,
		},
	} {
		t.Run(name, func(t *testing.T) { isRefused(t, b, c) })
	}
	testLineEnds(t, b, r)
	for _, s := range []credit.TransferStatus{credit.TransferSettled, credit.TransferReturned, credit.TransferSent} { // disputes that were won
		r.charge.Status = s
		commit(t, b, batchOf(b, transfer(r.charge, func(x *credit.Transfer) { r.charge.Version = x.Version })))
	}
	x := r.payment // a card's payment that was refunded in part, disputed, and won
	x.ID, x.Company, x.Method, x.MethodID = "p2", 8, credit.Card, "pm2"
	for _, s := range []credit.PaymentStatus{
		credit.PaymentSucceeded, credit.PaymentPartiallyRefunded, credit.PaymentReturned, credit.PaymentPartiallyRefunded, credit.PaymentRefunded,
		credit.PaymentReturned, credit.PaymentRefunded, credit.PaymentReturned, credit.PaymentSucceeded,
	} {
		x.Status = s
		x.Version++
		moved := x
		commit(t, b, batchOf(b, credit.Changes{Payments: []*credit.Payment{&moved}}))
	}
	commit(t, b, batchOf(b, r.booked("e2", 20_392))) // of a month that nobody has closed
}

func isRefused(t *testing.T, b store.Backend, c credit.Changes) {
	t.Helper()
	if err := refuse(t, b, batchOf(b, c)); !errors.Is(err, store.ErrRefused) && !errors.Is(err, store.ErrTaken) {
		t.Errorf("the culprit cannot be told from a broken database: %v", err)
	}
}

// testLineEnds ends lines by all that may end one: a payout, a transfer, an entry, and
// what they came from. Then they stay as they are.
func testLineEnds(t *testing.T, b store.Backend, r *ruled) {
	t.Helper()
	for i, by := range []string{"po1", "t2", "e1", "r1", "e3"} {
		l := r.waits
		l.ID = "end" + by
		c := credit.Changes{Lines: []*credit.PayoutLine{&l}}
		commit(t, b, batchOf(b, c))
		c = line(l, func(x *credit.PayoutLine) { x.Payout, x.Netted = by, x.Amount })
		if i == 4 { // an entry of the same batch
			c.Entries = r.booked(by, 20_454).Entries
		}
		commit(t, b, batchOf(b, c))
		l = *c.Lines[0]
		for name, change := range map[string]credit.Changes{
			"waits again":             line(l, func(x *credit.PayoutLine) { x.Payout = "" }),
			"ends by something else":  line(l, func(x *credit.PayoutLine) { x.Payout = []string{"e1", "po1"}[min(i%2, 1)]; x.Netted-- }),
			"is worth something else": line(l, func(x *credit.PayoutLine) { x.Amount++ }),
			"is netted otherwise":     line(l, func(x *credit.PayoutLine) { x.Netted-- }),
			"has other refunds":       line(l, func(x *credit.PayoutLine) { x.Refunds++ }),
		} {
			t.Run("a line ended by "+by+" "+name, func(t *testing.T) { isRefused(t, b, change) })
		}
	}
}
