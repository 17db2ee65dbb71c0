package httpapi_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// endpoint creates an endpoint of merchant A and returns its ID and secret.
func (h *house) endpoint(members string) (id, secret string) {
	h.t.Helper()
	r := h.must(201, "a", "POST", "/v1/webhooks", `{"url":"https://shop.example/hooks/tenor"`+members+`}`)
	return r.text("id"), r.text("secret")
}

// sealed opens the signing secrets of an endpoint as a sender would.
func (h *house) sealed(id string) []string {
	h.t.Helper()
	var out []string
	err := h.backend.View(context.Background(), func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Endpoints: []string{id}}); err != nil {
			return err
		}
		for _, x := range s.Endpoints[id].Secrets {
			raw, err := h.ring.Open(x.Sealed, credit.SigningSecretOf(id))
			if err != nil {
				return err
			}
			out = append(out, "whsec_"+base64.StdEncoding.EncodeToString(raw))
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func TestEndpoints(t *testing.T) {
	h := newHouse(t)
	body := `{"url":"https://shop.example/hooks/tenor","event_types":["order.captured","order.authorized","order.captured"],"description":"stock"}`
	r := h.must(201, "a", "POST", "/v1/webhooks", body, "Idempotency-Key", "w1")
	id, secret := r.text("id"), r.text("secret")
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil || len(raw) != 32 || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("secret of %d bytes, %v", len(raw), err)
	}
	if r.header.Get("Location") != "/v1/webhooks/"+id || r.header.Get("ETag") != `"1"` || fmt.Sprint(r.body["event_types"]) != "[order.authorized order.captured]" || r.body["enabled"] != true {
		t.Errorf("%v %s", r.header, r.raw)
	}
	if again := h.must(201, "a", "POST", "/webhooks", body, "Idempotency-Key", "w1"); again.raw != r.raw || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repeat is another: %s", again.raw)
	}
	if got := h.sealed(id); len(got) != 1 || got[0] != secret {
		t.Errorf("what is stored does not open to what was shown")
	}
	got := h.must(200, "a", "GET", "/v1/webhooks/"+id, "")
	if got.body["secret"] != nil || strings.Contains(got.raw, secret) {
		t.Errorf("%s", got.raw)
	}
	for _, who := range []string{"ops", "reader"} {
		if r := h.must(200, who, "GET", "/v1/webhooks/"+id, ""); r.raw != got.raw {
			t.Errorf("%s reads %s", who, r.raw)
		}
	}
	for _, x := range []struct{ body, tag, want string }{
		{`{"description":null,"event_types":[]}`, `"1"`, `"event_types":[]`},
		{`{"enabled":false}`, `"2"`, `"disabled_reason":"merchant"`},
		{`{"enabled":true,"url":"https://other.example/"}`, `*`, `"url":"https://other.example/"`},
		{`{}`, `"4"`, `"version":4`},
		{`{"event_types":["webhook.test"]}`, `"4"`, `"event_types":["webhook.test"]`},
		{`{"event_types":null}`, `"5"`, `"event_types":[]`},
	} {
		if r := h.must(200, "a", "PATCH", "/v1/webhooks/"+id, x.body, "If-Match", x.tag); !strings.Contains(r.raw, x.want) || strings.Contains(r.raw, "whsec_") {
			t.Errorf("%s: %s lacks %s", x.body, r.raw, x.want)
		}
	}
	if r := h.call("a", "PATCH", "/v1/webhooks/"+id, `{"enabled":false}`, "If-Match", `"1"`); r.status != 412 {
		t.Errorf("stale: %d %s", r.status, r.raw)
	}
	// The operator may disable and delete it, but never sees a secret.
	h.must(200, "ops", "PATCH", "/v1/webhooks/"+id, `{"enabled":false}`)
	for _, path := range []string{"/v1/webhooks", "/v1/webhooks/" + id + "/rotate"} {
		if r := h.call("ops", "POST", path, `{}`); r.status != 403 || r.code() != "insufficient_scope" {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	if r := h.call("a", "DELETE", "/v1/webhooks/"+id, "", "If-Match", `"1"`); r.status != 412 {
		t.Errorf("stale: %d %s", r.status, r.raw)
	}
	if r := h.must(204, "a", "DELETE", "/v1/webhooks/"+id, ""); r.raw != "" || r.header.Get("Commit-Seq") == "" {
		t.Errorf("%v %q", r.header, r.raw)
	}
	for _, x := range [][2]string{{"GET", ""}, {"DELETE", ""}, {"PATCH", "{}"}} {
		h.must(404, "a", x[0], "/v1/webhooks/"+id, x[1])
	}
}

// A rotated secret signs alongside the new one for a day. A third one ends it.
func TestRotate(t *testing.T) {
	h := newHouse(t)
	id, first := h.endpoint("")
	h.pass(time.Minute)
	r := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/rotate", "", "Idempotency-Key", "r1")
	second := r.text("secret")
	if second == first || r.text("previous_secret_until") != "2026-03-07T12:01:00Z" {
		t.Errorf("%s", r.raw)
	}
	if got := h.sealed(id); len(got) != 2 || got[0] != second || got[1] != first {
		t.Errorf("%d secrets are stored", len(got))
	}
	if again := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/rotate", "", "Idempotency-Key", "r1"); again.raw != r.raw {
		t.Errorf("the repeat rotates again: %s", again.raw)
	}
	third := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/rotate", "").text("secret")
	if got := h.sealed(id); len(got) != 2 || got[0] != third || got[1] != second {
		t.Errorf("%d secrets are stored", len(got))
	}
}

