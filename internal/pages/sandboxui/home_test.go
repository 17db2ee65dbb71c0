package sandboxui

import (
	"context"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"
)

// The token is on no page unless requested, and then on one.
func TestTokenIsShownOnce(t *testing.T) {
	s, _, _ := world(t, "plain", 1)
	in := enter(t, s)
	home := func() string { return call(s, "GET", "/sandbox", nil, in).Body.String() }
	if page := home(); strings.Contains(page, "tnr_good") || !strings.Contains(page, "Your access token") {
		t.Error("the token is there before anybody has asked, or cannot be asked for")
	}
	if w := call(s, "POST", "/sandbox/token", url.Values{"key": {"k"}}, in); w.Code != 303 || w.Header().Get("Location") != "/sandbox#token" {
		t.Fatalf("%d to %s", w.Code, w.Header().Get("Location"))
	}
	if page := home(); !strings.Contains(page, `id="token-text">tnr_good<`) || !strings.Contains(page, `data-copy="token-text"`) {
		t.Error("it is not shown with a key that copies it")
	}
	if strings.Contains(home(), "tnr_good") {
		t.Error("it is shown twice")
	}
}

// What is due first is described with a link, in the bar of every page and on the home page; if
// nothing is due, the button that goes there does nothing.
func TestNextEvent(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	clock := Clock{Now: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC), NextAt: time.Date(2026, 2, 4, 21, 0, 0, 0, time.UTC)}
	s.config.Clock = func(context.Context) (Clock, error) { return clock, nil }
	a.answers["GET /v1/order/ord_0"] = object{"key": "ord_0", "merchant_order_id": "PO-7781"}
	a.answers["GET /v2/companies/1000000000"] = object{"id": "1000000000", "name": "Alder Kitchens"}
	for _, x := range []struct{ next, bar, home string }{
		{"order ord_0", `Next: <a class="link" href="/sandbox/objects/order/ord_0">order PO-7781</a>, `, ": order PO-7781<"},
		{"held money ord_0", `Next: <a class="link" href="/sandbox/objects/order/ord_0">order PO-7781</a>, `, ": order PO-7781<"},
		{"company 1000000000", `Next: <a class="link" href="/sandbox/objects/company/1000000000">company Alder Kitchens</a>, `, ": company Alder Kitchens<"},
		{"order ord_9", "Next: an order, ", ": an order<"}, // another merchant's
		{"transfer trf_1", "Next: a bank transfer, ", ": a bank transfer<"},
		{"weather", "Next: an event, ", ": an event<"},
	} {
		clock.Next = x.next
		for at, want := range map[string]string{"/sandbox/mail": x.bar, "/sandbox": x.home} {
			page := call(s, "GET", at, nil, in).Body.String()
			if !strings.Contains(page, want) || strings.Contains(page, `value="next" disabled`) || strings.Contains(page, "trf_1") {
				t.Errorf("%s: %s does not say %q, or says a key", x.next, at, want)
			}
		}
	}
	clock.NextAt = time.Time{}
	for _, at := range []string{"/sandbox/mail", "/sandbox"} {
		if page := call(s, "GET", at, nil, in).Body.String(); !strings.Contains(page, "Nothing is due.") || !strings.Contains(page, `value="next" disabled`) {
			t.Errorf("%s: with nothing due there is something to press", at)
		}
	}
	if page := call(s, "GET", "/sandbox/enter", nil, nil).Body.String(); strings.Contains(page, "PO-7781") {
		t.Error("the door tells of orders")
	}
}

// dotted is a line of a page whose parts are separated by dots.
func dotted(parts ...string) string { return strings.Join(parts, "</span> <span>") }

// An event that only says that an object was updated shows what changed, even if the object is
// one of many; and an order known by its number is called by it.
func TestUpdatesSayWhat(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	a.answers["GET /v1/orders"] = object{"data": []object{{"key": "ord_1", "merchant_order_id": "PO-7781", "amount": 1200}}}
	a.answers["GET /v1/events"] = object{"data": []raw{
		raw(`{"type":"order.updated","created_at":"2026-11-02T14:00:00Z","object":{"type":"order","id":"ord_1"},"data":{"object":{"key":"ord_1","merchant_order_id":"PO-7781","financing_status":"PAID_OFF"},"previous_attributes":{"financing_status":"ACTIVE"}}}`),
		raw(`{"type":"payment.succeeded","created_at":"2026-11-02T14:30:00Z","object":{"type":"payment","id":"pay_1"},"data":{"object":{"order_key":"ord_1","amount":207.06},"previous_attributes":{"status":"PENDING"}}}`),
	}}
	page := call(s, "GET", "/sandbox", nil, in).Body.String()
	for _, want := range []string{dotted("PO-7781", "financing status active\u00a0→\u00a0paid off"), dotted("PO-7781", "$207.06")} {
		if !strings.Contains(page, want) {
			t.Errorf("the start does not say %q", want)
		}
	}
}

