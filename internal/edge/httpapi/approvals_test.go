package httpapi_test

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/core/engine"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/staff"
	"tenor/internal/edge/httpapi"
)

// requireTwo makes two people act together, or ends that, as the server's own command line does.
func requireTwo(h *house, required bool) {
	h.t.Helper()
	submitAs(h, access.Console, staff.SetPolicy{Required: &required})
}

func submitAs(h *house, client string, c credit.Command) (result any) {
	h.t.Helper()
	_, err := h.engine.Submit(context.Background(), engine.Request{
		Actor: credit.Actor{Client: client, Operator: true}, Command: c, Seed: h.service.Seed(),
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				h.t.Errorf("%s: %v", c.Name(), r)
			}
			result = ch.Result
			return engine.Response{Status: 200}
		},
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return result
}

// askFor makes an act of another client wait, and nothing else after it.
func askFor(h *house, c credit.Command) string {
	h.t.Helper()
	requireTwo(h, true)
	defer requireTwo(h, false)
	return submitAs(h, "cli_ASKS", c).(*credit.Approval).ID
}

// What is refunded above the limit is not refunded, whatever token asks for it, until another one
// agrees; and whoever may not refund may not agree either.
func TestRefundAboveLimitWaits(t *testing.T) {
	h := newHouse(t)
	requireTwo(h, true)
	for who, scopes := range map[string][]string{
		"erp": {"operator:read", "money:manage"}, "desk": {"operator:read", "money:manage", "approvals:manage"},
		"clerk": {"operator:read", "books:manage", "approvals:manage"},
	} {
		h.tokens[who] = h.token("", scopes...)
	}
	key := h.must(201, "a", "POST", "/order", `{"company_id":`+strconv.FormatInt(h.company, 10)+`,"amount":5000,"installments":3,"status":"AUTHORIZED"}`).text("key")
	h.must(200, "a", "PATCH", "/order/"+key, `{"status":"CAPTURED"}`)
	h.must(200, "erp", "PATCH", "/order/"+key+"/refund", `{"amount":900}`)
	if foreseen := h.must(200, "erp", "PATCH", "/order/"+key+"/refund", `{"amount":100.01}`, "Prefer", "dry-run"); !strings.Contains(foreseen.raw, "ORDER_REFUNDED") {
		t.Errorf("a dry run does not show what the act would do once approved: %s", foreseen.raw)
	}
	asked := h.must(202, "erp", "PATCH", "/order/"+key+"/refund", `{"amount":100.01,"reason":"returned"}`, "Idempotency-Key", "once")
	if again := h.must(202, "erp", "PATCH", "/order/"+key+"/refund", `{"amount":100.01,"reason":"returned"}`, "Idempotency-Key", "once"); again.raw != asked.raw {
		t.Errorf("a repeat is answered otherwise:\n%s\n%s", asked.raw, again.raw)
	}
	id := asked.text("id")
	if asked.header.Get("Location") != "/v1/operator/approvals/"+id || asked.text("object") != key || asked.text("status") != "WAITING" || asked.text("reason") != "returned" {
		t.Errorf("202 %s %s", asked.header, asked.raw)
	}
	if got := h.must(200, "a", "GET", "/order/"+key, "").digits("refunded_amount"); got != "900.00" {
		t.Errorf("refunded %s while it waits", got)
	}
	before, path := h.state(), "/v1/operator/approvals/"+id
	why := `{"reason":"agreed"}`
	h.must(403, "erp", "POST", path+"/approve", why)   // no approvals:manage
	h.must(403, "clerk", "POST", path+"/approve", why) // no money:manage
	h.must(403, "clerk", "POST", path+"/end", why)
	h.must(403, "a", "POST", path+"/approve", why)
	h.must(404, "desk", "POST", path[:len(path)-1]+"0/approve", why)
	if h.state() != before {
		t.Error("a refused approval has changed something")
	}
	if got := h.must(200, "desk", "POST", path+"/approve", why); got.text("status") != "APPROVED" || got.text("note") != "agreed" || got.text("decided_by") == got.text("requested_by") {
		t.Errorf("approved: %s", got.raw)
	}
	h.must(409, "desk", "POST", path+"/approve", why)
	if got := h.must(200, "a", "GET", "/order/"+key, "").digits("refunded_amount"); got != "1000.01" {
		t.Errorf("refunded %s after it was approved", got)
	}
	h.must(200, "a", "PATCH", "/order/"+key+"/refund", `{"amount":1000}`) // a merchant's own refunds are its own
}

// A stolen token makes no second client to agree with itself: that takes two people as well. The
// secret is shown with the request, and works once that is approved.
func TestNewClientWaits(t *testing.T) {
	h := newHouse(t)
	requireTwo(h, true)
	h.tokens["desk"] = h.token("")
	asked := h.must(202, "ops", "POST", "/v1/operator/clients", `{"name":"accomplice"}`)
	secret, id := asked.text("secret"), asked.text("id")
	if secret == "" {
		t.Fatalf("no secret: %s", asked.raw)
	}
	if got := h.must(200, "ops", "GET", "/v1/operator/approvals/"+id, ""); strings.Contains(got.raw, secret) || got.text("secret") != "" {
		t.Error("the secret is shown again")
	}
	h.must(409, "ops", "POST", "/v1/operator/approvals/"+id+"/approve", `{"reason":"myself"}`)
	h.must(200, "desk", "POST", "/v1/operator/approvals/"+id+"/approve", `{"reason":"a new shop"}`)
	made := ""
	for _, x := range h.must(200, "ops", "GET", "/v1/operator/clients", "").body["data"].([]any) {
		if x := x.(map[string]any); x["name"] == "accomplice" {
			made = x["id"].(string)
		}
	}
	if made == "" {
		t.Fatal("no client was made")
	}
	r := h.form("/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {made}, "client_secret": {secret}}.Encode())
	if r.status != 200 {
		t.Errorf("the secret of the request does not work: %d %s", r.status, r.raw)
	}
	h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"reader","scopes":["operator:read"]}`)
}

// Each operation that may wait is in the table. That no other one waits, the contract is tried for.
func TestWaitingOperationsAreInTheTable(t *testing.T) {
	h := newHouse(t)
	left := slices.Clone(httpapi.Waiting())
	for _, op := range httpapi.Table(h.service) {
		left = slices.DeleteFunc(left, func(id string) bool { return id == op.ID })
	}
	if len(left) > 0 {
		t.Errorf("there are no such operations: %v", left)
	}
}

// agree plays how two clients of the lender act together. It comes last: the rules would make the
// rest of the story wait.
func (x *tale) agree() {
	requireTwo(x.house, true)
	x.tokens["desk"] = x.token("")
	const path, one = "/v1/operator/approvals", "/v1/operator/approvals/{id}"
	ask := func(amount string) string {
		return x.does("", "ops", "POST", "/v1/operator/ledger/funding", "", `{"amount":`+amount+`,"direction":"OUT","reference":"dividend"}`)["id"].(string)
	}
	first := ask("500.00")
	x.does("listApprovals", "desk", "GET", path, "", "", "status=WAITING")
	x.does("getApproval", "desk", "GET", one, first, "")
	x.does("approve", "desk", "POST", one+"/approve", first, `{"reason":"agreed by the board"}`)
	x.does("endApproval", "desk", "POST", one+"/end", ask("600.00"), `{"reason":"more than was agreed"}`)
}