// The response to a test is the event, as stored and as sent.
func TestTestEvent(t *testing.T) {
	h := newHouse(t)
	id, _ := h.endpoint(`,"event_types":["order.captured"]`)
	r := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/test", "", "Idempotency-Key", "t1", "X-Request-Id", "mine")
	event := h.must(200, "a", "GET", "/v1/events/"+r.text("id"), "")
	if r.text("type") != "webhook.test" || event.raw != r.raw || !strings.Contains(r.raw, `"request":{"id":"mine","idempotency_key":"t1"}`) || strings.Contains(r.raw, "whsec_") {
		t.Errorf("%s\n%s", r.raw, event.raw)
	}
	if again := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/test", "", "Idempotency-Key", "t1"); again.raw != r.raw {
		t.Errorf("the repeat is another event: %s", again.raw)
	}
	h.must(404, "b", "GET", "/v1/events/"+r.text("id"), "")
	h.must(200, "a", "PATCH", "/v1/webhooks/"+id, `{"enabled":false}`)
	for path, body := range map[string]string{"/test": "", "/replay": `{"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`} {
		if r := h.must(409, "a", "POST", "/v1/webhooks/"+id+path, body); r.code() != "endpoint_disabled" {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
}

// deliver stores a delivery of an event as the sender would.
func (h *house) deliver(id, endpoint, event string, state store.DeliveryState) {
	h.t.Helper()
	ctx := context.Background()
	var row *store.EventRow
	if err := h.backend.View(ctx, func(v store.View) (err error) {
		row, _, err = store.EventOf(v, event, "")
		return err
	}); err != nil || row == nil {
		h.t.Fatalf("event %s: %v", event, err)
	}
	now := h.now()
	lease, ok, err := h.backend.Lease(ctx, "webhook/"+endpoint, "test", now, now.Add(time.Minute))
	if err != nil || !ok {
		h.t.Fatal(ok, err)
	}
	d := store.Delivery{
		ID: id, Endpoint: endpoint, Merchant: h.a, Event: event, Type: row.Type, Object: row.Object, Sequence: row.Sequence,
		Place: store.Place{Q: row.Q, N: row.N}, State: state, Attempts: 2, Status: 204, CreatedAt: now,
	}
	attempts := []store.Attempt{
		{Delivery: id, N: 1, At: now, Took: 20 * time.Second, Error: "no answer within 20 s"},
		{Delivery: id, N: 2, At: now.Add(25 * time.Second), Took: 84 * time.Millisecond, Status: 204, Answer: "ok"},
	}
	if state == store.DeliveryPending {
		d.NextAt = now.Add(5 * time.Minute)
	} else {
		d.FinishedAt = now.Add(26 * time.Second)
	}
	if err := h.backend.Record(ctx, store.Work{Leases: []store.Lease{lease}, Deliveries: []store.Delivery{d}, Attempts: attempts}); err != nil {
		h.t.Fatal(err)
	}
}

func TestDeliveries(t *testing.T) {
	h := newHouse(t)
	id, _ := h.endpoint("")
	event := h.must(200, "a", "POST", "/v1/webhooks/"+id+"/test", "").text("id")
	for n, state := range []store.DeliveryState{store.DeliverySucceeded, store.DeliveryPending, store.DeliveryParked} {
		h.deliver(fmt.Sprintf("dlv_0000000000000000000000000%d", n), id, event, state)
		h.pass(time.Second)
	}
	one := h.must(200, "a", "GET", "/v1/deliveries/dlv_00000000000000000000000000", "")
	want := `"attempts":[{"number":1,"at":"2026-03-06T12:00:00Z","duration_ms":20000,"status":null,"error":"no answer within 20 s","answer":null},` +
		`{"number":2,"at":"2026-03-06T12:00:25Z","duration_ms":84,"status":204,"error":null,"answer":"ok"}]`
	if one.text("state") != "SUCCEEDED" || one.text("webhook_id") != id || one.text("event_id") != event || !strings.Contains(one.raw, want) || one.header.Get("ETag") == "" {
		t.Errorf("%s", one.raw)
	}
	list := "/v1/webhooks/" + id + "/deliveries"
	for query, want := range map[string]string{ // the last digits of what is listed, newest first
		"": "210", "?state=PARKED": "2", "?event_id=" + event: "210", "?event_id=evt_00000000000000000000000000": "",
		"?state=PENDING&event_id=" + event: "1", "?limit=1": "2",
	} {
		r, got := h.must(200, "ops", "GET", list+query, ""), ""
		for _, x := range r.body["data"].([]any) {
			d := x.(map[string]any)
			if len(d["attempts"].([]any)) != 0 {
				t.Errorf("attempts in a list: %v", d)
			}
			got += d["id"].(string)[29:]
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	// Sent again, whether or not it was delivered.
	for n := range 3 {
		r := h.must(201, "a", "POST", fmt.Sprintf("/v1/deliveries/dlv_0000000000000000000000000%d/redeliver", n), "")
		if r.text("webhook_id") != id || r.text("event_id") != event || r.body["from"] != nil || r.header.Get("Location") != list {
			t.Errorf("%v %s", r.header, r.raw)
		}
	}
	r := h.must(201, "a", "POST", "/v1/webhooks/"+id+"/replay", `{"from":"2026-01-10T00:00:00-05:00","to":"2026-01-10T12:00:00Z"}`)
	if r.text("from") != "2026-01-10T05:00:00Z" || r.text("to") != "2026-01-10T12:00:00Z" || r.body["event_id"] != nil {
		t.Errorf("%s", r.raw)
	}
	var resends int
	if err := h.backend.View(context.Background(), func(v store.View) error {
		rows, err := store.ListResends(v, 0, 100)
		resends = len(rows)
		return err
	}); err != nil || resends != 4 {
		t.Errorf("%d resends, %v", resends, err)
	}
	for _, x := range [][2]string{{"GET", "/v1/deliveries/dlv_00000000000000000000000000"}, {"POST", "/v1/deliveries/dlv_00000000000000000000000000/redeliver"}, {"GET", list}} {
		before := h.state()
		if r := h.call("b", x[0], x[1], ""); r.status != 404 || h.state() != before {
			t.Errorf("another merchant, %s %s: %d %s", x[0], x[1], r.status, r.raw)
		}
	}
	h.must(204, "a", "DELETE", "/v1/webhooks/"+id, "")
	h.must(404, "a", "POST", "/v1/deliveries/dlv_00000000000000000000000000/redeliver", "")
}

// The stream returns every event once, in order, and resumes where it was left.
func TestEventStream(t *testing.T) {
	h := newHouse(t)
	walk := func(who, query string) (ids []string, cursor string) {
		for {
			path := "/v1/events?limit=2" + query
			if cursor != "" {
				path += "&cursor=" + cursor
			}
			r := h.must(200, who, "GET", path, "")
			for _, x := range r.body["data"].([]any) {
				ids = append(ids, x.(map[string]any)["type"].(string))
			}
			if cursor = r.text("next_cursor"); cursor == "" {
				t.Fatalf("no cursor: %s", r.raw)
			}
			if linked := r.header.Get("Link") != ""; linked != (r.body["has_more"] == true) {
				t.Errorf("Link %q, has_more %v", r.header.Get("Link"), r.body["has_more"])
			}
			if r.body["has_more"] == false {
				return ids, cursor
			}
		}
	}
	first, cursor := walk("a", "")
	if fmt.Sprint(first) != "[company.created]" {
		t.Errorf("%v", first)
	}
	h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100,"installments":3,"status":"AUTHORIZED"}`, h.company))
	r := h.must(200, "a", "GET", "/v1/events?limit=2&cursor="+cursor, "")
	if got := r.body["data"].([]any); len(got) != 2 || got[0].(map[string]any)["type"] != "order.created" {
		t.Errorf("%s", r.raw)
	}
	all, last := walk("a", "")
	if fmt.Sprint(all) != "[company.created order.created order.authorized company.credit_line_changed]" {
		t.Errorf("%v", all)
	}
	if r := h.must(200, "a", "GET", "/v1/events?limit=2&cursor="+last, ""); len(r.body["data"].([]any)) != 0 || r.text("next_cursor") != last {
		t.Errorf("at the end: %s", r.raw)
	}
	if other, _ := walk("b", ""); fmt.Sprint(other) != "[company.created]" {
		t.Errorf("the other merchant reads %v", other)
	}
	if ops, _ := walk("ops", ""); len(ops) != 5 {
		t.Errorf("the operator reads %v", ops)
	}
	for who, path := range map[string]string{"b": "/v1/events?limit=2&cursor=" + last, "ops": "/v1/events?cursor=" + last, "a": "/v1/events?created_from=2026-01-01&cursor=" + last} {
		if r := h.call(who, "GET", path, ""); r.status != 400 || r.code() != "invalid_cursor" {
			t.Errorf("%s with another's cursor: %d %s", who, r.status, r.raw)
		}
	}
	h.mu.Lock()
	h.day = h.day.AddDate(0, 0, 1)
	h.mu.Unlock()
	h.must(201, "a", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":100}`, h.company))
	for from, want := range map[string]string{"2026-01-11": "[order.created]", "2026-01-12": "[]", "2026-01-10": fmt.Sprint(append(all, "order.created"))} {
		if got, _ := walk("a", "&created_from="+from); fmt.Sprint(got) != want {
			t.Errorf("from %s: %v, want %s", from, got, want)
		}
	}
}

