package httpapi_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// late formats what the company owes late and since when, as reported by its own resource
// and by the list of companies.
func (s *shop) late() string {
	s.t.Helper()
	one := s.must(200, "shop", "GET", fmt.Sprintf("/v2/companies/%d", s.company), "").body
	list := s.must(200, "shop", "GET", "/v1/companies", "").body["data"].([]any)[0].(map[string]any)
	for _, member := range []string{"past_due_amount", "days_past_due"} {
		if fmt.Sprint(one[member]) != fmt.Sprint(list[member]) {
			s.t.Errorf("%s %v, in the list %v", member, one[member], list[member])
		}
	}
	return fmt.Sprint(one["past_due_amount"], " ", one["days_past_due"])
}

// total formats a schedule's status and sums.
func (s *shop) total(key string) string {
	s.t.Helper()
	r := s.must(200, "shop", "GET", "/payments/schedule/"+key, "").body
	return fmt.Sprint(r["status"], " paid ", r["total_paid"], " late ", r["past_due_amount"])
}

// captured creates a captured order of 300.00 over three installments at 12 %.
func (s *shop) captured() string {
	s.t.Helper()
	key := s.order(`{"company_id":%d,"amount":300,"installments":3,"status":"AUTHORIZED"}`, s.company)
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	return key
}

// sameAfterService checks that a read returns the same before and after the order is
// serviced.
func (s *shop) sameAfterService(key string, read func() []string, want ...string) {
	s.t.Helper()
	equalLines(s.t, "before", read(), want)
	s.must(200, "ops", "POST", "/v1/operator/order/"+key+"/service", "")
	equalLines(s.t, "after", read(), want)
}

// A buyer whose money is held for the installment that fell due is not late, although no
// command has applied it yet (F36, F37).
func TestHeldMoneyIsNotShownLate(t *testing.T) {
	s := open(t)
	key := s.captured()
	s.must(201, "ops", "POST", "/payment", `{"order_key":"`+key+`","amount":150,"method":"WIRE","hold_excess":true}`)
	payoff := func() string {
		r := s.must(200, "shop", "GET", "/v1/order/"+key+"/payoff?date=2026-02-20", "").body
		return fmt.Sprint(r["amount"], " principal ", r["principal"], " charge ", r["finance_charge"])
	}
	s.at("2026-02-20")
	s.sameAfterService(key, func() []string {
		return append(s.rows(key), s.total(key), s.late(), payoff())
	},
		"1 2026-02-10 99.01 3.00 102.01 PAID",
		"2 2026-03-10 100.00 2.01 0.00 UPCOMING",
		"3 2026-04-10 100.99 1.01 0.00 UPCOMING",
		"ACTIVE paid 102.01 late 0.00",
		"0.00 0",
		"201.71 principal 200.99 charge 0.72",
	)
	// The rest of the money covers part of the second installment.
	s.at("2026-03-15")
	s.sameAfterService(key, func() []string { return append(s.rows(key)[:2], s.total(key), s.late()) },
		"1 2026-02-10 99.01 3.00 102.01 PAID",
		"2 2026-03-10 100.00 2.01 47.99 OVERDUE",
		"OVERDUE paid 150.00 late 54.02",
		"54.02 5",
	)
}

// Held money helps only its own order, and the days count from the oldest row that is still
// late.
func TestHeldMoneyOfOneOrder(t *testing.T) {
	s := open(t)
	with := s.captured()
	s.must(201, "ops", "POST", "/payment", `{"order_key":"`+with+`","amount":150,"method":"WIRE","hold_excess":true}`)
	s.at("2026-01-17")
	without := s.captured()
	for _, x := range []struct{ day, late string }{
		{"2026-02-10", "0.00 0"},
		{"2026-02-11", "0.00 0"},
		{"2026-02-17", "0.00 0"},
		{"2026-02-18", "102.01 1"},
		{"2026-02-28", "102.01 11"},
		{"2026-03-10", "102.01 21"},
		{"2026-03-11", "156.03 22"},
	} {
		s.at(x.day)
		if got := s.late(); got != x.late {
			t.Errorf("on %s: %s, want %s", x.day, got, x.late)
		}
	}
	s.at("2026-03-15")
	s.sameAfterService(with, func() []string { return []string{s.late(), s.total(with), s.total(without)} },
		"156.03 26", "OVERDUE paid 150.00 late 54.02", "OVERDUE paid 0.00 late 102.01")
}

// Credit that is not held pays nothing by itself, so it changes no read.
func TestCreditThatIsNotHeldPaysNothing(t *testing.T) {
	s := open(t)
	paid := s.captured()
	s.must(201, "ops", "POST", "/payment", `{"order_key":"`+paid+`","amount":400,"method":"WIRE"}`)
	s.captured()
	s.at("2026-02-20")
	if got := s.late(); got != "102.01 10" {
		t.Errorf("late %s", got)
	}
}

// The schedule's status is that of its rows today. The order's changes only with commands.
func TestScheduleStatusIsOfToday(t *testing.T) {
	s := open(t)
	key := s.captured()
	s.at("2026-02-11")
	if got := s.total(key); got != "OVERDUE paid 0.00 late 102.01" {
		t.Error(got)
	}
	if o := s.must(200, "shop", "GET", "/v1/order/"+key, ""); o.body["financing_status"] != "ACTIVE" {
		t.Errorf("order %v", o.body["financing_status"])
	}
}

// Month ends are posted where the merchant's program says so, each on its own day, by the
// first command after it (F7).
func TestMonthEndPostings(t *testing.T) {
	s := open(t)
	settings := lending.DefaultSettings()
	settings.AccrualPosting = credit.MonthEnd
	s.submit(merchants.AddProgram{Merchant: s.merchant, From: s.zone.Date(s.clock()).AddDays(1), Settings: settings})
	s.at("2026-01-11")
	key := s.order(`{"company_id":%d,"amount":%s,"installments":3,"status":"AUTHORIZED"}`, s.company, money.MustParse("300.00"))
	s.must(200, "shop", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	s.at("2026-02-20")
	s.must(200, "ops", "POST", "/v1/operator/order/"+key+"/service", "")
	got := s.postings(key)
	equalLines(t, "postings", got[len(got)-2:], []string{
		"2026-01-31 FINANCE_CHARGE_ACCRUED: D 1110 1.94 C 4000 1.94",
		"2026-02-11 FINANCE_CHARGE_ACCRUED: D 1110 1.06 C 4000 1.06",
	})
}
