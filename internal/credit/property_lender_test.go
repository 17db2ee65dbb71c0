package credit

import (
	"slices"

	"pgregory.net/rapid"

	"tenor/internal/ledger"
	"tenor/internal/money"
)

// account gives the shops accounts to be paid to.
func (m *market) account() {
	for _, s := range m.shops {
		m.must(operator, SetMerchantAccount{Merchant: s.Merchant, Bank: &BankAccount{Routing: "073000228", Last4: "1111"}, Debits: true})
	}
}

// lender asks for one random thing of the merchants' money, fees and delinquency.
func (m *market) lender(t *rapid.T, shop Actor) {
	order := rapid.SampledFrom(m.orders).Draw(t, "order")
	switch rapid.IntRange(0, 12).Draw(t, "lender") {
	case 0, 1, 2:
		m.ask(operator, PayMerchant{Merchant: shop.Merchant})
	case 3:
		m.ask(operator, AgeClawbacks{Merchant: shop.Merchant})
	case 4:
		m.ask(operator, RemitCollected{Merchant: shop.Merchant, Amount: amount(t, 20000)})
	case 5:
		reason := rapid.SampledFrom([]string{"", "", "review"}).Draw(t, "reason")
		m.ask(operator, HoldPayouts{Merchant: shop.Merchant, Reason: reason})
		m.ask(operator, SetMerchantAccount{Merchant: shop.Merchant, Bank: &BankAccount{Routing: "073000228", Last4: "2222"}, Debits: true})
	case 6:
		if l := m.all.Loans[order]; l != nil && len(l.Fees) > 0 {
			m.ask(operator, WaiveFee{Order: order, Fee: rapid.SampledFrom(l.Fees).Draw(t, "fee").ID})
		}
	case 7:
		m.ask(operator, HoldOrder{Order: order, Days: rapid.SampledFrom([]int{0, 5, 30}).Draw(t, "days")})
	case 8:
		if rapid.IntRange(0, 2).Draw(t, "sure") == 0 {
			m.ask(operator, ChargeOffOrder{Order: order})
		}
	case 10:
		rates := map[Bucket]money.Rate{Bucket30: money.Rate(rapid.IntRange(0, money.RateScale).Draw(t, "rate"))}
		m.ask(operator, SetLender{ProvisionRates: rates})
	case 11:
		m.ask(operator, Provision{On: m.all.TheLender().NextProvision(), Principal: map[Bucket]money.Amount{Bucket30: amount(t, 50000)}})
	case 12:
		m.ask(operator, PayClawback{Merchant: shop.Merchant, Amount: amount(t, 20000)})
	case 9:
		m.ask(operator, UpdateCompany{Company: rapid.SampledFrom(m.companies).Draw(t, "company"), Status: CompanyApproved})
	}
}

// verifyMerchants compares the merchants' accounts with what waits for them: 2000 is
// what is to be paid, 1200 and 1210 what is to be netted (PO1, PO3).
func (m *market) verifyMerchants(bal func(merchant string, a ledger.Account) money.Amount) {
	m.t.Helper()
	for _, s := range m.shops {
		var payable, clawback, collected money.Amount
		for _, l := range m.all.Lines {
			switch {
			case l.Merchant != s.Merchant || !l.waits():
			case l.Kind == LineClawback:
				clawback += l.Amount
			case l.Kind == LineCollected:
				collected += l.Amount
			default:
				payable += l.Amount
			}
		}
		for _, p := range m.all.Payouts {
			if p.Merchant == s.Merchant && p.Status == PayoutPending {
				payable += p.Net
			}
		}
		got := []money.Amount{-bal(s.Merchant, ledger.MerchantPayable), bal(s.Merchant, ledger.ClawbackReceivable), bal(s.Merchant, ledger.DueFromMerchant)}
		if want := []money.Amount{payable, clawback, collected}; !slices.Equal(got, want) {
			m.t.Fatalf("%s: 2000, 1200 and 1210 hold %s, the lines %s", s.Client, got, want)
		}
	}
}