// The home page shows the time since the beginning, the number of mails and deliveries, and a
// quiet month in one sentence.
func TestHomeFigures(t *testing.T) {
	s, a, now := world(t, "plain", 30)
	in := enter(t, s)
	clock := Clock{Began: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)}
	clock.Now = clock.Began
	s.config.Clock = func(context.Context) (Clock, error) { return clock, nil }
	home := func() string { return html.UnescapeString(call(s, "GET", "/sandbox", nil, in).Body.String()) }
	if page := home(); strings.Contains(page, "after you started") || !strings.Contains(page, "30+ delivered, 30+ waiting") {
		t.Error("on the first day days have passed, or the deliveries are not counted")
	}
	a.answers["GET /v1/events"] = object{"data": []object{}}
	clock.Now, *now = clock.Now.AddDate(0, 0, 43), now.Add(time.Second)
	page := home()
	for _, want := range []string{"43 days after you started", "January 5 to February 17: 43 days. Nothing was due.", "Buy something in the shop"} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the start does not say %q once", want)
		}
	}
	if strings.Contains(page, "0 events") || strings.Contains(page, "Nothing has happened yet") {
		t.Error("it says twice that nothing has happened")
	}
	for name, answer := range map[string]object{"1 delivered, 1 waiting": {"data": []object{{}}}, "0 delivered, 0 waiting": {"data": []object{}}} {
		a.answers["GET /v1/webhooks/whk_r0/deliveries"] = answer
		if !strings.Contains(home(), name) {
			t.Errorf("the start does not say %q", name)
		}
	}
	a.answers["GET /v1/webhooks"] = object{"data": []object{}}
	if !strings.Contains(home(), "No endpoints yet") {
		t.Error("without endpoints it counts deliveries")
	}
}

// A line on an object's own page says what changed, not what the object is; equal lines are
// merged.
func TestWhatHasChanged(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	at := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	line := func(limit, available, reserved string) string {
		return `"credit_line":{"limit":` + limit + `,"available":` + available + `,"reserved":` + reserved + `}`
	}
	event := func(kind, is, was string) raw {
		return raw(`{"type":"company.` + kind + `","created_at":"` + at.Format(time.RFC3339) + `","object":{"type":"company","id":"1000000000"},"data":{"object":{"name":"Alder Kitchens",` + is + `},"previous_attributes":{` + was + `}}}`)
	}
	a.answers["GET /v1/companies/1000000000/events"] = object{"data": []raw{
		event("created", line("25000.00", "25000.00", "0.00"), ``),
		event("updated", line("25000.00", "25000.00", "0.00")+`,"autopay":{"enabled":false}`, `"autopay":{"enabled":false},"updated_at":"x"`),
		event("updated", line("25000.00", "25000.00", "0.00")+`,"autopay":{"enabled":false}`, `"autopay":{"enabled":false},"updated_at":"x"`),
		event("credit_line_changed", line("25000.00", "23800.00", "1200.00"), `"credit_line":{"available":25000.00,"reserved":0.00}`),
		event("status_changed", `"status":"SUSPENDED","status_reason":{"code":"LATE"}`, `"status":"APPROVED","status_reason":null,"version":3`),
	}}
	page := call(s, "GET", "/sandbox/objects/company/1000000000", nil, in).Body.String()
	for _, want := range []string{"line $25,000.00", dotted("autopay", "2 times"), dotted("available $25,000.00 → $23,800.00", "reserved $0.00 → $1,200.00"), "status approved → suspended<", ">Credit line changed<"} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the page does not say %q once", want)
		}
	}
	if _, lines, _ := strings.Cut(page, `id="happened"`); strings.Contains(lines, "Alder Kitchens") || strings.Contains(lines, "version") {
		t.Error("each line has the company's name, or what nobody has changed")
	}
}

