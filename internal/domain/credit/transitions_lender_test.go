package credit

import (
	"testing"

	"tenor/internal/domain/calendar"
)

// Every state of an order meets every command of the lender on it (T1).
func TestLenderTransitions(t *testing.T) {
	compareCells(t, "testdata/lender.csv", states(), []request{
		{"hold", func(s *scene) Command { return HoldOrder{Order: s.order, Days: 5} }},
		{"end hold", func(s *scene) Command { return HoldOrder{Order: s.order} }},
		{"re-schedule", func(s *scene) Command {
			return ReviseSchedule{Order: s.order, Installment: 2, Due: calendar.MustParse("2026-05-01")}
		}},
		{"re-amortize", func(s *scene) Command { return ReviseSchedule{Order: s.order, Due: calendar.None, Reamortize: true} }},
		{"charge off", func(s *scene) Command { return ChargeOffOrder{Order: s.order} }},
		{"reverse a charge-off", func(s *scene) Command { return ReverseChargeOff{Order: s.order} }},
		{"waive a fee that is not there", func(s *scene) Command { return WaiveFee{Order: s.order, Fee: "fee_none"} }},
		{"pay the merchant", func(s *scene) Command { return PayMerchant{Merchant: s.owner.Merchant} }},
		{"pay nobody", func(*scene) Command { return PayMerchant{Merchant: "mch_none"} }},
		{"age", func(s *scene) Command { return AgeClawbacks{Merchant: s.owner.Merchant} }},
		{"remit", func(s *scene) Command { return RemitCollected{Merchant: s.owner.Merchant, Amount: 1000} }},
		{"hold payouts", func(s *scene) Command { return HoldPayouts{Merchant: s.owner.Merchant, Reason: "review"} }},
		{"let payouts go", func(s *scene) Command { return HoldPayouts{Merchant: s.owner.Merchant} }},
		{"fund", func(*scene) Command { return MoveFunding{Amount: 1000, Reference: "wire"} }},
	})
}
