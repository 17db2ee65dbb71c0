package httpapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// The lender sets up a shop, a company and a client through the API alone, and the shop
// sells.
func TestOperatorOpensAShop(t *testing.T) {
	h := newHouse(t)
	m := h.must(201, "ops", "POST", "/v1/operator/merchants", `{"name":"Mill Street Hardware"}`)
	merchant := m.text("id")
	if m.header.Get("Location") != "/v1/operator/merchants/"+merchant || m.header.Get("ETag") != `"1"` {
		t.Errorf("headers %v", m.header)
	}
	if got := h.must(200, "reader", "GET", "/v1/operator/merchants/"+merchant, ""); got.raw != m.raw {
		t.Errorf("read back:\n%s\n%s", got.raw, m.raw)
	}
	x := h.must(201, "ops", "POST", "/v1/operator/companies", `{"name":"Cedar Interiors","legal_name":"Cedar Interiors LLC","tax_id_last4":"6789",
		"phone":"+1 212 555 0142","email":"pay@cedar.example","billing_address":{"street":"12 Canal St","city":"New York","state":"NY","postal_code":"10013","country":"US"},
		"tier":"B","limit":"10000","merchants":["`+merchant+`"]}`)
	company := x.text("id")
	if x.header.Get("Location") != "/v2/companies/"+company || fmt.Sprint(x.body["merchants"]) != "["+merchant+"]" || x.text("status") != "APPROVED" {
		t.Errorf("%v %s", x.header, x.raw)
	}
	if got := h.must(200, "ops", "GET", "/v2/companies/"+company, ""); got.raw != x.raw || got.header.Get("ETag") != x.header.Get("ETag") {
		t.Errorf("read back:\n%s %s\n%s %s", got.raw, got.header.Get("ETag"), x.raw, x.header.Get("ETag"))
	}
	id, secret := h.client(merchant, "")
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	o := h.must(201, token, "POST", "/order", `{"company_id":`+company+`,"amount":1200,"installments":6,"status":"AUTHORIZED"}`)
	if terms, _ := o.body["terms"].(map[string]any); terms["annual_rate"] != "0.180000" {
		t.Errorf("terms of tier B: %v", o.body["terms"])
	}
}

func TestPrograms(t *testing.T) {
	h := newHouse(t)
	path := "/v1/operator/merchants/" + h.a + "/programs"
	r := h.must(201, "ops", "POST", path, `{"effective_from":"2026-02-01","terms":[{"installments":1,"plan":"NET30","merchant_discount_rate":"0.025000"},
		{"installments":6,"plan":"AMORTIZED","annual_rate":"0.150000"},{"installments":12,"plan":"AMORTIZED","annual_rate":"TIER"}],"max_order_amount":5000,"due_day":1,"max_apr":{"NY":"0.250000"}}`)
	if fmt.Sprint(r.body["version"]) != "2" || fmt.Sprint(r.body["max_order_amount"]) != "5000.00" || fmt.Sprint(r.body["due_day"]) != "1" ||
		!strings.Contains(r.raw, `"annual_rate":"0.150000"`) || !strings.Contains(r.raw, `"annual_rate":"TIER"`) || !strings.Contains(r.raw, `"merchant_discount_rate":"0.025000"`) {
		t.Errorf("%s", r.raw)
	}
	h.must(201, "ops", "POST", path, `{"effective_from":"2026-03-01"}`)
	list := h.must(200, "reader", "GET", path+"?limit=2", "")
	data := list.body["data"].([]any)
	first, second := data[0].(map[string]any), data[1].(map[string]any)
	if len(data) != 2 || fmt.Sprint(first["version"]) != "3" || fmt.Sprint(second["version"]) != "2" || second["effective_to"] != "2026-02-28" || list.body["has_more"] != true {
		t.Errorf("%s", list.raw)
	}
	rest := h.must(200, "reader", "GET", path+"?limit=2&cursor="+list.text("next_cursor"), "")
	if data := rest.body["data"].([]any); len(data) != 1 || fmt.Sprint(data[0].(map[string]any)["version"]) != "1" || rest.body["next_cursor"] != nil {
		t.Errorf("%s", rest.raw)
	}
}

