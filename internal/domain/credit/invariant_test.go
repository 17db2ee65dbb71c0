package credit_test

import (
	"errors"
	"slices"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/invariant"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// tampered decides a command in a scene, corrupts the result, and returns the invariant that
// the check names.
func tampered(t *testing.T, state string, c func(*scene) credit.Command, actor func(*scene) credit.Actor, spoil func(*credit.Changes)) string {
	t.Helper()
	s := newScene(t, state)
	w := s.world
	w.seed++
	e := w.env(actor(s))
	command := c(s)
	st := w.state(e, command)
	if r := credit.Admit(st, e, command); r != nil {
		t.Fatal(r)
	}
	ch, r := credit.Decide(st, e, command)
	if r != nil {
		t.Fatal(r)
	}
	if err := invariant.Check(ch, st); err != nil {
		t.Fatalf("before it was spoilt: %v", err)
	}
	spoil(&ch)
	var v *invariant.Violation
	if err := invariant.Check(ch, st); !errors.As(err, &v) {
		return "nothing"
	}
	return v.Invariant
}

func orderIn(c *credit.Changes) *credit.Order { return c.Orders[0] }

func eventOf(c *credit.Changes, kind credit.EventType) *credit.Event {
	i := slices.IndexFunc(c.Events, func(e credit.Event) bool { return e.Type == kind })
	return &c.Events[i]
}

// entryOf is the first entry of an event.
func entryOf(c *credit.Changes, event string) *ledger.Entry {
	i := slices.IndexFunc(c.Entries, func(e ledger.Entry) bool { return e.Event == event })
	return &c.Entries[i]
}

// Each corrupted change is detected, naming the invariant that it breaks.
func TestCheckNamesTheViolation(t *testing.T) {
	owner := func(s *scene) credit.Actor { return s.owner }
	boss := func(*scene) credit.Actor { return operator }
	create := func(s *scene) credit.Command {
		return lending.CreateOrder{Company: s.company.ID, Amount: cents("100.00"), Installments: 3, MerchantOrderID: "PO-7", Authorize: true, Charges: &credit.Charges{GrandTotal: cents("100.00")}}
	}
	capture, cancel := status(credit.OrderCaptured), status(credit.OrderCanceled)
	part := func(s *scene) credit.Command { return lending.CapturePart{Order: s.order, Amount: cents("400.00")} }
	extend := func(s *scene) credit.Command { return lending.ExtendOrder{Order: s.order} }
	patch := func(s *scene) credit.Command {
		return lending.UpdateOrder{Order: s.order, MerchantStatus: &lending.Patch[string]{Value: "x"}}
	}
	refund := func(s *scene) credit.Command {
		a := cents("300.00")
		return lending.RefundOrder{Order: s.order, Amount: &a}
	}
	refundAll := func(s *scene) credit.Command { return lending.RefundOrder{Order: s.order} }
	pay := func(s *scene) credit.Command { return payment(s.order, "200.00") }
	over := func(s *scene) credit.Command { return payment(s.order, "1300.00") }
	back := func(s *scene) credit.Command {
		a := cents("20.00")
		return payments.RefundPayment{Payment: s.payment, Amount: &a}
	}
	for _, x := range []struct {
		invariant, state string
		command          func(*scene) credit.Command
		actor            func(*scene) credit.Actor
		spoil            func(*credit.Changes)
	}{
		{"MN2", "no order", create, owner, func(c *credit.Changes) { orderIn(c).Amount = 0 }},
		{"MN2", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Payments[0].Amount = credit.MaxTransfer + 1 }},
		{"MN4", "no order", create, owner, func(c *credit.Changes) { c.Entries[0].Currency = "EUR" }},
		{"LG1", "no order", create, owner, func(c *credit.Changes) { c.Entries[0].Postings[0].Amount++ }},
		{"LG1", "no order", create, owner, func(c *credit.Changes) { c.Entries[0].Postings = c.Entries[0].Postings[:1] }},
		{"LG5", "no order", create, owner, func(c *credit.Changes) { c.Entries[0].Cause = "" }},
		{"LG5", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Money[0].Touches = nil }},
		{"LG7", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Entries[1].BookDate++ }},
		{"OR1", "AUTHORIZED", cancel, owner, func(c *credit.Changes) {
			orderIn(c).Status, orderIn(c).CancelReason = credit.OrderCreated, ""
		}},
		{"OR2", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { orderIn(c).Version++ }},
		{"OR2", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { orderIn(c).Version-- }},
		{"OR3", "AUTHORIZED", capture, owner, func(c *credit.Changes) { orderIn(c).CapturedAt = orderIn(c).CanceledAt }},
		{"OR4", "CAPTURED", patch, owner, func(c *credit.Changes) { orderIn(c).Installments = 3 }},
		{"OR4", "CAPTURED", patch, owner, func(c *credit.Changes) { orderIn(c).Amount++ }},
		{"OR4", "AUTHORIZED", patch, owner, func(c *credit.Changes) { orderIn(c).Merchant = "mch_other" }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) { orderIn(c).ExpiresAt = orderIn(c).CapturedAt; orderIn(c).Extended = true }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Companies[0].Status = credit.CompanySuspended }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Loans = nil }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Invoices[0].AmountDue-- }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) { orderIn(c).Discount-- }},
		{"OR5", "AUTHORIZED", capture, owner, func(c *credit.Changes) {
			e := entryOf(c, "ORDER_CAPTURED")
			e.Postings[1].Amount++
			e.Postings[2].Amount--
		}},
		{"OR6", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { orderIn(c).CancelReason = "" }},
		{"OR7", "CAPTURED", refundAll, owner, func(c *credit.Changes) { orderIn(c).Status = credit.OrderCaptured }},
		{"OR8", "no order", create, owner, func(c *credit.Changes) { c.Claims = nil }},
		{"OR9", "AUTHORIZED", extend, owner, func(c *credit.Changes) { orderIn(c).Extended = false }},
		{"OR10", "AUTHORIZED", part, owner, func(c *credit.Changes) { c.Orders = c.Orders[1:] }},
		{"OR10", "AUTHORIZED", part, owner, func(c *credit.Changes) { orderIn(c).Authorized++ }},
		{"OR11", "no order", create, owner, func(c *credit.Changes) { orderIn(c).Charges = &credit.Charges{GrandTotal: 1} }},
		{"OR11", "AUTHORIZED", capture, owner, func(c *credit.Changes) { orderIn(c).Financing = credit.FinancingOverdue }},
		{"CL1", "no order", create, owner, func(c *credit.Changes) { c.Companies[0].Limit = cents("99.99") }},
		{"CL1", "no order", create, owner, func(c *credit.Changes) { c.Companies[0].Status = credit.CompanyOnHold }},
		{"CL1", "no order", create, owner, func(c *credit.Changes) { c.Companies[0].Linked = nil }},
		{"CL3", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { c.Companies[0].Reserved++ }},
		{"CL3", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { c.Entries = nil }},
		{"CL3", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Companies[0].Outstanding++ }},
		{"CL4", "AUTHORIZED", cancel, owner, func(c *credit.Changes) { orderIn(c).Reserved = 1 }},
		{"SC1", "CAPTURED", refund, owner, func(c *credit.Changes) { c.Loans[0].Rows[0].Principal++ }},
		{"SC3", "CAPTURED", refund, owner, func(c *credit.Changes) { c.Loans[0].Rows[5].DueDate++ }},
		{"SC4", "CAPTURED", pay, owner, func(c *credit.Changes) {
			e := entryOf(c, "PAYMENT_APPLIED")
			e.Postings[1].Account = ledger.ChargeReceivable
		}},
		{"SC6", "CAPTURED", refund, owner, func(c *credit.Changes) { orderIn(c).Revision-- }},
		{"SC8", "CAPTURED", pay, owner, func(c *credit.Changes) { orderIn(c).External = true }},
		{"PA1", "payment REFUNDED", func(s *scene) credit.Command { return payments.ReturnPayment{Payment: s.payment} }, boss, func(c *credit.Changes) {
			c.Payments[0].Status = credit.PaymentFailed
		}},
		{"PA3", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Payments[0].Allocations[0].Principal++ }},
		{"PA3", "CAPTURED", over, owner, func(c *credit.Changes) { c.Payments[0].Unapplied-- }},
		{"PA4", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Payments[0].Allocations[0].Order = "ord_other" }},
		{"PA6", "CAPTURED", over, owner, func(c *credit.Changes) { c.Companies[0].Credit-- }},
		{"PA6", "CAPTURED", over, owner, func(c *credit.Changes) { c.Credits = nil }},
		{"PA7", "CAPTURED", refund, owner, func(c *credit.Changes) { c.Invoices[0].Lines = c.Invoices[0].Lines[1:] }},
		{"PA8", "CAPTURED", over, owner, func(c *credit.Changes) { orderIn(c).Financing = credit.FinancingOverdue }},
		{"PA10", "CAPTURED", refund, owner, func(c *credit.Changes) {
			fee := schedule.Fee{ID: "f", Kind: schedule.LateFeeKind, Installment: 1, Date: c.Loans[0].AsOf}
			c.Loans[0].Fees = append(c.Loans[0].Fees, fee, fee)
		}},
		{"RF1", "CAPTURED", refund, owner, func(c *credit.Changes) { orderIn(c).Refunded = orderIn(c).Captured + 1 }},
		{"RF1", "CAPTURED", refund, owner, func(c *credit.Changes) { orderIn(c).Refunds = nil }},
		{"RF2", "payment SUCCEEDED", back, owner, func(c *credit.Changes) { c.Payments[0].Refunds = nil }},
		{"RF2", "payment SUCCEEDED", back, owner, func(c *credit.Changes) { c.Payments[0].Status = credit.PaymentRefunded }},
		{"RF3", "CAPTURED", refund, owner, func(c *credit.Changes) { entryOf(c, "ORDER_REFUNDED").Event = "ORDER_CAPTURED" }},
		{"RF4", "CAPTURED", refundAll, owner, func(c *credit.Changes) { c.Loans = nil }},
		{"RF5", "CAPTURED", refund, owner, func(c *credit.Changes) { orderIn(c).DiscountBack++ }},
		{"AU1", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Entries[0].Postings[0].Merchant = "mch_other" }},
		{"AU1", "CAPTURED", pay, owner, func(c *credit.Changes) { c.Invoices[0].Company = 1 }},
		{"AU1", "payment SUCCEEDED", back, owner, func(c *credit.Changes) { c.Payments[0].Company = 1 }},
		{"EV1", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Events = c.Events[1:]; c.Events[1].Sequence++ }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Events[0].Merchant = "mch_other" }},
		{"EV1", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Events[0].Type = credit.PaymentCreatedEvent }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Events[0].Readers = []string{"mch_other"} }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) { c.Events[0].Company++ }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) { eventOf(c, credit.InvoiceIssuedEvent).Merchant = "mch_other" }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) { eventOf(c, credit.CreditLineChangedEvent).Merchant = "mch_other" }},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) {
			e := eventOf(c, credit.CreditLineChangedEvent)
			e.Readers = e.Readers[:1]
		}},
		{"EV6", "AUTHORIZED", capture, owner, func(c *credit.Changes) {
			e := eventOf(c, credit.CreditLineChangedEvent)
			e.Readers = append(slices.Clone(e.Readers), "mch_zzz")
		}},
		{"EV6", "CAPTURED", pay, owner, func(c *credit.Changes) { eventOf(c, credit.PaymentCreatedEvent).Merchant = credit.OperatorOnly }},
	} {
		if got := tampered(t, x.state, x.command, x.actor, x.spoil); got != x.invariant {
			t.Errorf("%s in %s is found as %s", x.invariant, x.state, got)
		}
	}
}

