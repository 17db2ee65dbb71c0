package httpapi_test

import (
	"strings"
	"testing"
)

// An adverse action notice can be read as JSON at any time, and printed once the lender has
// set its name and its regulator. Only the lender can send the paper, and once sent it
// never changes (F28).
func TestNotices(t *testing.T) {
	m := newMatrix(t)
	path := "/v1/operator/notices/" + m.noticeOf(m.house.a)
	json := m.must(200, "ops", "GET", path, "")
	if json.text("kind") != "LINE_DECREASE" || json.header.Get("ETag") != `"1"` {
		t.Errorf("%s %v", json.raw, json.header)
	}
	for _, form := range []string{"text/html", "application/pdf"} {
		refused := m.must(409, "ops", "GET", path, "", "Accept", form)
		if refused.text("code") != "lender_incomplete" || refused.text("detail") != "The lender's settings lack creditor.name, creditor.address, regulator.name, regulator.address." ||
			len(refused.body["missing"].([]any)) != 4 {
			t.Errorf("%s: %s", form, refused.raw)
		}
	}
	m.must(200, "ops", "PATCH", "/v1/operator/lender", `{"creditor":{"name":"Harbor Credit","address":"1 Market Street, Albany, NY 12207"}}`)
	if refused := m.must(409, "ops", "GET", path, "", "Accept", "text/html"); refused.text("detail") != "The lender's settings lack regulator.name, regulator.address." {
		t.Error(refused.raw)
	}
	m.must(200, "ops", "PATCH", "/v1/operator/lender", `{"regulator":{"name":"Federal Trade Commission","address":"Equal Credit Opportunity, Washington, DC 20580"}}`)
	page := m.must(200, "ops", "GET", path, "", "Accept", "text/html")
	for _, want := range []string{"<h1>Notice: your credit line was lowered</h1>", "Harbor Credit", "Federal Trade Commission", "Credit score of the owner or guarantor"} {
		if !strings.Contains(page.raw, want) {
			t.Errorf("no %q in %s", want, page.raw)
		}
	}
	pdf := m.must(200, "ops", "GET", path, "", "Accept", "application/pdf")
	if pdf.header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(pdf.raw, "%PDF-") {
		t.Errorf("%v", pdf.header)
	}
	m.must(200, "ops", "POST", path+"/sent", `{"channel":"MAIL","evidence":"tracking 9400"}`)
	if sent := m.must(200, "ops", "GET", path, "", "Accept", "application/pdf"); sent.raw != pdf.raw {
		t.Error("on the day on which it is sent the paper is another one")
	}
	m.must(200, "ops", "PATCH", "/v1/operator/lender", `{"creditor":{"name":"Oak Credit","address":"Boston"},"contact":"help@oak.example","regulator":null}`)
	if again := m.must(200, "ops", "GET", path, "", "Accept", "application/pdf"); again.raw != pdf.raw {
		t.Error("a notice that was sent says something else since the lender's settings have changed")
	}
	if again := m.must(200, "ops", "GET", path, "", "Accept", "text/html"); again.raw != page.raw {
		t.Errorf("the page says now %s", again.raw)
	}
	json = m.must(200, "ops", "GET", path, "")
	if want := `"creditor":{"name":"Harbor Credit","address":"1 Market Street, Albany, NY 12207"},"contact":null,` +
		`"regulator":{"name":"Federal Trade Commission","address":"Equal Credit Opportunity, Washington, DC 20580"},"ecoa_text_version":1`; !strings.Contains(json.raw, want) {
		t.Errorf("what it has said: %s", json.raw)
	}
	m.must(406, "ops", "GET", path, "", "Accept", "image/png")
	m.must(403, "a", "GET", path, "", "Accept", "application/pdf")
	m.must(404, "ops", "GET", "/v1/operator/notices/"+nobodys["notice"], "", "Accept", "text/html")
}

// The papers of a notice have the same headers as all other papers.
func TestNoticesArePapers(t *testing.T) {
	m := newMatrix(t)
	m.must(200, "ops", "PATCH", "/v1/operator/lender",
		`{"creditor":{"name":"Harbor Credit","address":"Albany"},"regulator":{"name":"Federal Trade Commission","address":"Washington"}}`)
	m.isPaper("/v1/operator/notices/"+m.noticeOf(m.house.a), "ops")
}
