package checkout

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// told is the server's data for a page's script about the session's time.
type told struct {
	Left int  `json:"left"`
	Last bool `json:"last"`
}

// asks sends what the page's script sends: a form is posted; nil is none.
func (b *browser) asks(form url.Values, site string) (status int, out told) {
	b.t.Helper()
	q := httptest.NewRequest(http.MethodGet, b.path(stayStep), nil)
	if form != nil {
		q = httptest.NewRequest(http.MethodPost, b.path(stayStep), strings.NewReader(form.Encode()))
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	q.RemoteAddr, q.Host = b.address, "pay.example"
	q.Header.Set("Sec-Fetch-Site", site)
	q.Header.Set("Sec-Fetch-Dest", "empty")
	for _, c := range b.cookies {
		q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	checkHeaders(b.t, q.Method+" stay", w.Header(), b.around)
	if w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
			b.t.Fatalf("%v: %s", err, w.Body)
		}
	}
	return w.Code, out
}

func (b *browser) keyOf() url.Values { return url.Values{"form": {b.timer.Attr("data-key")}} }

// A page tells its script how long its session lasts. Querying changes nothing; a form with the
// page's key extends it, up to twelve hours, and nobody else's form does.
func TestStaySignedIn(t *testing.T) {
	for _, framed := range []bool{false, true} {
		r, b := newRig(t), (*browser)(nil)
		if r.company("Alder Kitchens", "avery@alderkitchens.example", 25_000_00); framed {
			_, token := r.begin(1_200_00, modal)
			b = r.inFrame(token)
		} else {
			_, token := r.begin(1_200_00)
			b = r.browser(token)
		}
		if b.get("").want(""); b.timer.Name != "" {
			t.Error("a page that nobody is signed in on measures a session")
		}
		b.signIn("avery@alderkitchens.example").want("terms")
		if b.timer.Attr("data-left") != "1800" || b.timer.Has("data-last") || b.timer.Attr("data-stay") != b.path(stayStep) {
			t.Errorf("the page tells its script %v", b.timer.Attrs)
		}
		for _, minutes := range []int{10, 28} {
			r.wall = r.wall.Add(time.Duration(minutes) * time.Minute)
			for range 2 {
				if status, got := b.asks(nil, "same-origin"); status != 200 || got.Left != (30-minutes)*60 || got.Last {
					t.Errorf("framed %v, after %d minutes: %d %+v", framed, minutes, status, got)
				}
			}
			if status, got := b.asks(b.keyOf(), "same-origin"); status != 200 || got.Left != 1800 {
				t.Errorf("framed %v, asked for more: %d %+v", framed, status, got)
			}
		}
		r.wall = r.wall.Add(28 * time.Minute)
		for _, x := range []struct {
			form url.Values
			site string
		}{{url.Values{"form": {"another"}}, "same-origin"}, {url.Values{}, "same-origin"}, {b.keyOf(), "cross-site"}} {
			if status, _ := b.asks(x.form, x.site); status != http.StatusForbidden {
				t.Errorf("framed %v, a form of %v from %s is answered with %d", framed, x.form, x.site, status)
			}
		}
		stranger := r.browser(strings.Split(b.token, ".")[0])
		stranger.around = b.around
		status, _ := stranger.asks(b.keyOf(), "same-origin")
		if _, got := stranger.asks(nil, "same-origin"); status != http.StatusForbidden || got.Left != 0 {
			t.Errorf("framed %v, a stranger is answered with %d, %+v", framed, status, got)
		}
		if _, got := b.asks(nil, "same-origin"); got.Left != 120 {
			t.Errorf("framed %v: strangers have left %+v", framed, got)
		}
	}
}

// After twelve hours in total, nothing extends a session.
func TestStayHasAnEnd(t *testing.T) {
	r := newRig(t)
	_, b := r.ready(25_000_00)
	b.get("terms").want("terms")
	for range 28 { // eleven hours and forty minutes, never idle for half an hour
		r.wall = r.wall.Add(25 * time.Minute)
		b.asks(b.keyOf(), "same-origin")
	}
	r.wall = r.wall.Add(15 * time.Minute) // eleven hours and fifty-five minutes
	status, got := b.asks(b.keyOf(), "same-origin")
	if status != 200 || got.Left != 300 || !got.Last {
		t.Errorf("five minutes before the end: %d %+v", status, got)
	}
	if b.get("terms").want("terms"); !b.timer.Has("data-last") || b.timer.Attr("data-left") != "300" {
		t.Errorf("the page tells its script %v", b.timer.Attrs)
	}
	r.wall = r.wall.Add(5 * time.Minute)
	if status, _ := b.asks(b.keyOf(), "same-origin"); status != http.StatusForbidden {
		t.Errorf("after the end: %d", status)
	}
	b.get("terms").want("email", "You were signed out")
}

