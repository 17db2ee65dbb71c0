package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/proof/devtest"
	"tenor/internal/proof/proctest"
)

// With the pages alone, a developer finds the response to a call: from the order's timeline to
// the call, to the history of its key, and to another call made from it. Calls by the pages
// themselves are not logged.
func TestRequestsOnTheirPages(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s.Form("/sandbox/enter", url.Values{"token": {w.Token}})
	const sent = `{"company_id":1000000001,"amount":150.00,"installments":3,"merchant_order_id":"A-%"}`
	_, began, order := s.Send("POST", "/v1/order", strings.Replace(sent, "%", "1", 1), "k-1")
	s.Send("POST", "/v1/order", strings.Replace(sent, "%", "1", 1), "k-1")
	_, differs, _ := s.Send("POST", "/v1/order", strings.Replace(sent, "%", "2", 1), "k-1")
	s.Until("all are in the log", "/v1/requests?idempotency_key=k-1", func(list []map[string]any) bool { return len(list) == 3 })

	if page := s.Page("/sandbox/objects/order/"+order["key"].(string), ">Created<", `href="/sandbox/requests/`+began+`"`); strings.Contains(page, differs) {
		t.Error("the order's time line has the call that was refused")
	}
	s.Page("/sandbox/requests?idempotency_key=k-1&status_class=4xx", "POST /order", "idempotency_key_reused", ">422<")
	s.Page("/sandbox/requests/"+differs, "/merchant_order_id", `href="/sandbox/requests/`+began+`"`, "given again once", `href="/docs/errors/idempotency_key_reused"`)
	first := s.Page("/sandbox/requests/"+began, "This is the first request with it.", "merchant_order_id", "***", "curl -X POST", "/order&#39;", "/sandbox/objects/order/"+order["key"].(string))
	if strings.Contains(strings.Replace(first, ">A-1</span>", "", 1), "A-1") { // the path to the order contains its name, which the token may read
		t.Error("the page shows the order's number in what was sent or answered")
	}

	at := "/sandbox/requests/" + began
	s.Form(at+"/run", url.Values{"target": {"/v1/order"}, "body": {strings.Replace(sent, "%", "3", 1)}})
	s.Page(at, "It was run again", ">201<", "A-3")
	s.Form(at+"/run", url.Values{"target": {"/v1/order"}, "body": {strings.Replace(sent, "%", "1", 1)}, "same": {"yes"}})
	s.Page(at, "It was run again", ">201<", order["key"].(string))
	list := s.Until("what the pages have made is in the log", "/v1/requests?operation=createOrder", func(list []map[string]any) bool { return len(list) == 5 })
	if list[1]["status"] != 201.0 || !strings.HasPrefix(list[1]["idempotency_key"].(string), "screen-") || list[0]["idempotency_key"] != "k-1" || list[0]["replayed"] != true {
		t.Errorf("made anew are %v", list[:2])
	}
	for _, asked := range []string{"listRequests", "getRequest", "listSandboxReceivers"} {
		if got := s.List("/v1/requests?operation=" + asked); len(got) > 0 && asked != "listRequests" {
			t.Errorf("the pages' own calls are in the log: %v", got)
		}
	}
	s.Page("/sandbox", `href="/sandbox/requests"`)
}

// If the log cannot be written, calls are still answered, no alarm is raised and the server stays
// ready; logging continues as soon as it can.
func TestCallsGoOnWithoutTheirLog(t *testing.T) {
	metrics := proctest.FreeAddress(t)
	s, w := devtest.NewShopper(t, "--metrics", metrics)
	lender := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator"), HTTP: s.HTTP}
	alarms := len(lender.List("/v1/operator/alarms"))
	table := func(from, to string) {
		t.Helper()
		db, err := sqlite.OpenConn(filepath.Join(w.Data, "tenor.db"), sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetBlockOnBusy()
		if err := sqlitex.ExecuteTransient(db, "ALTER TABLE "+from+" RENAME TO "+to, nil); err != nil {
			t.Fatal(err)
		}
	}
	const order = `{"company_id":1000000001,"amount":150.00,"installments":3}`
	call := func(key string) {
		t.Helper()
		if status, _, answer := s.Send("POST", "/order", order, key); status != 201 {
			t.Errorf("%s is answered with %d %v", key, status, answer)
		}
	}
	table("requests", "requests_away")
	for i := range 3 {
		call(fmt.Sprint("away-", i))
	}
	s.Until("calls are lost", "/v1/webhooks", func([]map[string]any) bool {
		return scrapeAt(t, metrics)["tenor_requests_unlogged_total"] > 0
	})
	call("away-3")
	if status, _, _ := s.Send("GET", "/readyz", "", ""); status != 200 {
		t.Errorf("/readyz answers %d", status)
	}
	if now := len(lender.List("/v1/operator/alarms")); now != alarms {
		t.Errorf("there are %d alarms instead of %d", now, alarms)
	}
	table("requests_away", "requests")
	_, back, _ := s.Send("GET", "/v1/orders?limit=1", "", "")
	s.Until("the log goes on", "/v1/requests?request_id="+back, func(list []map[string]any) bool { return len(list) == 1 })
}
