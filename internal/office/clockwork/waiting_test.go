package clockwork_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/fake"
)

// After a debit that its holder says was unauthorized, nobody collects until a person has
// reviewed it (F23), who is asked to. The last installment of an order is left to a person
// at its cut-off, and listed although nothing of the order is late.
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
	w.do(operator, payments.RecordPayment{Order: o.Key, Amount: 203_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	w.alarmsAre("2026-03-12 17:00", waits...)
	w.alarmsAre("2026-03-13 17:00", append(slices.Clone(waits), "collection_stopped")...)
	paid := w.do(operator, payments.RecordPayment{Order: o.Key, Amount: 210_00, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None}).(*credit.Payment)
	w.alarmsAre("2026-03-13 18:00", waits...)
	id := w.methodID("other")
	other := w.do(operator, payments.AddPaymentMethod{ID: id, Company: alder.ID, Type: credit.ACH, Bank: w.account(payments.MethodAccount(id), "200300400"),
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: w.clock.Now(), Reference: "signed again"}}).(*credit.PaymentMethod)
	w.do(shop(harbor), payments.SetAutopay{Company: alder.ID, Enabled: ptr(true), Method: &other.ID,
		Authorization: &payments.Given{AcceptedAt: w.clock.Now(), Reference: "signed again"}})
	w.alarmsAre("2026-03-14 17:00", waits...)
	w.do(operator, payments.SetAutopay{Company: alder.ID, Enabled: ptr(true), Method: &other.ID}) // the first one is disabled
	w.alarmsAre("2026-03-14 18:00", "return_rate all", "return_rate unauthorized")
	if paid.Status != credit.PaymentSucceeded {
		t.Errorf("%+v", paid)
	}
}

// mute is a bank that does not respond to files.
type mute struct{ rails.Bank }

func (m mute) Fetch(ctx context.Context) ([]rails.Incoming, error) {
	list, err := m.Bank.Fetch(ctx)
	return slices.DeleteFunc(list, func(f rails.Incoming) bool { return bytes.HasPrefix(f.Content, []byte("ACH FILE ACKNOWLEDGEMENT")) }), err
}

// A file without a response from the bank is an alarm from the next banking day on, and its
// contents still settle; any response ends the alarm (F22).
func TestAFileWithoutAnAnswer(t *testing.T) {
	for accepted, want := range map[bool]string{true: "PAYOUT SETTLED", false: "PAYOUT RETURNED"} {
		w, s := sells(t)
		s.Bank = mute{w.bank}
		w.alarmsAre("2026-01-19 23:00") // a holiday after a weekend; it was sent on Friday
		w.alarmsAre("2026-01-20 00:01", "file_unanswered")
		w.alarmsAre("2026-01-20 12:00", "file_unanswered")
		if got := transfers(w); got != "PAYOUT SETTLED" {
			t.Error(got)
		}
		files, err := store.Files(context.Background(), w.db, store.FileSent, 9)
		if err != nil || len(files) != 1 {
			t.Fatalf("%+v, %v", files, err)
		}
		s.files = []rails.Incoming{{Name: "word.txt", Content: ach.Acknowledgement{File: files[0].ID, Accepted: accepted, Code: "lost", Message: "It never came."}.Text()}}
		w.turn()
		var left []string
		if !accepted {
			left = []string{"payouts_held"}
		}
		w.alarmsAre("2026-01-20 13:00", left...)
		if got := transfers(w); got != want {
			t.Errorf("%t: %s", accepted, got)
		}
	}
}
