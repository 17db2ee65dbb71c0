package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/alarm"
	"tenor/internal/office/signin"
)

// Before anybody has signed in the console is nobody's: every page says how the first person is
// invited, and none offers to sign in.
func TestUnclaimed(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	for _, path := range []string{"", "/sign-in", "/people", "/you"} {
		if code := b.get(Prefix + path); code != http.StatusServiceUnavailable || !strings.Contains(b.body, "tenor staff invite") || strings.Contains(b.body, "<form") {
			t.Errorf("%s: %d\n%s", path, code, b.body)
		}
	}
	r.invite("ada@lender.example", "Ada Novak", permit.Admin)
	if code := b.get(Prefix); code != http.StatusServiceUnavailable {
		t.Errorf("after an invitation alone: %d", code)
	}
	r.enrolled("ada@lender.example")
	if code := r.browser().get(Prefix + "/sign-in"); code != http.StatusOK {
		t.Errorf("after the first set-up: %d", code)
	}
}

// A link works once, for half an hour, and only the newest one; opening it uses nothing up.
func TestSetUpLink(t *testing.T) {
	r := newRig(t)
	_, old := r.invite("ada@lender.example", "Ada Novak", permit.Admin)
	m, path := r.invite("ada@lender.example", "Ada Novak")
	b := r.browser()
	for name, path := range map[string]string{"the replaced one": old, "a made-up one": Prefix + "/set-up/" + m.ID + "/" + strings.Repeat("x", 54), "of nobody": Prefix + "/set-up/stf_0/" + strings.Repeat("x", 54)} {
		if code := b.get(path); code != http.StatusGone {
			t.Errorf("%s: %d", name, code)
		}
	}
	for range 3 {
		if code := b.get(path); code != http.StatusOK || !strings.Contains(b.body, "ada@lender.example") {
			t.Fatalf("the newest one: %d", code)
		}
	}
	secret := strings.ReplaceAll(secretKey.FindStringSubmatch(b.body)[1], " ", "")
	for name, c := range map[string]struct{ password, code, want string }{
		"a short password":  {"too short", r.code(secret), "at least 12"},
		"a common password": {"Password12345", r.code(secret), "easy to guess"},
		"her own name":      {"novak-2026-novak", r.code(secret), "name or email"},
		"a wrong code":      {password, "000000", "wrong"},
		"somebody else's":   {password, "12345", "wrong"},
	} {
		if code, _ := b.post(path, "password", c.password, "code", c.code); code != 422 || !strings.Contains(b.body, c.want) || strings.Contains(b.body, c.password) {
			t.Errorf("%s: %d\n%s", name, code, b.body)
		}
	}
	for _, weak := range []string{
		"password1234", "Password123!", "passwordpassword", "qwertyuiop12", "letmein123456", "welcome12345", "iloveyou1234", "adminadmin123", "admin1234567", "changeme1234",
		"tenor2026tenor", "123456789012", "1q2w3e4r5t6y7u", "111111111111", "abcdefghijkl", "football12345", "monkeymonkey1", "dragon123456", "sunshine1234", "summer2026!!",
	} {
		r.wall = r.wall.Add(time.Second)
		if code, _ := b.post(path, "password", weak, "code", "000000"); code != 422 {
			t.Errorf("%s: %d", weak, code)
		} else if !strings.Contains(b.body, "easy to guess") && !strings.Contains(b.body, "code is wrong") {
			t.Errorf("%s: neither refused nor tried", weak)
		} else if !strings.Contains(b.body, "easy to guess") {
			t.Errorf("%s is no common password", weak)
		}
	}
	r.wall = r.wall.Add(staff.PrintedLink)
	if code := b.get(path); code != http.StatusGone {
		t.Errorf("after half an hour: %d", code)
	}
	_, path = r.invite("ada@lender.example", "Ada Novak")
	b.get(path)
	fresh := strings.ReplaceAll(secretKey.FindStringSubmatch(b.body)[1], " ", "")
	if fresh == secret {
		t.Error("two links have one secret")
	}
	if code, to := b.post(path, "password", password, "code", r.code(fresh)); code != http.StatusSeeOther || to != Prefix+"/you/recovery" {
		t.Fatalf("set up: %d to %s", code, to)
	}
	if code := r.browser().get(path); code != http.StatusGone {
		t.Errorf("the used link: %d", code)
	}
}

