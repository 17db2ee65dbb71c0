package contracttest

import (
	"context"
	"fmt"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/httpapi/sandboxapi"
	"tenor/internal/office/buyer"
)

// aFile begins like a PDF.
const aFile = "%PDF-1.4\n%%EOF\n"

// form is an application with a sandbox tax number.
func (w *world) form(ein string) buyer.Form {
	place := credit.CompanyAddress{Street: "12 Canal St", City: "New York", State: "NY", PostalCode: "10013", Country: "US"}
	return buyer.Form{
		Kind: underwriting.New, Requested: money.MustParse("10000.00"),
		Applicant: buyer.Applicant{FirstName: "Ada", LastName: "Marsh", Email: fmt.Sprintf("ada-%d@alder.example", w.named), Title: "Owner"},
		Owners:    []buyer.Owner{{FirstName: "Ada", LastName: "Marsh", BirthDate: calendar.MustParse("1980-03-14"), Address: place, Percent: 100, Control: true}},
		Business: buyer.Business{
			LegalName: "Alder Kitchens LLC", EntityType: underwriting.LLC, EIN: ein, FormedOn: calendar.MustParse("2018-05-01"), StateOfFormation: "NY",
			Address: place, Phone: "+1 212 555 0101", AnnualRevenue: money.MustParse("1000000.00"),
		},
		Consents: buyer.Consents{CreditCheck: true, ElectronicRecords: true, AcceptedAt: w.business()},
	}
}

// application creates a merchant's undecided application.
func (w *world) application(merchant string) string {
	w.tb.Helper()
	w.named++
	c, err := w.service.Desk.Application(w.form("00-0000003"), buyer.Through{})
	if err != nil {
		w.tb.Fatal(err)
	}
	return w.act(merchant, c).(*credit.Application).ID
}

// inReview creates one whose facts are complete.
func (w *world) inReview(merchant string) string {
	w.tb.Helper()
	id := w.application(merchant)
	if err := w.service.Desk.Decide(context.Background(), id); err != nil {
		w.tb.Fatal(err)
	}
	return id
}

// declined creates one with a notice due.
func (w *world) declined(merchant string) string {
	w.tb.Helper()
	w.lender("Harbor Credit")
	id := w.inReview(merchant)
	w.act("", onboarding.DecideApplication{Application: id, Reasons: []string{"credit_score"}})
	return id
}

// document creates an application with a file, and returns both IDs.
func (w *world) document(merchant string) string {
	w.tb.Helper()
	id := w.application(merchant)
	filed, secret := w.service.Desk.Filed(buyer.Paper{ContentType: mediaPDF, Data: []byte(aFile)})
	return id + "/" + w.act(merchant, onboarding.AttachDocument{Application: id, Paper: filed, Secrets: []credit.Secret{secret}}).(*credit.Document).ID
}

// checkout creates a merchant's checkout.
func (w *world) checkout(merchant string) *credit.Checkout {
	w.tb.Helper()
	c := onboarding.CreateCheckout{Amount: money.MustParse("1200.00"), Mode: onboarding.ModeRedirect, ReturnURL: "https://shop.example/", CancelURL: "https://shop.example/"}
	if err := w.service.Desk.Address(&c); err != nil {
		w.tb.Fatal(err)
	}
	return w.act(merchant, c).(*credit.Checkout)
}

// accepted creates one that a buyer has accepted.
func (w *world) accepted(merchant string) *credit.Checkout {
	w.tb.Helper()
	w.named++
	x := w.checkout(merchant)
	if err := w.service.Desk.Stand(context.Background(), buyer.Stand{
		Checkout: x.ID, Email: fmt.Sprintf("buyer-%d@alder.example", w.named), Installments: 6, Papers: sandboxapi.API{Service: w.service}.PapersOf,
	}); err != nil {
		w.tb.Fatal(err)
	}
	return x
}

// dispute creates a merchant's case, for a company below its limits.
func (w *world) dispute(merchant string) string {
	w.tb.Helper()
	o := w.act(merchant, lending.CreateOrder{Company: w.newCompany(merchant), Amount: money.MustParse("1200.00")}).(*credit.Order)
	c, err := w.service.Desk.CaseOpening(buyer.NewCase{Kind: credit.CaseDispute, Order: o.Key, CaseWords: buyer.CaseWords{Subject: "Two shelves", Text: "They are missing."}})
	if err != nil {
		w.tb.Fatal(err)
	}
	return w.act(merchant, c).(*credit.Case).ID
}

// caseDocument creates a case with a file, and returns both IDs.
func (w *world) caseDocument(merchant string) string {
	w.tb.Helper()
	id := w.dispute(merchant)
	filed, secret := w.service.Desk.Filed(buyer.Paper{ContentType: mediaPDF, Data: []byte(aFile)})
	return id + "/" + w.act(merchant, cases.AttachCaseDocument{Case: id, Paper: filed, Secrets: []credit.Secret{secret}}).(*credit.Document).ID
}

// unsigned is a company approved on an application that has not signed yet.
func (w *world) unsigned(merchant string) string {
	w.tb.Helper()
	id := w.inReview(merchant)
	return fmt.Sprint(w.act("", onboarding.DecideApplication{Application: id, Approve: true, Tier: "A", Limit: money.MustParse("10000.00"), Note: "seen"}).(*credit.Application).Company)
}

// signed is one that has signed on paper.
func (w *world) signed(merchant string) string {
	w.tb.Helper()
	id := w.unsigned(merchant)
	company, _ := strconv.ParseInt(id, 10, 64)
	c, err := w.service.Desk.SigningOnPaper(company, buyer.Signature{Name: "Ada Marsh", Title: "Owner", On: calendar.MustParse("2026-01-02")}, mediaPDF, []byte(aFile))
	if err != nil {
		w.tb.Fatal(err)
	}
	w.act("", c)
	return id
}

// invited invites a person to a company, and returns both IDs.
func (w *world) invited(merchant string) string {
	w.tb.Helper()
	w.named++
	company := w.newCompany(merchant)
	c, err := w.service.Desk.Invitation(company, buyer.Contact{Email: fmt.Sprintf("gil-%d@alder.example", w.named)}, credit.RoleViewer, 0)
	if err != nil {
		w.tb.Fatal(err)
	}
	return fmt.Sprintf("%d/%s", company, w.act("", c).(*credit.Person).ID)
}
