package credit

import (
	"fmt"
	"testing"
)

// What staff correct of a company is told to the merchants that may use it.
func TestCompanyDetails(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", DefaultSettings())
	id := w.buyer("Alder Kitchens", "1000.00", shop).ID
	text := func(s string) *string { return &s }
	ch, r := w.do(operator, UpdateCompany{
		Company: id, IfMatch: []string{`"1"`}, Title: text("Alder & Daughters"), Phone: text("+1 212 555 0142"),
		BillingAddress: &MapPatch[string]{Members: map[string]*string{"city": text("Troy"), "state": text("NY"), "street": nil}},
	})
	if r != nil {
		t.Fatal(r)
	}
	x := ch.Result.(*Company)
	if x.Name != "Alder & Daughters" || x.Phone != "+1 212 555 0142" || x.BillingAddress != (CompanyAddress{City: "Troy", State: "NY"}) || x.Version != 2 {
		t.Errorf("company %+v", x)
	}
	if len(ch.Events) != 1 || ch.Events[0].Type != CompanyUpdatedEvent || ch.Events[0].Previous["name"] != "Alder Kitchens" ||
		ch.Events[0].Previous["billing_address"] != (CompanyAddress{}) || len(ch.Events[0].Readers) != 1 {
		t.Errorf("events %+v", ch.Events)
	}
	again := UpdateCompany{Company: id, Title: text("Alder & Daughters"), BillingAddress: &MapPatch[string]{Members: map[string]*string{"city": text("Troy")}}}
	if ch, r := w.do(operator, again); r != nil || !ch.Empty() {
		t.Errorf("the same again: %+v, %v", ch, r)
	}
	if x := w.must(operator, UpdateCompany{Company: id, BillingAddress: &MapPatch[string]{Null: true}}).(*Company); x.BillingAddress != (CompanyAddress{}) {
		t.Errorf("address %+v", x.BillingAddress)
	}
}

func TestCompanyIsNotChanged(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		name   string
		status CompanyStatus
		cmd    UpdateCompany
		code   string
	}{
		{"a stale version", CompanyApproved, UpdateCompany{IfMatch: []string{`"7"`}, Status: CompanyOnHold}, "precondition_failed"},
		{"no version that could match", CompanyApproved, UpdateCompany{IfMatch: []string{}, Title: text("x")}, "precondition_failed"},
		{"a hold on one that is declined", CompanyDeclined, UpdateCompany{Status: CompanyOnHold, From: []CompanyStatus{CompanyApproved}}, "company_not_eligible"},
		{"a release of one that is declined", CompanyDeclined, UpdateCompany{Status: CompanyApproved, From: []CompanyStatus{CompanyOnHold, CompanySuspended}}, "company_not_eligible"},
		{"a release of one that is closed", CompanyClosed, UpdateCompany{Status: CompanyApproved, From: []CompanyStatus{CompanyClosed}}, "company_not_eligible"},
		{"state before rule", CompanyClosed, UpdateCompany{Status: CompanyApproved, Tier: "Z"}, "company_not_eligible"},
		{"no name", CompanyApproved, UpdateCompany{Title: text("")}, "validation_failed"},
		{"another tier", CompanyApproved, UpdateCompany{Tier: "D"}, "validation_failed"},
	} {
		w := newWorld(t)
		c := CreateCompany{Title: "Alder Kitchens", Status: tt.status, Tier: "A", Limit: cents("1000.00")}
		tt.cmd.Company = w.must(operator, c).(*Company).ID
		before := fmt.Sprintf("%+v", *w.all.Companies[tt.cmd.Company])
		_, r := w.do(operator, tt.cmd)
		if r == nil || r.Code != tt.code {
			t.Errorf("%s: %v, want %s", tt.name, r, tt.code)
		}
		if got := fmt.Sprintf("%+v", *w.all.Companies[tt.cmd.Company]); got != before {
			t.Errorf("%s: the company is now %s", tt.name, got)
		}
	}
	w := newWorld(t)
	id := w.must(operator, CreateCompany{Title: "Alder Kitchens", Status: CompanyOnHold, Tier: "A", Limit: cents("1000.00")}).(*Company).ID
	if x := w.must(operator, UpdateCompany{Company: id, Status: CompanyApproved, From: []CompanyStatus{CompanyOnHold}}).(*Company); x.Status != CompanyApproved {
		t.Errorf("released to %s", x.Status)
	}
}