// What is submitted after the end is saved for the person who had proved the email, except for
// secrets, and shown again once she has proved it again. It works without scripts, and in a
// frame.
func TestLateAnswersAreKept(t *testing.T) {
	for _, framed := range []bool{false, true} {
		r, b := newRig(t), (*browser)(nil)
		_, token := r.begin(1_200_00)
		if b = r.browser(token); framed {
			_, token = r.begin(1_200_00, modal)
			b = r.inFrame(token)
		}
		b.signIn("avery@alderkitchens.example").want("business", "You are signed out after 30 minutes without a click.", "This checkout is open until January 16, 2026 at 10:00 am Eastern.")
		r.wall = r.wall.Add(30 * time.Minute)
		b.post("business", "ein", "00-0000001", "revenue", "$480,000").want("email", "You were signed out", "Confirm the same e-mail")
		if got := b.fields().Get("email"); got != "" {
			t.Errorf("framed %v: the proved e-mail is shown: %q", framed, got)
		}
		b.post("email", "email", "avery@alderkitchens.example").want("code").post("code", "code", "000000").want("business")
		for name, want := range map[string]string{"ein": "00-0000001", "revenue": "$480,000"} { // unordered: each by itself
			if got := b.fields().Get(name); got != want {
				t.Errorf("framed %v: %s is %q afterwards", framed, name, got)
			}
		}
		b.post("business", "formed", "3/2019").want("you")
		r.wall = r.wall.Add(31 * time.Minute)
		b.post("you", "title", "Owner", "share", "100", "birth", "5/31/1980", "home", "12 Elm Street, Portland, OR 97209", "may_apply", "yes").want("email", "You were signed out")
		b.post("email", "email", "avery@alderkitchens.example").post("code", "code", "000000").want("you")
		if f := b.fields(); f.Get("title") != "Owner" || f.Get("share") != "100" {
			t.Errorf("framed %v: %v afterwards", framed, f)
		}
		b.post("you", "may_apply", "yes", "credit_check", "yes").want("you", "Enter a date like 5/31/1980")
	}
}

// A late form is accepted only from its browser and for its page; a day later not at all. Another
// person who signs in finds nothing of it.
func TestLateAnswersOfOthers(t *testing.T) {
	r := newRig(t)
	_, token := r.begin(1_200_00)
	b := r.browser(token)
	b.signIn("avery@alderkitchens.example").want("business")
	r.wall = r.wall.Add(30 * time.Minute)
	form := b.fields()
	form.Set("ein", "00-0000001")
	forged := url.Values{"form": {"another"}, "ein": {"00-0000009"}}
	if b.sendForm("business", forged); b.status != http.StatusForbidden {
		t.Errorf("a form with another key is answered with %d", b.status)
	}
	stranger := r.browser(token)
	if stranger.sendForm("business", form); stranger.status != http.StatusForbidden {
		t.Errorf("a browser without the session is answered with %d", stranger.status)
	}
	if b.sendForm("business", form); b.status != http.StatusSeeOther {
		t.Errorf("the form itself is answered with %d", b.status)
	}
	_, token2 := r.begin(1_200_00)
	late := r.browser(token2)
	late.signIn("avery@alderkitchens.example").want("business")
	form = late.fields()
	r.wall = r.wall.Add(25 * time.Hour)
	if late.sendForm("business", form); late.status != http.StatusForbidden {
		t.Errorf("a day later: %d", late.status)
	}
	b.get("email").post("email", "email", "mallory@else.example").post("code", "code", "000000")
	if strings.Contains(b.body, "00-0000001") {
		t.Error("somebody else finds what was typed")
	}
}

// Signing out ends the session, and nothing of it remains.
func TestSignOutOfACheckout(t *testing.T) {
	r := newRig(t)
	_, b := r.ready(25_000_00)
	b.get("terms").want("terms")
	form := b.fields()
	b.post(outStep).want("elsewhere")
	if b.sendForm("terms", form); b.status != http.StatusForbidden {
		t.Errorf("after signing out a form is answered with %d", b.status)
	}
	if strings.Contains(b.get("").body, "You were signed out") {
		t.Error("who has signed out is told that time did it")
	}
}
