package httpapi_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

// TestForesightAndHindsight is T40: a dry run of any call changes nothing and predicts
// exactly what the real call then does (P13, SC7), and what was read is later read again
// with as_of, byte for byte (TM3).
func TestForesightAndHindsight(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine asks one thing after the other: nothing for the race detector")
	}
	fewerWorlds(t, 40)
	pairs, reads := 0, 0
	done := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		w := newForesight(t, rt)
		w.done, w.fails = done, rt
		w.stock()
		for range rapid.IntRange(4, 12).Draw(rt, "steps") {
			w.step()
		}
		w.ask()
		pairs, reads = pairs+w.pairs, reads+len(w.seen)
	})
	t.Logf("%d pairs of a dry run and its call, %d reads asked for again, no difference; accepted %v", pairs, reads, done)
	if pairs == 0 || reads == 0 {
		t.Error("nothing was compared")
	}
}

// TestForesightOfEachCall does the same with one accepted call of each kind.
func TestForesightOfEachCall(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine asks one thing after the other: nothing for the race detector")
	}
	w := newForesight(t, nil)
	w.stock()
	authorized, captured := w.orders[0], w.orders[1]
	order, money := "/v1/order/", `{"order_key":"`+captured+`","method":"WIRE","amount":`
	payment := func(path, body string) (string, string, string, string) {
		return "ops", "POST", strings.Replace(path, "{id}", w.payments[len(w.payments)-1], 1), body
	}
	for i, call := range []func() (string, string, string, string){
		func() (string, string, string, string) { return "shop", "POST", order + authorized + "/extend", "" },
		func() (string, string, string, string) {
			return "shop", "POST", order + authorized + "/partial", `{"amount":333.33}`
		},
		func() (string, string, string, string) { return "shop", "PATCH", order + authorized, `{"amount":500}` },
		func() (string, string, string, string) {
			return "shop", "PATCH", order + authorized, `{"amount":450,"status":"CAPTURED","merchant_status":"sent"}`
		},
		func() (string, string, string, string) { return "shop", "POST", "/payment", money + `100}` },
		func() (string, string, string, string) { return payment("/payment/{id}/refund", `{"amount":30}`) },
		func() (string, string, string, string) {
			return "ops", "POST", "/payment", money + `700,"hold_excess":true}`
		},
		func() (string, string, string, string) {
			return payment("/v1/operator/payments/{id}/return", `{"code":"bounced"}`)
		},
		func() (string, string, string, string) {
			return "ops", "POST", "/payment", money + `50,"effective_date":"2026-01-29"}`
		},
		func() (string, string, string, string) {
			return "shop", "PATCH", order + captured + "/refund", `{"amount":200,"reference":"R"}`
		},
		func() (string, string, string, string) {
			return "shop", "PATCH", order + captured + "/refund", `{"reference":"R"}`
		},
		func() (string, string, string, string) {
			return "ops", "POST", "/v1/operator/order/" + captured + "/service", ""
		},
		func() (string, string, string, string) {
			return "ops", "POST", "/payment", fmt.Sprintf(`{"company_id":%d,"amount":5000,"method":"CHECK"}`, w.company)
		},
		func() (string, string, string, string) { return payment("/payment/{id}/refund", `{}`) },
		func() (string, string, string, string) { return "shop", "PATCH", order + captured + "/refund", `{}` },
		func() (string, string, string, string) {
			return "shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":20}`, w.company)
		},
		func() (string, string, string, string) {
			return "shop", "PATCH", order + w.orders[len(w.orders)-1], `{"status":"CANCELED"}`
		},
	} {
		before := w.done[""]
		w.twice(call())
		if w.done[""] == before {
			t.Errorf("call %d was refused", i)
		}
		w.lookAll()
		w.pass(50 * time.Hour)
	}
	w.ask()
}

// fewerWorlds makes rapid try n worlds unless a flag says how many.
func fewerWorlds(t *testing.T, n int) {
	t.Helper()
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Value.Set(f.DefValue); err != nil {
			t.Error(err)
		}
	})
}

// acts are the calls that move money.
var acts = []string{"create", "update", "capture", "partial", "extend", "refund", "pay", "pay company", "hold", "backdate", "refund payment", "return payment", "cancel payment", "service"}

// foresight is a shop in which everything is asked twice.
type foresight struct {
	*shop
	rt       *rapid.T // source of random choices
	fails    interface{ Fatalf(string, ...any) }
	orders   []string
	payments []string
	status   map[string]string // of orders
	known    map[string]bool   // every text in every response to a real call
	seen     []sighting
	pairs    int
	kind     string         // of the act
	done     map[string]int // accepted acts by kind, over all worlds
}

// sighting is the response to a read and the moment it was given.
type sighting struct {
	token, path string
	at          string
	status      int
	raw, etag   string
}

// everyPlan offers one term of each kind of schedule.
func everyPlan() credit.Settings {
	s := lending.DefaultSettings()
	term := func(n int, plan schedule.Plan, year, month string) credit.Term {
		return credit.Term{Installments: n, Plan: plan, AnnualRate: money.MustParseRate(year), MonthlyFeeRate: money.MustParseRate(month), DiscountRate: money.MustParseRate("0.030000")}
	}
	s.Terms = []credit.Term{
		term(1, schedule.Net30, "0", "0"), term(2, schedule.Zero, "0", "0"), term(3, schedule.Amortized, "0.12", "0"),
		term(4, schedule.FlatFee, "0", "0.015"), term(6, schedule.Amortized, "0.24", "0"),
	}
	return s
}

func newForesight(t *testing.T, rt *rapid.T) *foresight {
	w := &foresight{shop: open(t), rt: rt, fails: t, done: map[string]int{}, known: map[string]bool{}, status: map[string]string{}}
	w.submit(merchants.AddProgram{Merchant: w.merchant, From: w.zone.Date(w.clock()).AddDays(1), Settings: everyPlan()})
	w.at("2026-01-28")
	return w
}

// stock creates an authorized order and two captured ones to start with.
func (w *foresight) stock() {
	for i, term := range []int{3, 4, 6} {
		w.twice("shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":1200,"installments":%d,"status":"AUTHORIZED"}`, w.company, term))
		w.pass(time.Minute)
		if i > 0 {
			w.twice("shop", "PATCH", "/v1/order/"+w.orders[i], `{"status":"CAPTURED"}`)
		}
		w.pass(time.Minute)
	}
	w.lookAll()
	w.pass(time.Minute)
}

