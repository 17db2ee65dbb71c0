package credit_test

import (
	"errors"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
)

// tamperedIn decides a command in a world, corrupts the result, and returns the invariant that
// the check names.
func tamperedIn(t *testing.T, w *world, a credit.Actor, c credit.Command, spoil func(*credit.Changes)) string {
	t.Helper()
	w.seed++
	e := w.env(a)
	s := w.state(e, c)
	if r := credit.Admit(s, e, c); r != nil {
		t.Fatal(c.Name(), r)
	}
	ch, r := credit.Decide(s, e, c)
	if r != nil {
		t.Fatal(c.Name(), r)
	}
	if err := invariant.Check(ch, s); err != nil {
		t.Fatalf("%s before it was spoilt: %v", c.Name(), err)
	}
	spoil(&ch)
	var v *invariant.Violation
	if err := invariant.Check(ch, s); !errors.As(err, &v) {
		return "nothing"
	}
	return v.Invariant
}

// owing is a world in which a merchant is owed a capture of 500.00 and owes a clawback and
// what it collected, on the day of the next payout.
func owing(t *testing.T) (*world, credit.Actor, *credit.Order) {
	t.Helper()
	w, shop, o := captured(t, "1200.00")
	w.must(operator, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("1111"), Debits: true})
	w.at("2026-01-12")
	w.must(operator, merchants.PayMerchant{Merchant: shop.Merchant})
	part := cents("100.00")
	w.must(shop, lending.RefundOrder{Order: o.Key, Amount: &part})
	w.must(shop, payment(o.Key, "50.00"))
	w.must(shop, lending.CreateOrder{Company: o.Company, Amount: cents("500.00"), Installments: 6, Authorize: true, MerchantOrderID: "PO-2"})
	for key, x := range w.all.Orders {
		if x.Status == credit.OrderAuthorized {
			w.must(shop, lending.UpdateOrder{Order: key, Status: credit.OrderCaptured})
		}
	}
	w.at("2026-01-13")
	return w, shop, o
}

// Each corrupted payout is detected, naming the invariant that it breaks.
func TestCheckOfPayouts(t *testing.T) {
	line := func(c *credit.Changes, kind credit.PayoutLineKind) *credit.PayoutLine {
		for _, l := range c.Lines {
			if l.Kind == kind {
				return l
			}
		}
		return nil
	}
	for _, x := range []struct {
		invariant, name string
		spoil           func(*credit.Changes)
	}{
		{"PO2", "a line is left out", func(c *credit.Changes) {
			line(c, credit.LineClawback).Payout, line(c, credit.LineClawback).Netted = "", 0
		}},
		{"PO1", "2000 is debited with more than there is", func(c *credit.Changes) {
			e := entryOf(c, credit.EntryClawbackNetted)
			e.Postings[0].Amount++
			e.Postings[1].Amount--
		}},
		{"PO1", "an entry is missing", func(c *credit.Changes) { c.Entries = c.Entries[1:] }},
		{"PO2", "net and one cent", func(c *credit.Changes) { c.Payouts[0].Net++ }},
		{"PO2", "more clawed back than the lines say", func(c *credit.Changes) { c.Payouts[0].Clawback++; c.Payouts[0].Net-- }},
		{"PO2", "a line of another amount", func(c *credit.Changes) { line(c, credit.LineCapture).Amount++ }},
		{"PO2", "a line that is taken in part", func(c *credit.Changes) { line(c, credit.LineClawback).Netted-- }},
		{"PO3", "a negative net", func(c *credit.Changes) {
			p := c.Payouts[0]
			p.Clawback = p.Gross
			p.Net = -p.Discount - p.Collected
		}},
		{"PO4", "it begins as sent", func(c *credit.Changes) { c.Payouts[0].Status = credit.PayoutSent }},
		{"AU1", "a line of another order", func(c *credit.Changes) { line(c, credit.LineCapture).Order = "ord_other" }},
		{"AU1", "a posting of an order that has no line", func(c *credit.Changes) { entryOf(c, credit.EntryClawbackNetted).Postings[1].Order = "ord_other" }},
		{"EV6", "an event of another merchant", func(c *credit.Changes) { c.Events[0].Merchant = "mch_other" }},
	} {
		w, shop, _ := owing(t)
		if got := tamperedIn(t, w, operator, merchants.PayMerchant{Merchant: shop.Merchant}, x.spoil); got != x.invariant {
			t.Errorf("%s: %s is found as %s", x.name, x.invariant, got)
		}
	}
}

