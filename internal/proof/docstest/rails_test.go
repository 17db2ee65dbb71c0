package docstest

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
)

// The examples in this file move money through rails: scheduled work runs when it is due, as the
// clockwork does, and banks respond as usual.

var system = credit.Actor{Client: "system", Operator: true}

// loadLines loads all payout lines into the state, as a store would.
func (b *books) loadLines() {
	owned := func(of func(*credit.PayoutLine) bool) []string {
		ids := []string{}
		for id, l := range b.state.Lines {
			if of(l) {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, func(x, y string) int {
			return cmp.Or(cmp.Compare(b.state.Lines[x].Due, b.state.Lines[y].Due), cmp.Compare(x, y))
		})
		return ids
	}
	for key := range b.state.Orders {
		b.state.OrderLines[key] = owned(func(l *credit.PayoutLine) bool { return l.Order == key })
	}
	for id := range b.state.Merchants {
		b.state.Waiting[id] = owned(func(l *credit.PayoutLine) bool { return l.Merchant == id && l.Payout == "" })
	}
}

// pass advances time to an hour of a date.
func (b *books) pass(date string, hour int) {
	b.t.Helper()
	end := b.zone.At(calendar.MustParse(date), hour, 0)
	for {
		at, c := b.nextDue(end)
		if c == nil {
			break
		}
		if at.After(b.now) {
			b.now = at
		}
		b.do(system, c)
	}
	b.now = end
}

// nextDue returns the earliest scheduled work due by an instant, orders first.
func (b *books) nextDue(end time.Time) (at time.Time, c credit.Command) {
	due := func(next time.Time, command credit.Command) {
		if !next.IsZero() && !next.After(end) && (c == nil || next.Before(at)) {
			at, c = next, command
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.state.Orders)) {
		due(b.state.Orders[key].NextAt, lending.ServiceOrder{Order: key})
	}
	for _, id := range slices.Sorted(maps.Keys(b.state.Transfers)) {
		due(b.state.Transfers[id].NextAt, payments.ServiceTransfer{Transfer: id})
	}
	return at, c
}

func bankAccount() *credit.BankAccount {
	return &credit.BankAccount{
		Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS",
		Sealed: []byte{1}, Fingerprint: "fp",
	}
}

// method adds an account of the company that can be debited.
func (b *books) method(kind credit.Method) string {
	b.t.Helper()
	c := payments.AddPaymentMethod{
		Company: b.company, Type: kind, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: b.now, Reference: "terms-1"},
	}
	if kind == credit.ACH {
		c.Bank = bankAccount()
	} else {
		c.Card = &credit.CardAccount{Token: "tok", Mandate: "man", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2030, Debit: true}
	}
	return b.do(lender, c).(*credit.PaymentMethod).ID
}

// autopay makes the company's installments be debited from a new bank account.
func (b *books) autopay() {
	b.t.Helper()
	id, on := b.method(credit.ACH), true
	b.do(lender, payments.SetAutopay{Company: b.company, Enabled: &on, Method: &id})
}

// card charges a card for an order; the processor captures it at once.
func (b *books) card(order, amount, method string) (transfer string) {
	b.t.Helper()
	p := b.do(lender, payments.RecordPayment{
		Order: order, Amount: cents(amount), Method: credit.Card, PaymentMethod: method, EffectiveDate: calendar.None, ScheduledDate: calendar.None,
	}).(*credit.Payment)
	b.do(system, payments.ServiceTransfer{Transfer: p.Transfer})
	b.do(system, payments.CompleteCharge{Transfer: p.Transfer, Approved: true, Reference: "ch_1"})
	return p.Transfer
}

// account gives the merchant a payout account.
func (b *books) account() {
	b.t.Helper()
	b.do(lender, merchants.SetMerchantAccount{Merchant: b.shop.Merchant, Bank: bankAccount()})
}

func (b *books) payout() {
	b.t.Helper()
	b.do(system, merchants.PayMerchant{Merchant: b.shop.Merchant})
}

// last returns the most recent transfer.
func (b *books) last() string { return slices.Max(slices.Collect(maps.Keys(b.state.Transfers))) }

