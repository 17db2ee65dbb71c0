package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"tenor/internal/edge/httpapi"
)

// reasoned matches the paths whose operations require a reason.
var reasoned = regexp.MustCompile(`/operator/companies(/[^/]+(/(link|unlink|line|release|close|people|people/[^/]+/remove|agreement))?)?$|/credit_refunds$|` +
	`/operator/merchants(/[^/]+/(programs|bank_account|bank_account/confirm|payouts/release|remittances|clawback_payments))?$|` +
	`/operator/clients(/[^/]+/(roll|revoke))?$|/operator/payments/[^/]+/refunds/[^/]+/pay$|/operator/receipts(/[^/]+/(identify|return))?$`)

// because adds the reason that the operation requires to a body that has none, for tests
// about something else.
func because(method, target, body string) string {
	switch path, _, _ := strings.Cut(target, "?"); {
	case method == http.MethodGet || !reasoned.MatchString(path) || strings.Contains(body, `"reason"`):
		return body
	case strings.Trim(body, " {}") == "":
		return `{"reason":"reviewed by the credit desk"}`
	case strings.HasPrefix(body, "{"):
		return `{"reason":"reviewed by the credit desk",` + body[1:]
	}
	return body
}

// Where money or access changes, the lender must give a reason. Without one nothing
// happens. With one, the audit log records it.
func TestReasonsAreAskedFor(t *testing.T) {
	m := newMatrix(t)
	told := 0
	for _, op := range httpapi.Table(m.service) {
		if op.Method == http.MethodGet || !reasoned.MatchString(op.Path) || op.ID == "updateCompany" {
			continue
		}
		kind := m.kind(op)
		target, body := m.request(op, op.Path, m.objects(kind)[own])
		for _, without := range []string{"", `"reason":"",`, `"reason":null,`, `"reason":7,`} {
			bad := strings.Replace(strings.Replace(body, `"reason":"reviewed by the credit desk",`, without, 1), `"reason":"reviewed by the credit desk"`, strings.TrimSuffix(without, ","), 1)
			before := m.state()
			r := m.plain("ops", op.Method, target, bad)
			if (r.status != 422 && r.status != 400) || m.state() != before {
				t.Errorf("%s %s: %d %s", op.ID, bad, r.status, r.raw)
			}
		}
		r := m.plain("ops", op.Method, target, strings.Replace(body, "reviewed by the credit desk", "because of "+op.ID, 1), "X-Request-Id", "why-"+op.ID)
		if r.header.Get("Commit-Seq") == "" {
			t.Errorf("%s was not decided: %d %s", op.ID, r.status, r.raw)
			continue
		}
		told++
		row := m.must(200, "ops", "GET", "/v1/operator/audit?request_id="+r.header.Get("X-Request-Id"), "")
		if !strings.Contains(row.raw, `"reason":"because of `+op.ID+`"`) {
			t.Errorf("%s: the log says %s", op.ID, row.raw)
		}
	}
	if told < 20 {
		t.Errorf("only %d operations ask for a reason", told)
	}
}

// Changing a name or an address needs no reason. Changing a tier or a line does.
func TestReasonOfALine(t *testing.T) {
	h := newHouse(t)
	path := fmt.Sprintf("/v1/operator/companies/%d", h.company)
	for body, status := range map[string]int{
		`{"limit":9999999}`: 422, `{"tier":"B"}`: 422, `{"name":"Alder","limit":9999999}`: 422,
		`{"name":"Alder"}`: 200, `{"limit":30000,"reason":"audited accounts"}`: 200,
	} {
		if r := h.plain("ops", "PATCH", path, body); r.status != status || status == 422 && !strings.Contains(r.raw, "/reason") {
			t.Errorf("%s: %d %s", body, r.status, r.raw)
		}
	}
	row := h.must(200, "ops", "GET", fmt.Sprintf("/v1/operator/audit?company_id=%d&command=company.update&limit=1", h.company), "")
	if !strings.Contains(row.raw, `"audited accounts"`) && !strings.Contains(row.raw, `"Alder"`) {
		t.Errorf("%s", row.raw)
	}
	h.must(200, "ops", "POST", path+"/hold", `{"code":"address_check","message":"The address is being checked."}`)
	row = h.must(200, "ops", "GET", fmt.Sprintf("/v1/operator/audit?company_id=%d&limit=1", h.company), "")
	if !strings.Contains(row.raw, `"reason":"address_check: The address is being checked."`) {
		t.Errorf("%s", row.raw)
	}
}
