package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/ports/facts/sandbox"
)

// A sandbox plays the buyer, time and staff: each outcome of a checkout, each magic tax
// number.
func TestSandboxPlaysTheBuyer(t *testing.T) {
	h, x := sandboxHouse(t)
	made := func() string {
		return h.must(201, "play", "POST", "/v1/checkouts", `{"amount":1200.00,`+cartBody+`}`).text("id")
	}
	play := func(status int, id, how, body string) reply {
		t.Helper()
		return h.must(status, "play", "POST", "/v1/sandbox/checkouts/"+id+"/"+how, body)
	}
	for _, c := range []struct{ ein, status, reason string }{
		{"00-0000001", "ACCEPTED", ""}, {"00-0000011", "ACCEPTED", ""}, {"000000012", "ACCEPTED", ""}, {"00-0000003", "PENDING_REVIEW", "pending_review"},
		{"00-0000004", "DECLINED", "declined"}, {"00-0000030", "DECLINED", "declined"}, {"00-0000041", "DECLINED", "declined"}, {"00-0000050", "PENDING_REVIEW", "pending_review"},
	} {
		h.service.Desk.Sandbox = true
		id := h.must(201, "play", "POST", "/v1/checkouts", `{"amount":1200.00,"buyer":{"email":"b`+strings.ReplaceAll(c.ein, "-", "")+`@shop.example"},`+cartBody+`}`).text("id")
		if r := play(200, id, "accept", `{"ein":"`+c.ein+`"}`); r.text("status") != c.status || r.text("reason") != c.reason {
			t.Errorf("%s: %s", c.ein, r.raw)
		}
	}
	short := made()
	if r := play(422, short, "accept", `{"ein":"00-0000014"}`); r.code() != "insufficient_credit" {
		t.Errorf("a line that is too small: %s", r.raw)
	}
	if r := play(200, short, "cancel", ""); r.text("status") != "CANCELED" || r.text("reason") != "insufficient_credit" {
		t.Errorf("left because the line is too small: %s", r.raw)
	}
	if e := h.lastEvent("play"); e["status"] != "CANCELED" || e["reason"] != "insufficient_credit" {
		t.Errorf("its event tells something else: %v", e)
	}
	if r := play(200, made(), "accept", ""); r.text("status") != "ACCEPTED" || fmt.Sprint(r.body["installments"]) != "1" {
		t.Errorf("as it is: %s", r.raw)
	}
	h.owner(h.company, "alder@alder.example")
	known := made()
	if r := play(200, known, "accept", fmt.Sprintf(`{"company_id":%d,"installments":6}`, h.company)); r.text("status") != "ACCEPTED" || fmt.Sprint(r.body["company_id"]) != fmt.Sprint(h.company) {
		t.Errorf("of a company: %s", r.raw)
	}
	if r := play(200, known, "accept", `{"installments":6}`); r.text("status") != "ACCEPTED" {
		t.Errorf("twice: %s", r.raw)
	}
	play(422, made(), "accept", fmt.Sprintf(`{"company_id":%d}`, h.unlinked)) // nobody acts for it
	play(422, made(), "accept", `{"ein":"00-0000001","company_id":1000000001}`)
	if r := play(422, made(), "accept", `{"installments":7}`); r.code() != "term_not_available" {
		t.Errorf("seven installments: %s", r.raw)
	}
	if r := play(200, made(), "decline", ""); r.text("status") != "DECLINED" || r.text("reason") != "declined" {
		t.Errorf("declined: %s", r.raw)
	}
	left := made()
	if r := play(200, left, "cancel", ""); r.text("status") != "CANCELED" || r.text("reason") != "buyer_canceled" {
		t.Errorf("left: %s", r.raw)
	}
	if r := play(409, left, "accept", ""); r.code() != "checkout_not_accepted" || r.text("checkout_status") != "CANCELED" {
		t.Errorf("accepted after it was left: %s", r.raw)
	}
	late := made()
	play(200, late, "expire", "")
	if len(x.told) == 0 || !strings.HasPrefix(x.told[len(x.told)-1], "advance to 2026-01-11T") {
		t.Errorf("the clock was told %v", x.told)
	}
	foreign := h.must(201, "b", "POST", "/v1/checkouts", `{"amount":1200.00,`+cartBody+`}`).text("id")
	for _, how := range []string{"accept", "decline", "cancel", "expire"} {
		play(404, foreign, how, "")
		play(404, "chk_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", how, "")
	}
}

