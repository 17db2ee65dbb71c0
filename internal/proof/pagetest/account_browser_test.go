package pagetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	fakebank "tenor/internal/ports/rails/fake"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/suite"
)

// signsIn proves an email on the pages of the account.
func (s *patron) signsIn(email string) *patron {
	s.t.Helper()
	s.Go(s.url + "/account")
	s.Await("/account/sign-in")
	s.looks("account-sign-in")
	s.Fill("email", email)
	s.Press("Send the code")
	s.Await("/account/code")
	s.looks("account-code")
	s.Fill("code", "000000")
	s.Press("Continue")
	return s
}

// at checks that the account shows a page with texts, and checks its look.
func (s *patron) at(path, name string, texts ...string) *patron {
	s.t.Helper()
	s.Await(path)
	s.looks("account-" + name)
	for _, text := range texts {
		if says := s.Text(); !strings.Contains(says, text) {
			s.t.Errorf("%s does not say %q:\n%s", name, text, says)
		}
	}
	return s
}

// opens opens a page of the account.
func (s *patron) opens(path, name string, texts ...string) *patron {
	s.t.Helper()
	s.Go(s.url + path)
	return s.at(path, name, texts...)
}

// owes makes a shop sell to a company in installments, and lets a month pass.
func (c *clerk) owes(t *testing.T) (order string) {
	t.Helper()
	x := c.must(t, "POST", "/v1/order", fields{
		"company_id": 1000000001, "amount": 1200, "installments": 6, "status": "AUTHORIZED", "merchant_order_id": "PO-7781",
		"cart_items": []fields{{"sku": "OVEN-HALF", "name": "Convection oven", "price": 1200, "quantity": 1}},
	})
	order = x["key"].(string)
	c.must(t, "PATCH", "/v1/order/"+order, fields{"status": "CAPTURED"})
	c.must(t, "POST", "/v1/order", fields{"company_id": 1000000001, "amount": 480, "installments": 1, "status": "AUTHORIZED", "merchant_order_id": "PO-7819"})
	return order
}

// asks checks that a field is visible, or is not.
func (s *patron) asks(name string, want bool) {
	s.t.Helper()
	if got := slices.Contains(s.Fields(), name); got != want {
		s.t.Errorf("%s: the page asks for %s: %v", s.URL(), name, got)
	}
}

// stopsAutopay turns autopay off, so that what falls due becomes late.
func (s *patron) stopsAutopay() {
	s.t.Helper()
	s.opens("/account/banks", "banks", "Checking ••0000", "Used by autopay")
	s.Press("Change autopay")
	s.at("/account/autopay", "autopay", "I make each payment myself")
	for _, m := range s.Fields() {
		if name := strings.TrimSuffix(m, "="); strings.HasPrefix(name, "autopay_") {
			s.Tick(name, "off")
		}
	}
	s.Press("Save autopay")
	s.at("/account/banks", "autopay-off", "Autopay is saved", "Off")
}

// paysLate pays what is late: chooses, checks, forgets to authorize, goes back and pays again.
func (s *patron) paysLate() {
	s.t.Helper()
	s.opens("/account", "late", "days past due", "PO-7781")
	for i := range 2 {
		s.Go(s.url + "/account")
		s.Press("Pay $")
		s.at("/account/pay", "pay", "Everything past due", "Everything you owe")
		s.asks("amount", false)
		s.Tick("what", "other")
		s.asks("amount", true)
		s.Tick("what", "late")
		s.Press("Continue")
		s.at("/account/pay/check", "pay-check", "What it pays", "PO-7781", "I authorize this debit.")
		if i == 0 {
			s.Press("Pay $")
			s.at("/account/pay/check", "pay-wrong", "Authorize the debit")
		}
		s.Tick("agree", "yes")
		s.Press("Pay $")
		s.at("/account/payments", "paid", "Your payment is on its way", "Payment for all orders")
		s.Reload() // does not pay twice
		if i == 0 {
			s.Press("Cancel")
			s.at("/account/payments", "canceled", "The payment was canceled", "Canceled")
		}
	}
}

// addsBank adds an account, and verifies it with its two deposits after a mistake.
func (s *patron) addsBank() {
	s.t.Helper()
	s.opens("/account/banks/add", "bank-add")
	s.Press("Add a bank account")
	s.at("/account/banks/add", "bank-wrong", "Enter the 9-digit routing number", "Confirm that you may use this account")
	for _, f := range [][2]string{{"routing", fakebank.Routing}, {"number", "556677889900"}} {
		s.Fill(f[0], f[1])
	}
	s.Tick("debits", "yes")
	s.Press("Add a bank account")
	s.at("/account/banks", "bank-proving", "Two small deposits are on their way", "Checking ••9900")
	s.Press("Enter the amounts")
	s.at("/account/banks/verify", "bank-verify")
	s.Fill("first", "0.11")
	s.Fill("second", "0.12")
	s.Press("Confirm the account")
	s.at("/account/banks/verify", "bank-verify-wrong", "One answer needs another look")
	if n := strings.Count(s.Text(), "These are not the two amounts"); n != 3 {
		s.t.Errorf("that the amounts are wrong is said %d times, and not above the form and at both of them", n)
	}
	s.Fill("first", "0.45")
	s.Fill("second", "0.32")
	s.Press("Confirm the account")
	s.at("/account/banks", "bank-proved", "The account is confirmed")
	if strings.Contains(s.Text(), "556677889900") {
		s.t.Error("the number of the account is shown")
	}
}

