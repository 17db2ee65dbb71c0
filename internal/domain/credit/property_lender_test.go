package credit_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// account gives the shops accounts to be paid to.
func (m *market) account() {
	for _, s := range m.shops {
		m.must(operator, merchants.SetMerchantAccount{Merchant: s.Merchant, Bank: testBank("1111"), Debits: true})
	}
}

// lender submits one random command on merchants' money, fees and delinquency.
func (m *market) lender(t *rapid.T, shop credit.Actor) {
	order := rapid.SampledFrom(m.orders).Draw(t, "order")
	switch rapid.IntRange(0, 15).Draw(t, "lender") {
	case 0, 1, 2:
		m.ask(operator, merchants.PayMerchant{Merchant: shop.Merchant})
		for _, id := range slices.Sorted(maps.Keys(m.all.Lines)) {
			if l := m.all.Lines[id]; !l.NextAt.IsZero() && rapid.Bool().Draw(t, "free") {
				m.ask(operator, lending.FreeHeld{Of: l.Of()})
			}
		}
	case 3:
		m.ask(operator, merchants.AgeClawbacks{Merchant: shop.Merchant})
	case 4:
		m.ask(operator, merchants.RemitCollected{Merchant: shop.Merchant, Amount: amount(t, 20000)})
	case 5:
		reason := rapid.SampledFrom([]string{"", "", "review"}).Draw(t, "reason")
		m.ask(operator, merchants.HoldPayouts{Merchant: shop.Merchant, Reason: reason})
		m.ask(operator, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("2222"), Debits: true})
	case 6:
		if l := m.all.Loans[order]; l != nil && len(l.Fees) > 0 {
			m.ask(operator, lending.WaiveFee{Order: order, Fee: rapid.SampledFrom(l.Fees).Draw(t, "fee").ID})
		}
	case 7:
		m.ask(operator, lending.HoldOrder{Order: order, Days: rapid.SampledFrom([]int{0, 5, 30}).Draw(t, "days")})
	case 8:
		if rapid.IntRange(0, 2).Draw(t, "sure") == 0 {
			m.ask(operator, lending.ChargeOffOrder{Order: order})
		}
	case 12:
		for _, key := range m.orders { // few are charged off
			if o := m.all.Orders[key]; o.Servicing.ChargedOff != 0 && rapid.Bool().Draw(t, "wrong") {
				m.ask(operator, lending.ReverseChargeOff{Order: key})
			}
		}
	case 13:
		m.reschedule(t, order)
	case 14:
		m.ask(operator, lending.ReviseSchedule{Order: order, Reamortize: true, Due: calendar.None})
	case 10:
		rates := map[credit.Bucket]money.Rate{credit.Bucket30: money.Rate(rapid.IntRange(0, money.RateScale).Draw(t, "rate"))}
		m.ask(operator, compliance.SetLender{ProvisionRates: rates})
	case 11:
		m.ask(operator, compliance.Provision{On: m.all.TheLender().NextProvision(), Principal: map[credit.Bucket]money.Amount{credit.Bucket30: amount(t, 50000)}})
	case 15:
		m.ask(operator, merchants.PayClawback{Merchant: shop.Merchant, Amount: amount(t, 20000)})
	case 9:
		m.ask(operator, lending.UpdateCompany{Company: rapid.SampledFrom(m.companies).Draw(t, "company"), Status: credit.CompanyApproved})
	}
}

// reschedule requests moving a row of an order, more often than not to a possible date.
func (m *market) reschedule(t *rapid.T, order string) {
	l := m.all.Loans[order]
	if l == nil {
		return
	}
	row := l.Rows[rapid.IntRange(min(l.Current, len(l.Rows)), len(l.Rows)).Draw(t, "row")-1]
	m.ask(operator, lending.ReviseSchedule{Order: order, Installment: row.Number, Due: row.DueDate.AddDays(rapid.IntRange(-20, 93).Draw(t, "moved by"))})
}

// verifyMerchants compares the merchants' accounts with their waiting lines: 2000 is what is
// to be paid, 1200 and 1210 what is to be netted (PO1, PO3).
func (m *market) verifyMerchants(bal func(merchant string, a ledger.Account) money.Amount) {
	m.t.Helper()
	for _, s := range m.shops {
		var payable, clawback, collected money.Amount
		for _, l := range m.all.Lines {
			switch {
			case l.Merchant != s.Merchant || !l.Waits():
			case l.Kind == credit.LineClawback:
				clawback += l.Amount
			case l.Kind == credit.LineCollected:
				collected += l.Amount
			default:
				payable += l.Amount
			}
		}
		for _, p := range m.all.Payouts {
			if p.Merchant == s.Merchant && p.Status == credit.PayoutPending {
				payable += p.Net
			}
		}
		got := []money.Amount{-bal(s.Merchant, ledger.MerchantPayable), bal(s.Merchant, ledger.ClawbackReceivable), bal(s.Merchant, ledger.DueFromMerchant)}
		if want := []money.Amount{payable, clawback, collected}; !slices.Equal(got, want) {
			m.t.Fatalf("%s: 2000, 1200 and 1210 hold %s, the lines %s", s.Client, got, want)
		}
	}
}

// Whatever happens between a charge-off and its reversal, the books agree with the records,
// and the records with a history in which nothing was charged off (F34).
func TestAnythingBeforeAReversal(t *testing.T) {
	reversed := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newMarket(t)
		for range 3 {
			m.ask(m.shops[0], m.draw(t))
			if len(m.orders) > 0 {
				m.ask(operator, lending.UpdateOrder{Order: m.orders[len(m.orders)-1], Status: credit.OrderCaptured})
			}
		}
		if len(m.orders) == 0 {
			return
		}
		for range 3 {
			m.step(t)
		}
		for _, key := range m.orders {
			m.ask(operator, lending.ChargeOffOrder{Order: key})
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			m.step(t)
		}
		for _, key := range m.orders {
			m.ask(operator, lending.ReverseChargeOff{Order: key})
		}
		for range 3 {
			m.step(t)
		}
		reversed += m.accepted["order.reverse_charge_off"]
	})
	if reversed == 0 {
		t.Error("no charge-off was reversed")
	}
}
