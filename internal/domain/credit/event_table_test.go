package credit_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/outcome"
	"tenor/internal/domain/payments"
)

// The stories' commands emit exactly what the published table says, and every entry of the
// table occurs (EV1).
func TestEventTable(t *testing.T) {
	seen := map[string]bool{}
	watch := func(op operation, events []credit.Event) { compareEvents(t, seen, op, events) }
	for _, path := range storyFiles(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := newStory(t)
		s.seen = watch
		s.tell(string(text))
	}
	clawback(t, watch)
	canceled(t, watch)
	for _, r := range outcome.EventTable() {
		for _, e := range r.Always {
			if !seen[key(r, e)] {
				t.Errorf("%s never emits %s", r.Operation, e)
			}
		}
		for _, c := range r.When {
			if !seen[key(r, c.Event)] && !(ofLoans(c.Event) && seen[string(c.Event)]) {
				t.Errorf("%s never emits %s", r.Operation, c.Event)
			}
		}
	}
}

func key(r outcome.EventRule, e credit.EventType) string {
	return r.Command + "/" + r.Operation + "/" + string(e)
}

// ofLoans reports whether an event can be emitted by any command, whichever notices first.
func ofLoans(e credit.EventType) bool {
	return slices.ContainsFunc(outcome.LoanEvents(), func(c outcome.ConditionalEvent) bool { return c.Event == e })
}

func compareEvents(t *testing.T, seen map[string]bool, op operation, events []credit.Event) {
	t.Helper()
	i := slices.IndexFunc(outcome.EventTable(), func(r outcome.EventRule) bool {
		return r.Command == op.command && (op.what == "" || r.Operation == op.what)
	})
	if i < 0 {
		t.Fatalf("the event table has no row for %v", op)
	}
	r := outcome.EventTable()[i]
	for _, e := range events {
		seen[key(r, e.Type)], seen[string(e.Type)] = true, true
		if !slices.Contains(r.Always, e.Type) && !slices.ContainsFunc(r.When, func(c outcome.ConditionalEvent) bool { return c.Event == e.Type }) {
			t.Errorf("%s emits %s, and the table does not say so", r.Operation, e.Type)
		}
	}
	for _, e := range r.Always {
		if !slices.ContainsFunc(events, func(x credit.Event) bool { return x.Type == e }) {
			t.Errorf("%s does not emit %s: %v", r.Operation, e, events)
		}
	}
}

// clawback refunds an order that is already in a payout.
func clawback(t *testing.T, watch func(operation, []credit.Event)) {
	w, shop, o := captured(t, "1200.00")
	paidOut(w, o.Key)
	mark := len(w.entries)
	ch, r := w.do(shop, lending.RefundOrder{Order: o.Key})
	if r != nil {
		t.Fatal(r)
	}
	watch(operation{command: "order.refund"}, ch.Events)
	e := w.entries[mark]
	if got := fmt.Sprint(e.Postings[0].Account, " ", e.Postings[0].Amount); got != "1200 1164.00" {
		t.Errorf("the clawback is posted as %s", got)
	}
}

// paidOut puts the line of an order's capture into a payout.
func paidOut(w *world, key string) {
	for id, l := range w.all.Lines {
		if l.Order == key && l.Kind == credit.LineCapture {
			paid := *l
			paid.Payout = "po_1"
			w.all.Lines[id] = &paid
		}
	}
}

// canceled cancels a waiting payment, which no command of this package creates.
func canceled(t *testing.T, watch func(operation, []credit.Event)) {
	w, shop, o := captured(t, "1200.00")
	p := waiting(w, o, credit.PaymentScheduled)
	ch, r := w.do(shop, payments.CancelPayment{Payment: p.ID})
	if r != nil {
		t.Fatal(r)
	}
	watch(operation{command: "payment.cancel"}, ch.Events)
}

// captured is a world with one captured order of six installments.
func captured(t testing.TB, amount string) (*world, credit.Actor, *credit.Order) {
	t.Helper()
	w := newWorld(t)
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	c := w.buyer("Alder Kitchens", "25000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents(amount), Installments: 6, Authorize: true, MerchantOrderID: "PO-1"}).(*credit.Order)
	o = w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
	return w, shop, o
}

// waiting adds a payment on a rail to the world, in a status in which it is not applied.
func waiting(w *world, o *credit.Order, status credit.PaymentStatus) *credit.Payment {
	p := &credit.Payment{
		ID: "pay_waiting_" + strings.ToLower(string(status)), Company: o.Company, Merchant: o.Merchant, Order: o.Key, Amount: 5000, Currency: "USD",
		Status: status, Method: credit.ACH, Direction: "IN", ScheduledDate: w.today(), EffectiveDate: calendar.None, Attempt: 1, CreatedAt: w.now,
		UpdatedAt: w.now, Version: 1,
	}
	w.all.Payments[p.ID] = p
	return p
}
