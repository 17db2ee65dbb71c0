package httpapi_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/outcome"
	"tenor/internal/edge/httpapi"
)

var rewriteExamples = flag.Bool("rewrite-examples", false, "write api/examples.json anew")

const publishedExamples = "../../../api/examples.json"

// example is a recorded request and its response, as package portal reads it.
type example struct {
	Path   map[string]string `json:"path,omitempty"`
	Query  string            `json:"query,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
	Status int               `json:"status,omitempty"`
	Answer json.RawMessage   `json:"answer,omitempty"`
}

// tale is a story that is played against the API and recorded.
type tale struct {
	*house
	n        int
	examples map[string]example
}

// The contract's examples are real responses of the API: a story is played with a fixed
// clock and fixed seeds, and its first call of each operation is recorded.
func TestExamplesAreRecorded(t *testing.T) {
	x := &tale{house: bareHouse(t), examples: map[string]example{}}
	x.wall = x.day
	x.service.Seed = x.seed
	x.tokens["ops"] = x.token("")
	x.tell()
	x.events()
	for _, op := range httpapi.Table(x.service) {
		if _, told := x.examples[op.ID]; !told && op.Raw == nil {
			t.Errorf("the story never calls %s", op.ID)
		}
	}
	for _, kind := range outcome.EventTypes() {
		if _, told := x.examples[string(kind)]; !told {
			t.Errorf("the story never has an event %s", kind)
		}
	}
	text := x.text()
	if *rewriteExamples {
		if err := os.WriteFile(publishedExamples, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(publishedExamples)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, text) {
		t.Error("api/examples.json is not what the API answers: make generate, and review the difference")
	}
}

// seed returns the next of a fixed sequence of seeds.
func (x *tale) seed() (s [16]byte) {
	x.n++
	binary.BigEndian.PutUint64(s[8:], uint64(x.n))
	return s
}

// tell plays the story: a merchant joins, sells, delivers, takes back; a buyer pays.
func (x *tale) tell() {
	merchant := x.does("createMerchant", "ops", "POST", "/v1/operator/merchants", "", `{"name":"Harbor Supply"}`)["id"].(string)
	x.does("getMerchant", "ops", "GET", "/v1/operator/merchants/{id}", merchant, "")
	x.does("listMerchants", "ops", "GET", "/v1/operator/merchants", "", "")
	x.does("addProgram", "ops", "POST", "/v1/operator/merchants/{id}/programs", merchant, `{"effective_from":"2026-02-01","min_order_amount":100.00}`)
	x.does("listPrograms", "ops", "GET", "/v1/operator/merchants/{id}/programs", merchant, "")
	x.does("createCompany", "ops", "POST", "/v1/operator/companies", "", `{"name":"Alder Kitchens","legal_name":"Alder Kitchens LLC",`+
		`"email":"accounts@alder.example","phone":"+1 212 555 0101","status":"APPROVED","tier":"A","limit":25000.00,"merchants":["`+merchant+`"]}`)
	company := x.ready(merchant) // the one that every sandbox has, so that the examples work there
	x.does("updateCompany", "ops", "PATCH", "/v1/operator/companies/{company_id}", company, `{"phone":"+1 212 555 0102"}`)
	x.does("setCreditLine", "ops", "POST", "/v1/operator/companies/{company_id}/line", company, `{"limit":30000.00}`)
	x.does("holdCompany", "ops", "POST", "/v1/operator/companies/{company_id}/hold", company, `{"code":"manual_hold","message":"Waiting for a statement."}`)
	x.does("releaseCompany", "ops", "POST", "/v1/operator/companies/{company_id}/release", company, "")
	other := x.does("", "ops", "POST", "/v1/operator/merchants", "", `{"name":"Northgate Tools"}`)["id"].(string)
	x.does("linkCompany", "ops", "POST", "/v1/operator/companies/{company_id}/link", company, `{"merchant_id":"`+other+`"}`)
	x.does("unlinkCompany", "ops", "POST", "/v1/operator/companies/{company_id}/unlink", company, `{"merchant_id":"`+other+`"}`)
	client := x.does("createClient", "ops", "POST", "/v1/operator/clients", "", `{"merchant_id":"`+merchant+`","name":"Web shop"}`)["id"].(string)
	x.does("getClient", "ops", "GET", "/v1/operator/clients/{id}", client, "")
	x.does("rollClient", "ops", "POST", "/v1/operator/clients/{id}/roll", client, `{"overlap_seconds":86400}`)
	x.does("listClients", "ops", "GET", "/v1/operator/clients", "", "")
	x.tokens["shop"] = x.token(merchant)
	x.sell(merchant, company)
	x.buy(merchant)
	x.listen()
	x.lend(merchant, company)
	x.does("revokeClient", "ops", "POST", "/v1/operator/clients/{id}/revoke", client, "")
	x.does("closeCompany", "ops", "POST", "/v1/operator/companies/{company_id}/close", x.does("", "ops", "POST", "/v1/operator/companies", "",
		`{"name":"Juniper Travel","status":"APPROVED","tier":"B","limit":1000.00,"merchants":["`+merchant+`"]}`)["id"].(string), `{"code":"requested_by_company","message":"Asked for by the company."}`)
	x.agree()
}

// ready creates the first of the companies that a sandbox starts with.
func (x *tale) ready(merchant string) string {
	_, err := x.engine.Submit(context.Background(), engine.Request{
		Actor: credit.Actor{Client: "demo", Operator: true}, Seed: x.seed(),
		Command: lending.CreateCompany{
			ID: 1000000001, Title: "Alder Kitchens", LegalName: "Alder Kitchens LLC", Email: "accounts-1@example.test",
			Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("25000.00"), Merchants: []string{merchant},
		},
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return "1000000001"
}

// sell plays the lives of orders.
func (x *tale) sell(merchant, company string) {
	create := func(op, number, amount string) string {
		return x.does(op, "shop", "POST", "/order", "", fmt.Sprintf(`{"company_id":%s,"merchant_order_id":%q,"amount":%s,"installments":6,"status":"AUTHORIZED",`+
			`"cart_items":[{"name":"Shelf, oak","sku":"SH-0112","price":%s,"quantity":1}],"metadata":{"warehouse":"7"}}`, company, number, amount, amount))["key"].(string)
	}
	key := create("createOrder", "PO-7781", "1200.00")
	x.does("getOrder", "shop", "GET", "/v1/order/{key}", key, "")
	part := create("", "PO-7790", "900.00")
	x.does("capturePart", "shop", "POST", "/v1/order/{key}/partial", part, `{"amount":400.00,"merchant_order_id":"PO-7790-A"}`)
	x.does("extendOrder", "shop", "POST", "/v1/order/{key}/extend", part, "")
	lapsing := create("", "PO-7801", "250.00")
	x.to("2026-01-15")
	x.does("updateOrder", "shop", "PATCH", "/v1/order/{key}", key, `{"status":"CAPTURED"}`)
	x.does("getSchedule", "shop", "GET", "/payments/schedule/{orderId}", key, "")
	x.does("getPayoff", "shop", "GET", "/v1/order/{key}/payoff", key, "")
	x.does("getOrderLedger", "shop", "GET", "/v1/order/{key}/ledger", key, "")
	invoices := x.does("listInvoices", "shop", "GET", "/v1/invoices", "", "")["data"].([]any)
	x.does("getInvoice", "shop", "GET", "/v1/invoices/{id}", invoices[0].(map[string]any)["id"].(string), "")
	x.to("2026-02-05")
	x.does("serviceOrder", "ops", "POST", "/v1/operator/order/{key}/service", lapsing, "")
	x.does("", "shop", "PATCH", "/v1/order/{key}", lapsing, `{"merchant_status":"no stock"}`)
	x.to("2026-02-17")
	x.does("", "ops", "POST", "/v1/operator/order/{key}/service", lapsing, "")
	x.does("", "ops", "POST", "/v1/operator/order/{key}/service", key, "")
	pay := func(op, amount, id string) string {
		return x.does(op, "shop", "POST", "/payment", "", fmt.Sprintf(`{"order_key":%q,"amount":%s,"method":"CHECK","external_id":%q}`, key, amount, id))["id"].(string)
	}
	first := pay("recordPayment", "207.06", "check-1001")
	x.does("getPayment", "shop", "GET", "/payment/{id}", first, "")
	x.does("refundPayment", "shop", "POST", "/payment/{id}/refund", first, `{"amount":50.00,"reason":"paid too much"}`)
	x.does("listPayments", "shop", "GET", "/payments", "", "", "company_id="+company)
	bounced := pay("", "100.00", "check-1002")
	x.does("returnPayment", "ops", "POST", "/v1/operator/payments/{id}/return", bounced, `{"code":"bounced","message":"check returned by the bank"}`)
	x.does("refundOrder", "shop", "PATCH", "/v1/order/{key}/refund", key, `{"amount":300.00,"reason":"one shelf returned","reference":"RMA-88","items":[{"sku":"SH-0112","quantity":1}]}`)
	x.does("listOrders", "shop", "GET", "/v1/orders", "", "", "status=CAPTURED&limit=2")
	x.does("listOrderEvents", "shop", "GET", "/v1/order/{key}/events", key, "", "limit=3")
	x.does("explainOrder", "shop", "GET", "/v1/order/{key}/explain", key, "")
	x.does("getCompany", "shop", "GET", "/v2/companies/{company_id}", company, "")
	x.does("listCompanies", "shop", "GET", "/v1/companies", "", "")
	for _, noun := range []string{"Orders", "Payments", "Invoices", "Events"} {
		x.does("listCompany"+noun, "shop", "GET", "/v1/companies/{company_id}/"+strings.ToLower(noun), company, "", "limit=2")
	}
	x.to("2026-03-20")
	x.does("", "ops", "POST", "/v1/operator/order/{key}/service", key, "")
	// What was refunded was never paid (F41.5), so the first installment is late by now and
	// the company suspended. Money that reaches the lender itself ends that.
	x.does("", "ops", "POST", "/payment", "", fmt.Sprintf(`{"order_key":%q,"amount":1500.00,"method":"WIRE","external_id":"wire-7"}`, key))
	x.does("", "shop", "PATCH", "/v1/order/{key}/refund", key, `{}`)
	x.does("", "shop", "PATCH", "/v1/order/{key}", create("", "PO-7810", "120.00"), `{"status":"CANCELED"}`)
	x.does("reconcile", "shop", "POST", "/v1/reconciliations", "", `[{"merchant_order_id":"PO-7781","amount":1200.00,"status":"RETURNED"},{"merchant_order_id":"PO-9999","amount":75.00,"status":"CAPTURED"}]`)
}

// listen plays a webhook receiver. The deliveries are written as the sender writes them.
func (x *tale) listen() {
	hook := x.does("createWebhook", "shop", "POST", "/v1/webhooks", "", `{"url":"https://shop.example.com/hooks/tenor","event_types":["order.captured","order.refunded"],"description":"Web shop"}`)["id"].(string)
	x.does("getWebhook", "shop", "GET", "/v1/webhooks/{id}", hook, "")
	x.does("updateWebhook", "shop", "PATCH", "/v1/webhooks/{id}", hook, `{"description":"Web shop, both stores"}`)
	x.does("rotateWebhook", "shop", "POST", "/v1/webhooks/{id}/rotate", hook, "")
	test := x.does("testWebhook", "shop", "POST", "/v1/webhooks/{id}/test", hook, "")
	x.does("replayWebhook", "shop", "POST", "/v1/webhooks/{id}/replay", hook, `{"from":"2026-01-10T00:00:00Z","to":"2026-01-20T00:00:00Z"}`)
	x.does("listWebhooks", "shop", "GET", "/v1/webhooks", "", "")
	x.does("listEvents", "shop", "GET", "/v1/events", "", "", "limit=2")
	x.does("getEvent", "shop", "GET", "/v1/events/{id}", test["id"].(string), "")
	sent := x.deliver(hook, test["id"].(string))
	x.does("listDeliveries", "shop", "GET", "/v1/webhooks/{id}/deliveries", hook, "", "state=SUCCEEDED")
	x.does("getDelivery", "shop", "GET", "/v1/deliveries/{id}", sent, "")
	x.does("redeliver", "shop", "POST", "/v1/deliveries/{id}/redeliver", sent, "")
	x.does("listRequests", "shop", "GET", "/v1/requests", "", "", "limit=5")
	x.does("getRequest", "shop", "GET", "/v1/requests/{request_id}", x.logged("log_01KM5NP0W03V9ZJQ6YH1B2C3D4", x.clientOf("shop")), "")
	x.does("deleteWebhook", "shop", "DELETE", "/v1/webhooks/{id}", hook, "")
}

func (x *tale) deliver(hook, event string) string {
	x.t.Helper()
	id := "dlv_01KM5NP0W03V9ZJQ6YH1B2C3D4"
	err := x.backend.View(context.Background(), func(v store.View) error {
		e, _, err := store.EventOf(v, event, "")
		if err != nil {
			return err
		}
		return x.backend.Record(context.Background(), store.Work{
			Deliveries: []store.Delivery{{
				ID: id, Endpoint: hook, Merchant: e.Merchant, Event: e.ID, Type: e.Type, Object: e.Object, Sequence: e.Sequence,
				Place: store.Place{Q: e.Q, N: e.N}, State: store.DeliverySucceeded, Attempts: 2, Status: 204,
				CreatedAt: x.now(), FinishedAt: x.now().Add(5 * time.Second),
			}},
			Attempts: []store.Attempt{
				{Delivery: id, N: 1, At: x.now(), Took: 41 * time.Millisecond, Status: 503, Error: "The receiver answered 503.", Answer: "back in a moment"},
				{Delivery: id, N: 2, At: x.now().Add(5 * time.Second), Took: 18 * time.Millisecond, Status: 204},
			},
		})
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return id
}

// to advances business time to a date. The wall clock stands still, so that tokens stay
// valid.
func (x *tale) to(date string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.day = x.zone.At(calendar.MustParse(date), 10, 0)
}

// does makes a call that must succeed and records it as the operation's example.
func (x *tale) does(op, who, method, path, object, body string, query ...string) map[string]any {
	x.t.Helper()
	e := example{Query: strings.Join(query, "&")}
	target := path
	for i := strings.IndexByte(target, '{'); i >= 0; i = strings.IndexByte(target, '{') {
		if e.Path == nil {
			e.Path = map[string]string{}
		}
		j := strings.IndexByte(target, '}')
		var one string
		one, object, _ = strings.Cut(object, "/")
		e.Path[target[i+1:j]] = one
		target = target[:i] + url.PathEscape(one) + target[j+1:]
	}
	if e.Query != "" {
		target += "?" + e.Query
	}
	body = because(method, target, body)
	r := x.call(who, method, target, body, "X-Request-Id", fmt.Sprintf("req_%s_%d", method, len(x.examples)))
	if r.status/100 != 2 {
		x.t.Fatalf("%s %s %s: %d %s", method, target, body, r.status, r.raw)
	}
	e.Status, e.Answer, e.Body = r.status, shown(r.raw), json.RawMessage(body)
	if body == "" && method != "GET" && method != "DELETE" {
		e.Body = json.RawMessage("null")
	}
	if _, told := x.examples[op]; op != "" && !told {
		x.examples[op] = e
	}
	return r.body
}

// Secrets are random, and no page should show one in use.
var drawn = regexp.MustCompile(`"(whsec_|tns_|tnr_|cli_TEST|http://tenor.test/c/)[^"]*"`)

// shown returns a response as an example shows it.
func shown(raw string) json.RawMessage {
	if !json.Valid([]byte(raw)) { // a file, or empty
		return nil
	}
	return json.RawMessage(drawn.ReplaceAllString(raw, `"${1}…"`))
}

// events records the first event of each type.
func (x *tale) events() {
	err := x.backend.View(context.Background(), func(v store.View) error {
		return store.Each(v, &store.Events, func(e store.EventRow) error {
			if _, told := x.examples[string(e.Type)]; !told {
				x.examples[string(e.Type)] = example{Answer: json.RawMessage(e.Payload)}
			}
			return nil
		})
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

// text returns the file of examples.
func (x *tale) text() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, name := range slices.Sorted(maps.Keys(x.examples)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		e, err := json.Marshal(x.examples[name])
		if err != nil {
			x.t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&b, "%q: ", name)
		if err := json.Indent(&b, e, "", "  "); err != nil {
			x.t.Fatal(err)
		}
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}