// invites invites a colleague with fewer rights.
func (s *patron) invites(t *testing.T, b *browsertest.Browser, c *clerk) {
	t.Helper()
	s.opens("/account/people/invite", "invite")
	s.Press("Send the invitation")
	s.at("/account/people/invite", "invite-wrong", "Choose a role", "Enter the first name")
	for _, f := range [][2]string{{"first_name", "Bo"}, {"last_name", "Lind"}, {"email", "bo@alder-kitchens.example"}} {
		s.Fill(f[0], f[1])
	}
	s.Tick("role", "VIEWER")
	s.asks("limit", false)
	s.Tick("role", "BUYER")
	s.asks("limit", true)
	s.Fill("limit", "500")
	s.Press("Send the invitation")
	s.at("/account/people", "people", "The invitation is on its way", "Bo Lind", "Invited: Buyer, up to $500.00")
	if text := c.letter(t, "INVITATION", "bo@alder-kitchens.example"); !strings.Contains(text, "accept orders up to $500.00, and pay") {
		t.Errorf("the invitation says:\n%s", text)
	}
	bo := visits(t, b, c, s.view).signsIn("bo@alder-kitchens.example")
	bo.at("/account/business", "invited", "Alder Kitchens invites you", "Buyer, up to $500.00")
	bo.Press("Accept")
	bo.at("/account", "colleague", "Alder Kitchens")
	if says := bo.Text(); strings.Contains(says, "Ask for more") || strings.Contains(says, "Change autopay") {
		t.Errorf("a buyer is offered what is an owner's:\n%s", says)
	}
	bo.opens("/account/autopay", "role", "You may not see this")
	x := c.sell(t, "bo@alder-kitchens.example", 1200, nil)
	visits(t, b, c, s.view).enters(x.url).asksOwner(c)
	s.opens("/account/people", "people-again")
	s.Go(s.url + "/account/people")
	s.Press(": Bo Lind")
	s.Await("/account/people/per_")
	s.looks("account-person")
	s.Tick("role", "none")
	s.Press("Save changes")
	s.at("/account/people", "people-gone", "It is saved")
	if strings.Contains(s.Text(), "Bo Lind") {
		t.Error("who was put out is still there")
	}
	bo.Go(bo.url + "/account/orders")
	bo.at("/account/business", "nobody", "You do not act for a business here")
}

// disputes opens a case about an order, adds a message and withdraws it.
func (s *patron) disputes(order string) {
	s.t.Helper()
	s.opens("/account/orders/"+order, "order-late", "days past due", "On its way", "$207.06 is on its way", "There is nothing else to do now", "Pay ahead")
	if act := browsertest.Eval[string](s.Tab, `[...document.querySelectorAll("main .btn:not([data-variant])")].find(e => e.checkVisibility())?.textContent ?? ""`); act != "" {
		s.t.Errorf("though what is late is on its way, the order's page asks most of all to %q", act)
	}
	s.Press("Something is wrong with this order")
	s.at("/account/cases/new", "case-new")
	s.Press("Send it")
	s.at("/account/cases/new", "case-wrong", "Choose what it is", "Say it in a few words")
	s.Tick("kind", "DISPUTE")
	s.Fill("what", "GOODS")
	s.Fill("subject", "The oven came without its door")
	s.Fill("text", "It was delivered on January 9. Please send a door, or take $200.00 off.")
	s.Press("Send it")
	s.at("/account/cases/case_", "case", "We have it", "The oven came without its door", "We answer by")
	s.Fill("text", "The driver has noted it, too.")
	s.Press("Send the message")
	s.at("/account/cases/case_", "case-answered", "It was sent", "The driver has noted it, too.")
	s.Press("Withdraw it")
	s.at("/account/cases/case_", "case-withdrawn", "Withdrawn")
	s.opens("/account/cases", "cases", "Dispute", "Withdrawn")
}

// asksOwner makes a person who may not accept that amount mail the owners (page O of the
// checkout).
func (s *patron) asksOwner(c *clerk) {
	s.t.Helper()
	s.sees("/owner", "An owner must accept this order", "You may not accept this amount for Alder Kitchens")
	s.looks("owner")
	s.Press("E-mail the owners")
	s.sees("/owner", "We e-mailed the owners")
	s.looks("owner-asked")
	if text := c.letter(s.t, "OWNER_NEEDED", ready("01")); !strings.Contains(text, "$1,200.00") {
		s.t.Errorf("the mail to the owner says:\n%s", text)
	}
}

