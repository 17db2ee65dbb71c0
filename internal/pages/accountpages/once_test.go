package accountpages

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// sendFiles submits a form with optional files, like a browser.
func (b *browser) sendFiles(path string, form url.Values, name string, file []byte) *browser {
	b.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for key := range form { // unordered: a form has no order
		if err := w.WriteField(key, form.Get(key)); err != nil {
			b.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = part.Write(file)
	}
	if err != nil || w.Close() != nil {
		b.t.Fatal(err)
	}
	q := httptest.NewRequest("POST", path, &body)
	q.Header.Set("Content-Type", w.FormDataContentType())
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(q)
}

// A double click on a case's form adds one note and one file. Another form adds another.
func TestNoteOnce(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	b.get("/account/cases/new").post("/account/cases/new", "kind", "QUESTION", "subject", "When?", "text", "When is it due?")
	at := b.at
	said := func(notes, files int) {
		t.Helper()
		x, err := r.Case(context.Background(), c.ID, strings.TrimPrefix(at, "/account/cases/"))
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Said) != notes || len(x.Documents) != files {
			t.Errorf("%d notes and %d files, want %d and %d", len(x.Said), len(x.Documents), notes, files)
		}
	}
	twice := func(text string, file []byte) {
		t.Helper()
		form := b.get(at).fields()
		form.Set("text", text)
		b.sendFiles(at, form, "paper", file).want(at, "It was sent")
		b.sendFiles(at, form, "paper", file).want(at)
	}
	twice("And how much?", nil)
	said(1, 0)
	twice("Here it is.", []byte("%PDF-1.7 a paper"))
	said(2, 1)
	twice("", []byte("%PDF-1.7 another one"))
	said(2, 2)

	form := b.get(at).fields()
	b.sendFiles(at, form, "", nil).want(at, "Say it in a few words") // nothing was added: the same form can be sent again
	form.Set("text", "What I forgot.")
	b.sendFiles(at, form, "", nil).want(at)
	said(3, 2)
}

// A person known only from the email on a company's record has no name until she enters it. Until
// then, pages and mail address her by email. Changing it requires a fresh proof.
func TestName(t *testing.T) {
	r := newRig(t)
	c := r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example").want("/account").lacks("Tell us your name") // nobody there needs her name
	b.get("/account/people").want("/account/people", "avery@alder.example")
	r.invited(c, "avery@alder.example", "bo@alder.example", credit.RoleViewer, 0)
	if subject := r.invitation("bo@alder.example"); subject != "avery@alder.example invites you to the account of Alder Kitchens" {
		t.Errorf("the invitation is %q", subject)
	}
	b.get("/account").want("/account", "Tell us your name")
	b.get("/account/you").want("/account/you", "Add your name").get("/account/you/name").want("/account/you/name")
	for _, wrong := range []string{"", "See evil.example", "a@b", "http://x", strings.Repeat("a", 61)} {
		b.post("/account/you/name", "first_name", wrong, "last_name", "Alder").want("/account/you/name", "Enter the first name")
	}
	b.post("/account/you/name", "first_name", " Avery  Ann ", "last_name", "O’Alder-Cruz").want("/account/you", "Your name was saved", "Avery Ann O’Alder-Cruz", "Change your name")
	b.get("/account").want("/account").lacks("Tell us your name")
	b.get("/account/people").want("/account/people", "Avery Ann O’Alder-Cruz")
	r.invited(c, "avery@alder.example", "cy@alder.example", credit.RoleViewer, 0)
	if subject := r.invitation("cy@alder.example"); subject != "Avery Ann O’Alder-Cruz invites you to the account of Alder Kitchens" {
		t.Errorf("the invitation is %q", subject)
	}
	b.get("/account/you/name")
	form := b.fields()
	for range 4 { // the session continues, and the proof is old
		r.wall = r.wall.Add(20 * time.Minute)
		b.get("/account").want("/account")
	}
	form.Set("first_name", "Mallory")
	b.sendForm("/account/you/name", form, "same-origin").want("/account/again")
	b.get("/account/people").want("/account/people", "Avery Ann O’Alder-Cruz")
	b.get("/account/you").post("/account/you", "email", "x@y.example").want("/account/again")
}

// invitation returns the subject of the invitation mailed to an address.
func (r *rig) invitation(to string) string {
	r.t.Helper()
	if _, err := r.SendMails(context.Background(), "test"); err != nil {
		r.t.Fatal(err)
	}
	all, err := r.Mailbox(context.Background(), store.Page{Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, l := range all {
		if l.Mail.Template == "invitation" && l.To == to {
			return l.Subject
		}
	}
	return "none"
}