func (w *foresight) pick(list []string, what string) string {
	if len(list) == 0 {
		return "ord_none"
	}
	return rapid.SampledFrom(list).Draw(w.rt, what)
}

// fitting returns the orders that the act is meant for; one time in four, any order.
func (w *foresight) fitting() []string {
	status := map[string]string{"capture": "AUTHORIZED", "partial": "AUTHORIZED", "extend": "AUTHORIZED", "refund": "CAPTURED", "pay": "CAPTURED", "hold": "CAPTURED", "backdate": "CAPTURED"}[w.kind]
	var list []string
	for _, key := range w.orders {
		if w.status[key] == status {
			list = append(list, key)
		}
	}
	if len(list) == 0 || rapid.IntRange(0, 3).Draw(w.rt, "any order") == 0 {
		return w.orders
	}
	return list
}

func (w *foresight) amount() string {
	return money.Amount(rapid.SampledFrom([]int64{1, 50_00, 50_00, 100_00, 100_00, 333_33, 1200_00, 9000_00, 25_000_01}).Draw(w.rt, "amount")).String()
}

// step does one random thing twice, looks around, and lets time pass.
func (w *foresight) step() {
	w.twice(w.act())
	if rapid.Bool().Draw(w.rt, "look") {
		w.look()
	}
	if rapid.IntRange(0, 9).Draw(w.rt, "ask now") == 0 {
		w.ask()
	}
	w.pass(rapid.SampledFrom([]time.Duration{time.Microsecond, time.Hour, 26 * time.Hour, 11 * 24 * time.Hour, 33 * 24 * time.Hour}).Draw(w.rt, "time"))
}

