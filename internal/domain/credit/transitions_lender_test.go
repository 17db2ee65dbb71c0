package credit_test

import (
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
)

// Every state of an order with every command of the lender on it (T1).
func TestLenderTransitions(t *testing.T) {
	compareCells(t, "testdata/lender.csv", states(), []request{
		{"hold", func(s *scene) credit.Command { return lending.HoldOrder{Order: s.order, Days: 5} }},
		{"end hold", func(s *scene) credit.Command { return lending.HoldOrder{Order: s.order} }},
		{"re-schedule", func(s *scene) credit.Command {
			return lending.ReviseSchedule{Order: s.order, Installment: 2, Due: calendar.MustParse("2026-05-01")}
		}},
		{"re-amortize", func(s *scene) credit.Command {
			return lending.ReviseSchedule{Order: s.order, Due: calendar.None, Reamortize: true}
		}},
		{"charge off", func(s *scene) credit.Command { return lending.ChargeOffOrder{Order: s.order} }},
		{"reverse a charge-off", func(s *scene) credit.Command { return lending.ReverseChargeOff{Order: s.order} }},
		{"waive a fee that is not there", func(s *scene) credit.Command { return lending.WaiveFee{Order: s.order, Fee: "fee_none"} }},
		{"pay the merchant", func(s *scene) credit.Command { return merchants.PayMerchant{Merchant: s.owner.Merchant} }},
		{"pay nobody", func(*scene) credit.Command { return merchants.PayMerchant{Merchant: "mch_none"} }},
		{"age", func(s *scene) credit.Command { return merchants.AgeClawbacks{Merchant: s.owner.Merchant} }},
		{"remit", func(s *scene) credit.Command {
			return merchants.RemitCollected{Merchant: s.owner.Merchant, Amount: 1000}
		}},
		{"hold payouts", func(s *scene) credit.Command {
			return merchants.HoldPayouts{Merchant: s.owner.Merchant, Reason: "review"}
		}},
		{"let payouts go", func(s *scene) credit.Command { return merchants.HoldPayouts{Merchant: s.owner.Merchant} }},
		{"fund", func(*scene) credit.Command { return compliance.MoveFunding{Amount: 1000, Reference: "wire"} }},
	})
}
