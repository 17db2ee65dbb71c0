package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
	"tenor/internal/proof/devtest"
)

// decliner is a shop and its lender, with a clock that they control.
type decliner struct {
	*devtest.Shopper
	lender *devtest.Shopper
	data   string
	at     time.Time // of the clock: always in the middle of a day, in any season
}

// stops stops the clock at the next noon.
func (d *decliner) stops() {
	d.Helper()
	now, err := time.Parse(time.RFC3339, d.API(200, "POST", "/v1/sandbox/clock/freeze", "{}")["now"].(string))
	if err != nil {
		d.Fatal(err)
	}
	d.at = now.UTC().Truncate(24 * time.Hour).Add(17 * time.Hour)
	d.moves(1)
}

// moves advances the business clock, until all scheduled work is done.
func (d *decliner) moves(days int) {
	d.Helper()
	d.at = d.at.Add(time.Duration(days) * 24 * time.Hour)
	d.API(200, "POST", "/v1/sandbox/clock/advance", `{"to":"`+d.at.Format(time.RFC3339)+`"}`)
	d.Until("the clock is there", "/v1/sandbox/mail?limit=1", func([]map[string]any) bool { return d.API(200, "GET", "/v1/sandbox/clock", "")["status"] == "ready" })
}

// tasks returns the kinds of alarms about a subject.
func (d *decliner) tasks(subject string) (out []string) {
	d.Helper()
	for _, a := range d.lender.List("/v1/operator/alarms") {
		if a["subject"] == subject {
			out = append(out, a["kind"].(string)+" "+fmt.Sprint(a["due"]))
		}
	}
	return out
}

// declines lets a checkout end in a refusal, and returns its application.
func (d *decliner) declines(email string) (application string) {
	d.Helper()
	id := d.API(201, "POST", "/v1/checkouts", `{"amount":1200.00,"buyer":{"email":"`+email+`"},"return_url":"http://localhost:9000/thanks","cancel_url":"http://localhost:9000/cart"}`)["id"].(string)
	if x := d.API(200, "POST", "/v1/sandbox/checkouts/"+id+"/accept", `{"ein":"00-0000030"}`); x["status"] != "DECLINED" {
		d.Fatalf("the checkout is %v", x["status"])
	}
	for _, a := range d.lender.List("/v1/operator/applications?email=" + email) {
		return a["id"].(string)
	}
	d.Fatal("there is no application")
	return ""
}

// onPaper returns a declined application whose applicant wants no electronic documents.
func (d *decliner) onPaper() string {
	d.Helper()
	place := `{"street":"12 Canal St","city":"New York","state":"NY","postal_code":"10013"}`
	id := d.API(201, "POST", "/v1/applications", `{"applicant":{"first_name":"Ada","last_name":"Marsh","email":"ada@paper.example","title":"Owner"},`+
		`"business":{"legal_name":"Paper Mill LLC","entity_type":"LLC","ein":"00-0000030","formed_on":"2018-05-01","state_of_formation":"NY","address":`+place+`,"phone":"+1 212 555 0101","annual_revenue":"1000000.00"},`+
		`"owners":[{"first_name":"Ada","last_name":"Marsh","birth_date":"1980-03-14","address":`+place+`,"ownership_percent":100,"control_person":true}],`+
		`"consents":{"credit_check":true,"electronic_records":false,"accepted_at":"2026-01-05T14:00:00Z"}}`)["id"].(string)
	d.Until("it is declined", "/v1/applications", func([]map[string]any) bool {
		return d.API(200, "GET", "/v1/applications/"+id, "")["status"] == "DECLINED"
	})
	return id
}

// notice returns what is stored of an application's notice.
func (d *decliner) notice(application string) map[string]any {
	d.Helper()
	x, _ := d.lender.API(200, "GET", "/v1/operator/applications/"+application, "")["notice"].(map[string]any)
	if x == nil {
		d.Fatal("it owes no notice")
	}
	return x
}