// An order's schedule determines what is due next: an installment, the reminder before it, the
// cut-off for its debit; and before it ships, the expiry of its authorization.
func TestNextEventOfAnOrder(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	ends := time.Date(2026, 2, 9, 14, 0, 0, 0, time.UTC)
	clock := Clock{Now: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC), Next: "order ord_0"}
	s.config.Clock = func(context.Context) (Clock, error) { return clock, nil }
	a.answers["GET /payments/schedule/ord_0"] = object{"installments": []object{
		{"number": 1, "due_date": "2026-02-05", "collection_date": "2026-02-05", "status": "PAID"},
		{"number": 2, "due_date": "2026-03-07", "collection_date": "2026-03-09", "status": "UPCOMING"},
	}}
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	s.config.Zone = zone
	for _, x := range []struct {
		at      time.Time
		status  string
		autopay bool
		want    string
	}{
		{time.Date(2026, 2, 5, 5, 0, 0, 0, time.UTC), "CAPTURED", true, "order PO-7781"},
		{time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC), "CAPTURED", true, "reminder of installment 2, order PO-7781"},
		{time.Date(2026, 3, 6, 21, 0, 0, 0, time.UTC), "CAPTURED", true, "autopay cut-off of installment 2, order PO-7781"},
		{time.Date(2026, 3, 6, 21, 0, 0, 0, time.UTC), "CAPTURED", false, "order PO-7781"},
		{time.Date(2026, 3, 7, 5, 0, 0, 0, time.UTC), "CAPTURED", true, "installment 2 of order PO-7781 is due"},
		{ends.AddDate(0, 0, -5), "AUTHORIZED", true, "warning that the authorization of order PO-7781 ends"},
		{ends, "AUTHORIZED", true, "authorization of order PO-7781 ends"},
	} {
		a.answers["GET /v1/order/ord_0"] = object{"key": "ord_0", "merchant_order_id": "PO-7781", "status": x.status, "autopay": x.autopay, "authorization_expires_at": ends}
		clock.NextAt = x.at
		if page := call(s, "GET", "/sandbox", nil, in).Body.String(); !strings.Contains(page, ": "+x.want+"<") {
			t.Errorf("%s: the start does not say %q", x.at, x.want)
		}
	}
}

// A company without a line has no amounts, and the divider for a moved clock appears only between
// two events.
func TestHomeSaysNothingOfNothing(t *testing.T) {
	s, a, now := world(t, "plain", 1)
	in := enter(t, s)
	a.answers["GET /v1/companies"] = object{"data": []raw{
		raw(`{"id":"1000000003","name":"Cedar","status":"ON_HOLD","credit_line":{"limit":0.00,"available":0.00}}`),
		raw(`{"id":"1000000001","name":"Alder","status":"APPROVED","credit_line":{"limit":25000.00,"available":0.00}}`),
	}}
	clock := Clock{Now: time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)}
	s.config.Clock = func(context.Context) (Clock, error) { return clock, nil }
	call(s, "GET", "/sandbox", nil, in)
	clock.Now, *now = clock.Now.AddDate(0, 0, 43), now.Add(time.Second)
	a.answers["GET /v1/events"] = object{"data": []object{{"type": "order.captured", "created_at": clock.Now.AddDate(0, 0, -1), "object": object{"type": "order", "id": "ord_1"}}}}
	page := call(s, "GET", "/sandbox", nil, in).Body.String()
	for _, want := range []string{">–</span></span></li>", ">$0.00</span>", "of $25,000.00", `state-warn">on hold<`, "What happened when the clock moved"} {
		if strings.Count(page, want) != 1 {
			t.Errorf("the start does not say %q once", want)
		}
	}
	if strings.Contains(page, "of $0.00") || strings.Contains(page, "clock moved") && strings.Contains(page, ">clock moved") {
		t.Error("it says the limit of no line, or has a divider with nothing below")
	}
}

// Next to an object, others are shown by name, and next to an order its installments.
func TestRelatedByName(t *testing.T) {
	s, a, _ := world(t, "plain", 1)
	in := enter(t, s)
	a.answers["GET /v1/order/ord_0"] = object{"key": "ord_0", "merchant_order_id": "PO-7781", "company_id": 1000000001, "invoice_id": "inv_1", "checkout_id": "chk_9"}
	a.answers["GET /v2/companies/1000000001"] = object{"id": "1000000001", "name": "Alder Kitchens"}
	a.answers["GET /v1/invoices/inv_1"] = object{"id": "inv_1", "number": "INV-42"}
	a.answers["GET /payments/schedule/ord_0"] = object{"installments": []object{{"number": 1, "due_date": "2026-02-05", "amount": 207.06, "status": "PARTIALLY_PAID"}}}
	page := call(s, "GET", "/sandbox/objects/order/ord_0", nil, in).Body.String()
	for _, want := range []string{">Alder Kitchens<", ">INV-42<", ">chk_9<", ">Installment 1<", ">Feb 5, 2026<", ">$207.06<", ">partially paid<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
}