// An owner manages what her business owes: she pays what is late, verifies an account, invites a
// colleague, asks for more and changes her email; wide and light, and, at night, on a phone in dark
// mode, and without scripts at a width of 320 pixels.
func TestAccountInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	views := []browsertest.View{{Width: 1360}, {Width: 390, Dark: true}, {Width: 320, NoScript: true}}
	for _, v := range views[:suite.By(1, 3)] {
		c := openShop(t)
		order := c.owes(t)
		s := visits(t, b, c, v).signsIn(ready("01"))
		s.at("/account", "home", "Available to spend", "Next payment", "PO-7781", "Not shipped", "Autopay")
		s.opens("/account/orders/"+order, "order", "Payment schedule", "$207.06", "Convection oven")
		s.opens("/account/pay?order="+order, "pay-order", "2 payments, up to the one due", "All of order PO-7781")
		s.stopsAutopay()
		c.must(t, "POST", "/v1/sandbox/clock/advance", fields{"duration": "960h"})
		s.paysLate()
		s.disputes(order)
		s.addsBank()
		s.invites(t, b, c)
		s.opens("/account/statements", "statements", "January 2026")
		s.opens("/account/notices", "notices", "Applications")
		s.opens("/account/sign", "sign", "Nobody has to sign one for Alder Kitchens")
		s.opens("/account/line", "line", "New credit line")
		s.opens("/account/you", "you")
		s.Fill("email", "new-owner@alder-kitchens.example")
		s.Press("Send the code")
		s.at("/account/you/code", "you-code", "n••••••@alder-kitchens.example")
		s.Fill("code", "000000")
		s.Press("Continue")
		s.at("/account/you", "you-changed", "Your e-mail was changed")
		for _, to := range []string{ready("01"), "new-owner@alder-kitchens.example"} {
			if text := c.letter(t, "EMAIL_CHANGED", to); !strings.Contains(text, "new-owner@alder-kitchens.example") {
				t.Errorf("the mail to %s says:\n%s", to, text)
			}
		}
		t.Logf("%d pixels: %d pages in Spanish too, %d of them of another form, which took %s", v.Width, s.other.pages, s.other.axed, s.other.took.Round(time.Millisecond))
		s.Press("Sign out")
		s.Await("/account/sign-in")
		s.Go(s.url + "/account/orders")
		s.Await("/account/sign-in")
		if got := s.Origins(); !v.NoScript && (len(got) != 1 || got[0] != c.URL) {
			t.Errorf("asked %v", got)
		}
	}
}

// A business applies without a cart, is approved, and signs the master agreement. Without scripts
// it does so at night.
func TestApplyInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	c := openShop(t)
	views := []browsertest.View{{Width: 1360}, {Width: 320, NoScript: true}}
	for i, v := range views[:suite.By(1, 2)] {
		s := visits(t, b, c, v)
		s.Go(c.URL + "/apply/" + c.Merchant)
		s.looks("apply-start")
		s.Press("Continue")
		s.Await("/email")
		s.looks("apply-email")
		s.Fill("email", "ana"+string(rune('a'+i))+"@ruiz-kitchens.example")
		s.Press("Send the code")
		s.Await("/code")
		s.Fill("code", "000000")
		s.Press("Continue")
		s.Await("/business")
		s.looks("apply-business")
		s.Put("legal_name", "Ruiz Kitchens LLC", "entity", "LLC", "ein", "00-0000001", "revenue", "480,000", "formed", "3/2019", "formed_in", "OR",
			"street", "27 Cannery Street", "city", "Portland", "state", "OR", "zip", "97209", "phone", "(503) 555-0142")
		s.Press("Continue")
		s.Await("/you")
		s.looks("apply-you")
		s.Put("first_name", "Ana", "last_name", "Ruiz", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209",
			"may_apply", "yes", "credit_check", "yes", "electronic", "yes")
		s.Press("Apply")
		s.Await("/decision")
		s.looks("apply-decision")
		if says := s.Text(); !strings.Contains(says, "has a line of") {
			t.Fatalf("the decision says:\n%s", says)
		}
		s.Press("Read and sign")
		s.at("/account/sign", "sign", "Master agreement")
		s.Press("Sign the agreement")
		s.at("/account/sign", "sign-wrong", "Type your full name")
		s.Fill("name", "Ana Ruiz")
		s.Tick("master", "yes")
		s.Press("Sign the agreement")
		s.Await("/done")
		s.looks("apply-done")
		s.opens("/account/sign", "signed", "It is signed for Ruiz Kitchens", "Signed by Ana Ruiz on January 5, 2026", "PDF")
		if text := c.letter(t, "AGREEMENT_COPY", "ana"+string(rune('a'+i))+"@ruiz-kitchens.example"); !strings.Contains(text, "Master agreement") {
			t.Errorf("the copy says:\n%s", text)
		}
	}
}