// Signing in takes a password and a code. Until both are given nothing opens; a code works once;
// wrong passwords, unknown and suspended people look the same.
func TestSignIn(t *testing.T) {
	r := newRig(t)
	_, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	r.wall = r.wall.Add(time.Minute)
	b := r.browser()
	if b.get(Prefix+"/people") != http.StatusSeeOther || b.last.Header().Get("Location") != Prefix+"/sign-in?to=%2Fconsole%2Fpeople" {
		t.Errorf("a stranger is led to %s", b.last.Header().Get("Location"))
	}
	sign := Prefix + "/sign-in?to=%2Fconsole%2Fpeople"
	var wrong string
	for _, email := range []string{"ada@lender.example", "nobody@lender.example"} {
		code, _ := b.fill(sign, "email", email, "password", "not the password at all")
		said := strings.ReplaceAll(b.body, email, "")
		if code != 422 || wrong != "" && said != wrong {
			t.Errorf("%s: %d, or another page", email, code)
		}
		wrong = said
	}
	b.does(Prefix+"/code?to=/console/people", sign, "email", "Ada@Lender.example ", "password", password)
	half := b.cookie
	for _, path := range []string{"", "/people", "/you", "/again"} {
		if b.get(Prefix+path) != http.StatusSeeOther || !strings.HasPrefix(b.last.Header().Get("Location"), Prefix+"/code") {
			t.Errorf("%s opens with the password alone", path)
		}
	}
	if code, _ := b.fill(Prefix+"/code", "code", "000000"); code != 422 {
		t.Errorf("a wrong code: %d", code)
	}
	code := r.code(secret)
	b.does(Prefix+"/people", Prefix+"/code?to=/console/people", "code", code)
	if b.cookie == half || b.get(Prefix+"/people") != http.StatusOK || !strings.Contains(b.body, "Ada Novak") {
		t.Error("signed in under the old token, or not at all")
	}
	other := r.browser()
	other.cookie = half
	if other.get(Prefix) != http.StatusSeeOther {
		t.Error("the token from before the code opens something")
	}
	other = r.browser()
	other.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	if status, _ := other.fill(Prefix+"/code", "code", code); status != 422 {
		t.Errorf("a used code: %d", status)
	}
	b.get(Prefix + "/you")
	if code, to := b.post(Prefix + "/sign-out"); code != http.StatusSeeOther || to != Prefix+"/sign-in" || b.cookie != "" {
		t.Errorf("sign out: %d to %s", code, to)
	}
}

// Where a step leads is a page of the console, whatever the address says.
func TestStepsLeadNowhereElse(t *testing.T) {
	r := newRig(t)
	_, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	for _, to := range []string{"https://evil.example/", "//evil.example", "/account", "/console/nowhere", "javascript:alert(1)", "/console/set-up/{member}/{token}x"} {
		b := r.browser()
		b.does(Prefix+"/code", Prefix+"/sign-in?to="+url.QueryEscape(to), "email", "ada@lender.example", "password", password)
		b.does(Prefix, Prefix+"/code?to="+url.QueryEscape(to), "code", r.code(secret))
	}
}

