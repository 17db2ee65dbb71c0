package credit_test

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
)

// If the lender has two clients, the one that requested another account for a merchant cannot
// confirm it, and its date alone does not activate it (F41.12).
func TestSecondClientConfirmsAnAccount(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor", lending.DefaultSettings())
	one, two := credit.Actor{Client: "cli_one", Operator: true}, credit.Actor{Client: "cli_two", Operator: true}
	last4 := func() string { return w.all.Merchants[shop.Merchant].Account.Bank.Last4 }
	w.must(one, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("1111")})
	w.must(one, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("2222"), CoolingOff: credit.CoolingOffDays, Second: true})
	if _, r := w.do(one, merchants.ConfirmMerchantAccount{Merchant: shop.Merchant}); codeOf(r) != "invalid_transition" {
		t.Errorf("who asked confirms it: %v", r)
	}
	w.now = w.now.AddDate(0, 0, 5)
	w.must(system, merchants.ConfirmMerchantAccount{Merchant: shop.Merchant, ByTime: true})
	if last4() != "1111" {
		t.Errorf("its day alone: …%s", last4())
	}
	w.must(two, merchants.ConfirmMerchantAccount{Merchant: shop.Merchant})
	if last4() != "2222" {
		t.Errorf("confirmed: …%s", last4())
	}
	w.must(one, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("3333"), CoolingOff: credit.CoolingOffDays, Second: true})
	w.must(two, merchants.ConfirmMerchantAccount{Merchant: shop.Merchant})
	if last4() != "2222" {
		t.Errorf("confirmed on the same day: …%s", last4())
	}
	w.must(one, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("2222"), CoolingOff: credit.CoolingOffDays, Second: true})
	if p := w.all.Merchants[shop.Merchant].Account.Pending; p != nil {
		t.Errorf("the old account again leaves %+v", p)
	}
}
