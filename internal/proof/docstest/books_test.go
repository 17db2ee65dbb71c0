package docstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// books is a lender with one merchant and one company, decided by the domain itself, without
// database or HTTP. What it has posted since the last call of posted is what an example on the
// page shows.
type books struct {
	t       *testing.T
	state   *credit.State
	zone    calendar.Zone
	now     time.Time
	seeds   int
	entries []ledger.Entry
	seen    int
	shop    credit.Actor
	company int64
	others  []int64 // companies whose captures and netting alone are shown
}

var lender = credit.Actor{Client: "lender", Operator: true}

func openBooks(t *testing.T, settings credit.Settings) *books {
	t.Helper()
	place, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	b := &books{t: t, state: credit.NewState(), zone: calendar.NewZone(place)}
	b.on("2026-01-10")
	m := b.do(lender, merchants.CreateMerchant{Title: "Harbor Supply", Settings: settings}).(*credit.Merchant)
	c := b.do(lender, lending.CreateCompany{
		Title: "Alder Kitchens", Status: credit.CompanyApproved, Tier: "A", Limit: cents("25000.00"), Merchants: []string{m.ID},
	}).(*credit.Company)
	b.shop, b.company = credit.Actor{Client: "shop", Merchant: m.ID}, c.ID
	b.state.Accounts[c.ID] = []string{} // completely loaded, and empty
	return b
}

func cents(s string) money.Amount { return money.MustParse(s) }

// on advances to ten in the morning of a business date.
func (b *books) on(date string) { b.now = b.zone.At(calendar.MustParse(date), 10, 0) }

// try decides a command, checks its changes and applies them.
func (b *books) try(by credit.Actor, c credit.Command) (credit.Changes, *credit.Rejection) {
	b.t.Helper()
	b.seeds++
	b.loadLines()
	e := credit.Env{Now: b.now, Zone: b.zone, Actor: by}
	copy(e.Seed[:], fmt.Sprintf("%016d", b.seeds))
	if r := credit.Admit(b.state, e, c); r != nil {
		return credit.Changes{}, r
	}
	changes, r := credit.Decide(b.state, e, c)
	if r != nil {
		return credit.Changes{}, r
	}
	if err := invariant.Check(changes, b.state); err != nil {
		b.t.Fatalf("%s: %v", c.Name(), err)
	}
	if why := unlisted(c.Name(), changes); why != "" {
		b.t.Error(why)
	}
	b.state.Apply(changes)
	b.entries = append(b.entries, changes.Entries...)
	return changes, nil
}

// do tries a command that must be accepted, and returns its result.
func (b *books) do(by credit.Actor, c credit.Command) any {
	b.t.Helper()
	changes, r := b.try(by, c)
	if r != nil {
		b.t.Fatalf("%s: %v", c.Name(), r)
	}
	return changes.Result
}

// refused tries a command that must be refused for a reason.
func (b *books) refused(by credit.Actor, c credit.Command, why credit.Reason) {
	b.t.Helper()
	if _, r := b.try(by, c); r == nil || r.Code != why.Code {
		b.t.Errorf("%s: %v, want %s", c.Name(), r, why.Code)
	}
}

func (b *books) authorize(amount string, installments int, external bool) string {
	b.t.Helper()
	return b.do(b.shop, lending.CreateOrder{
		Company: b.company, Amount: cents(amount), Installments: installments, External: external, Authorize: true,
	}).(*credit.Order).Key
}

func (b *books) capture(order string) {
	b.t.Helper()
	b.do(b.shop, lending.UpdateOrder{Order: order, Status: credit.OrderCaptured})
}

// wire records a payment received by wire, for today or a day in the past.
func (b *books) wire(by credit.Actor, order, amount, day string) string {
	b.t.Helper()
	return b.do(by, payments.RecordPayment{
		Order: order, Amount: cents(amount), Method: credit.Wire, EffectiveDate: calendar.MustParse(day), ScheduledDate: calendar.None,
	}).(*credit.Payment).ID
}

func (b *books) refund(order, amount string) {
	b.t.Helper()
	a := cents(amount)
	b.do(b.shop, lending.RefundOrder{Order: order, Amount: &a})
}

func (b *books) service(order string) {
	b.t.Helper()
	b.do(lender, lending.ServiceOrder{Order: order})
}

// skip leaves out of the example what has been posted so far.
func (b *books) skip() { b.seen = len(b.entries) }

// posted returns the entries since the last call, one per line: booking day, effective day if
// different, event, debits, credits. Installments are left out.
func (b *books) posted() string {
	if err := ledger.CheckReversals(b.entries); err != nil {
		b.t.Error(err)
	}
	var out strings.Builder
	for _, e := range b.entries[b.seen:] {
		if b.leftOut(e) {
			continue
		}
		debits, credits := sides(e)
		event := e.Event
		if e.Reverses != "" {
			event += " reversed"
		}
		if e.ValueDate != e.BookDate {
			event = "for " + e.ValueDate.String() + " " + event
		}
		fmt.Fprintf(&out, "%s %s D %s C %s\n", e.BookDate, event, strings.Join(debits, " + "), strings.Join(credits, " + "))
	}
	b.skip()
	return out.String()
}