// act picks a call that moves money: who makes it, how, and with which body.
func (w *foresight) act() (token, method, path, body string) {
	kinds := append([]string{"create", "update", "capture", "pay"}, acts...) // these more often
	payment := strings.Replace(w.pick(w.payments, "payment"), "ord_", "pay_", 1)
	token = rapid.SampledFrom([]string{"shop", "shop", "ops"}).Draw(w.rt, "token")
	w.kind = rapid.SampledFrom(kinds).Draw(w.rt, "kind")
	order := w.pick(w.fitting(), "order")
	switch w.kind {
	case "create":
		return "shop", "POST", "/order", fmt.Sprintf(`{"company_id":%d,"amount":%s,"installments":%d,"status":"%s","externally_managed_payments":%t,"metadata":{"a":"b"}}`,
			w.company, w.amount(), rapid.IntRange(1, 5).Draw(w.rt, "term"), rapid.SampledFrom([]string{"CREATED", "AUTHORIZED", "AUTHORIZED"}).Draw(w.rt, "status"), rapid.IntRange(0, 4).Draw(w.rt, "external") == 0)
	case "update":
		return token, "PATCH", "/v1/order/" + order, rapid.SampledFrom([]string{
			`{"status":"AUTHORIZED"}`, `{"status":"CANCELED"}`, `{"amount":` + w.amount() + `}`, `{"installments":3}`, `{"metadata":{"c":"d"}}`, `{}`, `{"amount":40,"status":"CAPTURED"}`}).Draw(w.rt, "patch")
	case "capture":
		return token, "PATCH", "/v1/order/" + order, `{"status":"CAPTURED"}`
	case "partial":
		return token, "POST", "/v1/order/" + order + "/partial", `{"amount":` + w.amount() + `}`
	case "extend":
		return token, "POST", "/v1/order/" + order + "/extend", ``
	case "refund":
		return token, "PATCH", "/v1/order/" + order + "/refund", rapid.SampledFrom([]string{`{}`, `{"amount":` + w.amount() + `}`, `{"amount":10,"reference":"R"}`}).Draw(w.rt, "refund")
	case "pay":
		return token, "POST", "/payment", fmt.Sprintf(`{"order_key":"%s","amount":%s,"method":"WIRE"}`, order, w.amount())
	case "pay company":
		return token, "POST", "/payment", fmt.Sprintf(`{"company_id":%d,"amount":%s,"method":"CHECK"}`, w.company, w.amount())
	case "hold":
		return token, "POST", "/payment", fmt.Sprintf(`{"order_key":"%s","amount":%s,"method":"WIRE","hold_excess":true}`, order, w.amount())
	case "backdate":
		day := w.zone.Date(w.clock()).AddDays(-rapid.IntRange(1, 40).Draw(w.rt, "days"))
		return "ops", "POST", "/payment", fmt.Sprintf(`{"order_key":"%s","amount":%s,"method":"WIRE","effective_date":"%s"}`, order, w.amount(), day)
	case "refund payment":
		return token, "POST", "/payment/" + payment + "/refund", rapid.SampledFrom([]string{`{}`, `{"amount":20}`}).Draw(w.rt, "payment refund")
	case "return payment":
		return "ops", "POST", "/v1/operator/payments/" + payment + "/return", `{"code":"bounced"}`
	case "cancel payment":
		return token, "POST", "/v1/payment/" + payment + "/cancel", ``
	}
	return "ops", "POST", "/v1/operator/order/" + order + "/service", ``
}

