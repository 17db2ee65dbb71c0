package buyer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/letter"
)

// cause is who can trigger a mail, and to whom.
type cause string

const (
	// free: a merchant's token, to an unproved address that it names. The flood below tries
	// it.
	free cause = "a merchant's token, to any address"
	// known: a merchant's token, to people who act for a company or have opened a case.
	known cause = "a merchant's token, to people who are known"
	// persons: somebody in a session of their own, or who requests one on the pages.
	persons cause = "people on the pages"
	// lender: only its staff.
	lender cause = "the lender"
)

// bound is who can trigger the mails of a template, and what limits them.
type bound struct {
	template letter.Template
	by       cause
	limit    string // the flood of this name, or the rule
}

// bounds covers every template. Mail goes only to vault handles: of applicants, of a
// checkout's buyer, of people. Email addresses in orders, companies and receipts get no
// mail.
func bounds() []bound {
	return []bound{
		{letter.CheckoutLink, free, "links"},
		{letter.NotPrequalified, free, "prequalifications"},
		{letter.InReview, free, "applications"}, // each of these once per application
		{letter.Approved, free, "applications"},
		{letter.CounterOffer, free, "applications"},
		{letter.Declined, free, "applications"},
		{letter.Withdrawn, free, "applications"},
		{letter.Expired, free, "applications"},
		{letter.ReportUsed, lender, "by post alone, once an application"},
		{letter.DocumentsWanted, lender, "what staff ask for"},

		{letter.DuplicateWarning, known, "owners of the company, once an application: applications"},
		{letter.PaymentReceived, known, "owners who have proved their e-mail, twenty mails about money a day and company (credit: mails_money.txt)"},
		{letter.PaymentReturned, known, "the same, forty"},
		{letter.InstallmentDue, known, "the same, twenty; once an installment"},
		{letter.DebitTomorrow, known, "the same, twenty; once a debit"},
		{letter.PastDue, known, "the same, forty"},
		{letter.StatementReady, known, "the same, forty; once a month"},
		{letter.NewDisclosure, known, "the same, forty; once a capture"},
		{letter.BankChanged, known, "owners, once a day and company for what merchants change"},
		{letter.CaseOpened, known, "who opens it; ten cases wait, twenty a day and company"},
		{letter.CaseAnswered, known, "who has opened it; fifty notes of each side"},
		{letter.CaseResolved, known, "who has opened it, once a case"},
		{letter.NotCompleted, known, "who has accepted, once a checkout"},
		{letter.GoOn, known, "who has applied in the checkout, once"},

		{letter.Code, persons, "twenty an hour for a network, five for an address in it"},
		{letter.SignInLink, persons, "the same as codes"},
		{letter.OwnerNeeded, persons, "who has proved an e-mail, to owners of her company"},
		{letter.AgreementCopy, persons, "who has accepted or signed, once a paper"},
		{letter.Invitation, persons, "an owner, or staff; fifty people of a company"},
		{letter.AgreementOnPaper, lender, "owners, once a signature on paper"},
		{letter.PeopleChanged, persons, "an owner; fifty people of a company"},
		{letter.EmailChanged, persons, "who has proved both addresses"},
	}
}

// Every template states who can trigger it and what bounds that; a new one must be added
// here. What a merchant's token can mail to any address has a flood that is blocked.
func TestMailsAreBounded(t *testing.T) {
	var told []letter.Template
	for _, b := range bounds() {
		told = append(told, b.template)
		flood, tried := floods()[b.limit]
		switch {
		case b.limit == "":
			t.Errorf("%s has no bound", b.template)
		case (b.by == free) != tried:
			t.Errorf("%s is caused by %s: it is bounded by a flood, %t", b.template, b.by, tried)
		case tried && !slices.Contains(flood.templates, b.template):
			t.Errorf("the flood of %s does not count %s", b.limit, b.template)
		}
	}
	if slices.Sort(told); !slices.Equal(told, letter.Templates()) {
		t.Errorf("the table has %q, there are %q", told, letter.Templates())
	}
}

// flood is what a stolen token requests again and again.
type flood struct {
	templates []letter.Template
	most      int // accepted in a day from one merchant
	mails     int // sent by each of them at most
	ask       func(r *rig, n int) credit.Command
}