// railed is the whole life of an order through rails: autopay, a return with its retry, payouts,
// a refund netted by the next payout, and a card (finance example in full).
func railed(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.account()
	b.autopay()
	o := b.authorize("1200.00", 6, false)
	b.on("2026-01-15")
	b.capture(o)
	b.pass("2026-01-16", 16)
	b.payout()
	b.pass("2026-03-18", 9)
	b.do(system, payments.ReturnTransfer{Transfer: b.last(), Code: "R01", Cost: cents("4.00")})
	b.pass("2026-04-01", 12)
	b.refund(o, "300.00")
	b.on("2026-04-03")
	b.other("500.00")
	b.pass("2026-04-06", 16)
	b.payout()
	b.pass("2026-05-15", 12)
	b.do(lender, payments.SetOrderAutopay{Order: o, Enabled: false})
	b.pass("2026-06-15", 12)
	charge := b.card(o, "104.65", b.method(credit.Card))
	b.pass("2026-06-17", 12)
	b.do(system, payments.SettleCharge{Transfer: charge, Cost: cents("3.33")})
	return b.posted()
}

// other captures an order of another company, whose own later entries are left out.
func (b *books) other(amount string) {
	b.t.Helper()
	c := b.do(lender, lending.CreateCompany{
		Title: "Birch Cafes", Status: credit.CompanyApproved, Tier: "A", Limit: cents("25000.00"), Merchants: []string{b.shop.Merchant},
	}).(*credit.Company)
	b.state.Accounts[c.ID] = []string{}
	o := b.do(b.shop, lending.CreateOrder{Company: c.ID, Amount: cents(amount), Installments: 6, Authorize: true}).(*credit.Order)
	b.capture(o.Key)
	b.others = append(b.others, c.ID)
}

// lost is an unpaid order: nonaccrual, charge-off, and a recovery (F17, F18).
func lost(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	o := b.authorize("600.00", 3, false)
	b.on("2026-01-15")
	b.capture(o)
	b.skip()
	b.pass("2026-06-15", 12)
	b.do(lender, lending.ChargeOffOrder{Order: o, Reason: "insolvency"})
	b.on("2026-07-01")
	b.wire(lender, o, "610.00", "2026-07-01")
	return b.posted()
}

// receipts are unidentified payments: a wire that turns out to be for an installment, and a check
// that is sent back (F39).
func receipts(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.on("2026-01-15")
	o := b.authorize("600.00", 3, false)
	b.capture(o)
	b.pass("2026-02-13", 12)
	b.skip()
	wire := b.do(lender, payments.RecordReceipt{Amount: cents("204.02"), Method: credit.Wire, Received: calendar.None, Reference: "wire 2231"}).(*credit.Receipt)
	check := b.do(lender, payments.RecordReceipt{Amount: cents("80.00"), Method: credit.Check, Received: calendar.None}).(*credit.Receipt)
	b.pass("2026-02-27", 12)
	b.do(lender, payments.IdentifyReceipt{Receipt: wire.ID, Order: o})
	b.do(lender, payments.ReturnReceipt{Receipt: check.ID, Reference: "wire 3102"})
	return b.posted()
}

// collected is money held by the merchant: a payout nets it, the rest is remitted (F33).
func collected(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.account()
	b.on("2026-01-15")
	o := b.authorize("100.00", 1, true)
	b.capture(o)
	b.pass("2026-01-16", 16)
	b.payout()
	b.pass("2026-02-13", 10)
	b.skip()
	b.wire(b.shop, o, "100.00", "2026-02-13")
	b.on("2026-02-14")
	b.capture(b.authorize("50.00", 1, false))
	b.pass("2026-02-17", 16)
	b.payout()
	b.pass("2026-02-19", 10)
	b.do(lender, merchants.RemitCollected{Merchant: b.shop.Merchant, Amount: cents("51.50"), Reference: "wire-7"})
	return b.posted()
}

// failedPayout is returned after it had settled: it is owed again (PO4).
func failedPayout(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.account()
	b.on("2026-01-15")
	b.capture(b.authorize("100.00", 1, false))
	b.pass("2026-01-16", 16)
	b.skip()
	b.payout()
	b.pass("2026-01-21", 9)
	b.do(system, payments.ReturnTransfer{Transfer: b.last(), Code: "R02", Cost: cents("0.00")})
	return b.posted()
}

// disputed is a card chargeback that is eventually won (F16, F25).
func disputed(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.on("2026-01-15")
	o := b.authorize("100.00", 1, false)
	b.capture(o)
	b.skip()
	b.on("2026-01-20")
	charge := b.card(o, "100.00", b.method(credit.Card))
	b.on("2026-01-22")
	b.do(system, payments.SettleCharge{Transfer: charge, Cost: cents("3.20")})
	b.on("2026-02-02")
	b.do(system, payments.DisputeCharge{Transfer: charge, Code: "fraudulent", Fee: cents("15.00")})
	b.on("2026-02-10")
	b.do(system, payments.DisputeCharge{Transfer: charge, Won: true, Fee: cents("15.00")})
	return b.posted()
}
