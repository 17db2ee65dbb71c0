package clockwork_test

import (
	"context"
	"testing"

	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/rails/fake"
	"tenor/internal/store"
)

// A notification of change corrects the account that a merchant is paid to, before its
// next payout; but not another account that the merchant has taken meanwhile (F22).
func TestMerchantsAccountIsCorrected(t *testing.T) {
	for code, want := range map[string]credit.BankAccount{
		"C01": {Routing: fake.Routing, Last4: fake.Account[5:], AccountType: "CHECKING", HolderName: "Alder Kitchens"},
		"C02": {Routing: fake.CorrectedRouting, Last4: "0200", AccountType: "CHECKING", HolderName: "Alder Kitchens"},
		"C04": {Routing: fake.Routing, Last4: "0200", AccountType: "CHECKING", HolderName: fake.CorrectedName},
		"C05": {Routing: fake.Routing, Last4: "0200", AccountType: "SAVINGS", HolderName: "Alder Kitchens"},
		"C09": {Routing: fake.Routing, Last4: "0200", AccountType: "CHECKING", HolderName: "Alder Kitchens"},
		"":    {Routing: fake.Routing, Last4: "0299", AccountType: "CHECKING", HolderName: "Alder Kitchens"},
	} {
		w := newWorld(t, "2026-01-15 10:00")
		harbor := w.merchant("Harbor Supply", twelve(6))
		alder := w.company("Alder Kitchens", "200300400", harbor)
		w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
		w.to("2026-01-20 12:00")
		if code == "" { // the merchant was quicker than its bank
			w.do(operator, credit.SetMerchantAccount{Merchant: harbor.ID, Bank: w.account("200100299")})
		}
		if err := w.bank.Notice("200100200", max(code, "C01")); err != nil {
			t.Fatal(err)
		}
		w.turn()
		w.view(func(v store.View) error {
			s := credit.NewState()
			err := v.Load(s, credit.Keys{Merchants: []string{harbor.ID}})
			got := *s.Merchants[harbor.ID].Account.Bank
			if got.Routing != want.Routing || got.Last4 != want.Last4 || got.AccountType != want.AccountType || got.HolderName != want.HolderName {
				t.Errorf("%q: %+v", code, got)
			}
			if number, err := w.ring.Open(got.Sealed, got.About()); err != nil || string(number[len(number)-4:]) != got.Last4 {
				t.Errorf("%q: the number does not open: %v", code, err)
			}
			return err
		})
		w.capture(harbor, w.order(harbor, alder, "PO-2", 300_00, 6, false)) // a payout to it is made
		w.to("2026-01-22 12:00")
		if n := w.paidOut(); n != 2 {
			t.Errorf("%q: %d payouts", code, n)
		}
	}
}

// before submits a command of somebody else just before the first correction.
type before struct {
	engine.Submitter
	other func()
}

func (b *before) Submit(ctx context.Context, r engine.Request) (engine.Result, error) {
	if _, corrects := r.Command.(credit.CorrectPaymentMethod); corrects && b.other != nil {
		other := b.other
		b.other = nil
		other()
	}
	return b.Submitter.Submit(ctx, r)
}

// Two corrections of one account at once, of its number and of its bank, both count: the
// one that comes second is made again from what the first has left (F22).
func TestCorrectionsAtOnce(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	b := &before{Submitter: w.eng}
	w.submit = b
	w.work = w.scheduler(w.db)
	harbor := w.merchant("Harbor Supply", twelve(6))
	alder := w.company("Alder Kitchens", "200300400", harbor)
	w.capture(harbor, w.order(harbor, alder, "PO-1", 1200_00, 6, false))
	w.to("2026-02-20 12:00") // its first installment has been debited
	method := func() (m *credit.PaymentMethod) {
		w.view(func(v store.View) error {
			list, err := v.Methods(alder.ID)
			m = list[0]
			return err
		})
		return m
	}
	old, debit := method(), ""
	w.view(func(v store.View) error {
		list, err := v.Transfers(store.TransferFilter{Company: alder.ID}, store.Page{Limit: 1})
		debit = list[0].ID
		return err
	})
	b.other = func() {
		next := *old.Bank
		next.Routing = fake.CorrectedRouting
		next.Fingerprint = fingerprint(next.Routing, "200300400")
		next.Sealed = w.ring.Seal([]byte("200300400"), next.About())
		w.do(operator, credit.CorrectPaymentMethod{
			Method: old.ID, Transfer: debit, Code: "C02", Routing: next.Routing, Fingerprint: next.Fingerprint, Sealed: next.Sealed,
		})
	}
	if err := w.bank.Notice("200300400", "C01"); err != nil {
		t.Fatal(err)
	}
	w.turn()
	got := method()
	number, err := w.ring.Open(got.Bank.Sealed, got.Bank.About())
	if err != nil {
		t.Fatalf("the number does not open: %v", err)
	}
	if got.Bank.Routing != fake.CorrectedRouting || got.Bank.Last4 == old.Bank.Last4 || string(number[len(number)-4:]) != got.Bank.Last4 ||
		got.Bank.Fingerprint != fingerprint(got.Bank.Routing, string(number)) {
		t.Errorf("routing %s, number %s, last four %s", got.Bank.Routing, number, got.Bank.Last4)
	}
}
