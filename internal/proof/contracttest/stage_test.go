package contracttest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/ulid"
	"tenor/internal/edge/auth"
)

// stages create what an operation needs besides an object of its kind. An operation missing here
// gets any object of the kind in its path.
var stages = map[string]func(w *world, merchant string) string{
	"updateOrder":            func(w *world, m string) string { return w.order(m, true, false) },
	"capturePart":            func(w *world, m string) string { return w.order(m, true, false) },
	"extendOrder":            func(w *world, m string) string { return w.order(m, true, false) },
	"completeCheckout":       func(w *world, m string) string { return w.accepted(m).ID },
	"getAgreement":           func(w *world, m string) string { return w.accepted(m).Of },
	"requestInformation":     func(w *world, m string) string { return w.inReview(m) },
	"sendApplicationNotice":  func(w *world, m string) string { return w.declined(m) },
	"getApplicationNotice":   func(w *world, m string) string { return w.declined(m) },
	"getApplicationDocument": func(w *world, m string) string { return w.document(m) },
	"getCaseDocument":        func(w *world, m string) string { return w.caseDocument(m) },
	"recordPaperSignature":   func(w *world, m string) string { return w.unsigned(m) },
	"getMasterAgreement":     func(w *world, m string) string { return w.signed(m) },
	"releaseCompany":         func(w *world, m string) string { return w.held(m) },
	"chargeOffOrder":         func(w *world, m string) string { return w.captured(w.newCompany(m), m) }, // it suspends the company
	"setAutopay":             func(w *world, m string) string { return fmt.Sprint(w.companyOf(m)) },     // the example names an account of it
	"sendCredit":             func(w *world, m string) string { return w.overpaid(m) },
	"requestCredit":          func(w *world, m string) string { return w.overpaid(m) },
	"cancelPayment":          func(w *world, m string) string { _, p := w.debit(m); return p.ID },
	"reversePayment":         func(w *world, m string) string { return w.settled(m) },
	"reverseChargeOff":       func(w *world, m string) string { return w.lost(m) },
	"verifyPaymentMethod": func(w *world, m string) string {
		company := w.newCompany(m) // only few accounts of one company may be waiting
		return fmt.Sprintf("%d/%s", company, w.method(m, company, true))
	},
	"requestReasons": func(w *world, m string) string {
		id := w.notice(m)
		w.act("", compliance.SendNotice{Notice: id, Channel: "MAIL", Evidence: "lot 7"})
		return id
	},
	"remitCollected": func(w *world, m string) string { return w.collecting() },
	"refundPayment":  func(w *world, m string) string { return w.reported(m) },
	"payClawback":    func(w *world, m string) string { return w.clawedBack() },
}

// bodies are members that replace those of the document's example, where a request is about
// something that the example cannot know; nil removes a member.
var bodies = map[string]map[string]any{
	"recordPayment":    {"amount": 10, "invoice_id": nil, "company_id": nil, "order_id": nil, "payment_method_id": nil, "scheduled_date": nil, "effective_date": nil, "method": "WIRE"},
	"addProgram":       {"effective_from": "2027-01-01"},
	"addPaymentMethod": {"authorization": map[string]any{"channel": "WEB", "accepted_at": "2026-03-05T15:00:00Z", "reference": "consent"}},
	"setAutopay":       {"authorization": map[string]any{"accepted_at": "2026-03-05T15:00:00Z", "reference": "consent"}},
	"createToken":      {"scope": nil},
	"requestReasons":   {"received_on": "2026-03-06"},
	"setCreditLine":    {"reasons": []any{"credit_score"}},
	"payRefund":        {"payment_method_id": nil},
	"recordReceipt":    {"received_date": nil},
	"identifyReceipt":  {"order_key": nil, "invoice_id": nil},
	"putBankLines":     {"lines": []any{map[string]any{"id": "20260302-1", "date": "2026-03-02", "amount": -35, "reference": "WIRE FEES"}}},
}

// order creates an order: created, authorized, or captured.
func (w *world) order(merchant string, authorized, captured bool) string {
	w.tb.Helper()
	o := w.act(merchant, lending.CreateOrder{Company: w.companyOf(merchant), Amount: money.MustParse("1200.00"), Installments: 3, Authorize: authorized}).(*credit.Order)
	if captured {
		o = w.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
	}
	return o.Key
}