func floods() map[string]flood {
	return map[string]flood{
		"links": {[]letter.Template{letter.CheckoutLink}, 50, 1, func(r *rig, n int) credit.Command {
			c := onboarding.CreateCheckout{Amount: money.Amount(600_00), Mode: onboarding.ModeLink}
			must(r, r.Buyer(&c, Contact{Email: fmt.Sprintf("victim-%d@example.test", n)}))
			must(r, r.Address(&c))
			return c
		}},
		"prequalifications": {[]letter.Template{letter.NotPrequalified}, 50, 1, func(r *rig, n int) credit.Command {
			revenue := money.Amount(1_000_00)
			c, err := r.Prequalification(Estimate{
				Applicant: Applicant{FirstName: "A", LastName: "B", Email: fmt.Sprintf("victim-%d@example.test", n)}, Business: EstimateBusiness{LegalName: "Elm"},
				Figures: credit.Figures{Given: underwriting.Given{AnnualRevenue: &revenue}},
			})
			must(r, err)
			return c
		}},
		"applications": {[]letter.Template{letter.InReview, letter.Approved, letter.CounterOffer, letter.Declined, letter.Withdrawn, letter.Expired}, 200, 2, func(r *rig, n int) credit.Command {
			f := form("00-0000050") // it waits for a person
			f.Applicant.Email = fmt.Sprintf("victim-%d@example.test", n)
			c, err := r.Application(f, Through{Merchant: r.merchant})
			must(r, err)
			return c
		}},
	}
}

func must(r *rig, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// mails returns all queued mails.
func (r *rig) mails() (out []*credit.Mail) {
	r.view(func(v store.View) error {
		all, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{}, store.Page{Limit: 1000})
		for _, x := range all {
			out = append(out, x.(*credit.Mail))
		}
		return err
	})
	return out
}

// A stolen token requests a mail to another stranger until it is refused: a fixed number is
// sent, and the next day as many again. Withdrawing each application produces its second
// mail.
func TestFloodsOfMailAreHeldOff(t *testing.T) {
	for name, x := range floods() { // unordered: each by itself
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			taken, refused := 0, ""
			for n := 0; n <= x.most && refused == ""; n++ {
				result, why := r.ask(r.shop(), x.ask(r, n))
				if why != nil {
					refused = why.Code
					break
				}
				taken++
				if a, ok := result.(*credit.Application); ok && a.Status == credit.ApplicationSubmitted {
					must(r, r.Decide(r.ctx, a.ID))
					r.submit(r.shop(), onboarding.WithdrawApplication{Application: a.ID})
				}
			}
			if taken != x.most || refused != "limit_exceeded" {
				t.Fatalf("%d are taken, then %q", taken, refused)
			}
			mails := r.mails()
			if len(mails) == 0 || len(mails) > x.most*x.mails {
				t.Errorf("%d mails for %d requests", len(mails), taken)
			}
			for _, m := range mails {
				if !slices.Contains(x.templates, letter.Template(m.Template)) {
					t.Errorf("a mail %s, which the flood does not count", m.Template)
				}
			}
		})
	}
}

// The merchant chooses the address and the cart's identifier: nothing in it that could be
// followed is mailed.
func TestLinksCarryNoMessage(t *testing.T) {
	for order, shown := range map[string]bool{
		"cart-8812": true, "PO 7/3": false, "evil.example": false, "call 1 900 555 0100": false, strings.Repeat("you have won ", 7): false,
	} { // unordered: each by itself
		r := newRig(t)
		c := onboarding.CreateCheckout{Amount: money.Amount(600_00), Mode: onboarding.ModeLink, RemoteID: order}
		must(r, r.Buyer(&c, Contact{Email: "ana@harbor.example", FirstName: "Win at", LastName: "evil.example"}))
		must(r, r.Address(&c))
		r.submit(r.shop(), c)
		r.serve()
		all := r.letters(letter.CheckoutLink)
		if len(all) != 1 || strings.Contains(all[0].Text, "Order: "+strings.TrimSpace(order)) != shown || strings.Contains(all[0].Subject+all[0].Text+all[0].HTML, "evil.example") {
			t.Errorf("%q: %+v", order, all)
		}
	}
}
