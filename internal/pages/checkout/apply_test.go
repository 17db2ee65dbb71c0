package checkout

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/onboarding"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
)

// fill submits the pages about the business and its owner.
func (b *browser) fill(ein string) *browser {
	b.t.Helper()
	b.want("business").post("business", "ein", ein, "revenue", "480,000", "formed", "3/2019").want("you")
	return b.post("you", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes", "electronic", "yes")
}

// A new buyer applies, is approved, signs the master agreement and places the order.
func TestNewBuyer(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token)
	b.get("").want("")
	asked := b.unfilled()
	b.get("email").want("email")
	asked += b.unfilled()
	b.post("email").want("code")
	asked += b.unfilled()
	b.post("code", "code", "000000").want("business", "You need your EIN", "1 of 4")
	asked += b.unfilled()
	for name, want := range map[string]string{
		"legal_name": "Alder Kitchens LLC", "entity": "LLC", "formed_in": "OR", "street": "27 Cannery Street", "city": "Portland", "state": "OR", "zip": "97209",
		"phone": "(503) 555-0142", "limit": "1,200.00",
	} {
		if got := b.fields().Get(name); got != want {
			t.Errorf("%s is filled in with %q instead of %q", name, got, want)
		}
	}
	b.post("business", "ein", "84-31907", "revenue", "").want("business", "Enter a 9-digit EIN, like 12-3456789", "Enter last year’s revenue, like 250,000", "Enter a month and a year that have passed, like 3/2019", "Three answers need another look", "Error: Your business – Harbor Supply")
	if b.status != 422 || b.fields().Get("ein") != "84-31907" {
		t.Errorf("a form that comes back: %d, %q", b.status, b.fields().Get("ein"))
	}
	b.post("business", "ein", "00-000 0001", "revenue", "$480,000", "formed", "3/2019").want("you", "I may apply for Alder Kitchens LLC.")
	asked += b.unfilled()
	b.post("you").want("you", "Confirm that you may apply for the business", "Agree to the credit check: we cannot decide without it", "Enter a title, like owner")
	b.post("you", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209").want("you", "Kept. Leave it empty, or type it again to change it.")
	if strings.Contains(b.body, "Elm Street, Portland, OR 97209\"") || strings.Contains(b.body, `"5/31/1980"`) {
		t.Error("what is personal is shown back")
	}
	b.get("business").want("business")
	if got := b.fields().Get("revenue"); got != "$480,000" {
		t.Errorf("Back has lost an answer: %q", got)
	}
	b.get("you").want("you")
	b.post("you", "may_apply", "yes", "credit_check", "yes", "electronic", "yes").want("decision", "Alder Kitchens LLC has a line of", "$25,000.00", "Left after this order", "$23,800.00", "Net 30, or 3, 6, 9, 12 or 24 monthly payments, each with its full cost.")
	b.get("you").want("decision")
	b.get("terms").want("terms")
	asked += b.unfilled()
	b.post("terms", "plan", "3").want("repay").post("repay").want("accept", "I sign the master agreement for Alder Kitchens LLC.")
	asked += b.unfilled()
	if asked > 14 {
		t.Errorf("%d fields are not filled in, more than 14", asked)
	}
	t.Logf("%d fields that have to be filled in", asked)
	b.post("accept", "name", "Avery Alder", "agree", "yes").want("accept", "Confirm that you sign the master agreement")
	b.post("accept", "name", "Avery Alder", "agree", "yes", "master", "yes").want("done")
	x := r.visit(c)
	if x.Company.Servicing.Unsigned || x.Company.Limit != 25_000_00 || x.Order == nil || r.status(c) != "ACCEPTED" {
		t.Errorf("%s, company %+v", r.status(c), x.Company)
	}
	if name, on, err := r.Signer(t.Context(), x.Company); err != nil || name != "Avery Alder" || on != r.Zone.Date(r.now) {
		t.Errorf("the master agreement was signed by %q on %s, %v", name, on, err)
	}
}

// unfilled counts required inputs of a page without an answer: texts, lists, checkboxes, and one
// per group of cards.
func (b *browser) unfilled() (n int) {
	given, cards := b.fields(), map[string]bool{}
	for _, e := range b.all {
		name := e.Attr("name")
		switch {
		case !e.Has("required") || name == "":
		case e.Attr("type") == "radio":
			if !cards[name] {
				n++
			}
			cards[name] = true
		case given.Get(name) == "":
			n++
		}
	}
	return n
}

// Each outcome of an application leads to its page, in agreement with the records.
func TestOutcomes(t *testing.T) {
	for _, x := range []struct{ ein, page, status, says string }{
		{"00-0000001", "decision", "OPEN", "has a line of"},
		{"00-0000011", "decision", "OPEN", "Approved"},
		{"00-0000013", "decision", "OPEN", "You asked for $1,200.00."},
		{"00-0000014", "decision", "OPEN", "It does not cover this order of $1,200.00."},
		{"00-0000003", "review", "PENDING_REVIEW/pending_review", "You will hear from us by 5 pm Eastern on January 16, 2026"},
		{"00-0000005", "review", "PENDING_REVIEW/pending_review", "Documents needed"},
		{"00-0000007", "review", "PENDING_REVIEW/pending_review", "In review"},
		{"00-0000050", "review", "PENDING_REVIEW/pending_review", "In review"},
		{"00-0000060", "review", "PENDING_REVIEW/pending_review", "In review"},
		{"00-0000004", "declined", "DECLINED/declined", "We write to you within 30 days with the reasons."},
		{"00-0000030", "declined", "DECLINED/declined", "Not approved"},
		{"00-0000041", "declined", "DECLINED/declined", "Not approved"},
	} {
		t.Run(x.ein, func(t *testing.T) {
			r := newRig(t)
			c, token := r.begin(1_200_00)
			b := r.browser(token).signIn("avery@alderkitchens.example").fill(x.ein)
			b.want(x.page, x.says)
			if got := r.status(c); got != x.status {
				t.Errorf("the checkout is %s instead of %s", got, x.status)
			}
			switch x.page {
			case "declined":
				for _, word := range []string{"score", "bankruptcy", "sanction"} {
					if strings.Contains(words(b.all), word) {
						t.Errorf("the page guesses a reason: %s", word)
					}
				}
				b.postOnly("leave")
				b.led("http://localhost:9000/cart?why=declined")
				r.browser(token).get("").want("ended", "This checkout has ended")
			case "review":
				b.get("").want("review")
				b.get("leave").led("http://localhost:9000/cart?why=pending_review")
				if got := r.status(c); got != x.status {
					t.Errorf("looking back at the shop has made it %s", got)
				}
			}
		})
	}
}

// After a review with a positive decision the buyer continues at the terms; documents are
// accepted meanwhile.
func TestReview(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").fill("00-0000005")
	b.want("review", "We need: The articles of organization")
	b.upload("notes.txt", []byte("just text")).want("review", "Choose a PDF, PNG or JPEG")
	b.upload("empty.pdf", nil).want("review", "Choose a file")
	b.upload("broken.png", []byte("\x89PNG\r\n\x1a\n and no more")).want("review", "This picture cannot be read")
	b.upload("large.pdf", append([]byte("%PDF-1.4"), make([]byte, pages.MaxUpload)...)).want("review", "Choose a file of at most 10 MB")
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	b.upload(`C:\papers\me "x".png`, append(picture.Bytes(), "a secret behind the picture"...)).want("review", "We have your documents: 1")
	b.upload("statement.pdf", []byte("%PDF-1.4 a statement")).want("review", "We have your documents: 2")
	b.want("review", "You will hear from us by 5 pm Eastern on January 16, 2026")
	at := r.now
	r.now = r.now.Add(48 * time.Hour)
	b.get("review").want("review", "You will hear from us soon")
	r.now = at
	a := r.visit(c).Application
	if len(a.Documents) != 2 || a.Status != credit.ApplicationInReview {
		t.Fatalf("%s with documents %v", a.Status, a.Documents)
	}
	b.get("terms").want("review")
	r.submit(staff(), onboarding.DecideApplication{Application: a.ID, Approve: true, Limit: 5_000_00, Tier: "B"})
	b.get("").want("decision", "$5,000.00")
	if r.status(c) != "OPEN" {
		t.Errorf("the checkout is %s", r.status(c))
	}
	b.get("terms").want("terms")
}

// While sources are silent the page refreshes by itself; after half a minute it says that nobody
// needs to wait for it.
func TestDeciding(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example")
	s, err := r.Session(t.Context(), b.cookies["__Host-tenor_c"+strings.ToLower(c.ID[len(c.ID)-8:])].Value)
	if err != nil || s == nil {
		t.Fatalf("no session: %v", err)
	}
	f := buyer.Form{Kind: "NEW", Applicant: buyer.Applicant{Email: s.Email}, Business: buyer.Business{LegalName: "Alder", EIN: "000000001"}, Requested: 1_200_00, Consents: buyer.Consents{CreditCheck: true}}
	if _, err := r.Send(t.Context(), f, buyer.Through{Merchant: r.merchant, Checkout: c.ID}, ""); err != nil {
		t.Fatal(err)
	}
	if err := r.SaveDraft(t.Context(), s, buyer.Draft{"sent": r.wall.Format(time.RFC3339)}); err != nil {
		t.Fatal(err)
	}
	b.get("").want("decision", "We are deciding")
	if got := b.head.Get("Refresh"); got != "2; url="+b.path("decision") {
		t.Errorf("the page refreshes %q", got)
	}
	b.get("leave").led("http://localhost:9000/cart?why=pending_review")
	r.wall = r.wall.Add(31 * time.Second)
	b.get("decision").want("review", "This takes longer than usual")
}

// Owners are added and removed without a script, and what was entered about them stays.
func TestOwners(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").want("business")
	b.post("business", "ein", "00-0000001", "revenue", "480000", "formed", "03/2019").want("you")
	b.post("you", "act", "add", "share", "40").want("you", "Owner 2")
	b.post("you", "act", "add", "first_name_2", "Bo", "last_name_2", "Reed", "share_2", "30").want("you", "Owner 3")
	b.post("you", "act", "add", "first_name_3", "Cy", "share_3", "25").want("you", "Owner 4")
	b.post("you", "act", "remove_1").want("you", "Owner 3")
	if f := b.fields(); f.Get("first_name_2") != "Cy" || f.Get("share_2") != "25" || f.Get("share") != "40" || f.Get("first_name_3") != "" {
		t.Errorf("after one was taken out: %v", f)
	}
	b.post("you", "act", "remove_2").want("you")
	b.post("you", "share_2", "70", "share", "40").want("you", "The shares add up to more than 100 percent")
	b.post("you", "share_2", "20").want("you", "Enter a percentage: your own, or at least 25 for another owner")
	all := []string{
		"title", "Owner", "share", "60", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes", "credit_check", "yes",
		"first_name_2", "Cy", "last_name_2", "Reed", "share_2", "40", "birth_2", "2/30/1980", "home_2", "1 Ash Road, Salem OR 97301",
	}
	b.post("you", all...).want("you", "Enter a date like 5/31/1980, at least 18 years ago")
	b.post("you", append(all, "birth_2", "2/28/1980")...).want("decision")
}

// A person who has recently applied elsewhere is not asked again.
func TestAppliedBefore(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	r.browser(token).signIn("avery@alderkitchens.example").fill("00-0000003").want("review")
	_, other := r.begin(700_00)
	r.browser(other).signIn("Avery@AlderKitchens.example").want("review", "In review")

	_, token = r.begin(1_200_00)
	r.browser(token).signIn("bo@reed.example").fill("00-0000030").want("declined")
	c, other := r.begin(700_00)
	b := r.browser(other).signIn("bo@reed.example").want("declined")
	b.postOnly("leave")
	b.led("http://localhost:9000/cart?why=declined")
	if got := r.status(c); got != "DECLINED/declined" {
		t.Errorf("the second checkout is %s", got)
	}
	r.now = r.now.Add(30 * 24 * time.Hour)
	_, other = r.begin(700_00)
	r.wall = r.wall.Add(time.Hour)
	r.browser(other).signIn("bo@reed.example").want("business")
}