// A declined checkout and its notice over time: one by mail at once, one on paper that nobody
// posts, and one about an account. Thirty days later the paper one is due, sixty days later it is
// a breach, and it is the last day to ask for further reasons. Twenty-five months after that,
// nothing of their content is stored, and the books balance.
func TestDeclinedByTheClock(t *testing.T) {
	s, w := devtest.NewShopper(t)
	d := &decliner{Shopper: s, lender: &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator")}, data: w.Data}
	d.stops()
	mailed, paper := d.declines("bo@mailed.example"), d.onPaper()
	d.lender.API(200, "PATCH", "/v1/operator/companies/1000000006", `{"limit":100.00,"reason":"x","reasons":["credit_score"]}`)
	account := d.lender.List("/v1/operator/notices?company_id=1000000006")[0]["id"].(string)
	d.lender.API(200, "POST", "/v1/operator/notices/"+account+"/sent", `{"channel":"MAIL","evidence":"tracking 7"}`)

	d.Until("the notice has left", "/v1/sandbox/mail?kind=APPLICATION_DECLINED", func(list []map[string]any) bool { return len(list) == 1 && d.notice(mailed)["sent_at"] != nil })
	letter := d.List("/v1/sandbox/mail?kind=APPLICATION_DECLINED")[0]
	for _, text := range []string{"Credit score of the owner or guarantor", "Equal Credit Opportunity Act"} {
		if letter["to"] != "bo@mailed.example" || !strings.Contains(strings.Join(strings.Fields(letter["text"].(string)), " "), text) {
			t.Errorf("the notice to %s lacks %q:\n%s", letter["to"], text, letter["text"])
		}
	}
	d.sixtyDays(mailed, paper)
	d.lender.API(200, "POST", "/v1/operator/applications/"+paper+"/notice", `{"channel":"MAIL","evidence":"tracking 8"}`)
	if got := d.tasks(paper); len(got) != 0 {
		t.Errorf("once it is posted its task is %v", got)
	}
	d.reads(200, mailed, account)
	if list := d.List("/v1/sandbox/mail?kind=APPLICATION_DECLINED"); len(list) != 1 || list[0]["text"] != letter["text"] {
		t.Error("sixty days later the mailbox shows another notice")
	}

	asked := d.asks(account)

	d.moves(25*31 - 61)
	d.reads(404, mailed, account)
	n := d.lender.API(200, "GET", "/v1/operator/notices/"+account, "")
	if n["erased_at"] == nil || fmt.Sprint(n["reasons"]) != "[]" || n["evidence"] != nil || n["creditor"] != nil || n["sent_at"] == nil || n["channel"] != "MAIL" {
		t.Errorf("what is kept of the notice: %v", n)
	}
	if x := d.notice(mailed); x["sent_at"] == nil || x["due_on"] == nil {
		t.Errorf("that it was sent is forgotten: %v", x)
	}
	if n := d.lender.API(200, "GET", "/v1/operator/notices/"+asked, ""); n["erased_at"] != nil || fmt.Sprint(n["reasons"]) != "[credit_score]" {
		t.Errorf("the answer that is still owed: %v", n)
	}
	for _, m := range d.List("/v1/sandbox/mail?kind=NOTICE&limit=100") {
		if m["object"].(map[string]any)["id"] == account {
			t.Error("the mailbox shows a notice that is erased")
		}
	}
	var out, errs devtest.Pipe
	if code := cli.Run(t.Context(), []string{"verify", "--data", d.data}, devtest.App(&out, &errs)); code != exit.Done {
		t.Errorf("verify ends with %d: %s %s", code, out.String(), errs.String())
	}
}

// sixtyDays advances the clock past the deadline of a notice that nobody posts, and compares the
// lender's tasks with those for one that was mailed.
func (d *decliner) sixtyDays(mailed, paper string) {
	d.Helper()
	due := fmt.Sprint(d.notice(paper)["due_on"])
	for _, x := range []struct {
		days int
		want string
	}{{0, "[]"}, {19, "[]"}, {1, "[notice_due " + due + "]"}, {10, "[notice_due " + due + "]"}, {1, "[notice_overdue " + due + "]"}, {29, "[notice_overdue " + due + "]"}} {
		if x.days > 0 {
			d.moves(x.days)
		}
		if got := fmt.Sprint(d.tasks(paper)); got != x.want {
			d.Errorf("after %d more days the tasks are %s, want %s", x.days, got, x.want)
		}
		if got := d.tasks(mailed); len(got) != 0 {
			d.Errorf("the notice has been sent, and its task is %v", got)
		}
	}
}

// asks asks for further reasons on the last day, sixty days after the notice, and a day later. It
// returns the notice that answers the first request.
func (d *decliner) asks(notice string) string {
	d.Helper()
	ask := func(status int) map[string]any {
		return d.lender.API(status, "POST", "/v1/operator/notices/"+notice+"/reasons", `{"received_on":"`+d.at.Format(time.DateOnly)+`"}`)
	}
	n := ask(201)
	if want := d.at.Add(30 * 24 * time.Hour).Format(time.DateOnly); n["kind"] != "FURTHER_REASONS" || n["due_on"] != want {
		d.Errorf("the answer is due on %v, not %s: %v", n["due_on"], want, n)
	}
	d.moves(1)
	ask(422)
	return n["id"].(string)
}

// reads requests the documents of both kinds of notices.
func (d *decliner) reads(status int, application, account string) {
	d.Helper()
	for _, path := range []string{"/v1/operator/applications/" + application + "/notice", "/v1/operator/notices/" + account} {
		r, err := http.NewRequestWithContext(d.Context(), http.MethodGet, d.URL+path, nil)
		if err != nil {
			d.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+d.lender.Token)
		r.Header.Set("Accept", "text/html")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			d.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != status {
			d.Errorf("%s as a page is answered with %d instead of %d", path, answer.StatusCode, status)
		}
	}
}
