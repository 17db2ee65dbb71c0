package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// clientOf returns the client of a person's token.
func (h *house) clientOf(who string) *credit.Client {
	h.t.Helper()
	var found *credit.Client
	err := h.backend.View(context.Background(), func(v store.View) error {
		list, err := store.ListClients(v, "", store.Page{Limit: 100})
		for _, c := range list {
			if found == nil && c.Merchant != "" {
				found = c
			}
		}
		return err
	})
	if err != nil || found == nil {
		h.t.Fatalf("client of %s: %v", who, err)
	}
	return found
}

// logged writes one call of a client to the request log, in its stored form.
func (h *house) logged(id string, by *credit.Client) string {
	h.t.Helper()
	row := store.RequestRow{
		ID: id, RequestID: "req_" + strings.TrimPrefix(id, store.RequestPrefix), At: h.day, Took: 7 * time.Millisecond, Operation: "createOrder", Method: "POST", Path: "/order",
		Status: 201, Client: by.ID, Merchant: by.Merchant, Key: "PO-7781", Seq: 8,
		RequestType: "application/json", RequestSize: 92, RequestBody: []byte(`{"company_id":1000000001,"amount":1200.00,"merchant_order_id":"***","status":"AUTHORIZED"}`),
		ResponseType: "application/json", ResponseSize: 2112, ResponseBody: []byte(`{"key":"ord_01KEM6QQC0F6MCM3XCVW32WZN7","status":"AUTHORIZED","amount":1200.00,"memo":null}`),
	}
	if err := h.backend.PutRequests(context.Background(), []store.RequestRow{row}); err != nil {
		h.t.Fatal(err)
	}
	return id
}

// A list of calls is paged. A merchant sees its own calls, the lender all.
func TestRequestsAreListed(t *testing.T) {
	h := newHouse(t)
	mine, theirs := &credit.Client{ID: "cli_a", Merchant: h.a}, &credit.Client{ID: "cli_b", Merchant: h.b}
	for i := range 5 {
		h.logged(fmt.Sprintf("log_%026d", i), mine)
	}
	h.logged(fmt.Sprintf("log_%026d", 9), theirs)
	for _, x := range []struct {
		who, query string
		want       int
	}{
		{"a", "", 5}, {"b", "", 1}, {"ops", "", 6}, {"a", "?client_id=cli_b", 0}, {"ops", "?client_id=cli_b", 1}, {"a", "?status_class=4xx", 0},
		{"a", "?status_class=2xx&method=POST&operation=createOrder&idempotency_key=PO-7781", 5}, {"a", "?request_id=req_00000000000000000000000003", 1},
		{"a", "?limit=2", 2}, {"a", "?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z", 0},
	} {
		r := h.call(x.who, http.MethodGet, "/v1/requests"+x.query, "")
		if got := len(r.ids()); r.status != 200 || got != x.want {
			t.Errorf("%s sees %d of %q instead of %d: %d %s", x.who, got, x.query, x.want, r.status, r.body)
		}
	}
	first := h.call("a", http.MethodGet, "/v1/requests?limit=3", "")
	rest := h.call("a", http.MethodGet, "/v1/requests?limit=3&cursor="+first.text("next_cursor"), "")
	if n := len(rest.ids()); n != 2 || rest.text("next_cursor") != "" {
		t.Errorf("the second page has %d: %s", n, rest.body)
	}
	if r := h.call("b", http.MethodGet, "/v1/requests/req_00000000000000000000000003", ""); r.status != 404 {
		t.Errorf("another merchant gets %d", r.status)
	}
	if r := h.call("a", http.MethodGet, "/v1/requests?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", ""); r.status != 400 {
		t.Errorf("a reversed span is answered with %d", r.status)
	}
}
