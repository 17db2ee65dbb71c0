package clockwork_test

import (
	"testing"

	"tenor/internal/credit"
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
