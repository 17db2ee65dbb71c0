package main

import (
	"fmt"
	"testing"

	"tenor/internal/proof/devtest"
)

// A ready company is suspended after thirty days, with a notice, and so is the demo's company
// 1000000008. Micro-deposits are 0.32 and 0.45; other amounts are wrong.
func TestReadyCompaniesThatTimeChanges(t *testing.T) {
	s, _ := devtest.NewShopper(t)
	s.API(200, "POST", "/v1/sandbox/clock/freeze", "{}")
	made := s.API(201, "POST", "/v1/sandbox/companies", `{"preset":"suspends_later"}`)["id"].(string)
	status := func(id string) string { return s.API(200, "GET", "/v2/companies/"+id, "")["status"].(string) }
	advance := func(span string) {
		s.API(200, "POST", "/v1/sandbox/clock/advance", `{"duration":"`+span+`"}`)
		s.Until("the clock is there", "/v1/sandbox/receivers", func([]map[string]any) bool { return s.API(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
	}
	advance("719h")
	for _, id := range []string{made, "1000000008"} {
		if got := status(id); got != "APPROVED" {
			t.Errorf("%s is %s after 719 hours", id, got)
		}
	}
	advance("2h")
	for _, id := range []string{made, "1000000008"} {
		if got := status(id); got != "SUSPENDED" {
			t.Errorf("%s is %s after 721 hours", id, got)
		}
	}
	if n := len(s.List("/v1/sandbox/mail?kind=NOTICE")); n != 2 {
		t.Errorf("%d notices", n)
	}
	if got := status("1000000010"); got != "CLOSED" {
		t.Errorf("1000000010 is %s", got)
	}

	const methods = "/v1/companies/1000000001/payment_methods"
	for i, c := range []struct {
		amounts, status string
	}{{"[0.32,0.45]", "ACTIVE"}, {"[0.31,0.45]", "UNVERIFIED"}, {"[0.45,0.46]", "UNVERIFIED"}} {
		m := s.API(201, "POST", methods, fmt.Sprintf(`{"type":"ACH","routing_number":"990000000","account_number":"7000000%02d","account_type":"CHECKING","holder_type":"BUSINESS",
			"holder_name":"A","verify":true,"authorization":{"channel":"WRITTEN","accepted_at":"2026-01-01T00:00:00Z"}}`, i))
		if m["status"] != "UNVERIFIED" {
			t.Errorf("%v", m)
		}
		advance("120h") // they have arrived
		r := s.API(200, "POST", methods+"/"+m["id"].(string)+"/verify", `{"amounts":`+c.amounts+`}`)
		if r["status"] != c.status {
			t.Errorf("%s: %v", c.amounts, r["status"])
		}
	}
}