// reported creates a payment recorded by the merchant.
func (w *world) reported(merchant string) string {
	w.tb.Helper()
	return w.act(merchant, payments.RecordPayment{
		Order: w.order(merchant, true, true), Amount: money.MustParse("100.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment).ID
}

// lost creates an order that is charged off.
func (w *world) lost(merchant string) string {
	w.tb.Helper()
	key := w.captured(w.newCompany(merchant), merchant)
	w.act("", lending.ChargeOffOrder{Order: key})
	return key
}

// held creates a company that is on hold.
func (w *world) held(merchant string) string {
	id := w.newCompany(merchant)
	r := w.send(request{
		op: w.c.find("holdCompany"), name: "hold", who: "ops", object: fmt.Sprint(id), body: `{"code":"check"}`,
	})
	if r.status != 200 {
		w.tb.Fatalf("hold: %d %s", r.status, r.body)
	}
	return fmt.Sprint(id)
}

// stage creates what an operation needs, and returns the object for its path.
func (w *world) stage(op *operation, merchant string) string {
	w.tb.Helper()
	if fn := stages[op.OperationID]; fn != nil {
		return fn(w, merchant)
	}
	switch op.kind {
	case "pm":
		return fmt.Sprintf("%d/%s", w.companyOf(merchant), w.object("pm", merchant))
	case "fee":
		return w.fee(merchant)
	case "rfd":
		return w.owed(merchant)
	case "statements":
		return fmt.Sprintf("%d/%s", w.companyOf(merchant), w.business().Format("2006-01"))
	}
	return w.object(op.kind, merchant)
}

// object creates a merchant's object.
func (w *world) object(kind, merchant string) string {
	w.tb.Helper()
	w.named++
	switch kind {
	case "":
		return ""
	case company:
		return fmt.Sprint(w.newCompany(merchant))
	case "ord":
		return w.order(merchant, true, true)
	case "inv":
		return w.loaded(w.order(merchant, true, true)).Invoice
	case "pay":
		return w.act("", payments.RecordPayment{Order: w.order(merchant, true, true), Amount: money.MustParse("100.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None}).(*credit.Payment).ID
	case "whk":
		return w.endpoint(merchant)
	case "evt":
		return w.act("", access.TestEndpoint{Endpoint: w.endpoint(merchant)}).(string)
	case "dlv":
		return w.deliver(merchant, w.endpoint(merchant))
	case "mch":
		return w.act("", merchants.CreateMerchant{Title: fmt.Sprint("Merchant ", w.named), Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	case "pm":
		return w.method(merchant, w.companyOf(merchant), false)
	case "po":
		return w.payout(merchant)
	case "trf":
		return w.inTodaysFile(merchant)
	case "scr":
		return w.screening(merchant)
	case "rcp":
		return w.act("", payments.RecordReceipt{Amount: 100, Method: credit.Wire, Received: calendar.None}).(*credit.Receipt).ID
	case "ntc":
		return w.notice(merchant)
	case "ent":
		return w.act("", compliance.MoveFunding{Amount: money.MustParse("500.00"), Reference: fmt.Sprint("funding ", w.named)}).(string)
	case "bank_lines":
		return w.bankLine()
	case "mtc":
		return w.bankMatch()
	case "bkn":
		return w.bankNotice()
	case "chk":
		return w.checkout(merchant).ID
	case "app":
		return w.application(merchant)
	case "apv":
		return w.approval()
	case "case":
		return w.dispute(merchant)
	case "per":
		return w.invited(merchant)
	case "requests":
		return w.logged(merchant)
	case "cli":
		return w.act("", access.CreateClient{Merchant: merchant, Title: "shop", SecretHash: auth.HashSecret("x"), At: w.now()}).(*credit.Client).ID
	}
	w.tb.Fatalf("the world has no object of the kind %q: stage_test.go must learn to make one", kind)
	return ""
}

func (w *world) loaded(key string) *credit.Order {
	w.tb.Helper()
	s := credit.NewState()
	if err := w.backend.View(context.Background(), func(v store.View) error { return v.Load(s, credit.Keys{Orders: []string{key}}) }); err != nil {
		w.tb.Fatal(err)
	}
	return s.Orders[key]
}

func (w *world) endpoint(merchant string) string {
	w.tb.Helper()
	return w.act("", access.CreateEndpoint{
		Merchant: merchant, URL: "https://shop.example/", Enabled: true, Sealed: w.ring.Seal([]byte("secret"), "endpoint"),
	}).(*credit.Endpoint).ID
}

// logged adds a call to the request log, as the API would.
func (w *world) logged(merchant string) string {
	w.tb.Helper()
	w.named++
	id := ulid.New(store.RequestPrefix, w.now(), [10]byte{byte(w.named >> 8), byte(w.named)})
	if err := w.backend.PutRequests(context.Background(), []store.RequestRow{{
		ID: id, RequestID: fmt.Sprint("req_", w.named), At: w.now(), Took: time.Millisecond, Method: "GET", Path: "/v1/orders", Operation: "listOrders", Status: 200, Client: w.client, Merchant: merchant,
	}}); err != nil {
		w.tb.Fatal(err)
	}
	return id
}

// deliver stores a delivery that has finally failed, as the sender would.
func (w *world) deliver(merchant, endpoint string) string {
	w.tb.Helper()
	w.named++
	event := w.act("", access.TestEndpoint{Endpoint: endpoint}).(string)
	ctx, now := context.Background(), w.now()
	var row *store.EventRow
	if err := w.backend.View(ctx, func(v store.View) (err error) {
		row, _, err = store.EventOf(v, event, "")
		return err
	}); err != nil || row == nil {
		w.tb.Fatalf("event %s: %v", event, err)
	}
	lease, ok, err := w.backend.Lease(ctx, "webhook/"+endpoint, "test", now, now.Add(time.Minute))
	if err != nil || !ok {
		w.tb.Fatal(ok, err)
	}
	id := fmt.Sprintf("dlv_%026d", w.named)
	if err := w.backend.Record(ctx, store.Work{
		Leases: []store.Lease{lease},
		Deliveries: []store.Delivery{{
			ID: id, Endpoint: endpoint, Merchant: merchant, Event: event, Type: row.Type, Object: row.Object, Sequence: row.Sequence,
			Place: store.Place{Q: row.Q, N: row.N}, State: store.DeliveryParked, Attempts: 1, Status: 500, CreatedAt: now, FinishedAt: now.Add(time.Second),
		}},
		Attempts: []store.Attempt{{Delivery: id, N: 1, At: now, Took: 20 * time.Millisecond, Status: 500, Answer: "no"}},
	}); err != nil {
		w.tb.Fatal(err)
	}
	return id
}

// nobodys is a plausible but unused ID.
func nobodys(kind string) string {
	switch kind {
	case company:
		return "3000000000"
	case "statements":
		return "2019-01"
	}
	return kind + "_01KAG7Q2M8X4T6W2Y9Z0A1B2C4"
}

// caller returns who may call an operation.
func (op *operation) caller() string {
	switch {
	case op.public, op.open:
		return ""
	case op.operator():
		return "ops"
	}
	return "a"
}

// good is a request that must succeed: the document's own example, with existing objects.
func (w *world) good(op *operation) request {
	w.tb.Helper()
	r := request{op: op, name: "the example of the document", who: op.caller(), object: w.stage(op, w.a), query: w.needed(op)}
	if op.file {
		r.body = aFile
	}
	if op.body == nil {
		return r
	}
	r.body = w.written(op, w.example(op))
	return r
}

// needed returns the query without which an operation returns nothing.
func (w *world) needed(op *operation) string {
	q := url.Values{}
	for _, p := range op.Parameters {
		if x := p.Value; x.In == "query" && x.Required {
			q.Set(x.Name, fmt.Sprint(x.Schema.Value.Examples[0]))
		}
	}
	if q.Has("merchant") {
		q.Set("merchant", w.a)
	}
	return q.Encode()
}

// example returns the body of the document's example, with existing objects.
func (w *world) example(op *operation) any {
	w.tb.Helper()
	v := w.real(op.body, op.example, "")
	if o, ok := v.(map[string]any); ok {
		for name, x := range bodies[op.OperationID] {
			if o[name] = x; x == nil {
				delete(o, name)
			}
		}
		if op.form {
			o["client_id"], o["client_secret"] = w.client, w.secret
			if _, ok := o["token"]; ok {
				o["token"] = w.token(w.a, 10)
			}
		}
	}
	return v
}

// written encodes a body for sending.
func (w *world) written(op *operation, v any) string {
	if !op.form {
		return write(v)
	}
	form := url.Values{}
	for name, x := range v.(map[string]any) {
		form.Set(name, fmt.Sprint(x))
	}
	return form.Encode()
}

// unique are the members that must differ between objects.
const unique = " merchant_order_id external_id name reference "

// real replaces the IDs of an example with those of the world.
func (w *world) real(s *openapi3.Schema, v any, name string) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			y := x[name]
			sub, _ := below([]*openapi3.Schema{s}, name)
			if len(sub) == 0 {
				w.tb.Fatalf("the example has a member %s that its schema does not have", name)
			}
			out[name] = w.real(sub[0], y, name)
		}
		return out
	case []any:
		out := []any{}
		for _, y := range x {
			out = append(out, w.real(s.Items.Value, y, name))
		}
		return out
	case string:
		if strings.Contains(unique, " "+name+" ") {
			w.named++
			return fmt.Sprint(x, " ", w.named)
		}
	}
	switch kind := kindOf(s); kind {
	case "":
		return v
	case company:
		return w.company
	case "mch":
		return w.a
	default:
		return w.object(kind, w.a)
	}
}
