package credit_test

import (
	"slices"
	"strings"
	"testing"

	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
)

// drakon is a possible match of a name.
var drakon = []credit.Match{{Entry: "T-1", Name: "DRAKON", Score: 95}}

// Whoever gets a name is marked until all its names have been compared; names compared before
// the command are not marked.
func TestNamesAreMarked(t *testing.T) {
	w := newWorld(t)
	text := func(s string) *string { return &s }
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	id := w.buyer("Alder Kitchens", "1000.00", shop).ID
	marked := func() bool { return w.all.Companies[id].Servicing.Screened.Unscreened }
	compare := func(found []credit.Match, names ...string) credit.Changes {
		t.Helper()
		ch, r := w.do(operator, compliance.RecordScreening{Company: id, List: "v1", Names: names, Matches: found})
		if r != nil {
			t.Fatal(r)
		}
		return ch
	}
	if !marked() {
		t.Error("a new company is not marked")
	}
	version := w.all.Companies[id].Version
	if ch := compare(nil, "Alder Kitchens"); marked() || len(ch.Events) != 0 || w.all.Companies[id].Version != version {
		t.Errorf("compared: %t, events %+v, version %d after %d", marked(), ch.Events, w.all.Companies[id].Version, version)
	}
	if ch := compare(nil, "Alder Kitchens"); !ch.Empty() {
		t.Errorf("the same again: %+v", ch)
	}
	w.must(operator, lending.UpdateCompany{Company: id, Phone: text("+1 212 555 0142")})
	if marked() {
		t.Error("another telephone number marks a company")
	}
	w.must(operator, lending.UpdateCompany{Company: id, Title: text("Drakon Kitchens")})
	if compare(nil, "Alder Kitchens"); !marked() {
		t.Error("the comparison of its old name is one of its new name")
	}
	w.must(operator, lending.UpdateCompany{Company: id, LegalName: text("Drakon LLC")})
	if compare(drakon, "Drakon Kitchens"); !marked() || w.all.Companies[id].Status != credit.CompanyOnHold {
		t.Error("one of two names was compared: what it found is to be recorded, and the mark is to stay")
	}
	if compare(drakon, "Drakon Kitchens", "Drakon LLC"); marked() {
		t.Error("both names were compared, and it is marked")
	}
	none := &credit.Compared{List: "v1"}
	w.must(operator, lending.UpdateCompany{Company: id, Title: text("Alder Kitchens"), Compared: none})
	other := w.must(operator, lending.CreateCompany{Title: "Birch", Tier: "A", Status: credit.CompanyApproved, Compared: none}).(*credit.Company)
	if marked() || other.Servicing.Screened.Unscreened || other.Status != credit.CompanyApproved {
		t.Error("names that were compared before are marked")
	}
}

// A merchant's names are its own and its account holder's.
func TestNamesOfMerchantsAreMarked(t *testing.T) {
	w := newWorld(t)
	id := w.shop("Harbor Supply", lending.DefaultSettings()).Merchant
	bank := credit.BankAccount{Routing: "021000021", Last4: "1111", AccountType: "CHECKING", HolderType: "BUSINESS", HolderName: "Harbor Supply", Fingerprint: "f", Sealed: []byte("x")}
	marked := func() bool { return w.all.Merchants[id].Account.Screened.Unscreened }
	compare := func(names ...string) {
		w.must(operator, compliance.RecordScreening{Merchant: id, List: "v1", Names: names})
	}
	if !marked() {
		t.Error("a new merchant is not marked")
	}
	if compare("Harbor Supply"); marked() {
		t.Error("it was compared, and is marked")
	}
	w.must(operator, merchants.SetMerchantAccount{Merchant: id, Bank: &bank})
	if marked() {
		t.Error("an account of the same name marks a merchant")
	}
	other := bank
	other.HolderName = "Blackwater Basin"
	w.must(operator, merchants.SetMerchantAccount{Merchant: id, Bank: &other})
	if compare("Harbor Supply"); !marked() {
		t.Error("the holder's name was not compared, and the merchant is not marked")
	}
	if compare("Harbor Supply", "Blackwater Basin"); marked() {
		t.Error("both names were compared, and it is marked")
	}
	if names := w.all.Merchants[id].Names(); !slices.Equal(names, []string{"Harbor Supply", "Blackwater Basin"}) {
		t.Errorf("names %q", names)
	}
}

