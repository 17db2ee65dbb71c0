package client

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenor/internal/edge/resource"
)

// members are the names under which a type is written, those of what it embeds too.
func members(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			names = append(names, members(f.Type)...)
		case name != "" && name != "-":
			names = append(names, name)
		}
	}
	return names
}

// Whatever the operator's resources and the refunds of an order show, this client's types have: nobody has to look
// into the raw answer.
func TestNoMemberIsForgotten(t *testing.T) {
	for _, c := range []struct{ served, ours any }{
		{resource.Alarm{}, Alarm{}}, {resource.BankLine{}, BankLine{}}, {resource.BankLinesTaken{}, BankLinesTaken{}}, {resource.BankMatch{}, BankMatch{}},
		{resource.BankNotice{}, BankNotice{}}, {resource.BankOpenItem{}, BankOpenItem{}}, {resource.BankClearing{}, BankClearing{}}, {resource.BankReconciliation{}, BankReconciliation{}},
		{resource.Credit{}, Credit{}}, {resource.LoggedRequest{}, LoggedRequest{}}, {resource.LoggedBody{}, LoggedBody{}}, {resource.KeyHistory{}, KeyHistory{}}, {resource.Lender{}, Lender{}}, {resource.Match{}, ScreeningMatch{}}, {resource.Notice{}, Notice{}}, {resource.Party{}, Party{}}, {resource.Payment{}, Payment{}},
		{resource.PersonalApplication{}, Application{}}, {resource.ApplicationBusiness{}, ApplicationBusiness{}}, {resource.ApplicationNotice{}, ApplicationNotice{}}, {resource.NoticeLetter{}, NoticeLetter{}},
		{resource.Applicant{}, Applicant{}}, {resource.Owner{}, Owner{}}, {resource.Wanted{}, ApplicationInformation{}}, {resource.Checkout{}, Checkout{}}, {resource.Document{}, Document{}},
		{resource.ReadReviewedCase{}, Case{}}, {resource.CaseNote{}, CaseNote{}},
		{resource.NamedPerson{}, Person{}}, {resource.CompanyAgreement{}, CompanyAgreement{}}, {resource.MasterAgreement{}, MasterAgreement{}}, {resource.AgreementSign{}, AgreementSigns{}},
		{resource.Disclosure{}, Disclosure{}}, {resource.DisclosedPayment{}, DisclosedPayment{}}, {resource.Agreement{}, Agreement{}},
		{resource.Refund{}, Refund{}}, {resource.RefundItem{}, RefundItem{}}, {resource.Promotion{}, Promotion{}}, {resource.Screening{}, Screening{}}, {resource.Transfer{}, Transfer{}},
	} {
		ours := members(reflect.TypeOf(c.ours))
		for _, name := range members(reflect.TypeOf(c.served)) {
			if !slices.Contains(ours, name) {
				t.Errorf("%T has no %s", c.ours, name)
			}
		}
	}
}
