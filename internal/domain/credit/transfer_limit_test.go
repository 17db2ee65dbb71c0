package credit_test

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// If a merchant's payout or debit exceeds what one entry of a bank file can hold, several
// entries are made, and each cent moves once (F22, F32).
func TestMoreThanAnEntryHolds(t *testing.T) {
	w := newWorld(t)
	w.at("2026-01-12")
	settings := marketSettings()
	shop := w.shop("M", settings)
	w.must(operator, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("1111"), Debits: true})
	c := w.buyer("A", "9999999.00", shop)
	var lines credit.Changes
	owed := money.Amount(0)
	for i := range 13 { // as from that many captures of a day, of several companies
		amount := money.Max - money.Amount(i)
		owed = owed.Add(amount)
		lines.Lines = append(lines.Lines, &credit.PayoutLine{
			ID: "pol_" + string(rune('a'+i)), Merchant: shop.Merchant, Kind: credit.LineRepaid, Company: c.ID, Source: "rfd", Amount: amount, Due: w.today(), At: w.now, Version: 1,
		})
	}
	w.apply(lines)
	sent := money.Amount(0)
	for range 2 {
		p, made := w.must(system, merchants.PayMerchant{Merchant: shop.Merchant}).(*credit.Payout)
		if !made || p.Net <= 0 || p.Net > credit.MaxTransfer {
			t.Fatalf("payout %+v", p)
		}
		sent = sent.Add(p.Net)
	}
	if _, made := w.must(system, merchants.PayMerchant{Merchant: shop.Merchant}).(*credit.Payout); made || sent != owed {
		t.Errorf("%s of %s is sent, and a third payout: %t", sent, owed, made)
	}
}