func TestWebhooksBadInput(t *testing.T) {
	h := newHouse(t)
	id, _ := h.endpoint("")
	one := "/v1/webhooks/" + id
	for _, x := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"POST", "/v1/webhooks", `{}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":""}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/` + strings.Repeat("x", 2048) + `"}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/","secret":"whsec_mine"}`, 400, "unknown_member"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/","merchant_id":"` + h.b + `"}`, 400, "unknown_member"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/","event_types":["order.nothing"]}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/","event_types":["order.*"]}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/","enabled":"yes"}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks", `{"url":"http://shop.example/"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://127.0.0.1/"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://localhost/"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://169.254.169.254/latest"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://[::1]/"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://u:p@shop.example/"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"https://shop.example/#x"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"file:///etc/passwd"}`, 422, "url_not_allowed"},
		{"POST", "/v1/webhooks", `{"url":"not a url"}`, 422, "url_not_allowed"},
		{"PATCH", one, `{"url":null}`, 422, "validation_failed"},
		{"PATCH", one, `{"url":"https://10.0.0.1/"}`, 422, "url_not_allowed"},
		{"PATCH", one, `{"enabled":null}`, 422, "validation_failed"},
		{"PATCH", one, `{"disabled_reason":null}`, 400, "unknown_member"},
		{"PATCH", "/v1/webhooks/whk_00000000000000000000000000", `{}`, 404, "not_found"},
		{"PATCH", "/v1/webhooks/x", `{}`, 404, "not_found"},
		{"POST", one + "/replay", `{}`, 422, "validation_failed"},
		{"POST", one + "/replay", `{"from":"2026-01-02T00:00:00Z","to":"2026-01-02T00:00:00Z"}`, 422, "validation_failed"},
		{"POST", one + "/replay", `{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}`, 422, "validation_failed"},
		{"POST", one + "/replay", `{"from":"2025-12-01T00:00:00Z","to":"2026-01-01T00:00:01Z"}`, 422, "validation_failed"},
		{"POST", one + "/replay", `{"from":"2026-01-01","to":"2026-01-02"}`, 422, "validation_failed"},
		{"POST", one + "/replay", `{"from":"2026-01-01T00:00:00","to":"2026-01-02T00:00:00"}`, 422, "validation_failed"},
		{"POST", "/v1/webhooks/whk_00000000000000000000000000/test", ``, 404, "not_found"},
		{"GET", one + "/deliveries?state=DONE", ``, 400, "invalid_parameter"},
		{"GET", one + "/deliveries?event_id=x", ``, 400, "invalid_parameter"},
		{"GET", one + "/deliveries?endpoint=x", ``, 400, "unknown_parameter"},
		{"GET", "/v1/webhooks/whk_00000000000000000000000000/deliveries", ``, 404, "not_found"},
		{"GET", "/v1/deliveries/dlv_00000000000000000000000000", ``, 404, "not_found"},
		{"POST", "/v1/deliveries/dlv_00000000000000000000000000/redeliver", ``, 404, "not_found"},
		{"POST", "/v1/deliveries/x/redeliver", ``, 404, "not_found"},
		{"GET", "/v1/events?created_from=2026-13-01", ``, 400, "invalid_parameter"},
		{"GET", "/v1/events?type=order.created", ``, 400, "unknown_parameter"},
		{"GET", "/v1/events?limit=101", ``, 400, "invalid_parameter"},
		{"GET", "/v1/events?cursor=", ``, 400, "invalid_cursor"},
		{"GET", "/v1/events?cursor=AAAA", ``, 400, "invalid_cursor"},
		{"GET", "/v1/events/evt_00000000000000000000000000", ``, 404, "not_found"},
		{"POST", "/v1/events", `{}`, 405, "method_not_allowed"},
	} {
		before := h.state()
		r := h.call("a", x.method, x.path, x.body)
		if r.status != x.status || r.code() != x.code {
			t.Errorf("%s %s %.80s: %d %s, want %d %s: %s", x.method, x.path, x.body, r.status, r.code(), x.status, x.code, r.raw)
		}
		if r.header.Get("Commit-Seq") == "" && h.state() != before {
			t.Errorf("%s %s %.80s: something was stored", x.method, x.path, x.body)
		}
		if strings.Contains(r.raw, "169.254") || strings.Contains(r.raw, "passwd") || strings.Contains(r.raw, "u:p") {
			t.Errorf("%.80s: the answer repeats the value: %s", x.body, r.raw)
		}
	}
	if r := h.must(200, "a", "GET", one, ""); fmt.Sprint(r.body["version"]) != "1" {
		t.Errorf("the endpoint has changed: %s", r.raw)
	}
	for range credit.MaxEndpoints - 1 {
		h.endpoint("")
	}
	if r := h.call("a", "POST", "/v1/webhooks", `{"url":"https://shop.example/"}`); r.status != 422 || r.code() != "limit_exceeded" {
		t.Errorf("the 21st endpoint: %d %s", r.status, r.raw)
	}
	seen := map[string]bool{}
	for path := "/v1/webhooks?limit=7"; path != ""; {
		r := h.must(200, "a", "GET", path, "")
		for _, x := range r.body["data"].([]any) {
			seen[x.(map[string]any)["id"].(string)] = true
		}
		if path = ""; r.body["has_more"] == true {
			path = "/v1/webhooks?limit=7&cursor=" + r.text("next_cursor")
		}
	}
	if len(seen) != credit.MaxEndpoints {
		t.Errorf("%d endpoints in the list", len(seen))
	}
	if r := h.must(200, "b", "GET", "/v1/webhooks", ""); len(r.body["data"].([]any)) != 0 {
		t.Errorf("another merchant lists %s", r.raw)
	}
}