// Staff are played too. The list of magic tax numbers and the mailbox show the rest.
func TestSandboxTellsAndDecides(t *testing.T) {
	h, _ := sandboxHouse(t)
	list := h.must(200, "play", "GET", "/v1/sandbox", "").body["outcomes"].([]any)
	if len(list) != len(sandbox.Outcomes()) || list[0].(map[string]any)["ein"] != "00-0000001" {
		t.Errorf("outcomes %v", list)
	}
	apply := func() string {
		id := h.must(201, "play", "POST", "/v1/applications", newApplication("00-0000003")).text("id")
		h.decide()
		return id
	}
	yes, less, no := apply(), apply(), apply()
	if r := h.must(200, "play", "POST", "/v1/sandbox/applications/"+yes+"/decide", `{"decision":"APPROVED"}`); r.text("status") != "APPROVED" || r.body["counter_offer"] != false {
		t.Errorf("approved: %s", r.raw)
	}
	if r := h.must(200, "play", "POST", "/v1/sandbox/applications/"+less+"/decide", `{"decision":"APPROVED","limit":800}`); r.body["counter_offer"] != true {
		t.Errorf("less: %s", r.raw)
	}
	if r := h.must(200, "play", "POST", "/v1/sandbox/applications/"+no+"/decide", `{"decision":"DECLINED"}`); r.text("status") != "DECLINED" {
		t.Errorf("declined: %s", r.raw)
	}
	if r := h.must(409, "play", "POST", "/v1/sandbox/applications/"+no+"/decide", `{"decision":"APPROVED"}`); r.code() != "application_decided" {
		t.Errorf("twice: %s", r.raw)
	}
	foreign := h.must(201, "b", "POST", "/v1/applications", newApplication("00-0000003")).text("id")
	h.must(404, "play", "POST", "/v1/sandbox/applications/"+foreign+"/decide", `{"decision":"APPROVED"}`)
	link := h.must(201, "play", "POST", "/v1/checkouts", `{"amount":300,"mode":"link","buyer":{"email":"ada@alder.example"}}`)
	h.decide() // sends pending mail
	mail := h.must(200, "play", "GET", "/v1/sandbox/mail?kind=CHECKOUT_LINK", "").body["data"].([]any)
	if len(mail) != 1 || !strings.Contains(mail[0].(map[string]any)["text"].(string), link.text("checkout_url")) || mail[0].(map[string]any)["to"] != "ada@alder.example" {
		t.Errorf("mails %v", mail)
	}
	if len(mail) == 1 {
		if one := h.must(200, "play", "GET", "/v1/sandbox/mail/"+mail[0].(map[string]any)["id"].(string), ""); one.text("kind") != "CHECKOUT_LINK" {
			t.Errorf("one mail %s", one.raw)
		}
	}
	for seen, next := map[string]bool{}, "/v1/sandbox/mail?limit=2"; next != ""; {
		r := h.must(200, "play", "GET", next, "")
		for _, m := range r.body["data"].([]any) {
			id := m.(map[string]any)["id"].(string)
			if seen[id] {
				t.Errorf("%s is on two pages", id)
			}
			seen[id] = true
		}
		if next = ""; r.text("next_cursor") != "" {
			next = "/v1/sandbox/mail?limit=2&cursor=" + r.text("next_cursor")
		} else if len(seen) < 5 {
			t.Errorf("only %d mails", len(seen))
		}
	}
}
