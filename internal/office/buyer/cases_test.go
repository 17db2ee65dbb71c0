package buyer

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

// A buyer's dispute on the account pages: the buyer reads its texts, and mails announce
// that there is something to read, but not its content.
func TestCaseOfABuyer(t *testing.T) {
	r := newRig(t)
	company, person := r.approved("ana@harbor.example")
	const secret = "the blue shelf of Mrs. Marsh"
	x, err := r.OpenCase(r.ctx, company, person, NewCase{Kind: credit.CaseDispute, What: credit.CaseGoods, CaseWords: CaseWords{Subject: " Two shelves ", Text: secret}}, "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.NoteCase(r.ctx, company, person, x.ID, "It is "+secret+".", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.AttachCase(r.ctx, company, person, x.ID, Paper{ContentType: "application/pdf", Data: []byte("%PDF-1.4\n")}, ""); err != nil {
		t.Fatal(err)
	}
	answer, err := r.CaseText("We refund it.")
	if err != nil {
		t.Fatal(err)
	}
	r.submit(credit.Actor{Client: "ops", Operator: true}, cases.ResolveCase{Case: x.ID, Outcome: credit.CaseUpheld, Text: answer.ID, Secrets: []credit.Secret{answer}})
	v, err := r.Case(r.ctx, company, x.ID)
	if err != nil || v == nil {
		t.Fatal(v, err)
	}
	if v.Words.Subject != "Two shelves" || v.Words.Text != secret || len(v.Said) != 1 || !strings.Contains(v.Said[0].Text, secret) || v.Why != "We refund it." ||
		len(v.Documents) != 1 || v.Status != credit.CaseResolved {
		t.Errorf("%+v", v)
	}
	r.nothingPersonal(secret)
	if list, err := r.Cases(r.ctx, company); err != nil || len(list) != 1 || list[0].ID != x.ID {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := r.SendMails(r.ctx, "test"); err != nil {
		t.Fatal(err)
	}
	box, err := r.Mailbox(r.ctx, store.Page{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]Letter{}
	for _, l := range box {
		told[l.Mail.Template] = l
	}
	for template, want := range map[string][]string{ // unordered: each by itself
		"case_opened":   {"Feb 14, 2026", x.ID, "your account", "http://localhost:8080/account"},
		"case_resolved": {"Decided in your favor", x.ID},
	} {
		l := told[template]
		for _, part := range want {
			if !strings.Contains(l.Text, part) || l.To != "ana@harbor.example" {
				t.Errorf("%s to %s lacks %q:\n%s", template, l.To, part, l.Text)
			}
		}
		if strings.Contains(l.Text+l.HTML+l.Subject, "shelf") || strings.Contains(l.Text, "shelves") {
			t.Errorf("%s tells what was said", template)
		}
	}
}

// What nobody may do with a session of another company, without text, or with too much.
func TestCaseIsRefused(t *testing.T) {
	r := newRig(t)
	company, person := r.approved("ana@harbor.example")
	words := CaseWords{Subject: "Which?", Text: "Which one?"}
	x, err := r.OpenCase(r.ctx, company, person, NewCase{Kind: credit.CaseQuestion, CaseWords: words}, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]CaseWords{ // unordered: each by itself
		"no subject": {Text: "Which one?"}, "spaces": {Subject: "Which?", Text: " \n "},
		"a long subject": {Subject: strings.Repeat("ä", MaxCaseSubject+1), Text: "x"}, "a long text": {Subject: "x", Text: strings.Repeat("ä", MaxCaseText+1)},
	} {
		if _, err := r.OpenCase(r.ctx, company, person, NewCase{Kind: credit.CaseQuestion, CaseWords: w}, ""); !errors.Is(err, ErrWords) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := company + 1
	refused := func(what string, err error) {
		t.Helper()
		var rejected *credit.Rejection
		if !errors.As(err, &rejected) || rejected.Code != "not_found" {
			t.Errorf("%s of another company: %v", what, err)
		}
	}
	_, err = r.NoteCase(r.ctx, other, person, x.ID, "x", "")
	refused("a note", err)
	_, err = r.WithdrawCase(r.ctx, other, person, x.ID, "")
	refused("a withdrawal", err)
	_, err = r.AttachCase(r.ctx, other, person, x.ID, Paper{ContentType: "application/pdf", Data: []byte("%PDF-1.4\n")}, "")
	refused("a file", err)
	if v, err := r.Case(r.ctx, other, x.ID); v != nil || err != nil {
		t.Errorf("read by another company: %+v, %v", v, err)
	}
	for range 2 {
		if done, err := r.WithdrawCase(r.ctx, company, person, x.ID, ""); err != nil || done.Status != credit.CaseResolved {
			t.Errorf("withdrawn: %+v, %v", done, err)
		}
	}
	r.now = r.now.Add(26 * 31 * 24 * time.Hour)
	r.submit(itself(), cases.ServiceCase{Case: x.ID})
	if v, err := r.Case(r.ctx, company, x.ID); err != nil || v.Words != (CaseWords{}) || v.Resolution.Outcome != credit.CaseWithdrawn {
		t.Errorf("after 26 months: %+v, %v", v, err)
	}
}

// A merchant's cases about a company's orders are hidden from the company, however many
// there are.
func TestCasesOfMerchantsAreNotABuyers(t *testing.T) {
	r := newRig(t)
	company, person := r.approved("ana@harbor.example")
	hers, err := r.OpenCase(r.ctx, company, person, NewCase{Kind: credit.CaseQuestion, CaseWords: CaseWords{Subject: "a", Text: "b"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	shop := credit.Actor{Client: "shop", Merchant: r.merchant}
	o := r.submit(shop, lending.CreateOrder{Company: company, Amount: 500_00}).(*credit.Order)
	var theirs string
	for range 12 { // more than one day's places, each withdrawn
		for range 10 {
			r.now = r.now.Add(time.Second)
			c, err := r.CaseOpening(NewCase{Kind: credit.CaseDispute, Order: o.Key, CaseWords: CaseWords{Subject: "a", Text: "b"}})
			if err != nil {
				t.Fatal(err)
			}
			theirs = r.submit(shop, c).(*credit.Case).ID
			r.submit(shop, cases.ResolveCase{Case: theirs, Outcome: credit.CaseWithdrawn})
		}
		r.now = r.now.Add(24 * time.Hour)
	}
	if list, err := r.Cases(r.ctx, company); err != nil || len(list) != 1 || list[0].ID != hers.ID {
		t.Errorf("%d cases, %v", len(list), err)
	}
	if v, err := r.Case(r.ctx, company, theirs); v != nil || err != nil {
		t.Errorf("a merchant's: %+v, %v", v, err)
	}
}

// approved returns a company created by the operator, and its owner.
func (r *rig) approved(email string) (company int64, person string) {
	r.t.Helper()
	c := r.submit(itself(), lending.CreateCompany{Title: "Harbor Kitchens", Email: email, Status: credit.CompanyApproved, Tier: "A", Limit: 10_000_00, Merchants: []string{r.merchant}}).(*credit.Company)
	p, err := r.Proved(r.ctx, email)
	if err != nil {
		r.t.Fatal(err)
	}
	return c.ID, p.ID
}
