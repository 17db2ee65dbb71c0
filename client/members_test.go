package client

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"tenor/internal/wire"
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
	for _, c := range []struct{ wire, ours any }{
		{wire.Alarm{}, Alarm{}}, {wire.BankLine{}, BankLine{}}, {wire.BankLinesTaken{}, BankLinesTaken{}}, {wire.BankMatch{}, BankMatch{}},
		{wire.BankNotice{}, BankNotice{}}, {wire.BankOpenItem{}, BankOpenItem{}}, {wire.BankClearing{}, BankClearing{}}, {wire.BankReconciliation{}, BankReconciliation{}},
		{wire.Credit{}, Credit{}}, {wire.LoggedRequest{}, LoggedRequest{}}, {wire.LoggedBody{}, LoggedBody{}}, {wire.KeyHistory{}, KeyHistory{}}, {wire.Lender{}, Lender{}}, {wire.Match{}, ScreeningMatch{}}, {wire.Notice{}, Notice{}}, {wire.Party{}, Party{}}, {wire.Payment{}, Payment{}},
		{wire.PersonalApplication{}, Application{}}, {wire.ApplicationBusiness{}, ApplicationBusiness{}}, {wire.ApplicationNotice{}, ApplicationNotice{}}, {wire.NoticeLetter{}, NoticeLetter{}},
		{wire.Applicant{}, Applicant{}}, {wire.Owner{}, Owner{}}, {wire.Wanted{}, ApplicationInformation{}}, {wire.Checkout{}, Checkout{}}, {wire.Document{}, Document{}},
		{wire.ReadReviewedCase{}, Case{}}, {wire.CaseNote{}, CaseNote{}},
		{wire.NamedPerson{}, Person{}}, {wire.CompanyAgreement{}, CompanyAgreement{}}, {wire.MasterAgreement{}, MasterAgreement{}}, {wire.AgreementSign{}, AgreementSigns{}},
		{wire.Disclosure{}, Disclosure{}}, {wire.DisclosedPayment{}, DisclosedPayment{}}, {wire.Agreement{}, Agreement{}},
		{wire.Refund{}, Refund{}}, {wire.RefundItem{}, RefundItem{}}, {wire.Promotion{}, Promotion{}}, {wire.Screening{}, Screening{}}, {wire.Transfer{}, Transfer{}},
	} {
		ours := members(reflect.TypeOf(c.ours))
		for _, name := range members(reflect.TypeOf(c.wire)) {
			if !slices.Contains(ours, name) {
				t.Errorf("%T has no %s", c.ours, name)
			}
		}
	}
}
