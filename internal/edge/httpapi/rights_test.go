package httpapi_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
)

// Lists contain what belongs to the caller, and nothing else.
func TestListsHoldTheCallersOwn(t *testing.T) {
	m := newMatrix(t)
	mine, foreign := map[string]string{}, map[string]string{}
	for _, kind := range []string{"order", "payment", "invoice", "webhook", "event", "delivery", "company", "client", "payout", "checkout", "application", "case", "request"} {
		mine[kind], foreign[kind] = m.make(kind, m.house.a), m.make(kind, m.house.b)
	}
	lists := 0
	for _, op := range httpapi.Table(m.service) {
		if op.Method != http.MethodGet || strings.Contains(op.Path, "{") || !strings.Contains(fmt.Sprintf("%T", op.Response), "List") || strings.HasPrefix(op.Path, "/v1/operator/") || op.ID == "exportPayouts" { // it has no pages: TestPayoutExport
			continue
		}
		lists++
		a, b, ops := m.must(200, "a", "GET", op.Path+"?limit=100", ""), m.must(200, "b", "GET", op.Path+"?limit=100", ""), m.must(200, "ops", "GET", op.Path+"?limit=100", "")
		seen := 0
		for kind := range mine {
			inA, inB := strings.Contains(a.raw, `"`+mine[kind]+`"`), strings.Contains(b.raw, `"`+foreign[kind]+`"`)
			if inA != inB {
				t.Errorf("%s: %s is in A's list %v, in B's %v", op.ID, kind, inA, inB)
			}
			if strings.Contains(a.raw, foreign[kind]) || strings.Contains(b.raw, mine[kind]) {
				t.Errorf("%s shows another merchant's %s", op.ID, kind)
			}
			if inA && strings.Contains(ops.raw, `"`+mine[kind]+`"`) && strings.Contains(ops.raw, `"`+foreign[kind]+`"`) {
				seen++
			}
		}
		if seen == 0 {
			t.Errorf("%s shows nothing of what there is", op.ID)
		}
	}
	if lists < 5 {
		t.Errorf("only %d lists", lists)
	}
	// A12: another's ID in a filter makes a list empty, not wider.
	for _, path := range []string{
		"/v1/orders?company_id=" + foreign["company"], "/payments?order_key=" + foreign["order"], "/payments?company_id=" + foreign["company"],
		"/payments?invoice_id=" + foreign["invoice"], "/v1/invoices?order_key=" + foreign["order"], "/v1/invoices?company_id=" + foreign["company"],
		"/v1/webhooks/" + mine["webhook"] + "/deliveries?event_id=" + foreign["event"],
	} {
		if r := m.must(200, "a", "GET", path, ""); !strings.HasPrefix(r.raw, `{"data":[],`) {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
}

// A17, A59: another method is no way around, and reveals nothing to strangers.
func TestOtherMethods(t *testing.T) {
	m := newMatrix(t)
	paths := map[string][]string{}
	for _, op := range httpapi.Table(m.service) {
		paths[op.Path] = append(paths[op.Path], op.Method)
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		target := path
		for _, s := range strings.Split(path, "/") {
			if strings.HasPrefix(s, "{") {
				target = strings.Replace(target, s, "1", 1)
			}
		}
		for _, method := range []string{"OPTIONS", "PUT", "TRACE", "CONNECT", "get", "PURGE"} {
			if slices.Contains(paths[path], method) {
				continue
			}
			before := m.state()
			anyone, known := m.call("", method, target, ""), m.call("a", method, target, "", "X-HTTP-Method-Override", "GET", "X-Original-URL", "/v1/orders")
			if public := strings.HasPrefix(path, "/oauth/") || path == "/v1/promotions"; !public && anyone.status != 401 || public && anyone.status != 405 || known.status != 405 {
				t.Errorf("%s %s: %d for anyone, %d for A", method, target, anyone.status, known.status)
			}
			if m.state() != before {
				t.Errorf("%s %s has had an effect", method, target)
			}
		}
	}
}

// A13, M22: a key grants nothing. Scope and link are checked again before a stored response
// is returned, and another client's key is another key.
func TestRepeatsAreAuthorizedAgain(t *testing.T) {
	h := newHouse(t)
	c, token := h.person(h.a)
	body := fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, h.company)
	first := h.must(201, token, "POST", "/order", body, "Idempotency-Key", "k")
	if r := h.must(201, token, "POST", "/order", body, "Idempotency-Key", "k"); r.raw != first.raw {
		t.Fatalf("the repeat is another: %s", r.raw)
	}
	issuer := h.issuer()
	narrow, _, err := issuer.NewToken(context.Background(), c, []string{"orders:read"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if r := h.call(narrow, "POST", "/order", body, "Idempotency-Key", "k"); r.status != 403 || r.code() != "insufficient_scope" || strings.Contains(r.raw, first.text("key")) {
		t.Errorf("a token without the scope: %d %s", r.status, r.raw)
	}
	if r := h.must(201, "a", "POST", "/order", body, "Idempotency-Key", "k"); r.text("key") == first.text("key") || r.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another client of the merchant gets %s", r.raw)
	}
	if r := h.call("b", "POST", "/order", body, "Idempotency-Key", "k"); r.status != 403 || r.code() != "company_not_linked" {
		t.Errorf("another merchant: %d %s", r.status, r.raw)
	}
	h.must(200, "ops", "POST", fmt.Sprintf("/v1/operator/companies/%d/unlink", h.company), `{"merchant_id":"`+h.a+`"}`)
	before := h.state()
	if r := h.call(token, "POST", "/order", body, "Idempotency-Key", "k"); r.status != 403 || r.code() != "company_not_linked" || h.state() != before {
		t.Errorf("after the link has ended: %d %s", r.status, r.raw)
	}
	// The merchant may still service the order itself.
	h.must(200, token, "GET", "/v1/order/"+first.text("key"), "")
	// A client is created, and a repeat by a caller who may no longer create any is
	// refused.
	ops, opsToken := h.person("")
	h.must(201, opsToken, "POST", "/v1/operator/clients", `{"name":"x"}`, "Idempotency-Key", "c")
	reader, _, err := issuer.NewToken(context.Background(), ops, []string{"operator:read"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if r := h.call(reader, "POST", "/v1/operator/clients", `{"name":"x"}`, "Idempotency-Key", "c"); r.status != 403 || strings.Contains(r.raw, "tns_") {
		t.Errorf("a repeat that would show a secret: %d %s", r.status, r.raw)
	}
}

// M64: sandbox-only operations do not exist for anybody.
func TestNoSandboxPathsInLiveMode(t *testing.T) {
	h := newHouse(t)
	h.tokens["sandbox"] = h.token(h.a, append(auth.Scopes(false, false), auth.Sandbox)...)
	for _, path := range []string{"/v1/sandbox/clock", "/v2/sandbox/clock", "/sandbox/clock", "/v1/sandbox/clock/advance", "/v1/sandbox/bank/fail-next"} {
		for _, who := range []string{"a", "ops", "sandbox"} {
			before := h.state()
			for _, method := range []string{"GET", "POST"} {
				if r := h.call(who, method, path, ""); r.status != 404 || r.code() != "not_found" || h.state() != before {
					t.Errorf("%s %s as %s: %d %s", method, path, who, r.status, r.raw)
				}
			}
		}
		if r := h.call("", "POST", path, ""); r.status != 401 {
			t.Errorf("%s without a token: %d", path, r.status)
		}
	}
}
