package trade

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/schedule"
)

// A program contains what its file says, and the defaults for what it leaves out.
func TestReadSettings(t *testing.T) {
	s, err := readSettings([]byte(`{"due_day":15,"terms":[
		{"installments":1,"plan":"NET30"},
		{"installments":6,"plan":"AMORTIZED","annual_rate":"0.100000","merchant_discount_rate":"0.020000"},
		{"installments":12,"plan":"AMORTIZED","annual_rate":"0.100000"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []credit.Term{
		{Installments: 1, Plan: schedule.Net30},
		{Installments: 6, Plan: schedule.Amortized, AnnualRate: 100000, DiscountRate: 20000},
		{Installments: 12, Plan: schedule.Amortized, AnnualRate: 100000},
	}
	if len(s.Terms) != len(want) {
		t.Fatalf("%d terms", len(s.Terms))
	}
	for i := range want {
		if s.Terms[i] != want[i] {
			t.Errorf("term %d is %+v, want %+v", i, s.Terms[i], want[i])
		}
	}
	if d := lending.DefaultSettings(); s.DueDay != 15 || s.RefundWindowDays != d.RefundWindowDays || s.TierRates["A"] != d.TierRates["A"] {
		t.Errorf("the rest is %+v", s)
	}
	for _, text := range []string{`{"late_fee_grase_days":3}`, `{"Due_Day":3}`, `{"due_day":3,"due_day":4}`, `{"due_day":3}{}`, `[]`, ``} {
		if _, err := readSettings([]byte(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
	if s, err := readSettings([]byte(`{}`)); err != nil || len(s.Terms) != len(lending.DefaultSettings().Terms) {
		t.Errorf("nothing gives %d terms, %v", len(s.Terms), err)
	}
}
