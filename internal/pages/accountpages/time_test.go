package accountpages

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Forms of the account submitted after the session's end are saved with their page, except for
// secrets, and offered again once the same email is proved. They are submitted once.
func TestLateForms(t *testing.T) {
	for _, x := range []struct {
		path  string
		sent  []string
		shown []string // when it is offered again
		never []string
		kept  string // what the page says about the answers
	}{
		{"/account/cases/new", []string{"kind", "DISPUTE", "subject", "The oven has no door", "text", "It came\nwithout it."}, []string{`value="The oven has no door"`, "It came\nwithout it.", `value="DISPUTE" checked`}, nil, "Your answers are kept."},
		{"/account/people/invite", []string{"first_name", "Bo", "email", "bo@alder.example", "role", "BUYER", "limit", "500"}, []string{`value="Bo"`, `value="bo@alder.example"`, `value="BUYER" checked`, `value="500"`}, nil, "Your answers are kept."},
		{"/account/banks/add", []string{"routing", "021000021", "number", "556677889900", "debits", "yes"}, nil, []string{"556677889900", "021000021"}, "Your answers are kept, except account numbers."},
		{"/account/line", []string{"higher", "9,000", "revenue", "480,000", "birth", "5/31/1980"}, []string{`value="9,000"`, `value="480,000"`}, []string{`value="5/31/1980"`}, "Your answers are kept, except birth dates and home addresses."},
	} {
		t.Run(x.path, func(t *testing.T) {
			r := newRig(t)
			r.company("Alder Kitchens", "avery@alder.example")
			b := r.browser().signIn("avery@alder.example")
			b.get(x.path).want(x.path, "You are signed out after 30 minutes without a click. "+x.kept)
			if strings.Contains(x.kept, "except") != strings.Contains(b.body, "are kept, except") {
				t.Errorf("%s says that something is not kept for which it does not ask", x.path)
			}
			r.wall = r.wall.Add(30 * time.Minute)
			b.post(x.path, x.sent...).want("/account/sign-in", "You were signed out")
			b.post("/account/sign-in", "email", "avery@alder.example").post("/account/code", "code", "000000")
			if x.shown != nil && x.path != "/account/line" && b.at != x.path {
				t.Errorf("signed in again, she is at %s", b.at)
			}
			b.get(x.path).want(x.path)
			for _, text := range x.shown {
				if !strings.Contains(b.body, text) {
					t.Errorf("the page lacks %s:\n%s", text, b.body)
				}
			}
			for _, text := range x.never {
				if strings.Contains(b.body, text) {
					t.Errorf("the page shows %s", text)
				}
			}
			b.post(x.path)
			r.wall = r.wall.Add(31 * time.Minute)
			b.get("/account").want("/account/sign-in").post("/account/sign-in", "email", "avery@alder.example").post("/account/code", "code", "000000").want("/account")
		})
	}
}

// A late form is accepted only with the key of its page and in its browser.
func TestLateFormsOfOthers(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	form := b.get("/account/cases/new").fields()
	form.Set("subject", "The oven has no door")
	r.wall = r.wall.Add(30 * time.Minute)
	stranger := r.browser()
	stranger.sendForm("/account/cases/new", form, "same-origin").want("/account/sign-in")
	for what, status := range map[string]int{ // unordered: each by itself
		"key":  b.sendForm("/account/cases/new", url.Values{"form": {"another"}, "subject": {"x"}}, "same-origin").status,
		"site": b.sendForm("/account/cases/new", form, "cross-site").status,
	} {
		if status != http.StatusForbidden {
			t.Errorf("another %s: %d", what, status)
		}
	}
	b.sendForm("/account/cases/new", form, "same-origin").want("/account/sign-in")
	b.post("/account/sign-in", "email", "mallory@else.example").post("/account/code", "code", "000000")
	if strings.Contains(b.get("/account/cases/new").body, "has no door") {
		t.Error("somebody else finds what was typed")
	}
}

// The account's session is extended when its page's form requests it, and the response says how
// much time is left.
func TestStayInTheAccount(t *testing.T) {
	r := newRig(t)
	r.company("Alder Kitchens", "avery@alder.example")
	b := r.browser().signIn("avery@alder.example")
	form := url.Values{"form": {b.get("/account/you").fields().Get("form")}}
	r.wall = r.wall.Add(29 * time.Minute)
	for range 2 {
		if b.get(Prefix + stayPage); b.body != `{"left":60,"last":false}` {
			t.Errorf("asked: %s", b.body)
		}
	}
	if r.browser().sendForm(Prefix+stayPage, form, "same-origin").status != http.StatusForbidden {
		t.Error("a stranger's form is taken")
	}
	if b.sendForm(Prefix+stayPage, form, "same-origin"); b.body != `{"left":1800,"last":false}` {
		t.Errorf("asked for more: %s", b.body)
	}
	r.wall = r.wall.Add(30 * time.Minute)
	if b.get(Prefix + stayPage); b.body != `{"left":0,"last":false}` {
		t.Errorf("after the end: %s", b.body)
	}
}
