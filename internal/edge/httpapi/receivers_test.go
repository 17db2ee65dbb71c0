package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
)

// inspector records its calls and returns the given refusal.
type inspector struct {
	told    []string
	refusal error
	absent  bool // no delivery waits
}

func (x *inspector) note(format string, args ...any) error {
	x.told = append(x.told, fmt.Sprintf(format, args...))
	return x.refusal
}

func one() resource.ReceivedWebhook {
	return resource.ReceivedWebhook{ID: "rcv_1", Receiver: "orders", ReceivedAt: time.Date(2026, 1, 12, 21, 0, 0, 0, time.UTC), Behavior: "accept",
		Headers: []resource.HeaderField{{Name: "webhook-id", Value: "evt_1"}}, Check: resource.WebhookCheck{Verdict: "GOOD", Steps: []resource.WebhookCheckStep{{Name: "headers", OK: true}}}}
}

func (x *inspector) List(_ context.Context, merchant string) ([]resource.SandboxReceiver, error) {
	return []resource.SandboxReceiver{{Name: "orders", Behavior: "accept", WebhookIDs: []string{}}}, x.note("list")
}
func (x *inspector) Tell(_ context.Context, _ string, o serve.ReceiverOrder) (resource.SandboxReceiver, error) {
	return resource.SandboxReceiver{Name: o.Name, Behavior: o.Behavior, WebhookIDs: []string{}}, x.note("%+v", o)
}
func (x *inspector) Deliveries(_ context.Context, _, name string) ([]resource.ReceivedWebhook, error) {
	return []resource.ReceivedWebhook{one()}, x.note("deliveries %s", name)
}
func (x *inspector) Delivery(_ context.Context, _, name, id, secret string) (resource.ReceivedWebhook, error) {
	return one(), x.note("delivery %s %s %s", name, id, secret)
}
func (x *inspector) Send(_ context.Context, _, name string, m serve.ReceiverMessage) (resource.ReceivedWebhook, error) {
	return one(), x.note("send %s %+v", name, m)
}
func (x *inspector) SendNow(_ context.Context, id string) (bool, error) {
	return !x.absent, x.note("now %s", id)
}

// The receivers' operations make the right calls, and return refusals with codes of the
// contract.
func TestReceiverOperations(t *testing.T) {
	h, _ := sandboxHouse(t)
	x := &inspector{}
	h.service.Receivers = x
	var err error
	if h.api, err = httpapi.New(h.config, httpapi.Table(h.service)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		told               string
	}{
		{"GET", "receivers", "", 200, "list"},
		{"POST", "receivers/orders", `{"behavior":"busy"}`, 200, "{Name:orders Behavior:busy RetryAfter:30 Times:0}"},
		{"POST", "receivers/orders", `{"behavior":"fail","retry_after":0,"times":3}`, 200, "{Name:orders Behavior:fail RetryAfter:0 Times:3}"},
		{"POST", "receivers/orders", `{"behavior":"explode"}`, 422, ""},
		{"POST", "receivers/orders", `{"behavior":"fail","times":-1}`, 422, ""},
		{"POST", "receivers/Bad%20name", `{"behavior":"fail"}`, 404, ""},
		{"GET", "receivers/orders/deliveries", "", 200, "deliveries orders"},
		{"GET", "receivers/orders/deliveries/rcv_1", "", 200, "delivery orders rcv_1 "},
		{"POST", "receivers/orders/deliveries/rcv_1/check", `{"secret":"whsec_x"}`, 200, "delivery orders rcv_1 whsec_x"},
		{"POST", "receivers/orders/deliveries/rcv_1/check", `{}`, 422, ""},
		{"POST", "receivers/orders/send", `{"id":"evt_1","body":"a\nb"}`, 200, "send orders {ID:evt_1 Timestamp: Signature: Body:a\nb}"},
		{"POST", "receivers/orders/send", `{"body":"a"}`, 422, ""},
		{"POST", "deliveries/dlv_1/send-now", "", 404, ""}, // there is no such delivery
	} {
		x.told = nil
		r := h.call("play", c.method, "/v1/sandbox/"+c.path, c.body)
		if got := strings.Join(x.told, ";"); r.status != c.status || got != c.told {
			t.Errorf("%s %s %s: %d, told %q\n%s", c.method, c.path, c.body, r.status, got, r.raw)
		}
	}
	for refusal, want := range map[error]string{serve.ErrReceiverUnknown: "not_found", serve.ErrReceivers: "limit_exceeded", fmt.Errorf("s3cr3t"): "internal_error"} {
		x.refusal = refusal
		if r := h.call("play", "POST", "/v1/sandbox/receivers/orders", `{"behavior":"fail"}`); r.code() != want || strings.Contains(r.raw, "s3cr3t") {
			t.Errorf("%v: %d %s", refusal, r.status, r.raw)
		}
	}
	h.must(403, h.token("", auth.Scopes(true, true)...), "GET", "/v1/sandbox/receivers", "")
	h.must(403, h.token(h.a, "sandbox"), "GET", "/v1/sandbox/receivers", "")
	h.must(403, h.token(h.a, "sandbox", "webhooks:read"), "POST", "/v1/sandbox/receivers/orders", `{"behavior":"fail"}`)
}

// filled puts a plausible ID into a path of the sandbox.
func filled(path string) string {
	id := "dlv_1"
	switch {
	case strings.Contains(path, "/receivers/"):
		id = "rcv_1"
	case strings.Contains(path, "/mail/"):
		id = "mail_1"
	case strings.Contains(path, "/snapshots/"):
		id = "snp_01KB2C4E6G8J0M2P4R6T8V0X2Z"
	}
	return strings.NewReplacer("{name}", "orders", "{id}", id).Replace(path)
}