// No payout while the merchant is on hold, no line in two payouts, no line of an order that
// was never captured, and a failed payout restores its net once.
func TestCheckOfPayoutLives(t *testing.T) {
	w, shop, _ := owing(t)
	was := w.all.Merchants[shop.Merchant]
	e := w.env(operator)
	s := w.state(e, merchants.PayMerchant{Merchant: shop.Merchant})
	ch, _ := credit.Decide(s, e, merchants.PayMerchant{Merchant: shop.Merchant})
	held := *was
	held.Account.HeldReason = "review"
	s.Merchants[shop.Merchant] = &held
	if err := invariant.Check(ch, s); !breaks(err, "PO3") {
		t.Errorf("a payout while payouts are held: %v", err)
	}
	s.Merchants[shop.Merchant] = was
	paid := *ch.Lines[0]
	paid.Payout = "po_other"
	s.Lines[paid.ID] = &paid
	if err := invariant.Check(ch, s); !breaks(err, "PO2") {
		t.Errorf("a line in two payouts: %v", err)
	}
	o := w.must(shop, lending.CreateOrder{Company: w.all.Orders[ch.Lines[0].Order].Company, Amount: cents("80.00"), Installments: 3, Authorize: true}).(*credit.Order)
	if got := tamperedIn(t, w, shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}, func(c *credit.Changes) { c.Lines[0].Gross--; c.Lines[0].Amount-- }); got != "PO3" {
		t.Errorf("a line of more or less than the capture is found as %s", got)
	}
	p := w.must(operator, merchants.PayMerchant{Merchant: shop.Merchant}).(*credit.Payout)
	w.now = w.zone.At(w.today(), 16, 0)
	for _, x := range []struct {
		invariant string
		spoil     func(*credit.Changes)
	}{
		{"PO1", func(c *credit.Changes) { c.Entries = nil }},
		{"PO4", func(c *credit.Changes) { c.Payouts[0].Status = credit.PayoutFailed }},
		{"PO2", func(c *credit.Changes) { c.Payouts[0].Gross++; c.Payouts[0].Discount++ }},
	} {
		if got := tamperedIn(t, w, system, payments.ServiceTransfer{Transfer: p.Transfer}, x.spoil); got != x.invariant {
			t.Errorf("sending: %s is found as %s", x.invariant, got)
		}
	}
	w.must(system, payments.ServiceTransfer{Transfer: p.Transfer})
	for _, x := range []struct {
		invariant string
		spoil     func(*credit.Changes)
	}{
		{"PO4", func(c *credit.Changes) { twice := *c.Lines[0]; twice.ID = "pol_2"; c.Lines = append(c.Lines, &twice) }},
		{"PO4", func(c *credit.Changes) { c.Payouts[0].Status = credit.PayoutPending }},
	} {
		fail := payments.RejectTransfer{Transfer: p.Transfer, Code: "R03"}
		got := tamperedIn(t, w, system, fail, x.spoil)
		if got != x.invariant && got != "PO1" {
			t.Errorf("failing: %s is found as %s", x.invariant, got)
		}
	}
}

func breaks(err error, name string) bool {
	var v *invariant.Violation
	return errors.As(err, &v) && v.Invariant == name
}

// Late fees beyond the rule, books of orders that do not accrue or are charged off, and
// postings into a closed month.
func TestCheckOfServicing(t *testing.T) {
	late := func(t *testing.T, day string) (*world, *credit.Order) {
		w, _, o := captured(t, "1200.00")
		w.at(day)
		return w, o
	}
	run := func(o *credit.Order) credit.Command { return lending.ServiceOrder{Order: o.Key} }
	off := func(o *credit.Order) credit.Command { return lending.ChargeOffOrder{Order: o.Key} }
	for _, x := range []struct {
		invariant, name, day string
		command              func(*credit.Order) credit.Command
		spoil                func(*credit.Changes)
	}{
		{"PA10", "a fee above the rule", "2026-03-01", run, func(c *credit.Changes) {
			c.Loans[0].Fees[0].Amount++
			e := entryOf(c, "LATE_FEE_ASSESSED")
			e.Postings[0].Amount--
			e.Postings[1].Amount++
		}},
		{"PA10", "a fee within the days of grace", "2026-03-01", run, func(c *credit.Changes) { c.Loans[0].Fees[0].Date = calendar.MustParse("2026-02-20") }},
		{"PA10", "a fee during a hold", "2026-03-01", run, func(c *credit.Changes) {
			orderIn(c).Servicing.Holds = []credit.Hold{{From: calendar.MustParse("2026-02-20"), To: calendar.MustParse("2026-02-28")}}
		}},
		{"PA10", "a fee on an order that a merchant manages", "2026-03-01", run, func(c *credit.Changes) {
			e := entryOf(c, "LATE_FEE_ASSESSED")
			e.Postings[0].Account = ledger.Concessions
			orderIn(c).External = true
		}},
		{"SC4", "memo of nonaccrual", "2026-06-01", run, func(c *credit.Changes) {
			e := entryOf(c, "NONACCRUAL_BEGUN")
			e.Postings = e.Postings[:2]
		}},
		{"SC4", "nonaccrual without an entry", "2026-04-01", run, func(c *credit.Changes) { orderIn(c).Servicing.Nonaccrual = true }},
		{"SC4", "memo of a charge-off", "2026-06-20", off, func(c *credit.Changes) {
			e := entryOf(c, "ORDER_CHARGED_OFF")
			n := len(e.Postings)
			e.Postings[n-1].Amount--
			e.Postings[n-2].Amount++
		}},
		{"CL3", "principal that leaves the line", "2026-06-20", off, func(c *credit.Changes) {
			e := entryOf(c, "ORDER_CHARGED_OFF")
			for i := range e.Postings {
				if e.Postings[i].Account == ledger.Allowance {
					e.Postings[i].Account = ledger.ProvisionAndLosses
					break
				}
			}
		}},
		{"OR11", "a charge-off that the order does not know", "2026-06-20", off, func(c *credit.Changes) { orderIn(c).Servicing.ChargedOff = 0 }},
		{"LG7", "a closed month", "2026-03-01", run, func(c *credit.Changes) {
			c.Periods = []*credit.Period{{Month: calendar.MustParse("2026-03-01")}}
		}},
	} {
		w, o := late(t, x.day)
		if got := tamperedIn(t, w, operator, x.command(o), x.spoil); got != x.invariant {
			t.Errorf("%s: %s is found as %s", x.name, x.invariant, got)
		}
	}
}
