package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"tenor/client"
)

// shop serves the examples' calls: paths and their documents.
func shop(answers map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := answers[r.Method+" "+r.URL.RequestURI()]
		if !ok {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Prefer") == "dry-run" {
			w.Header().Set("Preference-Applied", "dry-run")
		}
		if strings.Contains(body, `"status":422`) {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		io.WriteString(w, body)
	}))
}

// An order is authorized when it is placed, and captured when the goods are shipped.
func ExampleClient() {
	server := shop(map[string]string{
		"POST /oauth/token":     `{"access_token":"tnr_…","token_type":"Bearer","expires_in":3600,"scope":"orders:read orders:write"}`,
		"POST /order":           `{"key":"ord_1","amount":1200.00,"status":"AUTHORIZED"}`,
		"PATCH /v1/order/ord_1": `{"key":"ord_1","amount":1200.00,"status":"CAPTURED","captured_amount":1200.00,"terms":{"first_due_date":"2026-02-15"}}`,
	})
	defer server.Close()

	c, err := client.NewWithCredentials(server.URL, client.Credentials{ID: "cli_…", Secret: "tns_…"})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	order, err := c.CreateOrder(ctx, client.OrderRequest{
		CompanyID: 1000000001, Amount: "1200.00", Installments: 6, MerchantOrderID: "PO-7781", Status: "AUTHORIZED",
	}, client.IdempotencyKey("place-PO-7781"))
	if err != nil {
		panic(err)
	}
	order, err = c.CaptureOrder(ctx, order.Key, "", client.IdempotencyKey("ship-PO-7781"))
	if err != nil {
		panic(err)
	}
	fmt.Println(order.Status, order.CapturedAmount, order.Terms.FirstDueDate)
	// Output: CAPTURED 1200.00 2026-02-15
}

// Errors are compared by code, and contain more than that.
func ExampleProblem() {
	server := shop(map[string]string{
		"PATCH /v1/order/ord_1": `{"status":422,"code":"insufficient_credit","detail":"The company has 250.00 of credit available.","request_id":"req_1","available":250.00}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "tnr_…")
	if err != nil {
		panic(err)
	}

	_, err = c.AuthorizeOrder(context.Background(), "ord_1")
	var p *client.Problem
	switch {
	case errors.Is(err, client.CodeInsufficientCredit) && errors.As(err, &p):
		fmt.Println("ask for another way to pay:", p.Member("available"), "is left,", p.RequestID)
	case err != nil:
		panic(err)
	}
	// Output: ask for another way to pay: 250.00 is left, req_1
}

// Use range to walk a list; pages are read as they are needed.
func ExampleClient_Orders() {
	server := shop(map[string]string{
		"GET /v1/orders?limit=100&status=CAPTURED":           `{"data":[{"key":"ord_2","amount":500.00}],"has_more":true,"next_cursor":"c1"}`,
		"GET /v1/orders?cursor=c1&limit=100&status=CAPTURED": `{"data":[{"key":"ord_1","amount":1200.00}],"has_more":false,"next_cursor":null}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "tnr_…")
	if err != nil {
		panic(err)
	}

	for order, err := range c.Orders(context.Background(), client.OrderFilter{Status: "CAPTURED"}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(order.Key, order.Amount)
	}
	// Output:
	// ord_2 500.00
	// ord_1 1200.00
}

// A dry run shows what a change would post.
func ExampleDryRun() {
	server := shop(map[string]string{
		"PATCH /v1/order/ord_1/refund": `{"result":{"key":"ord_1","refunded_amount":300.00},"schedule":null,"entries":[{"id":null,"event":"ORDER_REFUNDED","postings":[]}],"credit_line":{"before":{"available":23800.00},"after":{"available":24100.00}}}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "tnr_…")
	if err != nil {
		panic(err)
	}

	var would client.Preview
	order, err := c.RefundOrder(context.Background(), "ord_1", client.OrderRefund{Amount: "300.00"}, client.DryRun(&would))
	if err != nil {
		panic(err)
	}
	fmt.Println(order.RefundedAmount, would.Entries[0].Event, would.CreditLine.Before.Available, "->", would.CreditLine.After.Available)
	// Output: 300.00 ORDER_REFUNDED 23800.00 -> 24100.00
}

// A webhook receiver reads the raw body and checks it before anything else.
func ExampleVerifyWebhook() {
	secrets := []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"} // during a rotation, also the old one
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			return
		}
		event, err := client.VerifyWebhook(secrets, r.Header, body, time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// The same event can arrive twice: remember event.ID, and drop events that are stale by
		// event.Sequence of event.Object.
		fmt.Println(event.Type, event.Object.ID, event.Sequence)
		w.WriteHeader(http.StatusNoContent)
	}

	body := `{"id":"evt_1","type":"order.captured","sequence":3,"object":{"type":"order","id":"ord_1"}}`
	header, err := client.SignWebhook(secrets[0], "evt_1", time.Now(), []byte(body)) // as the server does
	if err != nil {
		panic(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
	r.Header = header
	w := httptest.NewRecorder()
	receive(w, r)
	fmt.Println(w.Code)
	// Output:
	// order.captured ord_1 3
	// 204
}

// A client that cannot receive webhooks follows the events instead.
func ExampleClient_EventPoller() {
	server := shop(map[string]string{
		"GET /v1/events?cursor=saved&limit=100": `{"data":[{"id":"evt_1","type":"order.captured"},{"id":"evt_2","type":"invoice.issued"}],"has_more":false,"next_cursor":"next"}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "tnr_…")
	if err != nil {
		panic(err)
	}

	p := c.EventPoller("saved") // the cursor saved last time
	for event, err := range p.Events(context.Background()) {
		if err != nil {
			panic(err)
		}
		fmt.Println(event.ID, event.Type)
		if event.ID == "evt_2" {
			break // it would wait for more
		}
	}
	// Output:
	// evt_1 order.captured
	// evt_2 invoice.issued
}

// A merchant's own list is compared with the books.
func ExampleClient_Reconcile() {
	server := shop(map[string]string{
		"POST /v1/reconciliations?created_from=2026-01-01": `{"rows":2,"matched":1,"amount_mismatch":1,"differences":[{"kind":"amount_mismatch","merchant_order_id":"PO-2","theirs":{"amount":50.00,"status":"CAPTURED"},"ours":{"amount":500.00,"status":"CAPTURED"}}]}`,
	})
	defer server.Close()
	c, err := client.New(server.URL, "tnr_…")
	if err != nil {
		panic(err)
	}

	list := "merchant_order_id,amount,status\nPO-1,1200.00,CAPTURED\nPO-2,50.00,CAPTURED\n"
	r, err := c.Reconcile(context.Background(), strings.NewReader(list), client.CSV, client.ReconciliationSpan{CreatedFrom: "2026-01-01"})
	if err != nil {
		panic(err)
	}
	for _, d := range r.Differences {
		fmt.Println(d.Kind, d.MerchantOrderID, d.Theirs.Amount, d.Ours.Amount)
	}
	// Output: amount_mismatch PO-2 50.00 500.00
}