// Five wrong attempts from one network slow that network down, and nobody else: a stranger locks
// nobody out. Five wrong codes end the sign-in.
func TestGuessing(t *testing.T) {
	r := newRig(t)
	_, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	thief := r.browser()
	for i := range 7 {
		want := 422
		if i >= 5 {
			want = http.StatusTooManyRequests
		}
		if code, _ := thief.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", "a guess that is wrong"); code != want {
			t.Errorf("guess %d: %d, want %d", i, code, want)
		}
	}
	if code, _ := thief.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", password); code != http.StatusTooManyRequests {
		t.Errorf("the right one after too many: %d", code)
	}
	ada := r.browser()
	ada.network = "192.0.2.2:5000"
	ada.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	for i := range 5 {
		if code, _ := ada.fill(Prefix+"/code", "code", "000000"); code != 422 {
			t.Errorf("code %d: %d", i, code)
		}
	}
	if code, _ := ada.fill(Prefix+"/code", "code", r.code(secret)); code != http.StatusTooManyRequests || ada.cookie != "" {
		t.Errorf("the right code after too many: %d", code)
	}
	r.wall = r.wall.Add(15 * time.Minute)
	ada.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	ada.does(Prefix, Prefix+"/code", "code", r.code(secret))
}

// Many networks together do not lock a member out who has signed in from hers before; a network
// that is new to the account is under the wide limit.
func TestGuessingFromManyNetworks(t *testing.T) {
	r := newRig(t)
	_, secret, _ := r.enrolled("ada@lender.example", permit.Admin) // from 192.0.2.1
	for i := range 50 {
		thief := r.browser()
		thief.network = fmt.Sprintf("198.51.100.%d:5000", i)
		if code, _ := thief.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", "a guess that is wrong"); code != 422 {
			t.Fatalf("guess %d: %d", i, code)
		}
	}
	late := r.browser()
	late.network = "203.0.113.1:5000"
	if code, _ := late.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", password); code != http.StatusTooManyRequests {
		t.Errorf("from a new network: %d", code)
	}
	ada := r.browser()
	ada.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	ada.does(Prefix, Prefix+"/code", "code", r.code(secret))
}

// A recovery code signs in once, and is not enough for what needs a fresh proof.
func TestRecoveryCode(t *testing.T) {
	r := newRig(t)
	_, _, codes := r.enrolled("ada@lender.example", permit.Admin)
	if len(codes) != credit.StaffRecovery {
		t.Fatalf("%d codes", len(codes))
	}
	typed := strings.ToUpper(strings.ReplaceAll(codes[3], "-", " "))
	b := r.browser()
	b.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	b.does(Prefix, Prefix+"/code", "code", typed)
	if b.get(Prefix+"/you") != http.StatusOK || !strings.Contains(b.body, "9 left") {
		t.Errorf("codes left:\n%s", b.body)
	}
	again := r.browser()
	again.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	if code, _ := again.fill(Prefix+"/code", "code", codes[3]); code != 422 {
		t.Errorf("a used recovery code: %d", code)
	}
	if b.get(Prefix+"/you/password") != http.StatusSeeOther {
		t.Error("a sign-in by recovery code is a fresh proof")
	}
	r.wall = r.wall.Add(15 * time.Minute)
	for i := range 6 { // nor does one give more attempts to guess a one-time code
		want := 422
		if i == 5 {
			want = http.StatusTooManyRequests
		}
		if code, _ := b.fill(Prefix+"/again", "code", codes[4]); code != want {
			t.Errorf("recovery code %d as fresh proof: %d, want %d", i, code, want)
		}
	}
}

// Half an hour without a click, and twelve hours in any case, end a sign-in.
func TestSessionsEnd(t *testing.T) {
	r := newRig(t)
	b, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	r.wall = r.wall.Add(29 * time.Minute)
	if b.get(Prefix) != http.StatusOK {
		t.Error("ended before half an hour")
	}
	r.wall = r.wall.Add(31 * time.Minute)
	if b.get(Prefix) != http.StatusSeeOther {
		t.Error("lasts longer than half an hour without a click")
	}
	b.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	r.wall = r.wall.Add(11 * time.Minute)
	if b.get(Prefix+"/code") != http.StatusSeeOther {
		t.Error("a password is good for longer than ten minutes")
	}
	b.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	b.does(Prefix, Prefix+"/code", "code", r.code(secret))
	for range 24 {
		r.wall = r.wall.Add(29 * time.Minute)
		if b.get(Prefix) != http.StatusOK {
			t.Fatal("ended while in use")
		}
	}
	r.wall = r.wall.Add(29 * time.Minute)
	if b.get(Prefix) != http.StatusSeeOther {
		t.Error("lasts longer than twelve hours")
	}
}