// The transitions of PA1, for each pair of statuses.
func TestPaymentEdges(t *testing.T) {
	all := []credit.PaymentStatus{
		credit.PaymentScheduled, credit.PaymentPending, credit.PaymentSucceeded, credit.PaymentFailed, credit.PaymentPartiallyRefunded, credit.PaymentRefunded, credit.PaymentReturned, credit.PaymentCanceled,
	}
	want := map[credit.PaymentStatus][]credit.PaymentStatus{
		credit.PaymentScheduled:         {credit.PaymentPending, credit.PaymentCanceled},
		credit.PaymentPending:           {credit.PaymentSucceeded, credit.PaymentFailed, credit.PaymentCanceled},
		credit.PaymentSucceeded:         {credit.PaymentPartiallyRefunded, credit.PaymentRefunded, credit.PaymentReturned},
		credit.PaymentPartiallyRefunded: {credit.PaymentRefunded, credit.PaymentReturned},
		credit.PaymentRefunded:          {credit.PaymentReturned},
		credit.PaymentReturned:          {credit.PaymentSucceeded, credit.PaymentPartiallyRefunded, credit.PaymentRefunded},
	}
	for _, from := range all {
		for _, to := range all {
			if got := invariant.Payable(from, to); got != (from == to || slices.Contains(want[from], to)) {
				t.Errorf("%s → %s: %t", from, to, got)
			}
		}
	}
}
