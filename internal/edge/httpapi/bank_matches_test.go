package httpapi_test

import (
	"strings"
	"testing"
)

// The bank's statement against account 1000: a line that names an entry is matched on
// arrival, lines with equal sums are matched manually, and the rest is listed with the
// proof.
func TestBankReconciliation(t *testing.T) {
	h := newHouse(t)
	const lines, matches, report = "/v1/operator/bank_lines", "/v1/operator/bank_matches", "/v1/operator/bank_reconciliation"
	send := func(status int, text string) reply {
		return h.must(status, "ops", "POST", lines, text, "Content-Type", "text/csv")
	}
	fund := func(amount, reference string) string {
		return h.must(201, "ops", "POST", "/v1/operator/ledger/funding", `{"amount":`+amount+`,"direction":"IN","reference":"`+reference+`"}`).text("id")
	}
	first, second := fund("500.00", "wire 4711"), fund("80.00", "till")
	day := h.zone.Date(h.business()).String()
	if r := send(200, "id,date,amount,reference\nb-1,"+day+",500.00,\"WIRE 4711, first\"\nb-2,"+day+",-12.50,FEES\nb-3,"+day+",30.00,A\nb-4,"+day+",50.00,B\n"); r.raw != `{"lines":4,"new":4,"matched":1}` {
		t.Errorf("taken: %s", r.raw)
	}
	for _, wrong := range []string{`"1,234.50"`, `"$5.00"`, `"5,00"`, "1e3", "5.001"} {
		if r := send(422, "id,date,amount,reference\nb-9,"+day+",1.00,x\nb-8,"+day+","+wrong+",x\n"); !strings.Contains(r.raw, `"line":3,"column":"amount"`) {
			t.Errorf("an amount of %s: %s", wrong, r.raw)
		}
	}
	says := func(q, want string) {
		t.Helper()
		r := h.must(200, "ops", "GET", report+q, "")
		for _, part := range strings.Split(want, " ") {
			if !strings.Contains(r.raw, part) {
				t.Errorf("%s is not in %s", part, r.raw)
			}
		}
	}
	says("", `"bank_balance":567.50 "ledger_balance":580.00 "difference":-12.50 "open_lines_sum":67.50 "open_entries_sum":80.00 "proven":true "b-2" "`+second+`"`)
	says("?as_of=2020-01-01", `"bank_balance":0.00 "ledger_balance":0.00 "proven":true "open_lines":[] "open_entries":[]`)
	if r := h.must(422, "ops", "POST", matches, `{"line_ids":["b-3"],"entry_ids":["`+second+`"]}`); !strings.Contains(r.raw, "The lines add up to 30.00, the entries to 80.00") {
		t.Errorf("sums that differ: %s", r.raw)
	}
	h.must(422, "ops", "POST", matches, `{"line_ids":["b-3"]}`)
	h.must(404, "ops", "POST", matches, `{"line_ids":["b-3","b-99"]}`)
	m := h.must(201, "ops", "POST", matches, `{"line_ids":["b-3","b-4"],"entry_ids":["`+second+`"],"note":"two"}`)
	if r := h.must(409, "ops", "POST", matches, `{"line_ids":["b-1"],"entry_ids":["`+first+`"]}`); r.code() != "already_matched" {
		t.Errorf("matched twice: %s", r.raw)
	}
	h.must(204, "ops", "POST", lines+"/b-2/assign", `{"owner":"ann","note":"asked the bank"}`)
	says("", `"open_lines_sum":-12.50 "open_entries_sum":0.00 "proven":true "owner":"ann" "open_entries":[]`)
	h.must(204, "ops", "POST", "/v1/operator/ledger/entries/"+second+"/assign", `{"owner":"bob"}`)
	undo := matches + "/" + m.text("id") + "/undo"
	if r, again := h.must(200, "ops", "POST", undo, ""), h.must(200, "ops", "POST", undo, ""); r.raw != again.raw || r.text("undone_at") == "" {
		t.Errorf("undone: %s, again %s", r.raw, again.raw)
	}
	says("", `"open_lines_sum":67.50 "open_entries_sum":80.00 "proven":true "owner":"bob"`)
	if r := h.must(200, "ops", "GET", matches+"?limit=1", ""); len(r.ids()) != 1 || r.body["has_more"] != true {
		t.Errorf("matches: %s", r.raw)
	}
}
