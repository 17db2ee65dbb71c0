package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// Two micro-deposits and the debit that takes them back go into one file and settle on one
// day, and leave nothing in the books. Autopay's debit is made to fail (F22).
func TestMicroDeposits(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", "200300400", harbor)
	id := w.methodID("micro")
	m := w.do(operator, payments.AddPaymentMethod{ID: id, Company: alder.ID, Type: credit.ACH, Bank: w.account(payments.MethodAccount(id), "200300500"), Verify: true, Micro: []money.Amount{32, 45},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.clock.Now(), Reference: "signed"}}).(*credit.PaymentMethod)
	if err := w.bank.FailNext("R01", ""); err != nil {
		t.Fatal(err)
	}
	w.to("2026-01-15 17:00")
	files, err := store.Files(context.Background(), w.db, store.FileAccepted, 9)
	if err != nil || len(files) != 1 || files[0].Entries != 3 || files[0].Debits != 77 || files[0].Credits != 77 {
		t.Fatalf("files %+v, %v", files, err)
	}
	w.to("2026-01-21 17:00")
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Company: alder.ID}, store.Page{Limit: 9})
		debits := 0
		for _, x := range list {
			if x.Kind != credit.TransferMicro || x.Status != credit.TransferSettled || x.SettlesOn.String() != "2026-01-16" {
				t.Errorf("%+v", x)
			}
			if x.Debit() {
				debits++
			}
		}
		if len(list) != 3 || debits != 1 {
			t.Errorf("%d transfers, %d debits", len(list), debits)
		}
		trial, err2 := v.TrialBalance(store.BookFilter{From: calendar.None, To: calendar.None, Company: alder.ID})
		if cash, found := trial[ledger.Cash]; err2 != nil || found {
			t.Errorf("%s stays on 1000, %v", cash, err2)
		}
		return err
	})
	w.do(operator, payments.VerifyPaymentMethod{Method: m.ID, Amounts: []money.Amount{45, 32}})
	on := true
	w.do(operator, payments.SetAutopay{Company: alder.ID, Enabled: &on, Method: &m.ID})
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.to("2026-02-27 17:00")
	w.view(func(v store.View) error {
		list, err := store.ListTransfers(v, store.TransferFilter{Status: credit.TransferReturned}, store.Page{Limit: 9})
		if len(list) != 1 || list[0].Kind != credit.TransferPayment {
			t.Errorf("came back: %+v", list)
		}
		return err
	})
}
