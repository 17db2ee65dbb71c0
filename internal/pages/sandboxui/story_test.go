package sandboxui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// A move of the clock is noticed, whoever made it, and one in progress grows; normally passing
// time is not a move, and neither is starting over.
func TestWatch(t *testing.T) {
	wall := time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)
	start := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	day := func(n float64) time.Time { return start.Add(time.Duration(n * 24 * float64(time.Hour))) }
	type look struct {
		clock  time.Time
		moving bool
		after  time.Duration // since the previous look
	}
	for name, c := range map[string]struct {
		looks []look
		want  string // days since the start
	}{
		"never looked":     {nil, "none"},
		"one look":         {[]look{{day(9), false, 0}}, "none"},
		"real speed":       {[]look{{day(0), false, 0}, {day(1), false, 24 * time.Hour}}, "none"},
		"stands still":     {[]look{{day(0), false, 0}, {day(0), false, time.Hour}}, "none"},
		"moved":            {[]look{{day(0), false, 0}, {day(43), false, time.Second}}, "0 to 43"},
		"twice":            {[]look{{day(0), false, 0}, {day(1), false, time.Second}, {day(8), false, time.Minute}}, "1 to 8"},
		"still moving":     {[]look{{day(0), false, 0}, {day(10), true, time.Second}, {day(30), true, time.Second}, {day(45), false, time.Second}}, "0 to 45"},
		"moved, then time": {[]look{{day(0), false, 0}, {day(10), false, time.Second}, {day(11), false, 24 * time.Hour}}, "0 to 10"},
		"reset":            {[]look{{day(0), false, 0}, {day(10), false, time.Second}, {day(0), false, time.Second}}, "none"},
	} {
		var w watch
		now := wall
		for _, l := range c.looks {
			now = now.Add(l.after)
			w.look(Clock{Now: l.clock, Advancing: l.moving}, now)
		}
		got := "none"
		if m, found := w.moved(); found {
			got = fmt.Sprintf("%g to %g", m.From.Sub(start).Hours()/24, m.To.Sub(start).Hours()/24)
		}
		if got != c.want {
			t.Errorf("%s: %s instead of %s", name, got, c.want)
		}
	}
}

// Events since the clock moved are grouped by business day, newest first, with names, amounts and
// links; earlier events are below.
func TestStory(t *testing.T) {
	s, a, now := world(t, "plain", 1)
	clock := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	s.config.Clock = func(context.Context) (Clock, error) { return Clock{Now: clock}, nil }
	in := enter(t, s)
	at := func(days int, hour int) time.Time { return time.Date(2026, 1, 5+days, hour, 0, 0, 0, time.UTC) }
	happened := func(kind, of, id string, when time.Time, data object) object {
		return object{"type": kind, "created_at": when, "object": object{"type": of, "id": id}, "data": object{"object": data}}
	}
	a.answers["GET /v1/events"] = object{"data": []object{
		happened("order.captured", "order", "ord_1", at(0, 13), object{"key": "ord_1", "merchant_order_id": "PO-1", "amount": 1200}),
		happened("installment.paid", "order", "ord_1", at(31, 13), object{"order_key": "ord_1", "installment": object{"number": 1, "amount": 207.06}}),
		happened("payment.failed", "payment", "pay_1", at(31, 15), object{"order_key": "ord_1", "amount": 207.06}),
		happened("odd_thing.gone_by", "oddity", "x", at(43, 13), object{}),
	}}
	call(s, "GET", "/sandbox", nil, in)
	clock, *now = at(43, 14), now.Add(time.Second)
	page := call(s, "GET", "/sandbox", nil, in).Body.String()
	var found []int
	for _, want := range []string{
		"January 5 to February 17: 43 days, 3 events", "Tuesday, February 17, 2026", "Odd thing gone by", "Thursday, February 5, 2026", `href="/sandbox/objects/payment/pay_1">Payment failed`, dotted("PO-1", "$207.06"),
		`href="/sandbox/objects/order/ord_1">Installment paid`, dotted("PO-1", "installment 1", "$207.06"), "clock moved 43 days", "Monday, January 5, 2026", "Order captured", dotted("PO-1", "$1,200.00"),
	} {
		_, page2, _ := strings.Cut(page, "What happened when the clock moved")
		at := strings.Index(page2, want)
		if at < 0 {
			t.Errorf("the page does not say %s", want)
		}
		found = append(found, at)
	}
	if !slices.IsSorted(found) {
		t.Errorf("the page says it in another order: %v", found)
	}
	if w := call(s, "GET", "/sandbox/objects/oddity/x", nil, in); w.Code != http.StatusNotFound {
		t.Errorf("an object of no known type: %d", w.Code)
	}
	if strings.Contains(page, "/sandbox/objects/oddity") {
		t.Error("a link leads to a page that is not there")
	}
	a.answers["GET /v1/events"] = nil
	delete(a.answers, "GET /v1/events") // the token may not read them: 404 here
	if w := call(s, "GET", "/sandbox", nil, in); w.Code == http.StatusOK {
		t.Errorf("without events: %d", w.Code)
	}
}

// A play shows what it did and with what, and each object as last seen: only to the session that
// played it.
func TestPlayTellsItsStory(t *testing.T) {
	s, _, _ := world(t, "plain", 1)
	in := enter(t, s)
	page := played(t, s, "failing", in)
	for _, want := range []string{"Order plain", "$1,200.00", "$207.06", "Payment plain"} {
		if !strings.Contains(page, want) {
			t.Errorf("the story lacks %s", want)
		}
	}
	at := "/sandbox/scenarios/" + s.plays.list[0].id
	one := call(s, "GET", at+"/payment/pay_7", nil, in)
	if body := one.Body.String(); one.Code != http.StatusOK || !strings.Contains(body, "the last state that the scenario saw") || !strings.Contains(body, `href="`+at+`/order/ord_7"`) {
		t.Errorf("the payment: %d %s", one.Code, body)
	}
	for path, cookies := range map[string][]*http.Cookie{"/payment/pay_7": enter(t, s), "/order/pay_7": in, "/order/ord_8": in} {
		if w := call(s, "GET", at+path, nil, cookies); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
