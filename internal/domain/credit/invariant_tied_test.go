package credit_test

import (
	"slices"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// tiedScene is a company with two captured orders that share money: one payment covered both,
// and its credit pays what is due. The scene's payment is for its own order, and 300.00 of it
// became credit; other is the other order, with a row due.
func tiedScene(t *testing.T) (s *scene, other string) {
	s = newScene(t, "CAPTURED")
	s.must(operator, payments.RecordPayment{Company: s.company.ID, Amount: cents("10.00"), Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	paid := s.must(operator, payment(s.order, "1500.00")).(*credit.Payment)
	s.payment = paid.ID
	o := s.must(s.owner, lending.CreateOrder{Company: s.company.ID, Amount: cents("600.00"), Installments: 6, Authorize: true}).(*credit.Order)
	s.must(s.owner, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	on := true
	s.must(operator, payments.SetAutopay{Company: s.company.ID, Credit: &on})
	if got := s.all.Payments[s.payment].Unapplied; got < cents("300.00") {
		t.Fatalf("%s is unapplied", got)
	}
	s.now = s.all.Orders[o.Key].NextAt.AddDate(0, 0, 31)
	return s, o.Key
}

// useIn is the first use of credit in the changes.
func useIn(c *credit.Changes) *credit.MoneyEvent {
	i := slices.IndexFunc(c.Money, func(e credit.MoneyEvent) bool { return e.Kind == schedule.EventCreditUse })
	return &c.Money[i]
}

// Tied orders share the company's money. Money paid for one order pays another only as a
// recorded use of its credit says: that source, that order, that row, and not after the use
// has been taken back (PA4).
func TestMoneyOfAnOrderStaysThere(t *testing.T) {
	pay := func(s *scene, _ string) credit.Command { return payment(s.order, "20.00") }
	use := func(_ *scene, other string) credit.Command { return lending.ServiceOrder{Order: other} }
	back := func(s *scene, _ string) credit.Command { return payments.ReturnPayment{Payment: s.payment} }
	paidOf := func(c *credit.Changes, id string) *credit.Payment {
		i := slices.IndexFunc(c.Payments, func(p *credit.Payment) bool { return p.ID == id })
		return c.Payments[i]
	}
	elsewhere := func(c *credit.Changes, s *scene) *credit.Allocation {
		list := paidOf(c, s.payment).Allocations
		i := slices.IndexFunc(list, func(a credit.Allocation) bool { return a.Elsewhere })
		return &list[i]
	}
	for _, x := range []struct {
		name    string
		used    bool // before
		command func(s *scene, other string) credit.Command
		spoil   func(c *credit.Changes, s *scene, other string)
	}{
		{"a payment of one order is allocated to the other", false, pay, func(c *credit.Changes, s *scene, other string) {
			p := c.Payments[0]
			p.Allocations = append(p.Allocations, credit.Allocation{Order: other, Installment: 1, Principal: p.Unapplied, Elsewhere: true})
			p.Unapplied = 0
		}},
		{"the use of credit is not recorded", false, use, func(c *credit.Changes, _ *scene, _ string) {
			c.Money = slices.DeleteFunc(c.Money, func(e credit.MoneyEvent) bool { return e.Kind == schedule.EventCreditUse })
		}},
		{"the use is of another source", false, use, func(c *credit.Changes, _ *scene, _ string) { useIn(c).Payment = "pay_other" }},
		{"the effect is of another source", false, use, func(c *credit.Changes, _ *scene, _ string) { useIn(c).Posted[0].Effect.Source = "pay_other" }},
		{"the use is for another order", false, use, func(c *credit.Changes, s *scene, _ string) {
			useIn(c).Order = s.order
			useIn(c).Touches = []string{s.order}
		}},
		{"another row is paid", false, use, func(c *credit.Changes, s *scene, _ string) { elsewhere(c, s).Installment = 6 }},
		{"a cent more is paid", false, use, func(c *credit.Changes, s *scene, _ string) {
			elsewhere(c, s).Principal++
			paidOf(c, s.payment).Unapplied--
		}},
		{"the payment does not say what was used", false, use, func(c *credit.Changes, s *scene, _ string) {
			p := paidOf(c, s.payment)
			p.Unapplied = p.Amount
			for _, a := range p.Allocations {
				if !a.Elsewhere {
					p.Unapplied = p.Unapplied.Sub(a.Fee).Sub(a.Charge).Sub(a.Principal)
				}
			}
			p.Allocations = slices.DeleteFunc(p.Allocations, func(a credit.Allocation) bool { return a.Elsewhere })
		}},
		{"the payment came back, its use stays", true, back, func(c *credit.Changes, _ *scene, _ string) { useIn(c).Returned = false }},
	} {
		t.Run(x.name, func(t *testing.T) {
			s, other := tiedScene(t)
			if x.used {
				s.must(system, use(s, other))
				if !slices.ContainsFunc(s.all.Payments[s.payment].Allocations, func(a credit.Allocation) bool { return a.Order == other && a.Elsewhere }) {
					t.Fatal("no credit was used")
				}
			}
			if got := spoiltScene(t, s, x.command(s, other), func(c *credit.Changes) { x.spoil(c, s, other) }); got != "PA4" {
				t.Errorf("found as %s", got)
			}
		})
	}
}