// A program's unspecified settings have the contract's defaults.
func TestProgrammeDefaults(t *testing.T) {
	h := newHouse(t)
	id := h.must(201, "ops", "POST", "/v1/operator/merchants", `{"name":"Plain"}`).text("id")
	err := h.backend.View(context.Background(), func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Merchants: []string{id}}); err != nil {
			return err
		}
		want, got := credit.Program{Merchant: id, Version: 1, From: h.zone.Date(h.business()), Settings: lending.DefaultSettings()}, s.Merchants[id].Programs[0]
		a, err := resource.Encode(resource.NewProgram(want))
		if err != nil {
			return err
		}
		b, err := resource.Encode(resource.NewProgram(got))
		if string(a) != string(b) {
			t.Errorf("%s\nwant\n%s", b, a)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOperatorChangesACompany(t *testing.T) {
	h := newHouse(t)
	base := fmt.Sprintf("/v1/operator/companies/%d", h.company)
	read := fmt.Sprintf("/v2/companies/%d", h.company)
	seen := h.must(200, "ops", "GET", read, "").header.Get("ETag")
	r := h.must(200, "ops", "PATCH", base, `{"name":"Alder & Daughters","phone":"+1 212 555 0142","billing_address":{"city":"Troy"},"tier":"C","limit":"30000.00","reasons":["credit_score"]}`, "If-Match", seen)
	if r.text("name") != "Alder & Daughters" || r.text("tier") != "C" || !strings.Contains(r.raw, `"limit":30000.00`) || !strings.Contains(r.raw, `"city":"Troy"`) {
		t.Errorf("%s", r.raw)
	}
	if now := h.must(200, "ops", "GET", read, ""); now.header.Get("ETag") != r.header.Get("ETag") || now.raw != r.raw {
		t.Errorf("the answer's tag %s is not the resource's %s", r.header.Get("ETag"), now.header.Get("ETag"))
	}
	for _, stale := range []string{seen, `"1"`, `W/` + r.header.Get("ETag")} {
		if r := h.call("ops", "PATCH", base, `{"tier":"B"}`, "If-Match", stale); r.status != 412 || r.code() != "precondition_failed" {
			t.Errorf("If-Match %s: %d %s", stale, r.status, r.raw)
		}
	}
	h.must(200, "ops", "PATCH", base, `{"phone":null,"billing_address":null}`, "If-Match", "*")
	if r := h.must(200, "ops", "GET", read, ""); r.body["phone"] != "" || !strings.Contains(r.raw, `"city":""`) {
		t.Errorf("%s", r.raw)
	}
	for _, act := range []struct{ verb, body, want string }{
		{"link", `{"merchant_id":"` + h.b + `"}`, h.b},
		{"link", `{"merchant_id":"` + h.b + `"}`, h.b}, // again
		{"unlink", `{"merchant_id":"` + h.a + `"}`, `"merchants":["` + h.b + `"]`},
		{"line", `{"limit":1,"reasons":["credit_score","Sales have halved."]}`, `"limit":1.00`},
		{"hold", `{"code":"address_check","message":"The address is being checked."}`, `"status":"ON_HOLD"`},
		{"hold", `{"code":"other"}`, `"code":"address_check"`}, // already on hold
		{"release", ``, `"status":"APPROVED"`},
		{"release", ``, `"status_reason":null`},
		{"close", `{"reasons":["You have moved abroad."]}`, `"code":"closed_by_operator"`},
	} {
		if r := h.must(200, "ops", "POST", base+"/"+act.verb, act.body); !strings.Contains(r.raw, act.want) {
			t.Errorf("%s: %s lacks %s", act.verb, r.raw, act.want)
		}
	}
	if r := h.call("ops", "POST", base+"/release", ""); r.status != 409 || r.code() != "company_not_eligible" {
		t.Errorf("release of a closed company: %d %s", r.status, r.raw)
	}
	h.must(403, "a", "GET", read, "")
	h.must(200, "b", "GET", read, "")
}

// The response to a change shows what is past due, as a read does.
func TestChangeOfALateCompany(t *testing.T) {
	h := newHouse(t)
	key := h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1200,"installments":6,"status":"AUTHORIZED"}`, h.company)).text("key")
	h.must(200, "a", "PATCH", "/v1/order/"+key, `{"status":"CAPTURED"}`)
	h.mu.Lock()
	h.day = h.day.AddDate(0, 0, 45)
	h.mu.Unlock()
	r := h.must(200, "ops", "POST", fmt.Sprintf("/v1/operator/companies/%d/line", h.company), `{"limit":2000,"reasons":["past_due"]}`)
	got := h.must(200, "ops", "GET", fmt.Sprintf("/v2/companies/%d", h.company), "")
	if fmt.Sprint(r.body["past_due_amount"]) != "207.06" || got.raw != r.raw {
		t.Errorf("%s\n%s", r.raw, got.raw)
	}
}

func TestClients(t *testing.T) {
	h := newHouse(t)
	r := h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"shop backend","merchant_id":"`+h.a+`","scopes":["orders:read","orders:read"],"rate_per_minute":30,"burst":2}`, "Idempotency-Key", "c1")
	id, secret := r.text("id"), r.text("secret")
	if !strings.HasPrefix(secret, "tns_") || r.body["managed"] != true || r.text("merchant_id") != h.a || fmt.Sprint(r.body["scopes"]) != "[orders:read]" ||
		r.header.Get("Location") != "/v1/operator/clients/"+id || r.header.Get("ETag") != `"1"` {
		t.Errorf("%v %s", r.header, r.raw)
	}
	again := h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"shop backend","merchant_id":"`+h.a+`","scopes":["orders:read","orders:read"],"rate_per_minute":30,"burst":2}`, "Idempotency-Key", "c1")
	if again.raw != r.raw || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeat is another:\n%s\n%s", again.raw, r.raw)
	}
	got := h.must(200, "reader", "GET", "/v1/operator/clients/"+id, "")
	if got.body["secret"] != nil || strings.Contains(got.raw, secret) || strings.Contains(got.raw, "hash") {
		t.Errorf("%s", got.raw)
	}
	ops := h.must(201, "ops", "POST", "/v1/operator/clients", `{"name":"back office"}`)
	if ops.body["merchant_id"] != nil || fmt.Sprint(ops.body["scopes"]) != "[operator:read operator:write]" {
		t.Errorf("%s", ops.raw)
	}
	// A client created on the server itself is visible but cannot be changed.
	bare, token := h.person(h.a)
	if r := h.must(200, "reader", "GET", "/v1/operator/clients/"+bare.ID, ""); r.body["managed"] != false {
		t.Errorf("%s", r.raw)
	}
	for _, act := range []string{"roll", "revoke"} {
		if r := h.call("ops", "POST", "/v1/operator/clients/"+bare.ID+"/"+act, ""); r.status != 409 || r.code() != "client_locked" {
			t.Errorf("%s: %d %s", act, r.status, r.raw)
		}
	}
	h.must(200, token, "GET", "/v1/orders", "")

	var seen []string
	for path := "/v1/operator/clients?limit=2&merchant_id=" + h.a; path != ""; {
		r := h.must(200, "reader", "GET", path, "")
		for _, x := range r.body["data"].([]any) {
			m := x.(map[string]any)
			if m["merchant_id"] != h.a || m["secret"] != nil {
				t.Errorf("%v", m)
			}
			seen = append(seen, m["id"].(string))
		}
		if path = ""; r.body["has_more"] == true {
			path = "/v1/operator/clients?limit=2&merchant_id=" + h.a + "&cursor=" + r.text("next_cursor")
		}
	}
	if slices.Sort(seen); len(seen) != 3 || len(slices.Compact(seen)) != 3 || !slices.Contains(seen, id) {
		t.Errorf("clients of the merchant: %v", seen)
	}
}

// AU4: every act of the operator leaves a row that says who did what from where.
func TestOperatorActsAreAudited(t *testing.T) {
	h := newHouse(t, func(c *rest.Config) { c.TrustedProxies = prefixes("192.0.2.0/24") })
	id, secret := h.client("", "")
	token := h.form("/oauth/token", "grant_type=client_credentials", "Authorization", basic(id, secret)).text("access_token")
	company := fmt.Sprintf("/v1/operator/companies/%d", h.company)
	from := []string{"X-Forwarded-For", "203.0.113.66, 198.51.100.7", "X-Request-Id", "act"}
	for _, x := range []struct{ method, path, body, command string }{
		{"POST", "/v1/operator/merchants", `{"name":"A"}`, "merchant.create"},
		{"POST", "/v1/operator/merchants/" + h.a + "/programs", `{"effective_from":"2026-02-01"}`, "program.add"},
		{"POST", "/v1/operator/companies", `{"name":"A","limit":1}`, "company.create"},
		{"PATCH", company, `{"tier":"B","reasons":["credit_score"]}`, "company.update"},
		{"POST", company + "/link", `{"merchant_id":"` + h.b + `"}`, "company.update"},
		{"POST", company + "/unlink", `{"merchant_id":"` + h.b + `"}`, "company.update"},
		{"POST", company + "/line", `{"limit":5,"reasons":["credit_score"]}`, "company.update"},
		{"POST", company + "/hold", `{"code":"x"}`, "company.update"},
		{"POST", company + "/release", ``, "company.update"},
		{"POST", company + "/close", `{"code":"requested_by_company"}`, "company.update"},
		{"POST", company + "/release", ``, "company.update"}, // refused
		{"POST", "/v1/operator/clients", `{"name":"x"}`, "client.create"},
		{"POST", "/v1/operator/clients/" + id + "/roll", ``, "client.roll"},
		{"POST", "/v1/operator/clients/" + id + "/revoke", ``, "client.revoke"},
	} {
		r := h.call(token, x.method, x.path, x.body, from...)
		if r.status >= 300 && r.status != 409 {
			t.Fatalf("%s %s: %d %s", x.method, x.path, r.status, r.raw)
		}
		q, last := r.header.Get("Commit-Seq"), store.Audit{}
		err := h.backend.View(context.Background(), func(v store.View) error {
			return store.EachAudit(v, 0, func(n int64, a store.Audit) error {
				if fmt.Sprint(n) == q {
					last = a
				}
				return nil
			})
		})
		want := "ok"
		if r.status == 409 {
			want = "company_not_eligible"
		}
		if err != nil || last.Command != x.command || last.Actor.Client != id || !last.Actor.Operator || last.Actor.RequestID != "act" ||
			last.Address != "198.51.100.7" || last.Result != want {
			t.Errorf("%s %s: row %q of %+v from %q: %s, %v", x.method, x.path, last.Command, last.Actor, last.Address, last.Result, err)
		}
		if strings.Contains(string(last.Payload), "tns_") {
			t.Errorf("%s: a secret in the audit log: %s", x.command, last.Payload)
		}
	}
}

// Bad input gets its problem and changes nothing.
func TestOperatorsBadInput(t *testing.T) {
	h := newHouse(t)
	company, merchant := fmt.Sprintf("/v1/operator/companies/%d", h.company), "/v1/operator/merchants/"+h.a
	id, _ := h.client(h.a, "")
	client := "/v1/operator/clients/" + id
	nobody := "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"
	for _, x := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/v1/operator/merchants", `{}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":""}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":" x"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"Harbor Supply"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","id":"mch_1"}`, 400, "unknown_member"},
		{"POST", "/v1/operator/merchants", `{"name":"x","terms":[]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","terms":[{"installments":37,"plan":"ZERO"}]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","terms":[{"installments":3,"plan":"NET30"}]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","terms":[{"installments":3,"plan":"AMORTIZED","annual_rate":"0.12"}]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","tier_rates":{"A":"0.120000"}}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","due_day":32}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","late_fee_rate":"1.500000"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants", `{"name":"x","max_order_amount":0.5}`, 422, "validation_failed"},
		{"GET", "/v1/operator/merchants?name=x", ``, 400, "unknown_parameter"},
		{"GET", "/v1/operator/merchants/" + nobody, ``, 404, "not_found"},
		{"GET", "/v1/operator/merchants/x", ``, 404, "not_found"},
		{"POST", merchant + "/programs", `{}`, 422, "validation_failed"},
		{"POST", merchant + "/programs", `{"effective_from":"2026-01-10"}`, 422, "validation_failed"}, // today
		{"POST", merchant + "/programs", `{"effective_from":"2026-02-30"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/merchants/" + nobody + "/programs", `{"effective_from":"2026-02-01"}`, 404, "not_found"},
		{"POST", "/v1/operator/companies", `{"name":"x"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":-1}`, 422, "validation_failed"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"company_id":"1000000001"}`, 400, "unknown_member"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"tier":"D"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"status":"CLOSED"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"tax_id_last4":"12345"}`, 422, "validation_failed"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"merchants":["` + nobody + `"]}`, 404, "not_found"},
		{"POST", "/v1/operator/companies", `{"name":"x","limit":1,"merchants":["x"]}`, 422, "validation_failed"},
		{"PATCH", company, `{"status":"CLOSED"}`, 400, "unknown_member"},
		{"PATCH", company, `{"name":null}`, 422, "validation_failed"},
		{"PATCH", company, `{"name":" x "}`, 422, "validation_failed"},
		{"PATCH", company, `{"email":"nobody"}`, 422, "validation_failed"},
		{"PATCH", "/v1/operator/companies/9999999999", `{"tier":"B"}`, 404, "not_found"},
		{"POST", company + "/link", `{}`, 422, "validation_failed"},
		{"POST", company + "/link", `{"merchant_id":"` + nobody + `"}`, 404, "not_found"},
		{"POST", company + "/line", `{"limit":10000000.01}`, 422, "validation_failed"},
		{"POST", company + "/hold", `{"message":"x"}`, 422, "validation_failed"},
		{"POST", company + "/hold", `{"code":"Not Snake"}`, 422, "validation_failed"},
		{"POST", company + "/open", ``, 404, "not_found"},
		{"POST", "/v1/operator/companies/9999999999/close", ``, 404, "not_found"},
		{"POST", "/v1/operator/clients", `{}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","merchant_id":"` + nobody + `"}`, 404, "not_found"},
		{"POST", "/v1/operator/clients", `{"name":"x","scopes":["orders:read"]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","merchant_id":"` + h.a + `","scopes":["operator:write"]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","merchant_id":"` + h.a + `","scopes":["sandbox"]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","scopes":["everything"]}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","rate_per_minute":0}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","burst":100001}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients", `{"name":"x","secret":"tns_mine"}`, 400, "unknown_member"},
		{"POST", client + "/roll", `{"overlap_seconds":2592001}`, 422, "validation_failed"},
		{"POST", client + "/roll", `{"overlap_seconds":-1}`, 422, "validation_failed"},
		{"POST", "/v1/operator/clients/cli_01K9Z0B2D4F6H8K0M2P4R6T8V0/roll", ``, 404, "not_found"},
		{"POST", "/v1/operator/clients/cli_01K9Z0B2D4F6H8K0M2P4R6T8V0/revoke", ``, 404, "not_found"},
		{"GET", "/v1/operator/clients/cli_01K9Z0B2D4F6H8K0M2P4R6T8V0", ``, 404, "not_found"},
		{"GET", "/v1/operator/clients?merchant_id=x", ``, 400, "invalid_parameter"},
		{"DELETE", client, ``, 405, "method_not_allowed"},
	} {
		before := h.state()
		r := h.call("ops", x.method, x.path, x.body)
		if r.status != x.status || r.code() != x.code {
			t.Errorf("%s %s %s: %d %s, want %d %s: %s", x.method, x.path, x.body, r.status, r.code(), x.status, x.code, r.raw)
		}
		if r.header.Get("Commit-Seq") == "" && h.state() != before {
			t.Errorf("%s %s %s: something was stored", x.method, x.path, x.body)
		}
	}
	got := h.must(200, "ops", "GET", fmt.Sprintf("/v2/companies/%d", h.company), "")
	if got.text("name") != "Alder Kitchens" || got.text("status") != "APPROVED" || got.text("tier") != "A" {
		t.Errorf("the company has changed: %s", got.raw)
	}
}

// In a sandbox, and only there, a client may have the sandbox scope.
func TestSandboxScope(t *testing.T) {
	h := newHouse(t)
	h.service.Sandbox = true
	body := `{"name":"x","merchant_id":"` + h.a + `","scopes":["sandbox"]}`
	h.must(403, "ops", "POST", "/v1/operator/clients", body)
	h.tokens["stage"] = h.token("", auth.Scopes(true, true)...)
	r := h.must(201, "stage", "POST", "/v1/operator/clients", body)
	if fmt.Sprint(r.body["scopes"]) != "[sandbox]" {
		t.Errorf("%s", r.raw)
	}
}
