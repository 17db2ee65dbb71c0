package credit_test

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/payments"
)

// tinyDebits requests, sends and settles n debits of a cent, one after the other, and counts
// what their commands read of the order's past: money events and payments.
func tinyDebits(t *testing.T, n int) (read int) {
	w := newWorld(t)
	shop := w.shop("M", marketSettings())
	c := w.buyer("A", "5000.00", shop)
	m := w.must(operator, payments.AddPaymentMethod{
		Company: c.ID, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.now},
		Bank: &credit.BankAccount{Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", HolderName: "A", Sealed: []byte{1}, Fingerprint: "f"},
	}).(*credit.PaymentMethod)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents("900.00"), Installments: 3, Authorize: true}).(*credit.Order)
	w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	w.now = w.zone.At(w.today().NextBankingDay(), 10, 0)
	var sent []string
	for range n {
		p := w.must(operator, payments.RecordPayment{Order: o.Key, Amount: 1, Method: credit.ACH, PaymentMethod: m.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None}).(*credit.Payment)
		sent = append(sent, p.Transfer)
	}
	for range 2 { // sent, settled
		for _, id := range sent {
			w.now = w.all.Transfers[id].NextAt
			command := payments.ServiceTransfer{Transfer: id}
			s := w.state(w.env(system), command)
			for _, history := range s.History {
				read += len(history)
			}
			read += len(s.Payments)
			w.must(system, command)
		}
	}
	for _, id := range sent {
		if x := w.all.Transfers[id]; x.Status != credit.TransferSettled || w.all.Payments[x.Payment].Status != credit.PaymentSucceeded {
			t.Fatalf("%s is %s", id, x.Status)
		}
	}
	return read
}

// Twice as many debits of one order take twice the work, not four times: none reads the
// earlier ones.
func TestTinyDebitsSettleInLinearWork(t *testing.T) {
	few, many := tinyDebits(t, 20), tinyDebits(t, 40)
	if many > 2*few {
		t.Errorf("20 debits read %d records of the past, 40 read %d", few, many)
	}
}

// An order has at most 300 open payments (F41.10).
func TestOpenPaymentsAreBounded(t *testing.T) {
	o := &credit.Order{}
	o.Servicing.Open = make([]credit.OpenDebit, payments.MaxOpenDebits-1)
	if r := payments.TooManyOpen(o); r != nil {
		t.Errorf("the last one is refused: %v", r)
	}
	o.Servicing.Open = append(o.Servicing.Open, credit.OpenDebit{})
	if r := payments.TooManyOpen(o); r == nil || r.Code != credit.LimitExceeded.Code || r.Members["limit"] != "open_payments" {
		t.Errorf("one more is answered with %v", r)
	}
}