// leftOut reports whether an entry belongs to another company and is not about the merchant.
func (b *books) leftOut(e ledger.Entry) bool {
	return e.Event != "ORDER_CAPTURED" && e.Event != "CLAWBACK_NETTED" && slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool {
		return slices.Contains(b.others, p.Company)
	})
}

// sides adds up the lines of an entry by account: lines of one account differ only in their
// installment.
func sides(e ledger.Entry) (debits, credits []string) {
	var accounts []ledger.Account
	sums := map[ledger.Account]money.Amount{}
	for _, p := range e.Postings {
		if _, ok := sums[p.Account]; !ok {
			accounts = append(accounts, p.Account)
		}
		sums[p.Account] = sums[p.Account].Add(p.Amount)
	}
	for _, a := range accounts {
		switch sum := sums[a]; {
		case sum > 0:
			debits = append(debits, fmt.Sprintf("%d %s", a, sum))
		case sum < 0:
			credits = append(credits, fmt.Sprintf("%d %s", a, -sum))
		}
	}
	return debits, credits
}

// examples are the examples of docs/accounting.md.
var examples = map[string]func(t *testing.T) string{
	"worked":   worked,
	"return":   returned,
	"replay":   replayed,
	"flat-fee": flatFee,
	"external": external,
	"excess":   excess,
	"lower":    lower,

	"rails":         railed,
	"lost":          lost,
	"receipts":      receipts,
	"collected":     collected,
	"failed-payout": failedPayout,
	"disputed":      disputed,
}

// worked is the 1,200 example: two installments paid, then a refund (F13).
func worked(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	o := b.authorize("1200.00", 6, false)
	b.on("2026-01-15")
	b.capture(o)
	b.on("2026-02-17")
	b.wire(lender, o, "207.06", "2026-02-15")
	b.on("2026-03-16")
	b.wire(lender, o, "207.06", "2026-03-15")
	b.on("2026-04-01")
	b.refund(o, "300.00")
	b.on("2026-04-15")
	b.service(o)
	return b.posted()
}

// twoPaid is the 1,200 example with its first two installments paid on time.
func twoPaid(t *testing.T) (b *books, order, second string) {
	b = openBooks(t, lending.DefaultSettings())
	order = b.authorize("1200.00", 6, false)
	b.on("2026-01-15")
	b.capture(order)
	b.on("2026-02-15")
	b.wire(lender, order, "207.06", "2026-02-15")
	b.on("2026-03-15")
	second = b.wire(lender, order, "207.06", "2026-03-15")
	return b, order, second
}

// returned is the return of the second installment (F16).
func returned(t *testing.T) string {
	b, _, second := twoPaid(t)
	b.skip()
	b.on("2026-03-18")
	b.do(lender, payments.ReturnPayment{Payment: second, Code: "bounced"})
	return b.posted()
}

// replayed is the check of F34: received on 25 March, recorded on 20 April.
func replayed(t *testing.T) string {
	b, order, _ := twoPaid(t)
	b.on("2026-04-15")
	b.service(order)
	b.skip()
	b.on("2026-04-20")
	b.wire(lender, order, "500.00", "2026-03-25")
	return b.posted()
}

// flatFee is paid off early, so the unearned fee is refunded (F8).
func flatFee(t *testing.T) string {
	s := lending.DefaultSettings()
	s.Terms = []credit.Term{{
		Installments: 6, Plan: schedule.FlatFee, MonthlyFeeRate: money.MustParseRate("0.010000"), DiscountRate: money.MustParseRate("0.030000"),
	}}
	b := openBooks(t, s)
	o := b.authorize("1200.00", 6, false)
	b.on("2026-01-15")
	b.skip()
	b.capture(o)
	for _, day := range []string{"2026-02-15", "2026-03-15", "2026-04-15"} {
		b.on(day)
		b.wire(lender, o, "212.00", day)
	}
	b.on("2026-05-01")
	b.wire(lender, o, "606.40", "2026-05-01")
	return b.posted()
}

// external is an order whose payments are managed by the merchant (F33).
func external(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	o := b.authorize("1200.00", 6, true)
	b.on("2026-01-15")
	b.capture(o)
	b.skip()
	b.on("2026-02-15")
	b.wire(b.shop, o, "207.06", "2026-02-15")
	return b.posted()
}

// excess is an overpayment of a one-payment order, and its refund (F35, F36).
func excess(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	b.on("2026-01-15")
	o := b.authorize("100.00", 1, false)
	b.capture(o)
	b.skip()
	b.on("2026-02-14")
	p := b.wire(b.shop, o, "120.00", "2026-02-14")
	b.on("2026-02-16")
	a := cents("50.00")
	b.do(lender, payments.RefundPayment{Payment: p, Amount: &a})
	return b.posted()
}

// lower lowers an authorized order, captures less, and cancels another.
func lower(t *testing.T) string {
	b := openBooks(t, lending.DefaultSettings())
	o, x := b.authorize("1000.00", 6, false), b.authorize("500.00", 6, false)
	a, less := cents("900.00"), cents("800.00")
	b.do(b.shop, lending.UpdateOrder{Order: o, Amount: &a})
	b.on("2026-01-15")
	b.do(b.shop, lending.UpdateOrder{Order: o, Amount: &less, Status: credit.OrderCaptured})
	b.do(b.shop, lending.UpdateOrder{Order: x, Status: credit.OrderCanceled})
	return b.posted()
}