// Other roles, a suspension and a new set-up end every sign-in at once.
func TestSignInsAreEnded(t *testing.T) {
	r := newRig(t)
	ada, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	m, err := r.desk.Find(t.Context(), "ada@lender.example")
	if err != nil {
		t.Fatal(err)
	}
	change := func(c credit.Command) {
		t.Helper()
		if _, err := r.desk.Change(t.Context(), c, signin.By{}); err != nil {
			t.Fatal(err)
		}
	}
	back := func() {
		t.Helper()
		ada.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
		ada.does(Prefix, Prefix+"/code", "code", r.code(secret))
	}
	for name, c := range map[string]credit.Command{
		"other roles": staff.SetRoles{Member: m.ID, Roles: []permit.Role{permit.Viewer, permit.Auditor}}, "a suspension": staff.Suspend{Member: m.ID},
	} {
		if ada.get(Prefix) != http.StatusOK {
			t.Fatalf("%s: not signed in before", name)
		}
		if change(c); ada.get(Prefix) != http.StatusSeeOther {
			t.Errorf("%s ends no sign-in", name)
		}
		if name == "a suspension" {
			if code, _ := ada.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", password); code != 422 {
				t.Errorf("a suspended member's password: %d", code)
			}
			change(staff.Suspend{Member: m.ID, Lift: true})
		}
		back()
	}
	_, path := r.invite("ada@lender.example", "Ada Novak")
	if ada.get(Prefix) != http.StatusOK {
		t.Error("a link that nobody has used ends a sign-in")
	}
	other := r.browser()
	other.get(path)
	fresh := strings.ReplaceAll(secretKey.FindStringSubmatch(other.body)[1], " ", "")
	if code, _ := other.post(path, "password", password+" too", "code", r.code(fresh)); code != http.StatusSeeOther {
		t.Fatalf("set up again: %d\n%s", code, other.body)
	}
	if ada.get(Prefix) != http.StatusSeeOther {
		t.Error("a new set-up leaves the old sign-in")
	}
}

// A new password needs a fresh code and the present password; it signs everybody else out.
func TestChangePassword(t *testing.T) {
	r := newRig(t)
	ada, secret, _ := r.enrolled("ada@lender.example", permit.Viewer)
	other := r.browser()
	other.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	other.does(Prefix, Prefix+"/code", "code", r.code(secret))
	r.wall = r.wall.Add(5 * time.Minute)
	at := Prefix + "/you/password"
	if ada.get(at) != http.StatusSeeOther || ada.last.Header().Get("Location") != Prefix+"/again?to=%2Fconsole%2Fyou%2Fpassword" {
		t.Errorf("without a fresh code: %s", ada.last.Header().Get("Location"))
	}
	ada.does(at, Prefix+"/again?to=%2Fconsole%2Fyou%2Fpassword", "code", r.code(secret))
	for name, c := range map[string][2]string{"the wrong present one": {"something else entirely", "a new and better one"}, "a weak one": {password, "Password1234"}} {
		if code, _ := ada.fill(at, "present", c[0], "next", c[1]); code != 422 {
			t.Errorf("%s: %d", name, code)
		}
	}
	ada.does(Prefix+"/you", at, "present", password, "next", "a new and better one")
	if ada.get(Prefix) != http.StatusOK || other.get(Prefix) != http.StatusSeeOther {
		t.Error("the change signs out the wrong browser")
	}
	if code, _ := other.fill(Prefix+"/sign-in", "email", "ada@lender.example", "password", password); code != 422 {
		t.Errorf("the old password: %d", code)
	}
	other.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", "a new and better one")
	ada.does(Prefix+"/you/recovery", Prefix+"/you/recovery/new")
	if ada.get(Prefix+"/you/recovery") != http.StatusOK || other.get(Prefix+"/code") != http.StatusSeeOther {
		t.Error("new recovery codes are not shown, or leave another sign-in")
	}
	ada.does(Prefix, Prefix+"/you/recovery")
	if ada.get(Prefix+"/you/recovery") != http.StatusSeeOther {
		t.Error("recovery codes are shown twice")
	}
}

