package rest

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/domain/money"
)

func readJSON(t *testing.T, w *httptest.ResponseRecorder, v any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
}

func TestProblemEncode(t *testing.T) {
	c := widgetContract()
	p := &Problem{Code: "insufficient_credit", Detail: "Only 12.50 is available.",
		Members: map[string]any{"required": money.Amount(5000), "available": money.Amount(1250), "at": sampleInstant}}
	want := `{"type":"https://api.example.com/docs/errors/insufficient_credit","title":"The amount exceeds the available credit.",` +
		`"status":422,"detail":"Only 12.50 is available.","instance":"/v1/requests/req_1","code":"insufficient_credit","request_id":"req_1",` +
		`"at":"2026-03-02T14:04:05.123456Z","available":12.50,"required":50.00}`
	if got := string(c.encode(p, "https://api.example.com", "req_1")); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	p = &Problem{Code: CodeValidation, Errors: []FieldError{{Pointer: "/a", Code: "x", Detail: "y"}, {Parameter: "limit", Code: "x", Detail: "y"}, {Code: "x", Detail: "y"}}}
	if got := string(c.encode(p, "", "r")); !strings.HasSuffix(got,
		`"errors":[{"pointer":"/a","code":"x","detail":"y"},{"parameter":"limit","code":"x","detail":"y"},{"pointer":"","code":"x","detail":"y"}]}`) {
		t.Error(got)
	}
	// A code missing from the contract reveals no more than a fault.
	p = &Problem{Code: "s3cr3t", Detail: "s3cr3t", Errors: []FieldError{{Detail: "s3cr3t"}}}
	if got := string(c.encode(p, "", "r")); strings.Contains(got, "s3cr3t") {
		t.Error(got)
	}
	if status, _ := c.Problem(p, "", "r"); status != 500 {
		t.Error(status)
	}
}

func TestAnswers(t *testing.T) {
	f := newFixture(t)
	w := f.do("POST", "/v2/widget", goodBody, "Idempotency-Key: \"k1\"")
	body := `{"key":"wid_1","company_id":4821073356,"amount":1200.00,"memo":null,"created_at":"2026-03-02T14:04:05.123456Z","capture_date":null,"cart_items":[]}`
	if w.Code != 201 || w.Body.String() != body {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	h := w.Header()
	if h.Get("Location") != "/v1/widget/wid_1" || h.Get("Commit-Seq") != "8" || h.Get("Content-Type") != MediaJSON || h.Get("As-Of-Seq") != "" {
		t.Errorf("%v", h)
	}
	if f.call.IdempotencyKey != "k1" || f.call.CanonicalPath() != "/widget" || string(f.call.Body) != goodBody || f.call.Principal.Tenant != "mch_1" {
		t.Errorf("%+v", f.call)
	}
	first := f.call.Fingerprint()
	f.do("POST", "/widget", goodBody)
	if f.call.Fingerprint() != first {
		t.Error("the prefix changes the fingerprint")
	}
	f.do("POST", "/widget", goodBody+" ")
	if f.call.Fingerprint() == first {
		t.Error("another body has the same fingerprint")
	}
	f.do("PATCH", "/v1/widget/wid_1", `{}`)
	if f.call.CanonicalPath() != "/v1/widget/wid_1" {
		t.Errorf("canonical path %s", f.call.CanonicalPath())
	}
	patched := f.do("PATCH", "/widget/wid_1", `{}`, "Accept: application/problem+json")
	if e := patched.Header().Get("ETag"); !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(e) || patched.Header().Get("Content-Type") != MediaJSON {
		t.Errorf("ETag %s", e)
	}
	if !strings.Contains(f.log.String(), "operation=updateWidget") || strings.Contains(f.log.String(), "merchant ") {
		t.Errorf("log: %s", f.log)
	}
}
