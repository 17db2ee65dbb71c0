package credit_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// Corrections to a company by staff are reported to the merchants that may use it.
func TestCompanyDetails(t *testing.T) {
	w := newWorld(t)
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	id := w.buyer("Alder Kitchens", "1000.00", shop).ID
	text := func(s string) *string { return &s }
	ch, r := w.do(operator, lending.UpdateCompany{
		Company: id, IfMatch: []string{`"1"`}, Title: text("Alder & Daughters"), Phone: text("+1 212 555 0142"),
		BillingAddress: &lending.MapPatch[string]{Members: map[string]*string{"city": text("Troy"), "state": text("NY"), "street": nil}},
	})
	if r != nil {
		t.Fatal(r)
	}
	x := ch.Result.(*credit.Company)
	if x.Name != "Alder & Daughters" || x.Phone != "+1 212 555 0142" || x.BillingAddress != (credit.CompanyAddress{City: "Troy", State: "NY"}) || x.Version != 2 {
		t.Errorf("company %+v", x)
	}
	if len(ch.Events) != 1 || ch.Events[0].Type != credit.CompanyUpdatedEvent || ch.Events[0].Previous["name"] != "Alder Kitchens" ||
		ch.Events[0].Previous["billing_address"] != (credit.CompanyAddress{}) || len(ch.Events[0].Readers) != 1 {
		t.Errorf("events %+v", ch.Events)
	}
	again := lending.UpdateCompany{Company: id, Title: text("Alder & Daughters"), BillingAddress: &lending.MapPatch[string]{Members: map[string]*string{"city": text("Troy")}}}
	if ch, r := w.do(operator, again); r != nil || !ch.Empty() {
		t.Errorf("the same again: %+v, %v", ch, r)
	}
	if x := w.must(operator, lending.UpdateCompany{Company: id, BillingAddress: &lending.MapPatch[string]{Null: true}}).(*credit.Company); x.BillingAddress != (credit.CompanyAddress{}) {
		t.Errorf("address %+v", x.BillingAddress)
	}
}

func TestCompanyIsNotChanged(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, tt := range []struct {
		name   string
		status credit.CompanyStatus
		cmd    lending.UpdateCompany
		code   string
	}{
		{"a stale version", credit.CompanyApproved, lending.UpdateCompany{IfMatch: []string{`"7"`}, Status: credit.CompanyOnHold}, "precondition_failed"},
		{"no version that could match", credit.CompanyApproved, lending.UpdateCompany{IfMatch: []string{}, Title: text("x")}, "precondition_failed"},
		{"a hold on one that is declined", credit.CompanyDeclined, lending.UpdateCompany{Status: credit.CompanyOnHold, From: []credit.CompanyStatus{credit.CompanyApproved}}, "company_not_eligible"},
		{"a release of one that is declined", credit.CompanyDeclined, lending.UpdateCompany{Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended}}, "company_not_eligible"},
		{"a release of one that is closed", credit.CompanyClosed, lending.UpdateCompany{Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyClosed}}, "company_not_eligible"},
		{"state before rule", credit.CompanyClosed, lending.UpdateCompany{Status: credit.CompanyApproved, Tier: "Z"}, "company_not_eligible"},
		{"no name", credit.CompanyApproved, lending.UpdateCompany{Title: text("")}, "validation_failed"},
		{"another tier", credit.CompanyApproved, lending.UpdateCompany{Tier: "D"}, "validation_failed"},
	} {
		w := newWorld(t)
		c := lending.CreateCompany{Title: "Alder Kitchens", Status: tt.status, Tier: "A", Limit: cents("1000.00")}
		tt.cmd.Company = w.must(operator, c).(*credit.Company).ID
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
	id := w.must(operator, lending.CreateCompany{Title: "Alder Kitchens", Status: credit.CompanyOnHold, Tier: "A", Limit: cents("1000.00")}).(*credit.Company).ID
	if x := w.must(operator, lending.UpdateCompany{Company: id, Status: credit.CompanyApproved, From: []credit.CompanyStatus{credit.CompanyOnHold}}).(*credit.Company); x.Status != credit.CompanyApproved {
		t.Errorf("released to %s", x.Status)
	}
}
