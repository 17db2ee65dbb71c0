package clockwork_test

import (
	"slices"
	"testing"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/rails/fake"
)

// After a debit that its holder says was not authorized nobody collects until a person has
// looked (F23), who is asked for that. The last installment of an order is left to one at its
// cut-off, and listed although nothing of the order is late.
func TestAfterAnUnauthorizedDebit(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(2))
	alder := w.company("Alder Kitchens", fake.Account, harbor)
	o := w.order(harbor, alder, "PO-1", 400_00, 2, false)
	w.capture(harbor, o)
	if err := w.bank.FailNext("R29", fake.Account); err != nil {
		t.Fatal(err)
	}
	waits := []string{"return_rate all", "return_rate unauthorized", "autopay_paused"}
	w.alarmsAre("2026-02-19 17:00", waits...)
	w.do(operator, credit.RecordPayment{Order: o.Key, Amount: 203_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	w.alarmsAre("2026-03-12 17:00", waits...)
	w.alarmsAre("2026-03-13 17:00", append(slices.Clone(waits), "collection_stopped")...)
	paid := w.do(operator, credit.RecordPayment{Order: o.Key, Amount: 210_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None}).(*credit.Payment)
	w.alarmsAre("2026-03-13 18:00", waits...)
	other := w.do(operator, credit.AddPaymentMethod{Company: alder.ID, Type: credit.ACH, Bank: w.account("200300400"),
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: w.clock.Now(), Reference: "signed again"}}).(*credit.PaymentMethod)
	w.do(shop(harbor), credit.SetAutopay{Company: alder.ID, Enabled: ptr(true), Method: &other.ID})
	w.alarmsAre("2026-03-14 17:00", waits...)
	w.do(operator, credit.SetAutopay{Company: alder.ID, Enabled: ptr(true)})
	w.alarmsAre("2026-03-14 18:00", "return_rate all", "return_rate unauthorized")
	if paid.Status != credit.PaymentSucceeded {
		t.Errorf("%+v", paid)
	}
}