// A developer sees how much waits, and not whose it is.
func TestDevelopersSeeTheBusinessMasked(t *testing.T) {
	r := newRig(t)
	list := []alarm.Alarm{{Kind: alarm.ApplicationReview, Detail: "Gum Tree Glass LLC requests 900.00.", Since: calendar.None, Due: calendar.None}, {Kind: alarm.ApplicationReview, Since: calendar.None, Due: calendar.None}}
	for role, want := range map[permit.Role]int{permit.Developer: 0, permit.Viewer: 2} {
		b, _, _ := r.enrolled(string(role)+"@lender.example", role)
		found, err := r.desk.Session(t.Context(), b.cookie)
		if err != nil {
			t.Fatal(err)
		}
		got := (&visit{Pages: r.pages, visitor: found}).work(list)
		if len(got) != 1 || got[0].Count != 2 || len(got[0].Items) != want || (got[0].More != "") != (want == 0) {
			t.Errorf("%s: %+v", role, got)
		}
	}
}

// A stranger gets nothing from any page, and a form of another origin, or with another key, does
// nothing.
func TestStrangersAndForeignForms(t *testing.T) {
	r := newRig(t)
	ada, secret, _ := r.enrolled("ada@lender.example", permit.Admin)
	for _, x := range r.pages.rights {
		path := strings.NewReplacer("{member}", "stf_0", "{token}", "x").Replace(x.path)
		if x.who != anybody {
			if b := r.browser(); b.get(path) != http.StatusSeeOther && b.last.Code != http.StatusMethodNotAllowed {
				t.Errorf("GET %s: %d", path, b.last.Code)
			}
		}
		if !x.post {
			continue
		}
		form := url.Values{"form": {"x"}}
		if code := ada.send("POST", path, form).Code; code != http.StatusForbidden && code != http.StatusSeeOther {
			t.Errorf("POST %s with another key: %d", path, code)
		}
		if code := ada.send("POST", path, form, "Sec-Fetch-Site", "cross-site").Code; code != http.StatusForbidden && code != http.StatusSeeOther {
			t.Errorf("POST %s from elsewhere: %d", path, code)
		}
	}
	if ada.get(Prefix) != http.StatusOK {
		t.Error("a foreign form has signed her out")
	}
	// A browser that does not send Sec-Fetch-Site says by Origin where a form comes from, and says
	// it only because the pages' Referrer-Policy lets it.
	ada.get(Prefix + "/you")
	form := url.Values{"form": {keyField.FindStringSubmatch(ada.body)[1]}}
	if code := ada.send("POST", Prefix+"/sign-out", form, "Origin", "null").Code; code != http.StatusForbidden {
		t.Errorf("a form of an unknown origin: %d", code)
	}
	if code := ada.send("POST", Prefix+"/sign-out", form, "Origin", "http://example.com").Code; code != http.StatusSeeOther {
		t.Errorf("a form of the same origin: %d", code)
	}
	ada.does(Prefix+"/code", Prefix+"/sign-in", "email", "ada@lender.example", "password", password)
	ada.does(Prefix, Prefix+"/code", "code", r.code(secret))
	if code := ada.send("DELETE", Prefix, nil).Code; code != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %d", code)
	}
	if code := ada.get(Prefix + "/nowhere"); code != http.StatusNotFound {
		t.Errorf("nowhere: %d", code)
	}
	if code := ada.get(Prefix + "/demo/x"); code != http.StatusNotFound {
		t.Errorf("the sandbox's door, live: %d", code)
	}
}