// A company that resembles a listed party never has a usable line, not even briefly: the
// command that creates or renames it puts it ON_HOLD (F29).
func TestListedNameAtOnboarding(t *testing.T) {
	w := newWorld(t)
	text := func(s string) *string { return &s }
	shop := w.shop("Harbor Supply", lending.DefaultSettings())
	found := &credit.Compared{List: "v1", Matches: drakon}
	x := w.must(operator, lending.CreateCompany{Title: "Drakon", Tier: "A", Status: credit.CompanyApproved, Limit: cents("900.00"), Merchants: []string{shop.Merchant}, Compared: found}).(*credit.Company)
	review := x.Servicing.Screened.Review
	if x.Status != credit.CompanyOnHold || x.StatusCode != credit.SanctionsReview || review == "" || w.all.Screenings[review].Company != x.ID {
		t.Fatalf("made: %+v", x)
	}
	if _, r := w.do(shop, lending.CreateOrder{Company: x.ID, Amount: cents("10.00"), Installments: 3, Authorize: true}); r == nil || r.Code != credit.CompanyNotEligible.Code {
		t.Errorf("it buys: %v", r)
	}
	w.must(operator, compliance.DecideScreening{Screening: review, Reason: "another Drakon"})
	if x = w.all.Companies[x.ID]; x.Status != credit.CompanyApproved {
		t.Errorf("cleared: %+v", x)
	}
	w.must(operator, lending.UpdateCompany{Company: x.ID, Title: text("Drakon & Sons"), Compared: found})
	if x = w.all.Companies[x.ID]; x.Status != credit.CompanyApproved || x.Servicing.Screened.Unscreened {
		t.Errorf("what was cleared is found again: %+v", x)
	}
	found.Matches = []credit.Match{{Entry: "T-2", Name: "VIKTOR", Score: 99}}
	w.must(operator, lending.UpdateCompany{Company: x.ID, LegalName: text("Viktor LLC"), Compared: found})
	if x = w.all.Companies[x.ID]; x.Status != credit.CompanyOnHold || w.all.Screenings[x.Servicing.Screened.Review].Matches[0].Entry != "T-2" {
		t.Errorf("renamed: %+v", x)
	}
	found.Matches = []credit.Match{{Entry: "T-3", Name: "BASIN", Score: 90}}
	w.must(operator, lending.UpdateCompany{Company: x.ID, Title: text("Basin"), Compared: found})
	if y := w.all.Companies[x.ID]; y.Servicing.Screened.Review != x.Servicing.Screened.Review || len(w.all.Screenings[y.Servicing.Screened.Review].Matches) != 2 {
		t.Errorf("renamed again: %+v", w.all.Screenings[y.Servicing.Screened.Review])
	}
}

// A person decides on a name while the company takes another: the decision does not cover the
// new name, and nothing continues before that has been compared.
func TestRenamedUnderReview(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, listed := range []bool{false, true} {
		w := newWorld(t)
		shop := w.shop("Harbor Supply", lending.DefaultSettings())
		id := w.buyer("Drakon", "1000.00", shop).ID
		x := w.must(operator, compliance.RecordScreening{Company: id, List: "v1", Names: []string{"Drakon"}, Matches: drakon}).(*credit.Screening)
		seen := []string{`"1"`} // what the person looks at
		w.must(operator, lending.UpdateCompany{Company: id, Title: text("Basin Trading")})
		w.must(operator, compliance.DecideScreening{Screening: x.ID, IfMatch: seen, Reason: "another Drakon"})
		c := w.all.Companies[id]
		if c.Status != credit.CompanyOnHold || credit.MoneyMayLeave(c) == nil {
			t.Errorf("before its new name was compared: %s, money may leave: %t", c.Status, credit.MoneyMayLeave(c) == nil)
		}
		var found []credit.Match
		if listed {
			found = []credit.Match{{Entry: "T-3", Name: "BASIN", Score: 97}}
		}
		w.must(operator, compliance.RecordScreening{Company: id, List: "v1", Names: []string{"Basin Trading"}, Matches: found})
		switch c = w.all.Companies[id]; {
		case listed && (c.Status != credit.CompanyOnHold || c.Servicing.Screened.Review == "" || credit.MoneyMayLeave(c) == nil):
			t.Errorf("its new name is listed: %+v", c)
		case !listed && (c.Status != credit.CompanyApproved || credit.MoneyMayLeave(c) != nil):
			t.Errorf("its new name is nobody's: %+v", c)
		}
	}
	// The new name was found before the person decided, so the decision was made without
	// seeing it.
	w := newWorld(t)
	id := w.buyer("Drakon", "1000.00", w.shop("Harbor Supply", lending.DefaultSettings())).ID
	x := w.must(operator, compliance.RecordScreening{Company: id, List: "v1", Names: []string{"Drakon"}, Matches: drakon}).(*credit.Screening)
	w.must(operator, lending.UpdateCompany{Company: id, Title: text("Basin Trading")})
	w.must(operator, compliance.RecordScreening{Company: id, List: "v1", Names: []string{"Basin Trading"}, Matches: []credit.Match{{Entry: "T-3", Name: "BASIN", Score: 97}}})
	if _, r := w.do(operator, compliance.DecideScreening{Screening: x.ID, IfMatch: []string{`"1"`}, Reason: "another Drakon"}); r == nil || r.Code != credit.PreconditionFailed.Code {
		t.Errorf("a match that nobody has seen is cleared: %v", r)
	}
}

