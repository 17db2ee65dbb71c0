package accountpages

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// A thief has the old mailbox, and a session from it. Once the owner has another email, that
// session belongs to nobody, and its code proves nothing about her.
func TestOldMailbox(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	thief := r.browser().signIn("avery@alder.example").want("/account")
	b := r.browser().signIn("avery@alder.example")
	b.get("/account/you").post("/account/you", "email", "safe@alder.example").post("/account/you/code", "code", "000000").want("/account/you", "Your e-mail was changed")
	thief.get("/account").want("/account/sign-in")
	thief.get("/account/you").want("/account/sign-in")
	r.browser().signIn("avery@alder.example").want("/account/business", "You do not act for a business here")
	b.get("/account").want("/account", "Alder Kitchens")
}

// An applicant under review cannot change her email: it determines who becomes the owner.
func TestEmailOfAnApplication(t *testing.T) {
	r := newRig(t)
	start := "/apply/" + r.merchant
	b := r.browser().get(start + "/email")
	b.post(start+"/email", "email", "vera@cedar.example").post(start+"/code", "code", "000000")
	b.post(start+"/business", "legal_name", "Cedar Cafe LLC", "entity", "LLC", "ein", "00-0000003", "revenue", "480000", "formed", "3/2019", "formed_in", "OR", "street", "1 Elm St", "city", "Portland", "state", "OR", "zip", "97209", "phone", "(503) 555-0142")
	b.post(start+"/you", "first_name", "Vera", "last_name", "Cedar", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes").want(start + "/decision")
	b.get("/account/you").post("/account/you", "email", "new@cedar.example").want("/account/you", "Your application is being decided")
}

// Two tabs: only what a tab has shown is done, or nothing. One tab's payment does not become the
// other's, and a form shown for one business does nothing to another.
func TestTwoTabs(t *testing.T) {
	r := newRig(t)
	c, other := r.company("Alder Kitchens", "avery@alder.example"), r.company("Walt Works", "walt@works.example")
	o := r.order(c, 1_200_00)
	r.browser().signIn("walt@works.example")
	b := r.browser().signIn("avery@alder.example")
	b.get("/account/pay?order="+o.Key).post("/account/pay", "what", "1").want("/account/pay/check", "Pay $207.06")
	first := b.fields()
	first.Set("agree", "yes")
	b.get("/account/pay?order="+o.Key).post("/account/pay", "what", "payoff").want("/account/pay/check")
	b.sendForm("/account/pay/check", first, "same-origin").want("/account/pay/check", "You chose another payment in another window")
	if n := len(r.payments(c)); n != 0 {
		t.Errorf("%d payments", n)
	}
	walt, err := r.Proved(context.Background(), "walt@works.example")
	if err != nil {
		t.Fatal(err)
	}
	r.submit(staff(), people.SetPerson{Company: other.ID, Owner: walt.ID, Email: r.EmailHash("avery@alder.example"), Contact: "typed", Role: credit.RoleOwner, Secrets: []credit.Secret{{ID: "typed", Sealed: r.Seal([]byte("{}"), credit.SecretPlace("typed"))}}})
	b.get("/account/business").post("/account/invitation", "accept", store.CompanyKey(other.ID)).want("/account", "Walt Works")
	b.get("/account/people/invite")
	form := b.fields()
	for k, v := range map[string]string{"first_name": "Mal", "last_name": "Lory", "email": "mal@lory.example", "role": "VIEWER"} {
		form.Set(k, v)
	}
	b.get("/account/business").post("/account/business", "business", store.CompanyKey(c.ID)).want("/account", "Alder Kitchens")
	if b.sendForm("/account/people/invite", form, "same-origin"); b.status != http.StatusForbidden {
		t.Errorf("a form of another business: %d at %s", b.status, b.at)
	}
	if n := len(r.of(c.ID).Servicing.People); n != 1 {
		t.Errorf("%d people", n)
	}
}

// Visitors who may not upload files cannot make the server read ten megabytes, nor can pages
// without uploads.
func TestLargeForms(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, _ := form.CreateFormFile("file", "large.pdf")
	_, _ = part.Write(bytes.Repeat([]byte("x"), 5<<20))
	_ = form.Close()
	for _, path := range []string{"/account/sign-in", "/account/cases/case_x", "/apply/" + r.merchant + "/decision", "/apply/" + r.merchant + "/email"} {
		left := bytes.NewReader(body.Bytes())
		q := httptest.NewRequest(http.MethodPost, path, left)
		q.Header.Set("Content-Type", form.FormDataContentType())
		r.browser().send(q)
		if read := body.Len() - left.Len(); read > 1<<20 {
			t.Errorf("%s: %d bytes were read of a stranger", path, read)
		}
	}
}

// Only the page that did something says so: a link from elsewhere cannot claim that a payment was
// made.
func TestLinkSaysNothing(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	for _, done := range []string{"paid", "paid.0123456789abcdef", "email.more", "paid." + strings.Repeat("0", 16)} {
		b.get("/account/payments?done="+url.QueryEscape(done)).lacks("on its way", "did.")
	}
}

// Every status of a company and of an order has a text.
func TestEveryStatusHasWords(t *testing.T) {
	r := newRig(t)
	for _, s := range []credit.CompanyStatus{credit.CompanyPending, credit.CompanyOnHold, credit.CompanySuspended, credit.CompanyClosed, credit.CompanyDeclined} {
		if key := "a.status." + string(s); r.pages.voices.Usual().Texts.Say(key) == key {
			t.Errorf("there are no words for a company that is %s", s)
		}
	}
	for _, s := range []credit.OrderStatus{credit.OrderCreated, credit.OrderAuthorized, credit.OrderCaptured, credit.OrderReturned, credit.OrderCanceled} {
		if key := "a.state." + strings.ToLower(string(s)); r.pages.voices.Usual().Texts.Say(key) == key {
			t.Errorf("there are no words for an order that is %s", s)
		}
	}
	for _, s := range []string{credit.ApplicationSubmitted, credit.ApplicationInReview, credit.ApplicationRequested, credit.ApplicationApproved, credit.ApplicationDeclined, credit.ApplicationWithdrawn, credit.ApplicationExpired} {
		if key := "application." + s; r.pages.voices.Usual().Texts.Say(key) == key {
			t.Errorf("there are no words for an application that is %s", s)
		}
	}
}