// twice makes a dry run, then the call, and compares them.
func (w *foresight) twice(token, method, path, body string) {
	w.t.Helper()
	what := fmt.Sprintf("%s: %s %s %s %s", w.clock().Format(time.RFC3339), token, method, path, body)
	before, stored := w.line(), w.state()
	dry := w.call(token, method, path, body, "Prefer", "dry-run", "Idempotency-Key", "the-same-every-time")
	if w.state() != stored {
		w.fails.Fatalf("%s: the dry run has changed something", what)
	}
	if dry.header.Get("Preference-Applied") != "dry-run" || dry.header.Get("Commit-Seq") != "" {
		w.fails.Fatalf("%s: headers of the dry run %v: %s", what, dry.header, dry.raw)
	}
	real := w.call(token, method, path, body)
	w.pairs++
	if real.status >= 400 {
		for _, member := range []string{"request_id", "instance"} {
			delete(dry.body, member)
			delete(real.body, member)
		}
		if dry.status != real.status || text(dry.body) != text(real.body) {
			w.fails.Fatalf("%s: the dry run says %d %v, the call %d %v", what, dry.status, dry.body, real.status, real.body)
		}
		return
	}
	if dry.status != 200 {
		w.fails.Fatalf("%s: the dry run says %d %s, the call %d", what, dry.status, dry.raw, real.status)
	}
	if seq := number(w.t, dry.header.Get("As-Of-Seq")) + 1; seq != number(w.t, real.header.Get("Commit-Seq")) {
		w.fails.Fatalf("%s: the dry run is of commit %d, the call is %s", what, seq-1, real.header.Get("Commit-Seq"))
	}
	w.compare(what+": result", "", dry.body["result"], real.body)
	w.compare(what+": entries", "", dry.body["entries"], w.entries(number(w.t, real.header.Get("Commit-Seq"))))
	w.compare(what+": line", "", dry.body["credit_line"], map[string]any{"before": before, "after": w.line()})
	w.compare(what+": schedule", "", dry.body["schedule"], w.scheduleOf(real.body))
	w.note(real.body)
	w.done[w.kind]++
}

// note remembers a call's response.
func (w *foresight) note(body map[string]any) {
	if key, ok := body["key"].(string); ok && !w.known[key] {
		w.orders = append(w.orders, key)
	}
	if key, ok := body["key"].(string); ok {
		w.status[key], _ = body["status"].(string)
	}
	if id, ok := body["id"].(string); ok && !w.known[id] {
		w.payments = append(w.payments, id)
	}
	w.learn(body)
}

func (w *foresight) learn(v any) {
	switch x := v.(type) {
	case string:
		w.known[x] = true
	case []any:
		for _, y := range x {
			w.learn(y)
		}
	case map[string]any:
		for _, y := range x {
			w.learn(y)
		}
	}
}

// line is the company's current credit line.
func (w *foresight) line() any {
	return w.must(200, "ops", "GET", fmt.Sprintf("/v2/companies/%d", w.company), "").body["credit_line"]
}

// entries returns what a commit posted, without its number.
func (w *foresight) entries(q int64) any {
	var list []resource.Entry
	if err := w.backend.View(context.Background(), func(v store.View) error {
		return store.EachEntry(v, func(e store.EntryRow) error {
			if e.Q == q {
				list = append(list, resource.NewEntry(&e.Entry, 0))
			}
			return nil
		})
	}); err != nil {
		w.t.Fatal(err)
	}
	raw, err := resource.Encode(resource.NewList(list, ""))
	if err != nil {
		w.t.Fatal(err)
	}
	return parsed(w.t, raw).(map[string]any)["data"]
}

// scheduleOf returns the schedule of the order that a response is or names, nil if there is
// none.
func (w *foresight) scheduleOf(body map[string]any) any {
	key, ok := body["key"].(string)
	if !ok {
		if key, ok = body["order_key"].(string); !ok {
			return nil
		}
	}
	r := w.call("ops", "GET", "/payments/schedule/"+key, "")
	if r.status != 200 {
		return nil
	}
	return any(r.body)
}