// No payout is made to a merchant under names that have not been compared.
func TestPayoutToAnotherName(t *testing.T) {
	w := newWorld(t)
	w.at("2026-01-12")
	settings := lending.DefaultSettings()
	shop := w.shop("Harbor Supply", settings)
	id := w.buyer("Alder Kitchens", "1000.00", shop).ID
	w.must(operator, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: &credit.BankAccount{
		Routing: "021000021", Last4: "1111", AccountType: "CHECKING", HolderType: "BUSINESS", HolderName: "Basin", Fingerprint: "f", Sealed: []byte("x"),
	}})
	o := w.must(shop, lending.CreateOrder{Company: id, Amount: cents("600.00"), Installments: settings.Terms[0].Installments, Authorize: true}).(*credit.Order)
	w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	w.at("2026-01-13")
	for _, names := range [][]string{{"Harbor Supply"}, {"Basin"}, {}} {
		if ch, r := w.do(operator, merchants.PayMerchant{Merchant: shop.Merchant, Names: names}); r != nil || !ch.Empty() {
			t.Errorf("%q: %+v, %v", names, ch, r)
		}
	}
	if p, made := w.must(operator, merchants.PayMerchant{Merchant: shop.Merchant, Names: []string{"Harbor Supply", "Basin"}}).(*credit.Payout); !made || p.Net == 0 {
		t.Errorf("its own names: %+v", p)
	}
}

// Every command that brings a company name has it compared once, and no other command compares
// anything.
func TestWithCompared(t *testing.T) {
	var asked []string
	compare := func(names ...string) *credit.Compared {
		asked = append(asked, names...)
		return &credit.Compared{List: "v1"}
	}
	text := func(s string) *string { return &s }
	done := &credit.Compared{List: "v0"}
	for _, x := range []struct {
		c    credit.Command
		want string
		list string
	}{
		{lending.CreateCompany{Title: "Alder", LegalName: "Alder LLC"}, "Alder, Alder LLC", "v1"},
		{lending.CreateCompany{Title: "Alder", Compared: done}, "", "v0"},
		{lending.UpdateCompany{Title: text("Birch")}, "Birch", "v1"},
		{lending.UpdateCompany{LegalName: text("Birch LLC")}, "Birch LLC", "v1"},
		{lending.UpdateCompany{Title: text("Birch"), Compared: done}, "", "v0"},
		{lending.UpdateCompany{Phone: text("5")}, "", ""},
		{merchants.CreateMerchant{Title: "Harbor"}, "", ""},
	} {
		asked = nil
		got := ""
		switch c := lending.WithCompared(x.c, compare).(type) {
		case lending.CreateCompany:
			got = c.Compared.List
		case lending.UpdateCompany:
			if c.Compared != nil {
				got = c.Compared.List
			}
		}
		if strings.Join(asked, ", ") != x.want || got != x.list {
			t.Errorf("%+v: asked %q, compared with %q", x.c, asked, got)
		}
	}
	if c := lending.WithCompared(lending.CreateCompany{}, func(...string) *credit.Compared { return nil }).(lending.CreateCompany); c.Compared != nil {
		t.Error("no list has found something")
	}
}
