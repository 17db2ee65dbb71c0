package pagetest

import (
	"encoding/json"
	"strings"
	"testing"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// asksForLine is a business that the policy leaves to a person.
const asksForLine = `{"applicant":{"first_name":"Ada","last_name":"Ruiz","title":"Owner","email":"ada@ruiz-kitchens.example","phone":"+1 503 555 0142"},
	"business":{"legal_name":"Ruiz Kitchens LLC","entity_type":"LLC","ein":"00-0000003","formed_on":"2018-05-01","state_of_formation":"OR",
	"address":{"street":"27 Cannery Street","city":"Portland","state":"OR","postal_code":"97209","country":"US"},"phone":"+1 503 555 0142","industry":"Restaurants","annual_revenue":480000.00},
	"owners":[{"first_name":"Ada","last_name":"Ruiz","ownership_percent":60,"control_person":true,"birth_date":"1980-05-31","address":{"street":"12 Elm Street","city":"Portland","state":"OR","postal_code":"97209","country":"US"}}],
	"requested_limit":10000.00,"consents":{"credit_check":true,"electronic_records":true,"accepted_at":"2026-01-05T14:00:00Z"}}`

// An underwriter approves an application with less than was asked for and looks at a company and at
// a payment, finance looks at the books and payouts, an auditor at the log: wide and light, and, at
// night, narrow and dark.
func TestConsoleDayInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	c := &clerk{w, ""}
	var body fields
	if err := json.Unmarshal([]byte(asksForLine), &body); err != nil {
		t.Fatal(err)
	}
	application := c.must(t, "POST", "/v1/applications", body)["id"].(string)
	o := sold(t, w, "PO-9000")
	payment := c.must(t, "POST", "/payment", fields{"order_key": o.Key, "amount": 100, "method": "CHECK", "reference": "1042"})["id"].(string)
	views := []browsertest.View{{Width: 1360}, {Width: 390, Dark: true}}
	for _, v := range views[:suite.By(1, 2)] {
		s := &clerkTab{Tab: b.Tab(t, v), t: t, w: w, view: v}
		at := w.URL + "/console/applications/" + application
		s.as("underwriter")
		s.looks("home")
		s.Go(w.URL + "/console/applications")
		s.looks("applications")
		s.Go(at)
		s.looks("application")
		s.Go(at + "/act/approve")
		if v.Dark {
			s.looks("approve what is decided")
		} else {
			s.Fill("amount", "6000.00")
			s.Fill("reason", "Steady deposits, short history")
			s.Press("Show what changes")
			s.looks("approve without a reason for less")
			browsertest.Eval[bool](s.Tab, "document.getElementById('cause1').value = 'time_in_business', true")
			s.Press("Show what changes")
			s.looks("approve")
			s.Press("Approve a line of $6,000.00")
			s.Await(at)
			s.looks("approved")
		}
		s.Go(w.URL + "/console/companies")
		s.looks("companies")
		s.Go(w.URL + "/console/companies/1000000001")
		s.looks("company")
		s.Go(w.URL + "/console/companies/1000000001/act/line")
		s.looks("line")
		s.Go(w.URL + "/console/companies/1000000001/accounts")
		s.looks("accounts")
		s.Go(w.URL + "/console/payments")
		s.looks("payments")
		s.Go(w.URL + "/console/payments/" + payment)
		s.looks("payment")
		s.as("finance")
		s.byKeys(o.Key)
		s.Go(w.URL + "/console/keys")
		s.looks("keys")
		s.Go(w.URL + "/console/ledger")
		s.looks("ledger")
		s.Go(w.URL + "/console/ledger/1100")
		s.looks("account")
		s.Go(w.URL + "/console/payouts")
		s.looks("payouts")
		s.Go(w.URL + "/console/reports")
		s.looks("reports")
		s.Go(w.URL + "/console/reports/aging/CURRENT")
		s.looks("orders of a bucket")
		s.Go(w.URL + "/console/reports/cash")
		s.looks("cash")
		s.Go(w.URL + "/console/reports/collections")
		s.looks("collections")
		s.Go(w.URL + "/console/reports/exposure")
		s.looks("exposure")
		s.Go(w.URL + "/console/merchants/" + w.Merchant)
		s.looks("merchant")
		s.as("auditor")
		s.Go(w.URL + "/console/audit")
		s.looks("audit")
		browsertest.Eval[bool](s.Tab, "document.querySelector('main tbody a').click(), true")
		s.Await("/console/audit/")
		s.looks("audit row")
		s.Go(w.URL + "/console/people/go-live")
		s.looks("before going live")
	}
}

// byKeys finds an order and comes to the page that refunds it without a pointer. What is typed into
// the search leads nowhere else.
func (s *clerkTab) byKeys(order string) {
	s.t.Helper()
	s.Key("g")
	s.Key("c")
	s.Await("/console/companies")
	s.Slash()
	s.Key("go" + order)
	if got := s.Value("q"); got != "go"+order || !strings.HasSuffix(s.URL(), "/console/companies") {
		s.t.Errorf("typed %q into the search at %s", got, s.URL())
	}
	s.Go(s.w.URL + "/console/orders")
	s.Key("j")
	s.Key("j")
	s.Key("k")
	if f := s.Focus(); !f.Ring || f.Tag != "A" {
		s.t.Errorf("j and k lead to %+v", f)
	}
	s.Enter()
	s.Await("/console/orders/ord_")
	s.Go(s.w.URL + "/console/orders/" + order)
	s.Key("e")
	s.Await("/act/refund")
	s.Go(s.w.URL + "/console")
	s.Key("?")
	s.Await("/console/keys")
}