// drawnMembers are generated only by a real call, as are instants, whose names end in _at.
var drawnMembers = []string{"key", "id", "order_key", "invoice_id", "payment_id", "cause", "reverses"}

// compare checks that two values are equal, except for what the dry run could not know:
// there it has null, and the call generated something never seen before.
func (w *foresight) compare(what, name string, dry, real any) {
	w.t.Helper()
	switch d := dry.(type) {
	case nil:
		s, drawn := real.(string)
		switch {
		case real == nil:
		case !drawn || w.known[s] || !slices.Contains(drawnMembers, name) && !strings.HasSuffix(name, "_at"):
			w.fails.Fatalf("%s: %s is null in the dry run and %v in the call", what, name, real)
		}
	case map[string]any:
		r, _ := real.(map[string]any)
		if !slices.Equal(slices.Sorted(maps.Keys(d)), slices.Sorted(maps.Keys(r))) {
			w.fails.Fatalf("%s: %s is %v in the dry run and %v in the call", what, name, dry, real)
		}
		for k := range d {
			w.compare(what, k, d[k], r[k])
		}
	case []any:
		r, _ := real.([]any)
		if len(d) != len(r) {
			w.fails.Fatalf("%s: %s is %v in the dry run and %v in the call", what, name, dry, real)
		}
		for i := range d {
			w.compare(what, name, d[i], r[i])
		}
	default:
		if dry != real {
			w.fails.Fatalf("%s: %s is %v in the dry run and %v in the call", what, name, dry, real)
		}
	}
}

// lookAll reads every order, its schedule and the company, and remembers them.
func (w *foresight) lookAll() {
	w.see("ops", fmt.Sprintf("/v2/companies/%d", w.company))
	for _, key := range w.orders {
		w.see("shop", "/v1/order/"+key)
		w.see("ops", "/payments/schedule/"+key)
	}
}

func (w *foresight) see(token, path string) {
	r := w.call(token, "GET", path, "")
	w.seen = append(w.seen, sighting{token, path, w.clock().UTC().Format(time.RFC3339Nano), r.status, r.answer(), r.header.Get("ETag")})
}

// look reads some of them.
func (w *foresight) look() {
	paths := []string{fmt.Sprintf("/v2/companies/%d", w.company)}
	for _, key := range w.orders[max(0, len(w.orders)-3):] {
		paths = append(paths, "/v1/order/"+key, "/payments/schedule/"+key)
	}
	for _, path := range paths {
		w.see(rapid.SampledFrom([]string{"shop", "ops"}).Draw(w.rt, "reader"), path)
	}
}

// answer is the body without a problem's request identifiers.
func (r reply) answer() string {
	if r.status < 400 {
		return r.raw
	}
	delete(r.body, "request_id")
	delete(r.body, "instance")
	return text(r.body)
}

// ask reads everything that was looked at again, as of then. The response for a whole past
// day is remembered too, so that it is read again later.
func (w *foresight) ask() {
	w.t.Helper()
	w.pass(time.Microsecond)
	for _, x := range w.seen {
		r := w.call(x.token, "GET", x.path+"?as_of="+x.at, "")
		if r.status != x.status || r.answer() != x.raw || r.header.Get("ETag") != x.etag {
			w.fails.Fatalf("%s %s as of %s: %d %s, was %d %s", x.token, x.path, x.at, r.status, r.answer(), x.status, x.raw)
		}
		if r.status == 200 && number(w.t, r.header.Get("As-Of-Seq")) < 1 {
			w.fails.Fatalf("%s as of %s: As-Of-Seq %q", x.path, x.at, r.header.Get("As-Of-Seq"))
		}
	}
	day := w.zone.Date(w.clock()).AddDays(-1).String()
	for _, x := range w.seen[max(0, len(w.seen)-4):] {
		r := w.call(x.token, "GET", x.path+"?as_of="+day, "")
		w.seen = append(w.seen, sighting{x.token, x.path, day, r.status, r.answer(), r.header.Get("ETag")})
	}
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func parsed(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
